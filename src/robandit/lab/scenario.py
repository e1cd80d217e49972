"""What is played: parts, horizon, runs and seed as one frozen value, checked once, with the numbers that follow."""

from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Required, TypedDict, Unpack

import numpy as np

from robandit.adversaries.nobody import Nobody
from robandit.capability import ANYTHING, Capability
from robandit.catalogue import SHIPPED, Catalogue, read_capability
from robandit.environments.bernoulli import Bernoulli
from robandit.environments.means import check_means
from robandit.errors import InputError, whole
from robandit.game import Adversary, Environment, Floats, Policy, Setting
from robandit.lab.paused import PausedPlay

EXPECTED = {
    "policy": "a Policy or its text, such as 'samba:learning_rate=0.1'",
    "environment": "an Environment or a list of means, such as rb.Bernoulli([0.1, 0.9])",
    "adversary": "an Adversary, such as rb.attack('flip', budget=300), or None",
}
LIMITS = {"horizon": (1, 10**15), "runs": (1, 10**8), "seed": (0, 2**128), "agents": (1, 10_000), "slate": (1, 10_000)}
CHARGES = ("cost", "rounds")
USUAL: dict[str, Any] = {
    "runs": 100,
    "seed": 1,
    "agents": 1,
    "slate": 1,
    "charge": "cost",
    "capability": ANYTHING,
    "state": None,
    "catalogue": SHIPPED,
}


class ScenarioTerms(TypedDict, total=False):
    """What a scenario is made of besides its three parts; see `Scenario`."""

    horizon: Required[float]
    runs: int
    seed: int
    agents: int
    slate: int
    charge: str
    capability: Capability | str
    state: PausedPlay | dict[str, Any] | None
    catalogue: Catalogue


@dataclass(frozen=True, init=False)
class Scenario:
    """A policy on an environment against an adversary, over a horizon, some runs long.

    Everything is checked by the constructor, so that whoever holds a scenario can play it.

    Args:
        policy: a policy or its text, such as "samba:learning_rate=0.1".
        environment: an environment, the text of one that needs no means, or a list of means (Bernoulli rewards).
        adversary: an adversary, or None for nobody.
        horizon: the rounds of each agent; with slates, the slates.
        runs: independent replications.
        seed: of the random streams; two scenarios with the same seed share them run by run.
        agents: how many play the same arms in turns.
        slate: how many arms are shown and paid in each round.
        charge: how adversaries made by `attacked_by` are charged, "cost" or "rounds".
        capability: what those adversaries can do, or its text, such as "add:share=0.05".
        state: a saved state in which every run begins, or a play that was left and goes on.
        catalogue: where text is looked up.

    Raises:
        InputError: if anything does not fit; the message says what is allowed.
    """

    policy: Policy[Any]
    environment: Environment[Any]
    adversary: Adversary[Any]
    horizon: int
    runs: int
    seed: int
    agents: int
    slate: int
    charge: str
    capability: Capability
    state: PausedPlay | dict[str, Any] | None
    catalogue: Catalogue = field(compare=False, repr=False)

    def __init__(
        self,
        policy: Policy[Any] | str,
        environment: Environment[Any] | Sequence[float] | str,
        adversary: Adversary[Any] | None = None,
        **terms: Unpack[ScenarioTerms],
    ) -> None:
        values: dict[str, Any] = {**USUAL, **terms, "adversary": Nobody() if adversary is None else adversary}
        if values.keys() != {*LIMITS, *USUAL, "adversary"}:
            wrong = sorted(values.keys() ^ {*LIMITS, *USUAL, "adversary"})
            raise TypeError(f"a scenario takes a horizon and {', '.join(USUAL)}; wrong: {wrong}")
        catalogue: Catalogue = values["catalogue"]
        if not isinstance(environment, Environment):
            environment = make_environment(environment, catalogue)
        values["policy"] = catalogue.policy(policy) if isinstance(policy, str) else policy
        values["environment"] = environment
        for kind in (Policy, Environment, Adversary):
            name = kind.__name__.lower()
            if not isinstance(values[name], kind):
                raise InputError(f"the {name} must be {EXPECTED[name]}, not {values[name]!r}")
        values |= {name: whole(name, values[name], *limits) for name, limits in LIMITS.items()}
        values["capability"] = read_capability(values["capability"])
        for name, value in values.items():
            object.__setattr__(self, name, value)
        self.check()

    def check(self) -> None:
        """Raise InputError where the parts do not fit each other."""
        check_threat(self.adversary)
        turns = self.turns  # raises InputError for a slate that the policy cannot fill
        if self.charge not in CHARGES:
            raise InputError(f"charge must be one of {', '.join(CHARGES)}, not {self.charge!r}")
        if isinstance(self.state, PausedPlay):
            self.state.check(self.runs, self.arms, self.horizon)
        self.check_parts(isinstance(self.state, PausedPlay))
        if self.is_contextual:
            check_contexts(self.policy, self.adversary, turns, isinstance(self.state, PausedPlay))
        if self.environment.changes:
            check_changes(self.policy, turns, isinstance(self.state, PausedPlay))

    def check_parts(self, in_parts: bool) -> None:
        """Raise InputError if the scenario is to be played in several parts and cannot be."""
        if in_parts and self.turns > 1:
            raise InputError("a play of several agents or of slates is played in one piece: leave out until and state")
        if in_parts and self.is_contextual:
            check_contexts(self.policy, self.adversary, self.turns, in_parts)
        if in_parts and self.environment.changes:
            check_changes(self.policy, self.turns, in_parts)

    @cached_property
    def means(self) -> Floats:
        """The true mean of each arm; in a world that changes, that of round 0."""
        return np.array(check_means(getattr(self.environment, "means", ())))

    @cached_property
    def slots(self) -> int:
        """How many items a slate shows; 1 where arms are pulled one at a time."""
        return slots_of(self.policy, self.environment, self.slate, self.agents)

    @cached_property
    def gaps(self) -> Floats:
        """What a pull of each arm costs; of a slate, what it lacks of the mean item of the best one."""
        family = self.environment.family
        if self.slots == 1:
            best = float(self.means.max())
        elif family is None:
            best = float(np.sort(self.means)[-self.slots :].sum()) / self.slots
        else:
            best = float(self.means[family].sum(axis=1).max()) / self.slots
        gaps: Floats = best - self.means
        return gaps

    @property
    def arms(self) -> int:
        """How many arms there are."""
        return len(self.means)

    @property
    def turns(self) -> int:
        """Rounds that belong together: one of each agent, or one for each item of a slate."""
        return self.agents * self.slots

    @property
    def rounds(self) -> int:
        """Rounds of one run: the horizon of all agents, item by item."""
        return self.horizon * self.turns

    @property
    def work(self) -> int:
        """Rounds of all runs times arms: how long the play takes, roughly."""
        return (self.rounds - self.first) * self.runs * self.arms

    @property
    def first(self) -> int:
        """The round the play begins or goes on with."""
        return self.state.round if isinstance(self.state, PausedPlay) else 0

    @property
    def is_contextual(self) -> bool:
        """Whether a context comes in each round."""
        return self.environment.is_contextual

    @property
    def has_best_by_round(self) -> bool:
        """Whether the best arm is another in another round, so that `means` and `gaps` do not say regret."""
        return self.environment.is_contextual or self.environment.changes

    def setting(self) -> Setting:
        """What the policy may look at before the first round."""
        features = self.environment.features
        if self.is_contextual:  # room for those of a round
            features = np.zeros((1, self.environment.context_size))
        budget, family = self.adversary.budget, self.environment.family
        return Setting(self.arms, self.rounds, budget, features, self.agents, self.slots, family)

    def attacked_by(
        self, attack: str, budget: float, *, schedule: str = "start", size: str | float = "full"
    ) -> "Scenario":
        """The same scenario against an attack from the catalogue, with this scenario's charge and capability."""
        terms: dict[str, Any] = {"charge": self.charge, "capability": self.capability}
        adversary = self.catalogue.attack(attack, budget=budget, schedule=schedule, size=size, **terms)
        return replace(self, adversary=adversary)


def make_environment(means: Any, catalogue: Catalogue) -> Environment[Any]:
    """An environment from its text, or Bernoulli rewards from a list of means."""
    if isinstance(means, str):
        named = catalogue.parts("environment").get(means.partition(":")[0])
        if named is None or "means" not in {item.name for item in fields(named)}:
            return catalogue.environment(means)
    if isinstance(means, str) or not hasattr(means, "__iter__"):
        raise InputError(f"the environment must be {EXPECTED['environment']}, not {means!r}")
    return Bernoulli(tuple(means))


def check_contexts(policy: Policy[Any], adversary: Adversary[Any], turns: int, in_parts: bool) -> None:
    """Raise InputError for what cannot be played where every round has a context of its own."""
    if policy.plays != "arms" and not policy.looks:
        raise InputError(
            f"{policy.name} needs a game that stays the same, and here a context comes in each round: take squarecb, "
            "linucb, cw-oful, linear-thompson or linear-softmax, or a policy for arms, which ignores it",
            about="policy",
        )
    if turns > 1 or in_parts:
        raise InputError(
            "contexts are played by one agent, one arm at a time, in one piece: leave out the rest", about="policy"
        )
    if not adversary.sees_draw and type(adversary) is not Nobody:
        raise InputError(
            "this attack is of threat model A, which moves the means before the draw; where contexts come, attackers "
            "see the draw (threat model B), such as sink-best, sink-shown or promote"
        )


def check_changes(policy: Policy[Any], turns: int, in_parts: bool) -> None:
    """Raise InputError for what cannot be played where the means change by themselves."""
    if turns > 1 or in_parts or policy.plays not in ("arms", "features"):
        raise InputError(
            "a world that changes is played by one agent, one arm at a time, in one piece: leave out the rest",
            about="policy",
        )


def slots_of(policy: Policy[Any], environment: Environment[Any], slate: int, agents: int) -> int:
    """How many items a slate shows; raises InputError for a policy made for another number."""
    family, arms = environment.family, len(environment.means)
    slots = slate if family is None else family.shape[1]
    if slate not in (1, slots):
        raise InputError(
            f"slate must be {slots} with this environment, which lists its slates, not {slate}", about="slate"
        )
    if slots > arms:
        raise InputError(f"slate must be at most the number of arms, {arms}, not {slots}", about="slate")
    if slots == 1:
        return 1
    if policy.plays != "slates":
        fitting = "slate-samba, bar, comb-ucb1 or slate-thompson" if family is None else "listed-samba or comb-ucb1"
        raise InputError(
            f"{policy.name} shows one arm at a time and cannot fill a slate of {slots}: take {fitting}", about="policy"
        )
    if agents > 1:
        raise InputError(
            f"slates are shown by one agent: give a slate of {slots} or {agents} agents, not both", about="slate"
        )
    takes = getattr(policy, "takes", "sets")
    if takes not in ("both", "sets" if family is None else "lists"):
        allowed = f"any {slots} items" if family is None else "only the slates it lists"
        raise InputError(
            f"{policy.name} is for {takes} of items, and here {allowed} may be shown together", about="policy"
        )
    return slots


def check_threat(adversary: Adversary[Any]) -> None:
    """Raise InputError for an adversary whose threat model and methods do not agree: it would attack nothing."""
    kind = type(adversary)
    moves_means = kind.tamper_means is not Adversary.tamper_means
    moves_reward = kind.tamper_reward is not Adversary.tamper_reward
    if moves_means == moves_reward:
        raise InputError(
            f"adversary {adversary.name} must define tamper_means (threat model A) "
            "or tamper_reward (threat model B), one of the two"
        )
