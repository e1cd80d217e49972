"""Parts: frozen values of parameters, checked and coerced by their constructor, with a line in the catalogue."""

import math
from dataclasses import MISSING, dataclass, field, fields
from enum import IntEnum
from types import NoneType, UnionType
from typing import Any, ClassVar, TypedDict, Union, Unpack, get_args, get_origin, get_type_hints

import numpy as np

from robandit.errors import InputError, PartError

LARGEST = 2**62  # whole numbers beyond this do not fit into a machine word
_HINTS: dict[type, dict[str, Any]] = {}


@dataclass(frozen=True)
class About:
    """A part's line in the catalogue."""

    name: str
    summary: str
    reference: str = ""
    fidelity: str = "exact"  # exact | recalled | reconstruction | variant
    basis: str = ""  # what that label rests on: the text or code that was read or run beside it
    needs: tuple[str, ...] = ()  # of a Setting: horizon, corruption, features, agents, slots, family; and delta
    sees: tuple[str, ...] = ()  # what an attacker looks at: such as p(t), the arm, the reward
    late: str = "no"  # rewards that come late, out of order or never: exact, weighted by the logged probability, or no
    bound: str = ""
    cost: str = "O(K)"
    waived: dict[str, str] = field(default_factory=dict)  # law -> the reason it does not apply
    family: str = "other"  # of a policy: those of one family have one colour in pictures


class Word(IntEnum):
    """A parameter that is one of a few words: text to people, a number to the compiler."""

    def __str__(self) -> str:
        return self.name.lower().replace("_", "-")

    @classmethod
    def find(cls, value: Any) -> "Word | None":
        """Return the word that a value is or spells, None if it is none of them."""
        return next((word for word in cls if word is value or str(word) == value), None)


class ParameterOptions(TypedDict, total=False):
    """What may be said of a parameter beside its default and its description."""

    above: float
    below: float
    least: float
    most: float
    infinite: bool  # whether an infinite value is allowed
    choices: tuple[str, ...]  # the words allowed, where it is text
    published: Any  # the value of the paper
    scaled: Any  # a value that lets the policy learn within a usual horizon


LIMITS: dict[str, Any] = {
    "above": -math.inf,
    "below": math.inf,
    "least": -math.inf,
    "most": math.inf,
    "choices": (),
    "infinite": False,
}


def parameter(default: Any, description: str, **options: Unpack[ParameterOptions]) -> Any:
    """A field of a part with what the catalogue says of it and which values it allows.

    Args:
        default: its value where none is set.
        description: one line for the catalogue.
        options: limits (`above`, `below`, `least`, `most`, `infinite`, `choices`) and the values `published`, `scaled`.
    """
    notes: dict[str, Any] = {"description": description, "published": None, "scaled": None}
    for name, value in options.items():
        if name not in ParameterOptions.__annotations__:
            raise TypeError(f"parameter() has no option {name!r}")
        if name in notes:
            notes[name] = value
    limits = {name: options.get(name, value) for name, value in LIMITS.items()}
    return field(default=default, metadata={"limits": limits, **notes})


@dataclass(frozen=True)
class Part:
    """A frozen value of parameters; checked and coerced to the annotated types by its constructor."""

    about: ClassVar[About]

    def __post_init__(self) -> None:
        hints = hints_of(type(self))
        for item in fields(self):
            value = coerce(getattr(self, item.name), hints[item.name], item.name, self.name)
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
        return {item.name: plain(getattr(self, item.name)) for item in fields(self)}

    def __str__(self) -> str:
        settings = []
        for item in fields(self):
            value = getattr(self, item.name)
            if item.default is MISSING or not is_default(value, item.default):
                settings.append(f"{item.name}={to_text(value)}")
        return self.name + (":" + ",".join(settings) if settings else "")


def plain(value: Any) -> Any:
    """A parameter's value for JSON: parts and words as their text."""
    return str(value) if isinstance(value, Part | Word) else value


def is_default(value: Any, default: Any) -> bool:
    """Whether a value is its default; an array never is."""
    return type(value) is type(default) and not isinstance(value, np.ndarray) and bool(value == default)


def to_text(value: Any) -> str:
    """Return a value as text that gives it back exactly."""
    if isinstance(value, Part):
        return f"({value})"
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    return str(value)


def hints_of(cls: type) -> dict[str, Any]:
    """The annotations of a class, resolved once."""
    if cls not in _HINTS:
        try:
            _HINTS[cls] = get_type_hints(cls, include_extras=True)
        except NameError as error:
            raise PartError(
                f"{cls.__name__}: its annotations cannot be resolved ({error}); define it in a module"
            ) from error
    return _HINTS[cls]


def members(hint: Any) -> tuple[Any, ...]:
    """The alternatives of a union, or the one type there is."""
    return get_args(hint) if isinstance(hint, UnionType) or get_origin(hint) is Union else (hint,)


def coerce(value: Any, hint: Any, name: str, part: str) -> Any:
    """Return the value as one of its annotated types, or raise InputError; an int field refuses 2.5."""
    allowed = members(hint)
    for words in (kind for kind in allowed if isinstance(kind, type) and issubclass(kind, Word)):
        if words.find(value) is None:
            raise InputError(f"{part}: {name} must be one of {', '.join(map(str, words))}, not {value!r}")
        return words.find(value)
    kinds = [kind for kind in (bool, int, float) if kind in allowed]
    if (value is None and NoneType in allowed) or (isinstance(value, str) and str in allowed):
        return value
    for kind in kinds:
        number = as_number(value, kind)
        if number is not None:
            return number
    nouns = [NOUNS[kind] for kind in kinds] + ["text"] * (str in allowed)
    classes = [get_origin(kind) or kind for kind in allowed]
    held = [kind for kind in classes if isinstance(kind, type) and issubclass(kind, Part)]
    if held and not isinstance(value, tuple(held)):
        raise InputError(f"{part}: {name} must be a {held[0].__name__}, not {value!r}")
    if nouns and not held:
        raise InputError(f"{part}: {name} must be a {' or '.join(nouns)}, not {value!r}".replace("a text", "text"))
    return value


def as_number(value: Any, kind: type) -> Any:
    """The value as a number of this kind, None if it is none or does not fit."""
    if (kind is bool) != isinstance(value, bool | np.bool_) or isinstance(value, str | bytes):
        return None
    try:
        number = kind(value)
    except (TypeError, ValueError, OverflowError):
        return None
    fits = kind is not int or -LARGEST <= number <= LARGEST
    return number if number == value and fits else None


NOUNS = {bool: "truth value (true or false)", int: "whole number", float: "number"}


def check_limits(value: Any, limits: dict[str, Any], name: str, part: str) -> None:
    """Refuse a value outside its parameter's limits, NaN included."""
    if isinstance(value, str):
        if limits["choices"] and value not in limits["choices"]:
            raise InputError(f"{part}: {name} must be one of {', '.join(limits['choices'])}, not {value!r}")
        return
    if not isinstance(value, int | float):
        return
    inside = limits["above"] < value <= limits["most"] and value >= limits["least"]
    finite = math.isfinite(value) or limits["infinite"]
    if not (inside and finite) or (value >= limits["below"] and limits["below"] < math.inf):
        raise InputError(f"{part}: {name} must be {describe_limits(limits)}, not {value!r}")


def describe_limits(limits: dict[str, Any]) -> str:
    """The allowed range in words."""
    signs = [("above", "above"), ("least", "at least"), ("below", "below"), ("most", "at most")]
    words = [f"{text} {limits[key]:g}" for key, text in signs if math.isfinite(limits[key])]
    return "a finite number" if not words else "a number " + " and ".join(words)
