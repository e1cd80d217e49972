"""Errors a person can fix: each is one sentence that says what the input was and what is allowed."""

from collections.abc import Iterable
from difflib import get_close_matches
from typing import Any


class Refused(Exception):
    """Input that cannot be used; the message is complete and needs no traceback."""


class InputError(Refused, ValueError):
    """Bad input from outside; `about` names the field it is about, where a caller has to know."""

    def __init__(self, message: str = "", about: str = "") -> None:
        super().__init__(message)
        self.about = about


class PartError(Refused):
    """A part of the user's own breaks the contract; the message says which rule."""


class PlayError(Refused):
    """A policy broke the contract in the middle of a play."""


class CompileError(Refused):
    """A part cannot be compiled."""


def whole(name: str, value: Any, least: int, most: int | None = None) -> int:
    """A whole number within its limits; 1e5 is one too, 0.5 and True are not."""
    number = int(value) if isinstance(value, float) and value.is_integer() else value
    if isinstance(number, bool) or not hasattr(number, "__index__") or number < least:
        raise InputError(f"{name} must be a whole number of at least {least}, not {value!r}".lstrip(), about=name)
    if most is not None and number > most:
        raise InputError(f"{name} must be at most {most:,}, not {number:,}".lstrip(), about=name)
    return int(number)


def is_number(value: Any) -> bool:
    """Whether a value is a plain number; True and False are none."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def unknown(kind: str, name: str, allowed: Iterable[str]) -> InputError:
    """An error for a name that is not in the list, with the nearest allowed name."""
    names = sorted(allowed)
    near = get_close_matches(name, names, n=1, cutoff=0.6)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return InputError(f"{kind} {name!r} is unknown{hint} (allowed: {', '.join(names) or 'none'})")
