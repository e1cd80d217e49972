"""The vocabulary of the game: what a policy, an environment and an adversary are, as plain values."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random, draw
from robandit.errors import InputError
from robandit.parts import Part, Word, parameter

Floats = NDArray[np.float64]
Memory = TypeVar("Memory")


@dataclass(frozen=True)
class Setting:
    """What a policy may look at before the first round; only those that declare a need look beyond `arms`."""

    arms: int
    horizon: int
    corruption: float = 0.0
    # of each arm, (arms, dimension); or one row, which all arms see: then each arm is learnt of apart
    features: Floats | None = field(default=None, compare=False)
    agents: int = 1  # who play the same arms: round t is that of agent t mod V, and the horizon counts all of them
    slots: int = 1  # items of a slate, shown in as many rounds, each of them paid
    family: NDArray[np.int64] | None = field(default=None, compare=False)  # the slates allowed; None: any items


class Choice(NamedTuple):
    """What was chosen: one row of the journal, and all that `learn` needs besides the reward."""

    arm: int
    probability: float  # the probability the arm had when it was chosen; NaN where the policy cannot compute it
    note: int  # what the policy itself drew besides the arm; -1 says: learn nothing from this


def drawn_among(eligible: list[int], shares: Any, random: Random) -> Choice:
    """One of some arms, drawn with these shares."""
    index = draw(shares, random)
    return Choice(eligible[index], shares[index], 0)


class Can(Word):
    """Which way rewards may be moved."""

    BOTH = 0
    ADD = 1  # towards 1: fake clicks, praise
    ERASE = 2  # towards 0: suppressed clicks, slander


class PolicyInPlay(Part, Generic[Memory]):
    """What a loop calls: in a play and when a log is learnt. Compiled by the lab, but for `start`."""

    plays: ClassVar[str] = "arms"  # the game it is made for: arms, or a wider one
    explicit: ClassVar[bool] = True  # `probabilities` really is the distribution of the next choice
    has_own_choose: ClassVar[bool] = False  # (derived) its note may mean something to `learn`
    defers: ClassVar[bool] = False  # `defer` is the policy's own (derived)
    looks: ClassVar[bool] = False  # `look` is the policy's own (derived): it takes features that change
    refreshes: ClassVar[bool] = False  # `refresh` is the policy's own (derived)
    reads_note: ClassVar[bool] = False  # `learn` needs the note its own `choose` made: a log without notes says nothing
    asks: ClassVar[bool] = False  # `wants_check` is the policy's own (derived): it tells verified rewards from others
    is_watched: ClassVar[bool] = False  # its state says whether an alarm rang (lab/watched.py)
    can_restart: ClassVar[bool] = False  # `restart` is the policy's own (derived)
    can_fade: ClassVar[bool] = False  # `fade` is the policy's own (derived)
    can_unlearn: ClassVar[bool] = False  # `unlearn` is the policy's own (derived)
    cannot_forget: ClassVar[str] = "it does not say how"  # the reason, where one of the three is missing

    def start(self, setting: Setting) -> Memory:
        """The state before round one."""
        raise NotImplementedError(f"{self.name} has no start")

    def begin(self, state: Memory, random: Random) -> None:
        """Draw what a run needs before its first round; most policies need nothing."""

    def look(self, state: Memory, features: Floats) -> None:
        """See the features of this round, shaped as those of the setting; keeps `probabilities` true."""

    def refresh(self, state: Memory) -> None:
        """Bring `probabilities` up to date, where `learn` puts that off; called before they are read."""

    def choose(self, state: Any, random: Random) -> Choice:
        """Draw an arm from p(t); leaves the state as it is."""
        arm = draw(state.probabilities, random)
        return Choice(arm, state.probabilities[arm], 0)

    def learn(self, state: Memory, choice: Choice, reward: float, random: Random) -> None:
        """Update the state with the reward seen for a choice, and keep `probabilities` true."""

    def wants_check(self, state: Memory, choice: Choice) -> bool:
        """Whether the reward of this choice shall be verified; leaves the state as it is."""
        return False

    def learn_verified(self, state: Memory, choice: Choice, reward: float, random: Random) -> None:
        """Update the state with a verified reward, in place of `learn`; called only for a policy that asks."""

    def defer(self, state: Memory, choice: Choice) -> None:
        """Take note of a choice whose reward will come later, or never; without delays nobody calls this."""

    def restart(self, state: Memory) -> None:
        """Forget everything, in place: what `start` returned, but for arms that are gone."""

    def fade(self, state: Memory, share: float) -> None:
        """Keep a share of what every reward left behind; the `learn` that follows makes `probabilities` true."""

    def outcome(self, reward: float, random: Random) -> float:
        """What a reward counts as: itself, or the success or failure that is drawn for it."""
        return reward

    def unlearn(self, state: Memory, arm: int, outcome: float) -> None:
        """Take back one outcome of an arm; the `learn` that follows makes `probabilities` true."""

    def take_back(self, state: Memory, choice: Choice, reward: float, random: Random) -> None:
        """Take back what was learnt of a choice, which waits again; the `learn` that follows comes at once.

        Called only for a policy that can unlearn.
        """
        if choice.note >= 0:  # of another one nothing was learnt
            self.unlearn(state, choice.arm, self.outcome(reward, random))
        self.defer(state, choice)


class PolicyOnline(PolicyInPlay[Memory]):
    """What a learner in the world calls besides, where arms come and go and rewards are late; interpreted."""

    arms_fixed: ClassVar[str] = ""  # why it needs all its arms from first to last; empty where they may come and go
    rewards_fixed: ClassVar[str] = ""  # why a reward cannot be taken back; empty where it can

    def learn_any(self, state: Memory, choice: Choice, reward: float, is_verified: bool, random: Random) -> None:
        """Learn a reward, as a verified one where it is and the policy tells them apart."""
        if is_verified and self.asks:
            self.learn_verified(state, choice, reward, random)
        else:
            self.learn(state, choice, reward, random)

    def choose_among(self, state: Any, eligible: list[int], random: Random) -> Choice:
        """Draw one of some arms only."""
        if self.has_own_choose:
            raise InputError(f"{self.name} chooses in its own way, and does not say how among some of its arms")
        return drawn_among(eligible, self.probabilities_among(state, eligible), random)

    def probabilities_among(self, state: Any, eligible: list[int]) -> Any:
        """The distribution on some arms only: p(t) restricted and scaled up, uniform where it gives them nothing."""
        shares = [float(state.probabilities[arm]) for arm in eligible]
        total = sum(shares)
        return [share / total for share in shares] if total > 0.0 else [1.0 / len(shares)] * len(shares)

    def as_deployed(self) -> Self:
        """The policy that a new learner takes in place of this one: as it is, but for the policies inside."""
        inside = {item.name: getattr(self, item.name) for item in fields(self)}
        changes = {name: value.as_deployed() for name, value in inside.items() if isinstance(value, PolicyOnline)}
        return replace(self, **changes) if changes else self

    def admit(self, state: Memory, arm: int, present: list[int]) -> None:
        """Give an arm that was added or comes back its share beside the others present; its fields are fresh or old."""
        raise InputError(f"{self.name} does not say how an arm begins that comes later, so none can be added")

    def withdraw(self, state: Memory, arm: int, present: list[int]) -> None:
        """Take note that an arm is paused or gone and only those present are left; it will not be chosen anyway."""

    @property
    def late(self) -> str:
        """How rewards are taken that come late, out of order or never: exact, weighted, or no."""
        return self.about.late if hasattr(type(self), "about") else "no"


class PolicyInTeam(PolicyOnline[Memory]):
    """What is counted where several agents share a policy."""

    def messages(self, state: Memory, rounds: int) -> int:
        """How many messages agents who share this policy have sent after so many rounds in all: here one per reward."""
        return rounds

    def message_size(self, arms: int) -> int:
        """How many numbers a message holds: an arm and a reward."""
        return 2


class PolicyInWords(PolicyInTeam[Memory]):
    """What reports and pictures say of a policy."""

    @property
    def waived(self) -> dict[str, str]:
        """The laws that do not apply, each with the reason in words."""
        return self.about.waived if hasattr(type(self), "about") else {}

    def notes(self, setting: Setting) -> list[str]:
        """What a user should know about this policy in this setting."""
        return []

    def notes_on_means(self, means: Sequence[float]) -> list[str]:
        """What a user who knows the arms' true means should know about this policy."""
        return []

    def slope_under_attack(self, means: Sequence[float]) -> float | None:
        """What a unit of corruption costs in regret (threat model A), for a picture; None where no formula says it."""
        return None

    @property
    def smallest_lift(self) -> float | None:
        """The relative lead that the best arm must have over the second; None where any will do."""
        return None


class Policy(PolicyInWords[Memory]):
    """Chooses arms and learns from what it sees.

    `start` runs interpreted and makes the state, whose field `probabilities` is p(t). A policy needs `start`
    and `learn`; the methods a loop calls are compiled in the lab and interpreted elsewhere: scalar loops, `math`, no
    allocation. The classes above group all methods by who calls them.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.has_own_choose = cls.choose is not PolicyInPlay.choose
        cls.looks = cls.look is not PolicyInPlay.look
        cls.defers = cls.defer is not PolicyInPlay.defer
        cls.refreshes = cls.refresh is not PolicyInPlay.refresh
        if "asks" not in vars(cls):  # a wrapper says what the policy inside does
            cls.asks = cls.wants_check is not PolicyInPlay.wants_check
        for way in ("restart", "fade", "unlearn"):
            if f"can_{way}" not in vars(cls):  # a wrapper says what the policy inside can
                setattr(cls, f"can_{way}", getattr(cls, way) is not getattr(PolicyInPlay, way))


class Environment(Part, Generic[Memory]):
    """Pays rewards in [0, 1] whose means are known to the lab, never to the policy."""

    means: tuple[float, ...]
    features: Floats | None = None  # of each arm, for policies to see
    family: NDArray[np.int64] | None = None  # (slates, items): what may be shown together, where not anything may
    context_size: int = 0  # features that are new in every round; 0 where the game stays the same
    is_contextual: ClassVar[bool] = False  # `context` is the environment's own (derived)
    changes: ClassVar[bool] = False  # `change` is the environment's own (derived): `means` are those of round 0

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.is_contextual = cls.context is not Environment.context
        if "changes" not in vars(cls):  # a wrapper says what the environment inside does
            cls.changes = cls.change is not Environment.change

    def start(self) -> Memory:
        """The tables `reward` reads."""
        raise NotImplementedError(f"{self.name} has no start")

    def context(self, tables: Memory, uniform: float, features: Floats, means: Floats) -> float:
        """Write the features (one row) and each arm's mean in this round; returns what is left of the uniform."""
        return uniform

    def change(self, tables: Memory, t: int, means: Floats, random: Random) -> None:
        """Move the means from those of the round before to those of round t; in round 0, write the first ones.

        What it draws must not depend on what is played, so that plays with the same seed meet the same world.
        """

    def reward(self, tables: Memory, arm: int, mean: float, uniform: float) -> float:
        """The reward of an arm whose mean was moved to `mean`, from exactly one uniform."""
        return 0.0


@dataclass(frozen=True)
class Adversary(Part, Generic[Memory]):
    """Proposes corruptions within a budget; the loop clips, scales and charges them.

    Threat model A overrides `tamper_means`: it acts before the draw and never sees it. Threat
    model B overrides `tamper_reward`: it acts after the draw and sees the arm and the reward.
    """

    sees_draw: ClassVar[bool] = False  # threat model B (derived)
    watches: ClassVar[bool] = False  # reads p(t)

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.sees_draw = cls.tamper_reward is not Adversary.tamper_reward

    budget: float = parameter(0.0, "corruption budget C", least=0, infinite=True)
    charge: str = parameter("cost", "cost (the definition) or rounds (each costs 1)", choices=("cost", "rounds"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.charge == "rounds" and math.isfinite(self.budget) and self.budget != int(self.budget):
            raise InputError(
                f"budget must be a whole number when charge is rounds, not {self.budget:g}", about="budget"
            )

    @property
    def direction(self) -> Can:
        """Which way an adversary of model B must be able to move rewards."""
        return Can.BOTH

    def start(self, means: Floats, horizon: int) -> Memory:
        """What the adversary remembers, before round one."""
        raise NotImplementedError(f"{self.name} has no start")

    def tamper_means(
        self, memory: Memory, t: int, probabilities: Floats, means: Floats, proposal: Floats, random: Random
    ) -> bool:
        """Write the wanted means into `proposal` and return True, or leave the round alone."""
        return False

    def tamper_reward(self, memory: Memory, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        """The reward the policy shall see in place of `reward`."""
        return reward
