"""A simulation that leaves a journal: one run of the lab's own loop with a learner in the policy's seat.

The loop is lab/play.py as it stands, so the adversary is clipped and charged as always; what the learner observes goes
into the journal with its source and with the truth, which only a simulation knows.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robandit.dice import Random, Role, decision_key, decision_stream
from robandit.errors import InputError
from robandit.game import Choice, Environment, Policy, Setting
from robandit.lab.batch import simulate
from robandit.lab.scenario import Scenario
from robandit.lab.trace import Trace
from robandit.online.learner import Learner
from robandit.progress import Progress


class Crowd:
    """Who reports what: an honest reward comes from any source, a forged one from a member of the ring."""

    def __init__(self, sources: int, ring: int, seed: int) -> None:
        if not 1 <= ring <= sources:
            raise InputError(f"the ring must be 1 to {sources} of the sources, not {ring}")
        self.key = decision_key(seed, Role.SOURCES)
        random, members = decision_stream(self.key, 2**60), list(range(1, sources + 1))
        for place in range(ring):  # the ring is drawn without replacement
            other = place + int(random.uniform() * (sources - place))
            members[place], members[other] = members[other], members[place]
        self.ring = [f"source {number}" for number in sorted(members[:ring])]
        self.sources = sources

    def source(self, number: int, fake: bool) -> str:
        """Return who reports the reward of a decision."""
        uniform = decision_stream(self.key, number).uniform()
        return self.ring[int(uniform * len(self.ring))] if fake else f"source {1 + int(uniform * self.sources)}"


@dataclass
class RoundMemo:
    """What the parts of a recorded play share within a round."""

    random: Any = None  # the loop's stream for the policy; another one asks for a trial choice
    decision: Any = None
    truth: float = 0.0
    means: Any = None  # of the round, where they change


@dataclass(frozen=True)
class RecordedPolicy(Policy[Any]):
    """A learner as a policy."""

    learner: Any
    crowd: Any
    memo: Any

    @property
    def explicit(self) -> bool:  # type: ignore[override]
        """As the learner's policy."""
        return bool(self.learner.policy.explicit)

    @property
    def asks(self) -> bool:  # type: ignore[override]
        """As the learner's policy."""
        return bool(self.learner.policy.asks)

    def start(self, setting: Setting) -> Any:
        return self.learner._fold.state

    def begin(self, state: Any, random: Random) -> None:
        self.memo.random = random

    def refresh(self, state: Any) -> None:
        self.learner.policy.refresh(state)

    def choose(self, state: Any, random: Random) -> Choice:
        fold = self.learner._fold
        if random is not self.memo.random:  # a watching adversary draws trial choices
            choice: Choice = fold.policy.choose(state, random)
            return choice
        self.memo.decision = self.learner.decide(time=float(fold.decisions))
        return Choice(fold.roster.index[self.memo.decision.arm], 0.0, 0)

    def learn(self, state: Any, choice: Choice, reward: float, random: Random) -> None:
        number, truth = self.memo.decision.id, self.memo.truth
        source = self.crowd.source(number, reward != truth)
        self.learner.learn(number, reward, source, time=float(number), truth=truth)

    def wants_check(self, state: Any, choice: Choice) -> bool:
        return bool(self.memo.decision.check)

    def learn_verified(self, state: Any, choice: Choice, reward: float, random: Random) -> None:
        number = self.memo.decision.id
        self.learner.learn(number, reward, "check", time=float(number), truth=self.memo.truth, verified=True)


@dataclass(frozen=True)
class WitnessedEnvironment(Environment[Any]):
    """An environment that also notes the reward there would have been on the true means."""

    inner: Any
    memo: Any

    @property
    def means(self) -> tuple[float, ...]:  # type: ignore[override]
        """As they are."""
        means: tuple[float, ...] = self.inner.means
        return means

    @property
    def changes(self) -> bool:  # type: ignore[override]
        """Whether the means change by themselves."""
        return bool(self.inner.changes)

    def start(self) -> Any:
        return self.inner.start()

    def change(self, tables: Any, t: int, means: Any, random: Random) -> None:
        self.inner.change(tables, t, means, random)
        self.memo.means = means

    def reward(self, tables: Any, arm: int, mean: float, uniform: float) -> float:
        means = self.memo.means if self.changes else self.inner.means
        self.memo.truth = self.inner.reward(tables, arm, means[arm], uniform)
        return float(self.inner.reward(tables, arm, mean, uniform))


def record(
    path: Path | str,
    scenario: Scenario,
    *,
    sources: int = 1000,
    ring: int = 5,
    progress: Progress | None = None,
) -> Trace:
    """Play one run of a scenario and write its journal into a new file; arms are called `arm 1`, `arm 2`, ...

    The learner draws its decisions itself, so this run is not one of those that `simulate` plays with the seed.

    Args:
        path: the journal; raises InputError if the file is there already.
        scenario: what is played.
        sources: how many report rewards.
        ring: how many of them the attacker controls: every forged reward comes from one of these.
        progress: called with the share done.
    """
    if Path(path).exists():
        raise InputError(f"the file {str(path)!r} is there already: a simulation begins a new journal")
    horizon, seed, adversary = scenario.horizon, scenario.seed, scenario.adversary
    crowd, memo = Crowd(sources, ring, seed), RoundMemo()
    names = [f"arm {number}" for number in range(1, len(scenario.environment.means) + 1)]
    budget = min(adversary.budget, float(horizon))
    with Learner(
        scenario.policy, names, seed=seed, horizon=horizon, corruption=budget, journal=path, sync=False
    ) as learner:
        parts = RecordedPolicy(learner, crowd, memo), WitnessedEnvironment(scenario.environment, memo), adversary
        return simulate(*parts, horizon=horizon, runs=1, seed=seed, threads=1, engine="plain", progress=progress)
