"""How much work OMD and its rivals do per round, by horizon: Newton steps, and copies of elimination."""

from dataclasses import dataclass
from typing import Any

from robandit.environments.bernoulli import Bernoulli
from robandit.environments.means import spread_means
from robandit.game import Policy, Setting
from robandit.lab.runner import prepare
from robandit.lab.scenario import Scenario
from robandit.policies.fast_slow_aae import FastSlowAae
from robandit.policies.ftrl_hybrid import FtrlHybrid, FtrlHybridState, hybrid_probabilities
from robandit.policies.multi_layer_aae import MultiLayerAae
from robandit.policies.tsallis_inf import TsallisInfIw, TsallisInfRv, TsallisInfState, tsallis_probabilities

ARMS = 9
HORIZONS = (1000, 10_000, 100_000, 1_000_000)


@dataclass
class CountedTsallisState(TsallisInfState):
    """The state with the sum of the Newton steps."""

    steps: float = 0.0


@dataclass
class CountedHybridState(FtrlHybridState):
    """The state with the sum of the Newton steps."""

    steps: float = 0.0


@dataclass(frozen=True)
class CountedIw(TsallisInfIw):
    """Tsallis-INF that counts its Newton steps."""

    def start(self, setting: Setting) -> CountedTsallisState:
        return CountedTsallisState(**vars(TsallisInfIw().start(setting)))

    def next_round(self, state: Any, rate: float) -> None:
        state.root, steps = tsallis_probabilities(state.losses, rate, state.root, state.probabilities)
        state.steps += steps


@dataclass(frozen=True)
class CountedRv(TsallisInfRv):
    """The same with the reduced-variance estimator."""

    def start(self, setting: Setting) -> CountedTsallisState:
        return CountedTsallisState(**vars(TsallisInfRv().start(setting)))

    def next_round(self, state: Any, rate: float) -> None:
        state.root, steps = tsallis_probabilities(state.losses, rate, state.root, state.probabilities)
        state.steps += steps


@dataclass(frozen=True)
class CountedHybrid(FtrlHybrid):
    """FTRL with a hybrid regulariser that counts its Newton steps."""

    def start(self, setting: Setting) -> CountedHybridState:
        return CountedHybridState(**vars(FtrlHybrid().start(setting)))

    def show(self, state: Any) -> None:
        strength = state.round**0.5
        state.steps += hybrid_probabilities(
            state.losses, strength, self.b, state.probabilities, state.gradient, state.width
        )


COUNTED: dict[str, Policy[Any]] = {
    "tsallis-inf-iw": CountedIw(),
    "tsallis-inf-rv": CountedRv(),
    "ftrl-hybrid": CountedHybrid(),
}


def solver_steps(runs: int = 4) -> dict[str, list[dict[str, Any]]]:
    """Newton steps per round, run by run, by policy and horizon; 9 arms, no corruption."""
    rows: dict[str, list[dict[str, Any]]] = {}
    for name, policy in COUNTED.items():
        for horizon in HORIZONS:
            runner = prepare(Scenario(policy, Bernoulli(spread_means(ARMS)), horizon=horizon, runs=runs), checkpoints=1)
            states = [runner.play_compiled(slice(run, run + 1)).parts.state for run in range(runs)]
            means = [state.steps / horizon for state in states]
            rows.setdefault(name, []).append({"horizon": horizon, "mean": sum(means) / runs, "means": means})
    return rows


def copies_by_horizon() -> dict[str, dict[int, int]]:
    """How many copies of elimination run side by side, by policy and horizon."""
    return {
        policy.name: {horizon: len(policy.start(Setting(ARMS, horizon)).shares) for horizon in HORIZONS}
        for policy in (FastSlowAae(), MultiLayerAae())
    }
