"""Errors a person can mend: each is one sentence that says what was given and what is allowed."""

from collections.abc import Iterable
from difflib import get_close_matches


class Refused(Exception):
    """Something a user gave cannot be taken; the message is complete and needs no traceback."""


class InputError(Refused, ValueError):
    """Bad input from outside."""


class PartError(Refused):
    """A part of the user's own breaks the contract; the message says which rule."""


class PlayError(Refused):
    """A policy broke the contract in the middle of a play."""


class CompileError(Refused):
    """A part cannot be compiled."""


def unknown(kind: str, given: str, allowed: Iterable[str]) -> InputError:
    """An error for a name that is not in the list, with the nearest allowed name."""
    names = sorted(allowed)
    near = get_close_matches(given, names, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    return InputError(f"{kind} {given!r} is unknown{hint} (allowed: {', '.join(names) or 'none'})")
