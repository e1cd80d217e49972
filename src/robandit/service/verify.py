"""A database read again from its first line: is the past what it was, and the present what follows?

Checked are: the chain of hashes up to its head; that lines follow each other; that operators' acts, and no other lines,
are marked as such; that the state replayed, interpreted and compiled, is the same to the bit; that the last snapshot is
what its lines come to; and, where no operator changed what counts, that every decision is the one its random stream
gives. Journals in files: online/verify.py.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec

from robandit.errors import Refused
from robandit.online.rebuild import eligible_arms, is_choice
from robandit.online.standing import ACTS, Entry, standing_of
from robandit.online.terms import read_terms
from robandit.online.verify import FoldAndRows, Verification
from robandit.service.experiment import DECODE, Experiment
from robandit.service.quick import read_entries
from robandit.service.stores.base import NO_HEAD, ExperimentRecord, ServiceStore, Snapshot, extend_chain


def verify_store(store: ServiceStore, *, compiled: bool = True) -> Iterator[Verification]:
    """Verify every experiment of a database."""
    for record in store.experiments():
        yield verify_experiment(store, record, compiled)


class ChainReader:
    """The lines of a journal, read once, and the chain of their hashes up to there."""

    def __init__(self, store: ServiceStore, experiment: int) -> None:
        self.lines, self.chain, self.last, self.whole = store.lines(experiment), NO_HEAD, 0, True
        self.acts: list[int] = []  # the lines that are operators' acts by what they say

    def __iter__(self) -> Iterator[tuple[int, Entry]]:
        for line, body in self.lines:
            if line != self.last + 1:
                self.whole = False
                return
            self.chain, self.last = extend_chain(self.chain, body), line
            entry = DECODE(body)
            if entry.get("entry") in ACTS:
                self.acts.append(line)
            yield line, entry

    def finish(self) -> None:
        """Read the rest, for the chain."""
        for line, body in self.lines:
            self.whole = self.whole and line == self.last + 1
            self.chain, self.last = extend_chain(self.chain, body), line


def verify_experiment(store: ServiceStore, record: ExperimentRecord, compiled: bool) -> Verification:
    """Verify one experiment: its lines are read once; with `compiled` their columns are folded once more."""
    head, reader = store.head(record.id), ChainReader(store, record.id)
    try:
        result = rebuild_experiment(store, record, reader, compiled)
    except (Refused, KeyError, TypeError, ValueError) as error:
        result = broken(record, reader.last, f"its lines cannot be read: {error}")
    if not reader.whole:
        return broken(record, reader.last, f"line {reader.last + 1} is missing")
    reader.finish()
    if not reader.whole or reader.chain != head.chain or reader.last != head.line:
        chain = broken(record, reader.last, f"the chain of its {reader.last:,} lines does not end in the stored head")
        chain.notes += [] if result.chain else result.notes  # a file of the archive may be missing
        return chain
    return result


def broken(record: ExperimentRecord, lines: int, reason: str) -> Verification:
    """Return the result for a journal that is not what was written."""
    return Verification(record.name, lines, chain=False, notes=[reason])


def rebuild_experiment(
    store: ServiceStore, record: ExperimentRecord, reader: ChainReader, compiled: bool
) -> Verification:
    """Rebuild the state from the first line on, and compare it with everything that must agree with it."""
    lines = iter(reader)
    terms = read_terms(next(lines, (0, None))[1])
    acts = [(line, msgspec.json.decode(body)) for line, body in store.lines(record.id, 1, acts=True)]
    fresh = Experiment(record, terms, standing_of(acts))
    both = FoldAndRows(fresh.fold) if compiled else None
    fresh.docket.target = both or fresh.fold
    snapshot, result = store.snapshot(record.id), Verification(record.name, dice=None if acts else True)
    last_act = max((line for line, _ in acts), default=0)
    if snapshot is not None and (snapshot.code != fresh.code or last_act > snapshot.line):
        snapshot = None
        result.notes.append("the last snapshot is of other code or of before an act, and is not used")
    if acts:
        result.notes.append("operators changed what counts, so decisions are not drawn again")
    different: list[int] = []  # decisions that their random streams do not give
    checked = lines if acts else check_draws(fresh, lines, both is not None, different)
    if snapshot is not None:
        read_entries(fresh, islice(checked, max(snapshot.line - 1, 0)), both)
        result.snapshot = fresh.line == snapshot.line and is_snapshot_of(fresh, snapshot)
    read_entries(fresh, checked, both)
    if both is not None:
        result.compiled, other = both.replay()
        different += [other] if result.dice and other is not None else []
    marked = [line for line, _ in acts]
    if marked != reader.acts:
        line = min(set(marked) ^ set(reader.acts))
        result.chain = False
        result.notes.append(f"the database marks line {line} as an operator's act, or does not, against what it says")
    if different:
        result.dice, number = False, min(different)
        line = find_decision(store, record.id, number)
        result.notes.append(f"decision {number} (line {line}) is not what its random stream gives")
    result.lines, result.decisions, result.head = fresh.line, fresh.fold.decisions, reader.chain.hex()
    return result


def check_draws(
    experiment: Experiment, entries: Iterator[tuple[int, Entry]], leaves: bool, different: list[int]
) -> Iterator[tuple[int, Entry]]:
    """Yield entries, each after the one before was applied; the first decision with another draw goes into a list.

    With `leaves`, those that the policy drew among all arms are left to the compiled loop.
    """
    for line, entry in entries:
        if entry["entry"] == "decide" and not different:
            is_left = leaves and is_drawn_by_policy(experiment, entry)
            if not is_left and not is_own_draw(experiment, entry):
                different.append(entry["id"])
        yield line, entry


def find_decision(store: ServiceStore, experiment: int, number: int) -> int:
    """Return the line of a decision that is there."""
    entries = ((line, msgspec.json.decode(body)) for line, body in store.lines(experiment, 1))
    return next(line for line, entry in entries if entry["entry"] == "decide" and entry["id"] == number)


def is_drawn_by_policy(experiment: Experiment, entry: Entry) -> bool:
    """Whether a decision of the journal has to be, and is, one that the policy drew among all arms."""
    if entry["eligible"] is not None or entry.get("holdout", False):
        return False
    return experiment.rules.holdout <= 0.0 or not experiment.is_held_out(entry["id"], entry.get("unit"))


def is_own_draw(experiment: Experiment, entry: Entry) -> bool:
    """Whether a decision of the journal is the one that its random stream gives."""
    fold, number = experiment.fold, entry["id"]
    among = eligible_arms(fold, entry)
    experiment.docket.advance(entry["time"])
    held = experiment.is_held_out(number, entry.get("unit"))
    choice = experiment.draw_uniformly(number, among) if held else fold.choose(among, fold.read(entry.get("context")))
    return held == entry.get("holdout", False) and is_choice(fold, entry, choice)


def is_snapshot_of(experiment: Experiment, snapshot: Snapshot) -> bool:
    """Whether a snapshot is what its lines come to, policy, docket and all."""
    stored: dict[str, Any] = msgspec.json.decode(snapshot.body)
    own = msgspec.json.decode(experiment.snapshot().body)
    return all(own[name] == stored[name] for name in ("fold", "docket", "tally"))
