"""The journal of a learner: a line an entry, each with a checksum of itself and all before it, read in order.

A line is a JSON object, a tab and eight digits: the CRC-32 of the object, begun with that of the line before, so that
a line that was changed, dropped or moved is noticed. The first line holds the terms (terms.py); then come

    {"entry": "decide", "id": 0, "arm": "blue", "chance": 0.25, "note": 0, "eligible": null, "time": null}
    {"entry": "reward", "id": 0, "value": 1.0, "source": "user 17", "time": 1700000000.0}
    {"entry": "arm", "arm": "green", "change": "added"}        or paused, resumed, retired
    {"entry": "retract", "id": 0}                              or {"entry": "retract", "source": "user 17"}

A decision's id is its number, from 0. `chance` is the probability its arm had (the name is part of the format), null
where the policy cannot tell it. A retraction takes back what a decision or a source was rewarded *before* it; nothing
is ever deleted. In a simulation's journal a reward may carry its
`truth`, and is `fake` where that differs from its value.
"""

import json
import math
import struct
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robandit.errors import InputError
from robandit.game import Choice, Floats
from robandit.lab.log import Log
from robandit.online.docket import Docket
from robandit.online.standing import Entry as Entry
from robandit.online.standing import Standing, standing_of
from robandit.online.terms import Terms, read_terms


class Line(NamedTuple):
    """One whole line: its number from 1, its text, the checksum up to it and where it ends in the file."""

    number: int
    body: bytes
    checksum: int
    end: int


def spelled(entry: Entry, before: int) -> tuple[bytes, int]:
    """An entry as a line, and the checksum that the next one begins with."""
    body = json.dumps(entry, allow_nan=False, separators=(",", ":")).encode()
    checksum = zlib.crc32(body, before)
    return b"%b\t%08x\n" % (body, checksum), checksum


def lines(path: Path | str) -> Iterator[Line]:
    """Every whole line, checked; a last line without its end was torn off while it was written and is left out."""
    checksum, end = 0, 0
    try:
        with open(path, "rb") as file:
            for number, text in enumerate(file, start=1):
                if not text.endswith(b"\n"):
                    return
                body, _, digits = text[:-1].rpartition(b"\t")
                checksum, end = zlib.crc32(body, checksum), end + len(text)
                if digits != b"%08x" % checksum:
                    raise InputError(f"{path}: line {number} is damaged, or one before it is missing")
                yield Line(number, body, checksum, end)
    except OSError as error:
        raise InputError(f"the journal {str(path)!r} cannot be read: {error.strerror}") from error


def parsed(line: Line, path: Path | str) -> Entry:
    """The object of a line."""
    try:
        entry = json.loads(line.body.decode())
    except ValueError:
        entry = None
    if isinstance(entry, dict):
        return entry
    raise InputError(f"{path}: line {line.number} cannot be read: it holds no JSON object")


def read(path: Path | str) -> tuple[Terms, Iterator[Entry]]:
    """A journal's terms and an iterator over its entries, in bounded memory."""
    rest = lines(path)
    first = next(rest, None)
    if first is None:
        raise InputError(f"{path}: this is no journal: it has no whole line")
    return read_terms(parsed(first, path)), (parsed(line, path) for line in rest)


def for_each(path: Path | str, entries: Iterator[Entry], take: Callable[[int, Entry], None]) -> None:
    """Hand every entry on with the number of its line, which a complaint about it then names."""
    for number, entry in enumerate(entries, start=2):
        try:
            take(number, entry)
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
            said = f"{error} is missing or unknown" if isinstance(error, KeyError) else error
            raise InputError(f"{path}: line {number} cannot be read: {said}") from error


@dataclass(frozen=True, kw_only=True)
class JournalLog(Log):
    """A journal as columns: a row a decision (not rewarded) and a row a reward, as `replay_log` takes them."""

    terms: Terms
    names: list[str]  # of all arms there ever were, in the order of their indices
    sources: NDArray[np.int64]  # index into source_names; -1 where there is none
    source_names: list[str]
    times: Floats  # NaN where there is none
    fake: NDArray[np.bool_]  # known in a simulation only
    truth: Floats  # the honest reward in [0, 1], NaN where it is not known
    changes: list[tuple[int, str, int]]  # before this row: an arm added, paused, ...; and its index
    partial: bool = False  # whether some decisions were made among some of the arms only


class Columns:
    """A journal's rows as they are read: machine numbers, so that ten million of them fit into memory."""

    kinds = {"arms": "q", "probabilities": "d", "rewards": "d", "notes": "q", "rewarded": "?", "numbers": "Q"}
    kinds |= {"sources": "q", "times": "d", "fake": "?", "truth": "d"}
    packed = struct.Struct("=" + "".join(kinds.values())).pack
    layout = np.dtype([(name, f"={kind}") for name, kind in kinds.items()])

    def __init__(self, terms: Terms) -> None:
        self.terms, self.next, self.partial = terms, 0, False
        self.arms = {name: index for index, name in enumerate(terms.arms)}
        self.sources: dict[str, int] = {}
        self.pending: dict[int, tuple[int, float, int]] = {}
        self.rows, self.count = bytearray(), 0
        self.changes: list[tuple[int, str, int]] = []
        self.retracted: list[tuple[int, str, int]] = []  # rows before this one, of this decision or source

    def take(self, entry: Entry, without: Callable[[Entry], bool] | None) -> None:
        """One more entry."""
        kind, row = entry["entry"], self.count
        if kind == "decide":
            self.decided(entry)
        elif kind == "reward":
            self.rewarded(entry, without is not None and without(entry))
        elif kind == "arm":
            self.changed(entry["arm"], entry["change"])
        elif kind == "retract" and "source" in entry:
            self.retracted.append((row, "sources", self.sources.get(entry["source"], -2)))
        elif kind == "retract":
            self.retracted.append((row, "numbers", entry["id"]))
        else:
            raise InputError(f"an entry must be decide, reward, arm or retract, not {kind!r}")

    def changed(self, arm: str, change: str) -> None:
        """An arm came, went or came back before the next row."""
        index = self.arms.setdefault(arm, len(self.arms))
        self.changes.append((self.count, change, index))

    def decided(self, entry: Entry) -> None:
        """A decision, whose reward comes later or never."""
        number, probability = entry["id"], entry["chance"]
        if number != self.next:
            raise InputError(f"decision {self.next} must come next, not {number!r}")
        choice = (self.arms[entry["arm"]], math.nan if probability is None else probability, entry["note"])
        self.next += 1
        self.pending[number] = choice
        self.pending.pop(number - self.terms.patience, None)
        self.put(number, choice, 0.0, False, None, entry)

    def rewarded(self, entry: Entry, left_out: bool) -> None:
        """A reward of a decision that was waiting for one."""
        number, source = entry["id"], entry["source"]
        choice = self.pending.pop(number, None)
        if choice is None:
            raise InputError(f"decision {number!r} does not wait for a reward")
        reward = self.terms.inside(entry["value"])
        if not left_out:
            self.put(number, choice, reward, True, source, entry)

    def put(
        self,
        number: int,
        choice: tuple[int, float, int],
        reward: float,
        rewarded: bool,
        told_by: str | None,
        entry: Entry,
    ) -> None:
        """One more row."""
        source = -1 if told_by is None else self.sources.setdefault(told_by, len(self.sources))
        time, truth = entry.get("time"), entry.get("truth")
        moment = math.nan if time is None else time
        honest = math.nan if truth is None else self.terms.inside(truth)
        (arm, probability, note), fake = choice, entry.get("fake", False)
        self.partial = self.partial or entry.get("eligible") is not None
        try:
            self.rows += self.packed(arm, probability, reward, note, rewarded, number, source, moment, fake, honest)
        except struct.error as error:
            raise ValueError(f"{error}") from error
        self.count += 1

    def as_log(self) -> JournalLog:
        """The rows that were not retracted later."""
        table = np.frombuffer(self.rows, self.layout)
        found: dict[str, Any] = {name: np.ascontiguousarray(table[name]) for name in self.kinds}
        kept = np.ones(len(found["arms"]), np.bool_)
        for row, name, value in self.retracted:
            kept[:row] &= ~(found["rewarded"][:row] & (found[name][:row] == value))
        before = np.concatenate([[0], np.cumsum(kept)])
        changes = [(int(before[row]), change, arm) for row, change, arm in self.changes]
        columns = {name: column[kept] for name, column in found.items()}
        return JournalLog(
            **columns,
            terms=self.terms,
            names=list(self.arms),
            source_names=list(self.sources),
            changes=changes,
            partial=self.partial,
        )


class Counted:
    """What counts of a journal under rules, as columns (see docket.py)."""

    def __init__(self, columns: Columns) -> None:
        self.columns, self.choices = columns, dict[int, Choice]()

    def index(self, arm: str) -> int:
        """An arm's index by its name."""
        return self.columns.arms[arm]

    def decided(self, choice: Choice, learns: bool, partial: bool) -> None:
        """A row for a decision, unless nothing is ever learnt of it."""
        number = self.columns.next
        self.columns.next += 1
        self.choices.pop(number - self.columns.terms.patience, None)
        if learns:
            self.choices[number] = choice
            self.columns.put(number, choice, 0.0, False, None, {"eligible": [] if partial else None})

    def rewarded(self, number: int, reward: float, source: str | None, time: float | None) -> None:
        """A row for a reward, where it is learnt."""
        self.columns.put(number, self.choices.pop(number), reward, True, source, {"time": time})

    def dropped(self, number: int) -> None:
        """No row."""
        self.choices.pop(number, None)

    def change(self, name: str, change: str) -> None:
        """A change of arms before the next row."""
        self.columns.changed(name, change)


def as_log(path: Path | str, without: Callable[[Entry], bool] | None = None) -> JournalLog:
    """A journal as columns, but for the rewards retracted later and those that `without` says yes to.

    `replay_log(policy, log, arms=len(log.terms.arms), horizon=log.terms.horizon, corruption=log.terms.corruption,
    seed=log.terms.seed, state=log.terms.state)` folds it at full speed, where no arm came or went; `fold.fold_log`
    does so in any case.
    """
    terms, entries = read(path)
    columns = Columns(terms)
    if terms.rules is not None:
        if without is not None:
            raise InputError("a service's journal leaves out what its operators said, and nothing else")
        docket = counting(columns, standing_of(enumerate(read(path)[1], start=2)))
        for_each(path, entries, docket.take)
    else:
        for_each(path, entries, lambda number, entry: columns.take(entry, without))
    return columns.as_log()


def counting(columns: Columns, standing: Standing) -> Docket:
    """A docket whose rows become columns."""
    return Docket(columns.terms, standing, Counted(columns))
