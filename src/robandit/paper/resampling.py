"""How many resamples FTPL needs per round, by horizon and by arms: the paper says O(K), with a variance of O(T)."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.dice import Random
from robandit.environments.bernoulli import Bernoulli
from robandit.environments.means import spread_means
from robandit.game import Choice, Floats, Setting
from robandit.lab.runner import prepare
from robandit.lab.scenario import Scenario
from robandit.policies.ftpl import Ftpl, FtplState, Resampling, at_most


@dataclass
class CountedFtplState(FtplState):
    """FTPL's state with the sum of the resamples and of their squares."""

    tries: float = 0.0
    squares: float = 0.0


@dataclass(frozen=True)
class CountedFtpl(Ftpl):
    """FTPL that counts its resamples."""

    def start(self, setting: Setting) -> CountedFtplState:
        arms: int = setting.arms
        probabilities: Floats = np.full(arms, 1.0 / arms)
        return CountedFtplState(probabilities, np.zeros(arms))

    def learn(self, state: Any, choice: Choice, reward: float, random: Random) -> None:
        shared = at_most(state.losses, state.losses[choice.arm]) if self.resampling == Resampling.CONDITIONAL else 1
        tries = choice.note / shared
        state.tries += tries
        state.squares += tries * tries
        state.losses[choice.arm] += (1.0 - reward) * choice.note
        state.round += 1


def play_counted(resampling: Resampling, arms: int, horizon: int, runs: int) -> list[Any]:
    """The last state of each run, without corruption."""
    scenario = Scenario(CountedFtpl(resampling), Bernoulli(spread_means(arms)), horizon=horizon, runs=runs)
    runner = prepare(scenario, checkpoints=1)
    return [runner.play_compiled(slice(run, run + 1)).parts.state for run in range(runs)]


def resampling_by_arms(runs: int = 8, horizon: int = 5_000) -> dict[str, list[dict[str, Any]]]:
    """Mean resamples per round, by way of resampling and number of arms; each resample draws one noise per arm."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for resampling in (Resampling.GEOMETRIC, Resampling.CONDITIONAL):
        for arms in (3, 9, 27, 81):
            means = [state.tries / horizon for state in play_counted(resampling, arms, horizon, runs)]
            rows.setdefault(str(resampling), []).append({"arms": arms, "mean": sum(means) / runs, "means": means})
    return rows


def resampling_cost(runs: int = 60) -> dict[str, list[dict[str, Any]]]:
    """Mean and variance of the resamples per round, by way of resampling and horizon; 9 arms, no corruption."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for resampling in (Resampling.GEOMETRIC, Resampling.CONDITIONAL):
        for horizon in (1000, 10_000, 100_000):
            states = play_counted(resampling, 9, horizon, runs)
            means = [state.tries / horizon for state in states]
            variances = [state.squares / horizon - mean * mean for state, mean in zip(states, means, strict=True)]
            row = {"horizon": horizon, "mean": sum(means) / runs, "variance": sum(variances) / runs}
            rows.setdefault(str(resampling), []).append({**row, "means": means, "variances": variances})
    return rows
