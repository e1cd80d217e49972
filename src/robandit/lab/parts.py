"""The parts of a loop by role: as the caller passes them, and as the loop opened them."""

from typing import Any, NamedTuple


class PlayParts(NamedTuple):
    """Of a play: each part, and what it remembers."""

    policy: Any
    state: Any
    environment: Any
    tables: Any
    adversary: Any
    memory: Any


class MatchParts(NamedTuple):
    """Of the replay of logged contexts."""

    policy: Any
    state: Any
    adversary: Any
    memory: Any


class PolicyParts(NamedTuple):
    """Of the replay of a log."""

    policy: Any
    state: Any
