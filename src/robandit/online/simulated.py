"""A simulation that leaves a journal: one run of the lab's own loop with a learner in the policy's seat.

The loop is lab/play.py as it stands, so the adversary is clipped and charged as always; what the learner is told goes
into the journal with its source and with the truth, which only a simulation knows.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robandit.dice import Random, decision_key, decision_stream
from robandit.errors import InputError
from robandit.game import Adversary, Choice, Environment, Policy, Setting
from robandit.lab.batch import simulate
from robandit.lab.trace import Trace
from robandit.online.learner import Learner
from robandit.progress import Progress

SOURCES = 4  # role of the streams that say who tells a reward


class Crowd:
    """Who tells what: an honest reward comes from any source, a forged one from a member of the ring."""

    def __init__(self, sources: int, ring: int, seed: int) -> None:
        if not 1 <= ring <= sources:
            raise InputError(f"the ring must be 1 to {sources} of the sources, not {ring}")
        self.key = decision_key(seed, SOURCES)
        random, members = decision_stream(self.key, 2**60), list(range(1, sources + 1))
        for place in range(ring):  # the ring is drawn without replacement
            other = place + int(random.uniform() * (sources - place))
            members[place], members[other] = members[other], members[place]
        self.ring = [f"source {number}" for number in sorted(members[:ring])]
        self.sources = sources

    def source(self, number: int, fake: bool) -> str:
        """Who tells the reward of a decision."""
        uniform = decision_stream(self.key, number).uniform()
        return self.ring[int(uniform * len(self.ring))] if fake else f"source {1 + int(uniform * self.sources)}"


@dataclass
class Seen:
    """What the parts of a recorded play tell each other within a round."""

    random: Any = None  # the loop's stream for the policy; another one asks for a trial choice
    decision: Any = None
    truth: float = 0.0


@dataclass(frozen=True)
class Recorded(Policy[Any]):
    """A learner as a policy."""

    learner: Any
    crowd: Any
    seen: Any

    @property
    def explicit(self) -> bool:  # type: ignore[override]
        """As the learner's policy."""
        return bool(self.learner.policy.explicit)

    def start(self, setting: Setting) -> Any:
        return self.learner._fold.state

    def begin(self, state: Any, random: Random) -> None:
        self.seen.random = random

    def choose(self, state: Any, random: Random) -> Choice:
        fold = self.learner._fold
        if random is not self.seen.random:  # a watching adversary throws trial choices
            choice: Choice = fold.policy.choose(state, random)
            return choice
        self.seen.decision = self.learner.decide(time=float(fold.decisions))
        return Choice(fold.roster.index[self.seen.decision.arm], 0.0, 0)

    def learn(self, state: Any, choice: Choice, reward: float, random: Random) -> None:
        number, truth = self.seen.decision.id, self.seen.truth
        source = self.crowd.source(number, reward != truth)
        self.learner.learn(number, reward, source, time=float(number), truth=truth)


@dataclass(frozen=True)
class Witnessed(Environment[Any]):
    """An environment that also notes the reward there would have been on the true means."""

    inner: Any
    seen: Any

    @property
    def means(self) -> tuple[float, ...]:  # type: ignore[override]
        """As they are."""
        given: tuple[float, ...] = self.inner.means
        return given

    def start(self) -> Any:
        return self.inner.start()

    def reward(self, tables: Any, arm: int, mean: float, uniform: float) -> float:
        self.seen.truth = self.inner.reward(tables, arm, self.inner.means[arm], uniform)
        return float(self.inner.reward(tables, arm, mean, uniform))


def record(
    path: Path | str,
    policy: Policy[Any],
    environment: Environment[Any],
    adversary: Adversary[Any] | None = None,
    *,
    horizon: int,
    seed: int = 1,
    sources: int = 1000,
    ring: int = 5,
    progress: Progress | None = None,
) -> Trace:
    """Play one run and write its journal into a new file; arms are called `arm 1`, `arm 2`, ...

    The learner throws the dice of its decisions, so this run is not one of those that `simulate` plays with the seed.
    """
    if Path(path).exists():
        raise InputError(f"the file {str(path)!r} is there already: a simulation begins a new journal")
    crowd, seen = Crowd(sources, ring, seed), Seen()
    names = [f"arm {number}" for number in range(1, len(environment.means) + 1)]
    budget = min(adversary.budget, float(horizon)) if adversary else 0.0
    with Learner(policy, names, seed=seed, horizon=horizon, corruption=budget, journal=path, sync=False) as learner:
        played = Recorded(learner, crowd, seen), Witnessed(environment, seen), adversary
        return simulate(*played, horizon=horizon, runs=1, seed=seed, threads=1, engine="plain", progress=progress)
