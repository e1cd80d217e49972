"""The effect of all acts so far: sources quarantined, capped or weighted, rewards retracted, learning stopped.

A standing holds for the whole journal, from its first line: who is quarantined today is taken out of what was learnt
last week. So after an operator's act the journal is folded again, and releasing a source undoes it entirely.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from robandit.errors import InputError, is_number

Entry = dict[str, Any]
ACTS = ("source", "retract", "breaker")
CHANGES = ("quarantined", "released", "capped", "weighted")


class SourceVerdict(NamedTuple):
    """What operators decided about one source."""

    quarantined: bool = False
    cap: int | None = None  # rewards learnt in a day; None: as the rules say
    weight: float = 1.0  # the probability with which a reward of this source is learnt


@dataclass
class Standing:
    """What operators decided, up to some line."""

    sources: dict[str, SourceVerdict] = field(default_factory=dict)
    retracted: dict[tuple[str, Any], int] = field(default_factory=dict)  # (id or source, which): lines before this one
    frozen: int | None = None  # nothing after this line is learnt until a person says so

    def take(self, line: int, entry: Entry) -> bool:
        """Apply one more entry; returns whether it was an act, which changes what counts."""
        kind = entry["entry"]
        if kind == "source":
            name = entry["source"]
            self.sources[name] = change_verdict(self.sources.get(name, SourceVerdict()), entry)
        elif kind == "retract":
            key = "source" if "source" in entry else "id"
            self.retracted[key, entry[key]] = line
        elif kind == "breaker":
            self.frozen = entry["since"] if entry["change"] == "tripped" else None
        else:
            return False
        return True

    def leaves_out(self, line: int, number: int, source: str | None) -> bool:
        """Whether a reward that stands in a line does not count."""
        if self.retracted:
            taken_back = self.retracted.get(("id", number), 0), self.retracted.get(("source", source), 0)
            if line < max(taken_back):
                return True
        return bool(self.sources) and any(self.verdict(name).quarantined for name in levels_of(source))

    def verdict(self, name: str) -> SourceVerdict:
        """Return what was decided about a source or about the token before it."""
        return self.sources.get(name, NOTHING)

    def weight(self, source: str | None) -> float:
        """Return the probability with which a reward of a source is learnt."""
        return min(self.verdict(name).weight for name in levels_of(source)) if self.sources else 1.0


NOTHING = SourceVerdict()


def levels_of(source: str | None) -> tuple[str, str]:
    """Return a source's full name and its token's, which stands before the first / (or is all of it)."""
    return (source, source.partition("/")[0]) if source else ("", "")


def change_verdict(verdict: SourceVerdict, entry: Entry) -> SourceVerdict:
    """Return a verdict after one more act; raises InputError if the act cannot be."""
    change = entry["change"]
    if change not in CHANGES:
        raise InputError(f"a source can be {', '.join(CHANGES)}, not {change!r}")
    if change == "capped":
        cap = entry["cap"]
        if cap is not None and not (type(cap) is int and cap >= 0):
            raise InputError(f"a cap must be a whole number of at least 0, or null, not {cap!r}")
        return verdict._replace(cap=cap)
    if change == "weighted":
        weight = entry["weight"]
        if not (is_number(weight) and 0 <= weight <= 1):
            raise InputError(f"a weight must be a number from 0 to 1, not {weight!r}")
        return verdict._replace(weight=float(weight))
    return verdict._replace(quarantined=change == "quarantined")


def standing_of(entries: Iterable[tuple[int, Entry]]) -> Standing:
    """Return what all acts among some entries come to."""
    standing = Standing()
    for line, entry in entries:
        standing.take(line, entry)
    return standing
