"""One experiment in memory: what a request wants becomes the next line of its journal, and that line changes it.

A line is applied by the same two functions when it is new and when the journal is read again (online/docket.py and
online/fold.py). Beside them stands what answers need: keys that were used, values that were reported.
"""

import json
from collections.abc import Iterator
from functools import cache
from hashlib import blake2b
from typing import Any

import msgspec

from robandit.dice import Role, decision_key, decision_stream
from robandit.errors import InputError
from robandit.game import Choice
from robandit.online.docket import Docket
from robandit.online.fold import Fold
from robandit.online.learner import as_policy
from robandit.online.rules import FIRST
from robandit.online.saving import load_fold, save_fold
from robandit.online.standing import ACTS, Entry, Standing, change_verdict, standing_of
from robandit.online.terms import Terms, read_terms
from robandit.service.clock import Lead
from robandit.service.guardrail import Guardrail, GuardrailTerms
from robandit.service.ids import issue_id
from robandit.service.messages import DecisionReply
from robandit.service.quick import read_entries
from robandit.service.recent import EACH, Recent, Room
from robandit.service.stores.base import ExperimentRecord, Row, ServiceStore, Snapshot
from robandit.service.tally import Tally
from robandit.store.code import code_hash, texts_hash

STATE_CODE = (  # what a snapshot depends on: one that other code wrote is not used; test_snapshots holds the list whole
    *("dice", "game", "layout", "numerics", "state", "lab.sight", "online.docket", "online.features", "online.fold"),
    *("online.case", "online.lift", "online.lists", "online.sight", "online.target"),
    *("online.roster", "online.rules", "online.saving", "online.standing", "online.terms"),
    *("service.experiment", "service.messages", "service.quick", "service.recent", "service.tally"),
    "service.guardrail",
)
EVERY = 20_000  # lines between two snapshots, at least
ACTS_LISTED = 200
LISTED_ACTS = ("arm", "epoch", "end", "forget", *ACTS)
ENCODE, DECODE = msgspec.json.Encoder().encode, msgspec.json.Decoder().decode
MOST = 2.0**64


class Experiment:
    """A policy's fold, the docket of its rewards, and what is remembered for answers.

    `key` signs the ids of decisions; without it nothing is remembered and no decision can be made. `room` says how many
    keys and values are remembered; older values are looked up.
    """

    def __init__(
        self,
        record: ExperimentRecord,
        terms: Terms,
        standing: Standing,
        key: bytes | None = None,
        room: Room | None = None,
    ) -> None:
        room = Room() if room is None else room
        self.record, self.key = record, key
        self.id, self.name, self.about = record.id, record.name, json.loads(record.about)
        self.terms, self.standing = terms, standing
        self.policy = as_policy(terms.policy)
        self.fold = Fold(self.policy, terms)
        self.docket = Docket(terms, standing, self.fold)
        self.rules = self.docket.rules
        guardrail = self.about.get("guardrail")
        self.guardrail = None if guardrail is None else Guardrail(GuardrailTerms(**guardrail), len(terms.arms))
        self.guarded: Recent[int, float] = Recent(room)  # reports of the second metric
        self.holding = decision_key(terms.seed, Role.HOLDING)
        self.tally, self.line = Tally(), 1
        self.code = f"{code_hash(self.policy)} {state_hash()}"  # a digest of what a state depends on
        self.snapshot_due = EVERY  # a line
        self.tally.widen(len(terms.arms))
        self.keys: Recent[tuple[str | None, str], tuple[DecisionReply, str | None]] = Recent(room)  # by token
        self.units: Recent[str, tuple[float, DecisionReply]] = Recent(room)  # with the time of the decision
        self.values: Recent[tuple[int, str, bool], float] = Recent(room)  # by number, part, whether verified
        self.activations: Recent[int, bool] = Recent(room)
        self.acts: list[tuple[int, Entry]] = []
        self.epoch, self.ended = 0, False
        self.lead: Lead | None = None  # where the last line is later than now
        self.learning_again = False  # after an act: the state is rebuilt from the journal beside this one
        self.again = False  # one more act came meanwhile
        self.since: list[tuple[int, Entry]] = []  # lines that came meanwhile

    def recall_key(
        self, key: str, by: str | None, unit: str | None, eligible: list[str] | None
    ) -> DecisionReply | None:
        """Returns the decision of a key that a token used before. Raises InputError if for another unit or arm."""
        reply, old_unit = self.keys.get((by, key)) or (None, None)
        if reply is not None and unit != old_unit:
            raise InputError("this Idempotency-Key was used for another unit")
        if reply is not None and eligible is not None and reply.arm not in eligible:
            raise InputError(
                f"this Idempotency-Key was used for a decision for {reply.arm!r}, which is not eligible here"
            )
        return reply

    def recall_unit(self, unit: str, now: float, among: list[int] | None) -> DecisionReply | None:
        """Returns the decision of a sticky unit within its window, while its arm may be chosen."""
        if not self.rules.sticky:
            return None
        time, reply = self.units.get(unit) or (0.0, None)
        window = self.rules.window
        if reply is None or (window is not None and self.moment(now) >= time + window):
            return None
        return reply if among is None or self.fold.roster.index[reply.arm] in among else None

    def decide(
        self,
        now: float,
        among: list[int] | None,
        key: str | None,
        unit: str | None,
        by: str | None = None,
        asker: str | None = None,
        context: dict[str, Any] | None = None,
    ) -> tuple[DecisionReply, Row]:
        """Returns the next decision, which a token asked for, and its line; `asker` is the source it is made for."""
        now = self.moment(now)
        self.docket.advance(now)
        fold = self.fold
        names, number, held = fold.roster.names, fold.decisions, self.is_held_out(fold.decisions, unit)
        user = None if held else fold.read(context)
        choice = self.draw_uniformly(number, among) if held else fold.choose(among, user)
        index, drawn, note = choice
        entry: Entry = {
            "entry": "decide",
            "id": number,
            "arm": names[index],
            "chance": None if drawn != drawn else float(drawn),
            "note": int(note),
            "eligible": None if among is None else [names[one] for one in among],
            "time": now,
        }
        if context is not None:
            entry["context"] = context
        if key is not None:
            entry["key"] = key
        if unit is not None:
            entry["unit"] = unit
        if asker is not None:
            entry["source"] = asker
        if held:
            entry["holdout"] = True
        elif fold.wants_check(choice):
            entry["check"] = True
        if by is not None:
            entry["by"] = by
        reply = self.reply_to(entry)
        return reply, self.append(entry, reply=reply)

    def reply_to(self, entry: Entry) -> DecisionReply:
        """Returns what is answered about the decision of an entry."""
        number = entry["id"]
        assert self.key is not None
        id = issue_id(self.key, self.docket.epoch(number), self.id, number)
        return DecisionReply(id, entry["arm"], entry["chance"], entry.get("holdout", False), entry.get("check", False))

    def is_held_out(self, number: int, unit: str | None) -> bool:
        """Whether a decision is one of those that are drawn uniformly; a unit always is, or never."""
        if self.rules.holdout <= 0.0:
            return False
        if unit is None:
            return decision_stream(self.holding, number).uniform() < self.rules.holdout
        key = self.holding.to_bytes(8, "big")
        digest = blake2b(unit.encode(), digest_size=8, key=key).digest()
        return int.from_bytes(digest, "big") / MOST < self.rules.holdout

    def draw_uniformly(self, number: int, among: list[int] | None) -> Choice:
        """Returns a choice that does not depend on the policy."""
        arms = self.fold.roster.present if among is None else among
        random = decision_stream(self.fold.choosing, number)
        return Choice(arms[min(int(random.uniform() * len(arms)), len(arms) - 1)], 1.0 / len(arms), 0)

    def reward(
        self, now: float, number: int, value: float, source: str | None, part: str, is_verified: bool = False
    ) -> Row | None:
        """Record a decision's reward; returns its line, or None if the decision does not wait for one now."""
        now = self.moment(now)
        if not self.docket.waits(number, part, now, is_verified):
            return None
        entry: Entry = {"entry": "reward", "id": number, "value": value, "source": source, "time": now}
        if part:
            entry["part"] = part
        if is_verified:
            entry["verified"] = True
        return self.append(entry, settles=settled_as(number, is_verified) if self.rules.aggregate == FIRST else None)

    def activate(self, now: float, number: int) -> Row | None:
        """Record that a decision was shown; returns its line, or None if the decision does not wait for that now."""
        case, now = self.docket.cases.get(number), self.moment(now)
        if case is None or case.active or now >= case.ends:
            return None
        return self.append({"entry": "activate", "id": number, "time": now})

    def all_rules(self) -> dict[str, Any]:
        """Returns the rules as a request names them."""
        return {**self.rules.as_json(), "verified": self.terms.verified, "guardrail": self.about.get("guardrail")}

    def change_arm(self, now: float, name: str, change: str, by: str, values: dict[str, Any] | None = None) -> Row:
        """Add, pause, resume or retire an arm. Raises InputError if it cannot be."""
        self.fold.check_change(name, change, values)
        entry: Entry = {"entry": "arm", "arm": name, "change": change, "time": self.moment(now), "by": by}
        return self.append(entry if values is None else {**entry, "values": values})

    def act(self, now: float, entry: Entry, by: str) -> Row:
        """Record an operator's act that changes what counts: the state has to be rebuilt. Raises InputError."""
        if self.policy.rewards_fixed:
            raise InputError(f"{self.policy.name} cannot unlearn: {self.policy.rewards_fixed}")
        if entry["entry"] == "source":
            change_verdict(self.standing.verdict(entry["source"]), entry)  # raises here, if at all
        return self.append({**entry, "time": self.moment(now), "by": by}, act=True)

    def end(self, now: float, by: str) -> Row | None:
        """End the experiment: no decision follows, and rewards are taken as before; None if it has ended already."""
        return None if self.ended else self.append({"entry": "end", "time": self.moment(now), "by": by})

    def tick(self, now: float) -> Row | None:
        """Returns a line if something is due though no request came."""
        now = self.moment(now)
        return self.append({"entry": "tick", "time": now}) if self.docket.due() <= now else None

    def begin_epoch(self, now: float, epoch: int) -> Row:
        """Begin a new epoch of ids: the database was restored from a backup."""
        return self.append({"entry": "epoch", "epoch": epoch, "time": self.moment(now)})

    def moment(self, now: float) -> float:
        """Returns a time to the millisecond that never goes back, nor stands still where the journal is ahead."""
        now = int(now * 1000.0 + 0.5) / 1000.0  # `round` takes ten times as long
        last = self.docket.clock
        if self.lead is None and now >= last:
            return now
        if self.lead is None or now < self.lead.now:
            self.lead = Lead(now, last)
        moment = int(self.lead.time(now) * 1000.0 + 0.5) / 1000.0
        if moment <= now:
            self.lead, moment = None, now
        return moment if moment > last else last

    def append(
        self, entry: Entry, settles: int | None = None, *, act: bool = False, reply: DecisionReply | None = None
    ) -> Row:
        """Apply one more entry; returns its line."""
        line = self.line + 1
        row = Row(self.id, line, act, settles, ENCODE(entry).decode())
        if act:
            self.standing.take(line, entry)
        self.apply(line, entry, advance=reply is None)  # before a decision is drawn, its time has come already
        self.remember(entry, reply)
        if self.learning_again:
            self.since.append((line, entry))
        return row

    def apply(self, line: int, entry: Entry, *, advance: bool = True) -> None:
        """Apply a line, new or read again; `advance` does what is due by its time first."""
        kind, docket, tally = entry["entry"], self.docket, self.tally
        case = docket.take(line, entry, advance=advance)
        if self.guardrail is not None:
            self.guardrail.apply(entry, self.fold.roster.index)
        if case is None:
            if kind in LISTED_ACTS:
                self.list_act(line, entry)
        elif kind == "reward":
            is_verified = entry.get("verified", False)
            tally.verified += is_verified
            if not (is_verified and case.line):  # of a decision with both, the first one is counted
                tally.recorded[case.arm] += 1
                tally.sums[case.arm] += entry["value"]
        else:
            tally.chosen[case.arm] += 1
            if entry["id"] - tally.last >= tally.stride:
                tally.add_point(entry["id"], entry["time"], self.probabilities_of_all())
        self.line = line

    def probabilities_of_all(self) -> list[float] | None:
        """Returns p(t) of all arms, where the policy has it and no arm is paused or retired."""
        probabilities = self.fold.probabilities() or {}
        return list(probabilities.values()) if len(probabilities) == len(self.fold.roster.names) else None

    def list_act(self, line: int, entry: Entry) -> None:
        """List a line that is neither a decision nor a reward."""
        if entry["entry"] == "epoch":
            self.epoch = entry["epoch"]
        elif entry["entry"] == "end":
            self.ended = True
        elif entry["entry"] == "arm":
            self.tally.widen(len(self.fold.roster.names))
        self.acts = [*self.acts[1 - ACTS_LISTED :], (line, entry)]

    def remember(self, entry: Entry, reply: DecisionReply | None = None) -> None:
        """Keep what answers to later requests need of a line."""
        if self.key is None:
            return
        kind = entry["entry"]
        if kind == "reward":
            self.values.put((entry["id"], entry.get("part", ""), entry.get("verified", False)), entry["value"])
        elif kind == "activate":
            self.activations.put(entry["id"], True)
        elif kind == "guardrail":
            self.guarded.put(entry["id"], entry["value"])
        elif "key" in entry or "unit" in entry:
            reply = reply or self.reply_to(entry)
            if "key" in entry:
                self.keys.put((entry.get("by"), entry["key"]), (reply, entry.get("unit")))
            if "unit" in entry and self.rules.sticky:
                self.units.put(entry["unit"], (entry["time"], reply))

    def snapshot(self) -> Snapshot:
        """Returns everything but what is remembered, as of the last line."""
        state = {"fold": save_fold(self.fold), "docket": self.docket.as_json(), "tally": self.tally.as_json()}
        if self.guardrail is not None:
            state["guardrail"] = self.guardrail.as_json()
        body = msgspec.json.encode({**state, "epoch": self.epoch, "ended": self.ended, "acts": self.acts})
        self.snapshot_due = self.next_snapshot()
        return Snapshot(self.id, self.line, self.code, body)

    def load(self, snapshot: Snapshot) -> None:
        """Return to a snapshot."""
        state = msgspec.json.decode(snapshot.body)
        self.fold = load_fold(state["fold"], lambda text: self.policy)
        self.docket.target = self.fold
        self.docket.load(state["docket"])
        self.tally.load(state["tally"])
        if self.guardrail is not None:
            self.guardrail.load(state["guardrail"])
        self.epoch, self.ended = state["epoch"], state["ended"]
        self.acts = [(line, entry) for line, entry in state["acts"]]
        self.line = snapshot.line
        self.snapshot_due = self.next_snapshot()

    def next_snapshot(self) -> int:
        """Returns the line at which a snapshot is worth its time, which grows with the open decisions."""
        return self.line + max(EVERY, 4 * len(self.docket.cases))

    def take_over(self, other: "Experiment") -> None:
        """Continue with the state that another reading of the same journal came to."""
        self.fold, self.docket, self.tally = other.fold, other.docket, other.tally
        self.guardrail = other.guardrail
        self.docket.standing = self.standing


def settled_as(number: int, is_verified: bool) -> int:
    """Returns the number under which a database keeps a decision's only reward, or (below 0) its only verified one."""
    return -1 - number if is_verified else number


@cache
def state_hash() -> str:
    """Returns a digest of the code that a state depends on beside its policy; loaded code never changes."""
    return texts_hash(STATE_CODE)


def open_experiment(
    store: ServiceStore,
    record: ExperimentRecord,
    key: bytes | None = None,
    *,
    snapshots: bool = True,
    standing: Standing | None = None,
    room: Room | None = None,
) -> Experiment:
    """Returns an experiment, rebuilt from its journal.

    It begins at the last snapshot, if the same code wrote that and no act came later.

    Args:
        store: where the journal is.
        record: which experiment.
        key: signs the ids of decisions; None where no request will be answered.
        snapshots: False reads every line.
        standing: what operators said last; None reads it from the journal.
        room: how many keys and values are remembered; that of a process with one experiment unless given.
    """
    terms = read_terms(msgspec.json.decode(next(iter(store.lines(record.id)))[1]))
    acts = [(line, msgspec.json.decode(body)) for line, body in store.lines(record.id, 1, acts=True)]
    experiment = Experiment(record, terms, standing_of(acts) if standing is None else standing, key, room)
    snapshot, end = store.snapshot(record.id) if snapshots else None, store.head(record.id).line
    if snapshot is not None and snapshot.code == experiment.code and all(line <= snapshot.line for line, _ in acts):
        experiment.load(snapshot)
    remembered = end if key is None else end - (EACH if room is None else 2 * room.half)
    first, begun = max(min(experiment.line, remembered), 1), experiment.line

    def entries() -> Iterator[tuple[int, Entry]]:
        for line, body in store.lines(record.id, first):
            entry = DECODE(body)
            if line > remembered:
                experiment.remember(entry)
            if line > begun:
                yield line, entry

    read_entries(experiment, entries())
    return experiment
