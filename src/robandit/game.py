"""The vocabulary of the game: what a policy, an environment and an adversary are, as plain values."""

import math
from dataclasses import MISSING, dataclass, field, fields
from types import NoneType, UnionType
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, get_args, get_type_hints

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random, draw
from robandit.errors import InputError

Floats = NDArray[np.float64]
Memory = TypeVar("Memory")
_HINTS: dict[type, dict[str, Any]] = {}


@dataclass(frozen=True)
class About:
    """A part's line in the catalogue."""

    name: str
    summary: str
    reference: str = ""
    fidelity: str = "exact"  # exact | recalled | reconstruction
    needs: tuple[str, ...] = ()  # out of horizon, corruption, delta
    bound: str = ""
    cost: str = "O(K)"
    waived: dict[str, str] = field(default_factory=dict)  # law -> the reason it does not apply


def parameter(
    default: Any,
    description: str,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    least: float = -math.inf,
    most: float = math.inf,
    choices: tuple[str, ...] = (),
    published: Any = None,
    scaled: Any = None,
) -> Any:
    """A field of a part with what the catalogue says of it and what the edge allows."""
    limits = {"above": above, "below": below, "least": least, "most": most, "choices": choices}
    told = {"description": description, "published": published, "scaled": scaled}
    return field(default=default, metadata={"limits": limits, **told})


@dataclass(frozen=True)
class Part:
    """A frozen value of parameters; checked and coerced to the annotated types when it is made."""

    about: ClassVar[About]

    def __post_init__(self) -> None:
        hints = hints_of(type(self))
        for item in fields(self):
            value = coerced(getattr(self, item.name), hints[item.name], item.name, self.name)
            limits = item.metadata.get("limits")
            if limits and value is not None:
                check_limits(value, limits, item.name, self.name)
            object.__setattr__(self, item.name, value)

    @property
    def name(self) -> str:
        """The part's name in the catalogue, or of its class where it is in none."""
        about = getattr(type(self), "about", None)
        return about.name if about else type(self).__name__

    def parameters(self) -> dict[str, Any]:
        """Every parameter's value, plain enough for JSON."""
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        return {name: str(value) if isinstance(value, Part) else value for name, value in values.items()}

    def __str__(self) -> str:
        shown = []
        for item in fields(self):
            value = getattr(self, item.name)
            if item.default is MISSING or value != item.default:
                shown.append(
                    f"{item.name}=({value})"
                    if isinstance(value, Part)
                    else f"{item.name}={value:g}"
                    if isinstance(value, float)
                    else f"{item.name}={value}"
                )
        return self.name + (":" + ",".join(shown) if shown else "")


def hints_of(cls: type) -> dict[str, Any]:
    """The annotations of a class, resolved once."""
    if cls not in _HINTS:
        _HINTS[cls] = get_type_hints(cls, include_extras=True)
    return _HINTS[cls]


def members(hint: Any) -> tuple[Any, ...]:
    """The alternatives of a union, or the one type there is."""
    return get_args(hint) if isinstance(hint, UnionType) else (hint,)


def coerced(value: Any, hint: Any, name: str, part: str) -> Any:
    """The value as its annotated type; an int field given 2.5 is refused rather than cut."""
    allowed = members(hint)
    if value is None and NoneType in allowed:
        return None
    for kind in (bool, int, float):
        if kind in allowed:
            if isinstance(value, str) and str in allowed:
                break
            try:
                number = kind(value)
            except (TypeError, ValueError) as error:
                raise InputError(f"{part}: {name} must be a {WORDS[kind]}, not {value!r}") from error
            if number != value or (kind is bool) != isinstance(value, bool | np.bool_):
                raise InputError(f"{part}: {name} must be a {WORDS[kind]}, not {value!r}")
            return number
    return value


WORDS = {bool: "truth value (true or false)", int: "whole number", float: "number"}


def check_limits(value: Any, limits: dict[str, Any], name: str, part: str) -> None:
    """Refuse a value outside its parameter's limits, NaN included."""
    if isinstance(value, str):
        if limits["choices"] and value not in limits["choices"]:
            raise InputError(f"{part}: {name} must be one of {', '.join(limits['choices'])}, not {value!r}")
        return
    if not isinstance(value, int | float):
        return
    inside = limits["above"] < value <= limits["most"] and limits["least"] <= value
    if not inside or (value >= limits["below"] and limits["below"] < math.inf):
        raise InputError(f"{part}: {name} must be {describe_limits(limits)}, not {value!r}")


def describe_limits(limits: dict[str, Any]) -> str:
    """The allowed range in words."""
    signs = [("above", "above"), ("least", "at least"), ("below", "below"), ("most", "at most")]
    words = [f"{text} {limits[key]:g}" for key, text in signs if math.isfinite(limits[key])]
    return "a number " + " and ".join(words) if words else "a number"


@dataclass(frozen=True)
class Setting:
    """What a policy may be told before the first round; only those that declare a need look beyond `arms`."""

    arms: int
    horizon: int
    corruption: float = 0.0


class Choice(NamedTuple):
    """What was chosen: one row of the journal, and all that `learn` needs besides the reward."""

    arm: int
    chance: float  # the probability the arm had when it was chosen
    note: int  # the coin a coin-tossing policy threw


class Policy(Part, Generic[Memory]):
    """Chooses arms and learns from what it sees.

    `start` runs interpreted and makes the state, whose field `chances` is p(t). The other methods
    are compiled in the lab and interpreted elsewhere: scalar loops, `math`, no allocation.
    """

    def start(self, setting: Setting) -> Memory:
        """The state before round one."""
        raise NotImplementedError(f"{self.name} has no start")

    def begin(self, state: Memory, random: Random) -> None:
        """Throw the coins a run needs before its first round; most policies need none."""

    def choose(self, state: Any, random: Random) -> Choice:
        """Draw an arm from p(t); leaves the state as it is."""
        arm = draw(state.chances, random)
        return Choice(arm, state.chances[arm], 0)

    def learn(self, state: Memory, choice: Choice, reward: float, random: Random) -> None:
        """Update the state with the reward seen for a choice, and keep `chances` true."""

    def explicit(self) -> bool:
        """Whether `chances` really is the distribution of the next choice."""
        return True

    def throws_coins(self) -> bool:
        """Whether `choose` is the policy's own and its note means something to `learn`; -1 says: learn nothing."""
        return False

    def notes(self, setting: Setting) -> list[str]:
        """What a user should know about this policy in this setting."""
        return []


class Environment(Part, Generic[Memory]):
    """Pays rewards in [0, 1] whose means are known to the lab, never to the policy."""

    means: tuple[float, ...]

    def start(self) -> Memory:
        """The tables `reward` reads."""
        raise NotImplementedError(f"{self.name} has no start")

    def reward(self, tables: Memory, arm: int, mean: float, uniform: float) -> float:
        """The reward of an arm whose mean was moved to `mean`, from exactly one uniform."""
        return 0.0


@dataclass(frozen=True)
class Adversary(Part, Generic[Memory]):
    """Proposes corruptions within a budget; the loop clips, scales and charges them.

    Threat model A overrides `tamper_means`: it acts before the draw and never sees it. Threat
    model B overrides `tamper_reward`: it acts after the draw and sees the arm and the reward.
    """

    sees_draw: ClassVar[bool] = False  # threat model B
    watches: ClassVar[bool] = False  # asks for p(t)

    budget: float = parameter(0.0, "corruption budget C", least=0)
    charge: str = parameter("cost", "cost (the definition) or rounds (each costs 1)", choices=("cost", "rounds"))

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.charge == "rounds" and math.isfinite(self.budget) and self.budget != int(self.budget):
            raise InputError(f"budget must be a whole number when charge is rounds, not {self.budget:g}")

    def start(self, means: Floats, horizon: int) -> Memory:
        """What the adversary remembers, before round one."""
        raise NotImplementedError(f"{self.name} has no start")

    def tamper_means(
        self, memory: Memory, t: int, chances: Floats, means: Floats, proposal: Floats, random: Random
    ) -> bool:
        """Write the wanted means into `proposal` and answer True, or leave the round alone."""
        return False

    def tamper_reward(self, memory: Memory, t: int, means: Floats, arm: int, reward: float, random: Random) -> float:
        """The reward the policy shall see in place of `reward`."""
        return reward
