"""A database or a journal read again from its first line: is the past what it was, and the present what follows?

Checked are: the chain of hashes up to its head; that lines follow each other; that the state folded anew, interpreted
and compiled, is the same to the bit; that the last snapshot is what its lines come to; and, where no operator changed
what counts, that every decision is the one its dice give.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from robandit.errors import Refused as Broken
from robandit.game import Choice
from robandit.online.fold import Fold, first_difference, folded
from robandit.online.journal import Columns, Counted, as_log
from robandit.online.learner import made_policy
from robandit.online.saving import told_by
from robandit.online.standing import Entry, standing_of
from robandit.online.terms import read_terms
from robandit.online.warm import fold_log
from robandit.service.experiment import Experiment
from robandit.service.stores.base import NO_HEAD, ExperimentRecord, ServiceStore, Snapshot, extend_chain
from robandit.state import save_state


class Verified(msgspec.Struct):
    """What was found of one journal."""

    name: str
    lines: int
    decisions: int
    head: str
    chain: bool = True
    compiled: bool | None = None  # None: not compared
    snapshot: bool | None = None
    dice: bool | None = None
    notes: list[str] = []

    @property
    def sound(self) -> bool:
        """Whether nothing was found wrong."""
        return self.chain and False not in (self.compiled, self.snapshot, self.dice)


def verify_store(store: ServiceStore, *, compiled: bool = True) -> Iterator[Verified]:
    """Every experiment of a database."""
    for kept in store.experiments():
        yield verify_experiment(store, kept, compiled)


class Reading:
    """The lines of a journal, once; their chain on the way."""

    def __init__(self, store: ServiceStore, experiment: int) -> None:
        self.lines, self.chain, self.last, self.whole = store.lines(experiment), NO_HEAD, 0, True

    def __iter__(self) -> Iterator[tuple[int, Entry]]:
        for line, body in self.lines:
            if line != self.last + 1:
                self.whole = False
                return
            self.chain, self.last = extend_chain(self.chain, body), line
            yield line, msgspec.json.decode(body)

    def finish(self) -> None:
        """What is left, for the chain."""
        for line, body in self.lines:
            self.whole = self.whole and line == self.last + 1
            self.chain, self.last = extend_chain(self.chain, body), line


def verify_experiment(store: ServiceStore, kept: ExperimentRecord, compiled: bool) -> Verified:
    """One experiment: read once for the chain, the fold and, compiled, one more fold to compare it with."""
    head, reading = store.head(kept.id), Reading(store, kept.id)
    try:
        found = folded_again(store, kept, reading, compiled)
    except (Broken, KeyError, TypeError, ValueError) as error:
        found = broken(kept, reading.last, f"its lines cannot be read: {error}")
    if not reading.whole:
        return broken(kept, reading.last, f"line {reading.last + 1} is missing")
    reading.finish()
    if not reading.whole or reading.chain != head.chain or reading.last != head.line:
        return broken(
            kept, reading.last, f"the chain of its {reading.last:,} lines does not end in the head that was kept"
        )
    return found


def broken(kept: ExperimentRecord, lines: int, why: str) -> Verified:
    """A journal that is not what was written."""
    return Verified(kept.name, lines, 0, "", chain=False, notes=[why])


class Both:
    """A fold, and beside it the columns of what it learns."""

    def __init__(self, fold: Fold, columns: Counted) -> None:
        self.fold, self.columns, self.index = fold, columns, fold.index

    def decided(self, choice: Choice, learns: bool, partial: bool) -> None:
        """The next decision."""
        self.fold.decided(choice, learns, partial)
        self.columns.decided(choice, learns, partial)

    def rewarded(self, number: int, reward: float, source: str | None, time: float | None) -> None:
        """A decision's reward."""
        self.fold.rewarded(number, reward, source, time)
        self.columns.rewarded(number, reward, source, time)

    def dropped(self, number: int) -> None:
        """A decision of which nothing will be learnt."""
        self.fold.dropped(number)
        self.columns.dropped(number)

    def change(self, name: str, change: str) -> None:
        """A change of arms."""
        self.fold.change(name, change)
        self.columns.change(name, change)


def folded_again(store: ServiceStore, kept: ExperimentRecord, reading: Reading, compiled: bool) -> Verified:
    """The state from the first line on, and all it is compared with."""
    lines = iter(reading)
    terms = read_terms(next(lines, (0, None))[1])
    acts = [(line, msgspec.json.decode(body)) for line, body in store.lines(kept.id, 1, acts=True)]
    standing = standing_of(acts)
    fresh, columns = Experiment(kept, terms, standing), Columns(terms)
    if compiled:
        fresh.docket.target = Both(fresh.fold, Counted(columns))
    snapshot = store.snapshot(kept.id)
    found = Verified(kept.name, 1, 0, "", notes=[])
    last_act = max((line for line, _ in acts), default=0)
    if snapshot is not None and (snapshot.code != fresh.code or last_act > snapshot.line):
        snapshot = None
        found.notes.append("the last snapshot is of other code or of before an act, and is not used")
    found.dice = None if acts else True
    if acts:
        found.notes.append("operators changed what counts, so decisions are not thrown again")
    for line, entry in lines:
        if found.dice and entry["entry"] == "decide" and not as_thrown(fresh, entry):
            found.dice = False
            found.notes.append(f"decision {entry['id']} (line {line}) is not what its dice give")
        fresh.apply(line, entry)
        if snapshot is not None and line == snapshot.line:
            found.snapshot = same_as(fresh, snapshot)
    if compiled:
        state = save_state(fresh.policy, fold_log(fresh.policy, columns.as_log()))
        found.compiled = state == fresh.fold.saved_state()
    found.lines, found.decisions, found.head = fresh.line, fresh.fold.decisions, reading.chain.hex()
    return found


def as_thrown(experiment: Experiment, entry: Entry) -> bool:
    """Whether a decision of the journal is the one that its dice give."""
    roster, named = experiment.fold.roster, entry["eligible"]
    among = None if named is None else [roster.index[name] for name in named]
    experiment.docket.advance(entry["time"])
    held = experiment.is_held_out(entry["id"], entry.get("unit"))
    own = experiment.draw_uniformly(entry["id"], among) if held else experiment.fold.choice(among)
    probability = None if own.probability != own.probability else own.probability
    told = (entry["arm"], entry["chance"], entry["note"], entry.get("holdout", False))
    return (roster.names[own.arm], probability, own.note, held) == told


def same_as(experiment: Experiment, snapshot: Snapshot) -> bool:
    """Whether a snapshot is what its lines come to, policy, docket and all."""
    kept: dict[str, Any] = msgspec.json.decode(snapshot.body)
    own = msgspec.json.decode(experiment.snapshot().body)
    return all(own[name] == kept[name] for name in ("fold", "docket", "tally"))


def verify_journal(path: str, *, compiled: bool = True) -> Verified:
    """The journal of a learner: checksums, both folds, dice."""
    try:
        log = as_log(path)
        policy = made_policy(log.terms.policy)
        fold: Fold = folded(path, policy)
    except Broken as error:
        return Verified(path, 0, 0, "", chain=False, notes=[str(error)])
    found = Verified(path, len(log.arms), fold.decisions, "", notes=[])
    if compiled:
        found.compiled = save_state(policy, fold_log(policy, log)) == told_by(fold)["state"]
    if log.terms.rules is None:
        other = first_difference(path, policy)
        found.dice = other is None
        found.notes += [] if other is None else [f"decision {other} is not what its dice give"]
    return found
