"""One experiment as it lives: what a request asks becomes the next line of its journal, and that line changes it.

A line is applied by the same two functions when it is new and when the journal is read again (online/docket.py and
online/fold.py). Here is what answers need besides: keys that were used, values that were told.
"""

import json
from functools import cache
from hashlib import blake2b

import msgspec

from robandit.dice import decision_key, decision_stream
from robandit.errors import InputError
from robandit.game import Choice
from robandit.online.docket import Docket
from robandit.online.fold import Fold
from robandit.online.learner import as_policy
from robandit.online.rules import FIRST
from robandit.online.saving import load_fold, save_fold
from robandit.online.standing import ACTS, Entry, Standing, change_verdict, standing_of
from robandit.online.terms import Terms, read_terms
from robandit.service.recent import Recent
from robandit.service.stores.base import Kept, Row, Snapshot, Store
from robandit.service.tally import Tally
from robandit.store.code import code_hash, module_hash

EVERY = 20_000  # lines between two snapshots, at least
REMEMBERED = 200_000  # keys and values kept at hand at most, and half of them at least; older values are looked up
HOLDING = 6  # role of the streams that say which decisions are held out
ACTS_SHOWN = 200
KEPT_ACTS = ("arm", "epoch", *ACTS)
ENCODE = msgspec.json.Encoder().encode
MOST = 2.0**64


class Made(msgspec.Struct, frozen=True):
    """A decision that was made."""

    number: int
    arm: str
    probability: float | None
    holdout: bool
    time: float


class Experiment:
    """A policy's fold, the docket of its rewards, and what is remembered for answers."""

    def __init__(self, kept: Kept, terms: Terms, standing: Standing) -> None:
        self.id, self.name, self.about = kept.id, kept.name, json.loads(kept.about)
        self.terms, self.standing = terms, standing
        self.policy = as_policy(terms.policy)
        self.fold = Fold(self.policy, terms)
        self.docket = Docket(terms, standing, self.fold)
        self.rules = self.docket.rules
        self.holding = decision_key(terms.seed, HOLDING)
        self.tally, self.line = Tally(), 1
        self.code = f"{code_hash(self.policy)} {docket_hash()}"  # a digest of what a state depends on
        self.snapshot_due = EVERY  # a line
        self.tally.widen(len(terms.arms))
        self.keys: Recent[str, Made] = Recent(REMEMBERED)
        self.values: Recent[tuple[int, str], float] = Recent(REMEMBERED)
        self.shown: Recent[int, bool] = Recent(REMEMBERED)
        self.acts: list[tuple[int, Entry]] = []
        self.epoch = 0
        self.learning_again = False  # an act is being worked in: the journal is folded anew beside what lives
        self.again = False  # one more act came meanwhile
        self.since: list[tuple[int, Entry]] = []  # lines that came meanwhile

    def made(self, key: str | None, unit: str | None, now: float, among: list[int] | None) -> Made | None:
        """The decision that a key has already, or a unit that sticks, while its arm may be chosen."""
        found = self.keys.get(f"k{key}") if key is not None else None
        if found is not None or unit is None or not self.rules.sticky:
            return found
        stuck, window = self.keys.get(f"u{unit}"), self.rules.window
        if stuck is None or (window is not None and self.moment(now) >= stuck.time + window):
            return None
        arm = self.fold.roster.index[stuck.arm]
        return stuck if among is None or arm in among else None

    def decide(self, now: float, among: list[int] | None, key: str | None, unit: str | None) -> tuple[Made, Row]:
        """The next decision."""
        now = self.moment(now)
        self.docket.advance(now)
        fold = self.fold
        names, number, held = fold.roster.names, fold.decisions, self.held_out(fold.decisions, unit)
        index, drawn, note = self.uniform(number, among) if held else fold.choose(among)
        arm, probability = names[index], None if drawn != drawn else float(drawn)
        entry: Entry = {
            "entry": "decide",
            "id": number,
            "arm": arm,
            "chance": probability,
            "note": int(note),
            "eligible": None if among is None else [names[one] for one in among],
            "time": now,
        }
        if key is not None:
            entry["key"] = key
        if unit is not None:
            entry["unit"] = unit
        if held:
            entry["holdout"] = True
        return Made(number, arm, probability, held, now), self.appended(entry, is_due_done=True)

    def held_out(self, number: int, unit: str | None) -> bool:
        """Whether a decision is one of those that are drawn uniformly; a unit always is, or never."""
        if self.rules.holdout <= 0.0:
            return False
        if unit is None:
            return decision_stream(self.holding, number).uniform() < self.rules.holdout
        key = self.holding.to_bytes(8, "big")
        return (
            int.from_bytes(blake2b(unit.encode(), digest_size=8, key=key).digest(), "big") / MOST < self.rules.holdout
        )

    def uniform(self, number: int, among: list[int] | None) -> Choice:
        """A choice that owes the policy nothing."""
        arms = self.fold.roster.present if among is None else among
        random = decision_stream(self.fold.choosing, number)
        return Choice(arms[min(int(random.uniform() * len(arms)), len(arms) - 1)], 1.0 / len(arms), 0)

    def reward(self, now: float, number: int, value: float, source: str | None, part: str) -> Row | None:
        """A decision's reward; None if it does not wait for one now."""
        now = self.moment(now)
        if not self.docket.waits(number, part, now):
            return None
        entry: Entry = {"entry": "reward", "id": number, "value": value, "source": source, "time": now}
        if part:
            entry["part"] = part
        return self.appended(entry, settles=number if self.rules.aggregate == FIRST else None)

    def activate(self, now: float, number: int) -> Row | None:
        """A decision was shown; None if it does not wait for that now."""
        case, now = self.docket.cases.get(number), self.moment(now)
        if case is None or case.active or now >= case.ends:
            return None
        return self.appended({"entry": "activate", "id": number, "time": now})

    def change_arm(self, now: float, name: str, change: str, by: str) -> Row:
        """An arm is added, paused, resumed or retired; refused with a sentence if it cannot be."""
        self.fold.after_change(name, change)
        return self.appended({"entry": "arm", "arm": name, "change": change, "time": self.moment(now), "by": by})

    def act(self, now: float, entry: Entry, by: str) -> Row:
        """An operator's act that changes what counts: the journal has to be folded again."""
        if self.policy.rewards_fixed:
            raise InputError(f"{self.policy.name} cannot unlearn: {self.policy.rewards_fixed}")
        if entry["entry"] == "source":
            change_verdict(self.standing.verdict(entry["source"]), entry)  # refused here, if at all
        return self.appended({**entry, "time": self.moment(now), "by": by}, act=True)

    def tick(self, now: float) -> Row | None:
        """Something is due though nobody came."""
        now = self.moment(now)
        return self.appended({"entry": "tick", "time": now}) if self.docket.due() <= now else None

    def begin_epoch(self, now: float, epoch: int) -> Row:
        """Ids begin anew: the database was restored from a backup."""
        return self.appended({"entry": "epoch", "epoch": epoch, "time": self.moment(now)})

    def moment(self, now: float) -> float:
        """A time to the millisecond that never goes back."""
        now = int(now * 1000.0 + 0.5) / 1000.0  # `round` takes ten times as long
        return now if now > self.docket.clock else self.docket.clock

    def appended(
        self, entry: Entry, settles: int | None = None, *, act: bool = False, is_due_done: bool = False
    ) -> Row:
        """One more line, applied; `is_due_done` if the docket was advanced to its time already."""
        line = self.line + 1
        row = Row(self.id, line, act, settles, ENCODE(entry).decode())
        if act:
            self.standing.take(line, entry)
        self.apply(line, entry, is_due_done)
        if self.learning_again:
            self.since.append((line, entry))
        return row

    def apply(self, line: int, entry: Entry, is_due_done: bool = False) -> None:
        """A line, new or read again."""
        kind, docket = entry["entry"], self.docket
        case = docket.cases.get(entry["id"]) if kind == "reward" else None
        (docket.apply if is_due_done else docket.take)(line, entry)
        if kind == "decide":
            if self.tally.decided(self.fold.roster.index[entry["arm"]], entry["id"]):
                self.tally.point(entry["id"], entry["time"], self.known_probabilities())
        elif case is not None:
            self.tally.rewarded(case.arm, entry["value"])
        elif kind in KEPT_ACTS:
            self.changed(line, entry)
        self.remember(entry)
        self.line = line

    def known_probabilities(self) -> list[float] | None:
        """p(t) of all arms, where the policy can tell it and none is away."""
        probabilities = self.fold.probabilities() or {}
        return list(probabilities.values()) if len(probabilities) == len(self.fold.roster.names) else None

    def changed(self, line: int, entry: Entry) -> None:
        """A line that is neither a decision nor a reward."""
        if entry["entry"] == "epoch":
            self.epoch = entry["epoch"]
        elif entry["entry"] == "arm":
            self.tally.widen(len(self.fold.roster.names))
        self.acts = [*self.acts[1 - ACTS_SHOWN :], (line, entry)]

    def remember(self, entry: Entry) -> None:
        """What answers to later requests need of a line."""
        kind = entry["entry"]
        if kind == "reward":
            self.values.put((entry["id"], entry.get("part", "")), entry["value"])
        elif kind == "activate":
            self.shown.put(entry["id"], True)
        elif "key" in entry or "unit" in entry:
            made = Made(entry["id"], entry["arm"], entry["chance"], entry.get("holdout", False), entry["time"])
            if "key" in entry:
                self.keys.put(f"k{entry['key']}", made)
            if "unit" in entry and self.rules.sticky:
                self.keys.put(f"u{entry['unit']}", made)

    def snapshot(self) -> Snapshot:
        """Everything but what is remembered, as of the last line."""
        told = {"fold": save_fold(self.fold), "docket": self.docket.as_json(), "tally": self.tally.as_json()}
        body = msgspec.json.encode({**told, "epoch": self.epoch, "acts": self.acts})
        self.snapshot_due = self.next_snapshot()
        return Snapshot(self.id, self.line, self.code, body)

    def load(self, snapshot: Snapshot) -> None:
        """Back to a snapshot."""
        told = msgspec.json.decode(snapshot.body)
        self.fold = load_fold(told["fold"], lambda text: self.policy)
        self.docket.target = self.fold
        self.docket.load(told["docket"])
        self.tally.load(told["tally"])
        self.epoch, self.acts = told["epoch"], [(line, entry) for line, entry in told["acts"]]
        self.line = snapshot.line
        self.snapshot_due = self.next_snapshot()

    def next_snapshot(self) -> int:
        """The line at which a snapshot is worth its time, which grows with the decisions that are open."""
        return self.line + max(EVERY, 4 * len(self.docket.cases))

    def taken_over(self, other: "Experiment") -> None:
        """Go on with what another reading of the same journal came to."""
        self.fold, self.docket, self.tally = other.fold, other.docket, other.tally
        self.docket.standing = self.standing


@cache
def docket_hash() -> str:
    """A digest of the code that says which rewards count: what was loaded never changes."""
    return module_hash("robandit.online.docket")


def opened(store: Store, kept: Kept, *, snapshots: bool = True, standing: Standing | None = None) -> Experiment:
    """An experiment from its journal: from the last snapshot on, if the same code made it and no act came later."""
    first = next(iter(store.lines(kept.id)))[1]
    terms = read_terms(msgspec.json.decode(first))
    acts = [(line, msgspec.json.decode(body)) for line, body in store.lines(kept.id, 1, acts=True)]
    found = Experiment(kept, terms, standing_of(acts) if standing is None else standing)
    snapshot, end = store.snapshot(kept.id) if snapshots else None, store.head(kept.id).line
    if snapshot is not None and snapshot.code == found.code and all(line <= snapshot.line for line, _ in acts):
        found.load(snapshot)
    for line, body in store.lines(kept.id, max(min(found.line, end - REMEMBERED), 1)):
        entry = msgspec.json.decode(body)
        if line > found.line:
            found.apply(line, entry)
        else:
            found.remember(entry)
    return found
