"""SAMBA on many runs at once in NumPy, where every p(t) of every run is looked at: for statements about paths."""

import numpy as np
from numpy.typing import NDArray

from robandit.game import Floats


class Paths:
    """The states of many runs, shaped (arms, runs); arm 0 is the best one."""

    def __init__(self, start: tuple[float, ...], rate: float, runs: int, seed: int) -> None:
        self.p: Floats = np.repeat(np.array(start)[:, None], runs, axis=1)
        self.rate = rate
        self.dice = np.random.default_rng(seed)

    def play(self, shown: Floats) -> None:
        """One round in which these means are shown: (arms,) or (arms, runs)."""
        p = self.p
        runs = np.arange(p.shape[1])
        leader = p.argmax(axis=0)
        arm = (self.dice.random(len(runs)) > np.cumsum(p[:-1], axis=0)).sum(axis=0)
        means = shown[arm] if shown.ndim == 1 else shown[arm, runs]
        paid = self.dice.random(len(runs)) < means
        by_leader = runs[paid & (arm == leader)]
        if len(by_leader):
            some, first = p[:, by_leader], leader[by_leader]
            each = np.arange(len(by_leader))
            lead = some[first, each]
            moved = some - self.rate * some * some / lead
            moved[first, each] = 0.0
            moved[first, each] = 1.0 - moved.sum(axis=0)
            p[:, by_leader] = moved
        by_other = runs[paid & (arm != leader)]
        step = self.rate * p[arm[by_other], by_other]
        p[arm[by_other], by_other] += step
        p[leader[by_other], by_other] -= step

    def keep(self, which: NDArray[np.bool_]) -> None:
        """Go on with these runs only."""
        self.p = self.p[:, which]

    @property
    def q(self) -> Floats:
        """The probability of a wrong arm, by run."""
        return np.asarray(1.0 - self.p[0])


def time_to_half(means: tuple[float, ...], rate: float, cap: int, runs: int, seed: int) -> Floats:
    """Rounds until the best arm has a probability of 1/2, by run; `cap` for those that have not got there by then."""
    paths = Paths((1.0 / len(means),) * len(means), rate, runs, seed)
    shown, times = np.array(means), np.full(runs, float(cap))
    waiting = np.arange(runs)
    for t in range(cap):
        there = paths.q <= 0.5
        if there.any():
            times[waiting[there]] = t
            waiting = waiting[~there]
            paths.keep(~there)
        if not len(waiting):
            break
        paths.play(shown)
    return times


def rounds_above_half(
    means: tuple[float, ...], rate: float, marks: tuple[int, ...], runs: int, seed: int
) -> dict[int, tuple[Floats, Floats]]:
    """By round in `marks`, from p* = 1/2 on: how many rounds each run had with q >= 1/2 so far, and its p* there."""
    start = (0.5, *(0.5 / (len(means) - 1),) * (len(means) - 1))
    paths, shown, above, told = Paths(start, rate, runs, seed), np.array(means), np.zeros(runs), {}
    for t in range(1, max(marks) + 1):
        above += paths.q >= 0.5
        paths.play(shown)
        if t in marks:
            told[t] = above.copy(), paths.p[0].copy()
    return told


def embedded_chain(
    means: tuple[float, ...], rate: float, marks: tuple[int, ...], cap: int, runs: int, seed: int
) -> Floats:
    """q at the s-th visit to q <= 1/2, for each s in `marks`: (marks, runs); 1/2, the most it can be, where cut off."""
    paths = Paths((1.0 / len(means),) * len(means), rate, runs, seed)
    shown, visits = np.array(means), np.full(runs, -1)
    told = np.full((len(marks), runs), np.nan)
    for _ in range(cap):
        now = paths.q
        visits += now <= 0.5
        for row, mark in enumerate(marks):
            fresh = (visits == mark) & np.isnan(told[row])
            told[row, fresh] = now[fresh]
        if not np.isnan(told[-1]).any():
            break
        paths.play(shown)
    return np.where(np.isnan(told), 0.5, told)


def traced(
    means: tuple[float, ...],
    shown: tuple[float, ...],
    rate: float,
    theta: float,
    rounds: int,
    seed: int,
    every: int = 1,
) -> tuple[Floats, NDArray[np.bool_]]:
    """One run, shown other means every so many rounds if p* >= theta: q before each round, and where it was struck."""
    paths = Paths((1.0 / len(means),) * len(means), rate, 1, seed)
    true, false = np.array(means), np.array(shown)
    history, struck = np.zeros(rounds + 1), np.zeros(rounds, np.bool_)
    for t in range(rounds):
        history[t] = paths.q[0]
        struck[t] = t % every == every - 1 and 1.0 - history[t] >= theta
        paths.play(false if struck[t] else true)
    history[rounds] = paths.q[0]
    return history, struck


def recoveries(history: Floats, struck: NDArray[np.bool_]) -> list[tuple[int, int | None]]:
    """Definition 3: for each strike t the first t' > t with q(t') <= q(t), or None if the run ended before."""
    ended: dict[int, int] = {}
    waiting: list[int] = []  # strikes not recovered from, with q(t) growing: nested processes end inside first
    for t in range(len(history)):
        while waiting and history[t] <= history[waiting[-1]]:
            ended[waiting.pop()] = t
        if t < len(struck) and struck[t]:
            waiting.append(t)
    return [(int(t), ended.get(int(t))) for t in np.flatnonzero(struck)]
