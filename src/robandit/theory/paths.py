"""SAMBA on many runs at once in NumPy, where every p(t) of every run matters: for statements about paths."""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.game import Floats
from robandit.theory.games import two_arms

EVERY = 15  # rounds from strike to strike in `trace_recoveries`
LARGE = 0.26  # of Delta: the paper calls a corruption large from Delta/4 on, where its bound 4c/Delta is 1


class SambaRuns:
    """The states of many runs, shaped (arms, runs); arm 0 is the best one."""

    def __init__(self, start: tuple[float, ...], rate: float, runs: int, seed: int) -> None:
        self.p: Floats = np.repeat(np.array(start)[:, None], runs, axis=1)
        self.rate = rate
        self.generator = np.random.default_rng(seed)

    def play(self, means: Floats) -> None:
        """Plays one round with these means, corrupted or not: (arms,) or (arms, runs)."""
        p = self.p
        runs = np.arange(p.shape[1])
        leader = p.argmax(axis=0)
        arm = (self.generator.random(len(runs)) > np.cumsum(p[:-1], axis=0)).sum(axis=0)
        paid = self.generator.random(len(runs)) < (means[arm] if means.ndim == 1 else means[arm, runs])
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
        """Drops all other runs."""
        self.p = self.p[:, which]

    @property
    def q(self) -> Floats:
        """The probability of a wrong arm, by run."""
        return np.asarray(1.0 - self.p[0])


def time_to_half(means: tuple[float, ...], rate: float, cap: int, runs: int, seed: int) -> Floats:
    """Returns the rounds until the best arm has a probability of 1/2, by run; `cap` where it has not by then."""
    samba = SambaRuns((1.0 / len(means),) * len(means), rate, runs, seed)
    times, waiting = np.full(runs, float(cap)), np.arange(runs)
    for t in range(cap):
        there = samba.q <= 0.5
        if there.any():
            times[waiting[there]] = t
            waiting = waiting[~there]
            samba.keep(~there)
        if not len(waiting):
            break
        samba.play(np.array(means))
    return times


def time_to_recover(
    means: tuple[float, float], rate: float, size: float, start: float, cap: int, runs: int, seed: int
) -> Floats:
    """Returns the rounds from one strike at q = start until q is at most that again, by run; `cap` where it is not."""
    samba = SambaRuns((1.0 - start, start), rate, runs, seed)
    times, waiting = np.full(runs, float(cap)), np.arange(runs)
    shown = np.array([means[0] - size, means[1] + size])
    for t in range(1, cap + 1):
        samba.play(shown)
        shown = np.array(means)
        back = samba.q <= start * (1.0 + 1e-12)
        if back.any():
            times[waiting[back]] = t
            waiting = waiting[~back]
            samba.keep(~back)
        if not len(waiting):
            break
    return times


def rounds_above_half(
    means: tuple[float, ...], rate: float, marks: tuple[int, ...], runs: int, seed: int
) -> dict[int, tuple[Floats, Floats]]:
    """Returns by round in `marks`, from p* = 1/2 on: how many rounds each run had with q >= 1/2, and its p* there."""
    start = (0.5, *(0.5 / (len(means) - 1),) * (len(means) - 1))
    samba, above, by_mark = SambaRuns(start, rate, runs, seed), np.zeros(runs), {}
    for t in range(1, max(marks) + 1):
        above += samba.q >= 0.5
        samba.play(np.array(means))
        if t in marks:
            by_mark[t] = above.copy(), samba.p[0].copy()
    return by_mark


def embedded_chain(
    means: tuple[float, ...], rate: float, marks: tuple[int, ...], cap: int, runs: int, seed: int
) -> Floats:
    """Returns q at the s-th visit to q <= 1/2 for each s in `marks`, (marks, runs); 1/2, the most, where cut off."""
    samba, visits = SambaRuns((1.0 / len(means),) * len(means), rate, runs, seed), np.full(runs, -1)
    chain = np.full((len(marks), runs), np.nan)
    for _ in range(cap):
        now = samba.q
        visits += now <= 0.5
        for row, mark in enumerate(marks):
            fresh = (visits == mark) & np.isnan(chain[row])
            chain[row, fresh] = now[fresh]
        if not np.isnan(chain[-1]).any():
            break
        samba.play(np.array(means))
    return np.where(np.isnan(chain), 0.5, chain)


def trace_run(
    means: tuple[float, ...],
    corrupted: tuple[float, ...],
    rate: float,
    theta: float,
    rounds: int,
    seed: int,
    every: int = 1,
) -> tuple[Floats, NDArray[np.bool_]]:
    """Plays one run with corrupted means every so many rounds if p* >= theta.

    Returns q before each round, and in which rounds it was struck.
    """
    samba = SambaRuns((1.0 / len(means),) * len(means), rate, 1, seed)
    true, false = np.array(means), np.array(corrupted)
    history, struck = np.zeros(rounds + 1), np.zeros(rounds, np.bool_)
    for t in range(rounds):
        history[t] = samba.q[0]
        struck[t] = t % every == every - 1 and 1.0 - history[t] >= theta
        samba.play(false if struck[t] else true)
    history[rounds] = samba.q[0]
    return history, struck


def find_recoveries(history: Floats, struck: NDArray[np.bool_]) -> list[tuple[int, int | None]]:
    """Definition 3: returns for each strike t the first t' > t with q(t') <= q(t), or None if the run ended before."""
    ended: dict[int, int] = {}
    waiting: list[int] = []  # strikes not recovered from, with q(t) growing: nested processes end inside first
    for t in range(len(history)):
        while waiting and history[t] <= history[waiting[-1]]:
            ended[waiting.pop()] = t
        if t < len(struck) and struck[t]:
            waiting.append(t)
    return [(int(t), ended.get(int(t))) for t in np.flatnonzero(struck)]


def trace_recoveries(
    means: tuple[float, float], learning_rate: float, rounds: int, seed: int, picture: Path | None = None
) -> dict[str, Any]:
    """Returns how long the strikes of one run take to recover from, one just above Delta/4 every fifteen rounds.

    With a `picture` the run is drawn into that file.
    """
    game = two_arms(means, learning_rate)
    size = round(LARGE * float(game.gap), 6)
    corrupted = (max(means[0] - size, 0.0), min(means[1] + size, 1.0))
    history, struck = trace_run(means, corrupted, learning_rate, 0.0, rounds, seed, every=EVERY)
    recoveries = find_recoveries(history, struck)
    ended = [(begin, end) for begin, end in recoveries if end is not None]
    inside = sum(any(a < begin < b for a, b in ended) for begin, _ in ended)
    if picture:
        from robandit.pictures.recoveries import draw_recoveries

        average = sum(end - begin for begin, end in ended) / max(len(ended), 1)
        message = (
            f"The run recovers from {len(ended)} of {len(recoveries)} strikes after {average:.1f} rounds on average; "
            f"the paper's equation (7) says at most {4.0 * size / float(game.gap):.4g}"
        )
        rest = (
            f"SAMBA, one run, step {learning_rate:g}, means {means[0]:g} and {means[1]:g}, both moved by {size:g} "
            f"every {EVERY} rounds"
        )
        draw_recoveries(history, recoveries, (message, rest)).save(picture)
    return {
        "means": list(means),
        "learning_rate": learning_rate,
        "rounds": rounds,
        "size": size,
        "strikes": len(recoveries),
        "ended": len(ended),
        "inside_another": inside,
        "mean_rounds": sum(end - begin for begin, end in ended) / len(ended) if ended else None,
        "longest": max((end - begin for begin, end in ended), default=0),
        "bound_of_the_paper": 4.0 * size / float(game.gap),
        "intervals": [list(pair) for pair in recoveries],
        "picture": None if picture is None else str(picture),
    }
