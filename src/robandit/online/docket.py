"""Which rewards count, and when: entries of a journal, under its rules and standing, become what a policy learns.

Time is the journal's own: what is due by the time of an entry happens before it. So the state depends on the journal
alone, and reading it again tomorrow gives the same bits. A plain learner's journal has the default rules, under which
every reward counts at once. Besides the entries of journal.py a service's journal has

    {"entry": "activate", "id": 0, "time": 1.0}                the decision was displayed
    {"entry": "tick", "time": 1.0}                             time went by
    {"entry": "epoch", "epoch": 1, "time": 1.0}                ids begin anew after a restore
    {"entry": "end", "time": 1.0}                              no decision follows
    {"entry": "forget", "lines": 3, "before": "...", ...}      a source has another name in so many lines before
    {"entry": "source" | "retract" | "breaker", ...}           acts of operators (standing.py)
"""

from collections import deque
from functools import partial
from math import inf, nan
from typing import Any

from robandit.dice import Role, decision_key, decision_stream
from robandit.errors import InputError
from robandit.game import Choice
from robandit.online.case import Case
from robandit.online.rules import DAY, FIRST, SUM, Rules
from robandit.online.standing import ACTS, Entry, Standing, levels_of
from robandit.online.target import DocketTarget
from robandit.online.terms import ONLY, Terms

QUIET = ("tick", "end", "forget", "guardrail")  # entries that change nothing here but the time
make_choice = partial(tuple.__new__, Choice)  # of a tuple, in a third of the time


class Docket:
    """Open cases, and the clock that settles them."""

    __slots__ = (
        "asked",
        "capped",
        "cases",
        "clock",
        "deadlines",
        "decisions",
        "epochs",
        "expired",
        "holds",
        "learnt",
        "left_out",
        "line",
        "queues",
        "rules",
        "standing",
        "target",
        "terms",
        "waits_longer",
        "weighing",
    )

    def __init__(self, terms: Terms, standing: Standing, target: DocketTarget) -> None:
        self.terms, self.standing, self.target = terms, standing, target
        rules = self.rules = terms.rules or Rules()
        self.capped = rules.cap is not None or rules.token_cap is not None
        self.waits_longer = rules.hold > 0 or terms.verified is not None  # a reward may not be learnt when it comes
        self.weighing = decision_key(terms.seed, Role.WEIGHING)
        self.cases: dict[int, Case] = {}
        self.asked: dict[str, int] = {}  # decisions of each token
        self.queues: dict[str, deque[int]] = {}  # their numbers, from the oldest that is open on
        self.deadlines: deque[tuple[float, int]] = deque()
        self.holds: deque[tuple[float, int]] = deque()
        # of each source, and of each token: the day, and how many rewards counted in it
        self.learnt: tuple[dict[str, tuple[int, int]], ...] = ({}, {})
        self.epochs: list[tuple[int, int]] = [(0, 0)]  # from this decision on: the epoch of ids
        self.clock, self.line, self.decisions = -inf, 0, 0
        self.expired = self.left_out = 0  # decisions that no reward came for in time; rewards that do not count

    @property
    def frozen(self) -> bool:
        """Whether what happens now is recorded but not learnt."""
        return self.standing.frozen is not None and self.line > self.standing.frozen

    def take(self, line: int, entry: Entry, *, advance: bool = True) -> Case | None:
        """Apply one more entry, which stands in this line; returns the case of a decision or of its reward.

        Without `advance` the docket was advanced to its time already.
        """
        self.line, kind, time = line, entry["entry"], entry.get("time")
        if advance and time is not None:
            if self.deadlines or self.holds:
                self.advance(time)
            elif time > self.clock:
                self.clock = time
        if kind == "decide":
            return self.open_case(entry, time)
        if kind == "reward":
            return self.take_reward(line, entry, time)
        if kind == "activate":
            self.activate(entry["id"], time)
        elif kind == "arm":
            self.target.change_arm(entry["arm"], entry["change"], entry.get("values"))
        elif kind == "epoch":
            self.epochs.append((self.decisions, entry["epoch"]))
        elif kind not in QUIET and kind not in ACTS:
            raise InputError(f"an entry of the kind {kind!r} is unknown")
        return None

    def open_case(self, entry: Entry, time: float | None) -> Case:
        """Open a case for the next decision; that of the same token `patience` decisions ago is given up.

        A token's own decisions count, not everybody's: so no token can make those of others be forgotten.
        """
        number, probability = entry["id"], entry["chance"]
        if number != self.decisions:
            raise InputError(f"decision {self.decisions} must come next, not {number!r}")
        learns = not entry.get("holdout", False) and (self.standing.frozen is None or not self.frozen)
        target, rules, cases = self.target, self.rules, self.cases
        arm = target.index(entry["arm"])
        target.record_decision(
            make_choice((arm, nan if probability is None else probability, entry["note"])), learns, entry
        )
        token = entry.get("by", "")
        count, queue = self.asked.get(token, 0), self.queues.get(token)
        self.asked[token] = count + 1
        case = cases[number] = Case(arm, learns, not rules.activation, token, count, entry.get("source"))
        case.check = entry.get("check", False)
        if queue is None:
            queue = self.queues[token] = deque()
        queue.append(number)
        while queue[0] not in cases:
            queue.popleft()
        if cases[queue[0]].count == count - self.terms.patience:
            self.drop(queue.popleft())
        self.decisions += 1
        if rules.window is not None and time is not None:
            case.ends = time + rules.window
            self.deadlines.append((case.ends, number))
        return case

    def waits(self, number: int, part: str = "", time: float = -inf, is_verified: bool = False) -> bool:
        """Whether a decision still takes a reward, a part of one, or a verified one, at some time."""
        case = self.cases.get(number)
        if case is None or case.proof is not None or time >= case.ends:
            return False
        if is_verified:
            may_follow = case.check or self.terms.verified is not None
            return self.rules.aggregate == FIRST and (may_follow or not case.line)
        if case.line:
            return False
        return self.rules.aggregate == FIRST or part not in (case.parts or ())

    def take_reward(self, line: int, entry: Entry, time: float | None) -> Case:
        """A reward for an open case: learnt at once, after a while, or with others at the end of the window."""
        number, part, value, is_verified = (
            entry["id"],
            entry.get("part", ""),
            entry["value"],
            entry.get("verified", False),
        )
        if not self.waits(number, part, -inf if time is None else time, is_verified):
            raise InputError(f"decision {number!r} does not wait for a reward")
        case, reward, source = self.cases[number], self.terms.inside(value), entry["source"]
        if self.rules.aggregate == FIRST:
            if is_verified:
                case.proof = (line, reward, entry)
            else:
                case.line, case.reward, case.entry = line, reward, entry
            if case.active and (is_verified or case.check or self.waits_longer):
                self.settle_or_hold(number, case, time)
            elif case.active:
                self.settle(number, case)
        else:
            case.parts = case.parts or {}
            case.parts[part] = (line, float(value), source)
        return case

    def activate(self, number: int, time: float | None) -> None:
        """A decision was displayed."""
        case = self.cases.get(number)
        if case is None or case.active:
            raise InputError(f"decision {number!r} does not wait to be shown")
        case.active = True
        self.target.record_exposure(number, True)
        if case.line or case.proof is not None:
            self.settle_or_hold(number, case, time)

    def settle_or_hold(self, number: int, case: Case, time: float | None) -> None:
        """Learn a reward, hold it first, or keep it until a verified one comes; nobody doubts a verified one."""
        if case.proof is not None:
            self.settle_verified(number, case, *case.proof)
        elif self.keeps_claim(case):
            self.hand_on_claim(number, case)
        elif self.rules.hold > 0 and time is not None:
            self.holds.append((time + self.rules.hold, number))
        else:
            self.settle(number, case)

    def keeps_claim(self, case: Case) -> bool:
        """Whether a case stays open after an unverified reward, until a verified one comes."""
        return case.check or self.terms.verified == ONLY or self.terms.takes_back

    def hand_on_claim(self, number: int, case: Case) -> None:
        """Hand on the unverified reward of a case that waits for a verified one, if it counts."""
        case.claimed = True
        if case.learns:
            is_counted = not self.frozen and self.counts(case.line, number, case.entry["source"], case.asker)
            self.left_out += not is_counted
            self.target.record_claim(number, case.reward if is_counted else None, case.entry)

    def settle_verified(self, number: int, case: Case, line: int, reward: float, entry: Entry) -> None:
        """Learn a verified reward, if operators let its source count; caps are for the others."""
        if case.line and not case.claimed:
            self.hand_on_claim(number, case)
        is_trusted = self.is_trusted(line, number, entry["source"])
        is_trusted = is_trusted and (not case.asker or self.is_trusted(line, number, case.asker))
        if case.learns and not self.frozen and is_trusted:
            del self.cases[number]
            self.target.learn_reward(number, reward, entry)
        else:
            self.left_out += case.learns
            self.drop(number, entry["source"])

    def advance(self, time: float) -> None:
        """Do everything that is due by now, in order."""
        while self.deadlines or self.holds:
            end = self.deadlines[0][0] if self.deadlines else inf
            held = self.holds[0][0] if self.holds else inf
            if min(end, held) > time:
                break
            self.clock = min(end, held)
            if end <= held:
                self.end_window(self.deadlines.popleft()[1])
            else:
                number = self.holds.popleft()[1]
                case = self.cases.get(number)
                if case is not None and case.parts is not None:
                    self.settle_parts(number, case, case.parts)
                elif case is not None:
                    self.settle(number, case)
        if time > self.clock:
            self.clock = time

    def due(self) -> float:
        """Return when something happens next though nobody comes; infinite if nothing does."""
        return min(self.deadlines[0][0] if self.deadlines else inf, self.holds[0][0] if self.holds else inf)

    def end_window(self, number: int) -> None:
        """Settle, hold or drop a decision whose window ends."""
        case = self.cases.get(number)
        if case is None:
            return
        if not case.active:
            self.target.record_exposure(number, False)
            self.drop(number)
        elif case.parts is not None and self.rules.hold > 0:
            self.holds.append((self.clock + self.rules.hold, number))
        elif case.parts is not None:
            self.settle_parts(number, case, case.parts)
        elif case.claimed:
            self.expired += not self.terms.takes_back  # there the unverified reward stands
            self.drop(number)
        elif not case.line and (self.rules.default is None or case.check):
            self.expired += 1
            self.drop(number)
        elif not case.line:
            self.expired += 1
            self.learn_default(number, case)

    def learn_default(self, number: int, case: Case) -> None:
        """Learn the default where nobody reported, unless the decision was made for a source that does not count.

        A source in quarantine is left out with all its decisions: its sales alone would leave the others' too good.
        """
        if case.asker is not None and not self.is_trusted(self.line, number, case.asker):
            self.left_out += case.learns
            self.drop(number)
            return
        entry = {"source": case.asker, "time": self.clock, "default": True}
        self.learn(number, case, self.terms.inside(self.rules.default), entry)

    def settle(self, number: int, case: Case) -> None:
        """Learn the one reward of a decision, if it counts."""
        source = case.entry["source"]
        standing = self.standing
        learns = case.learns and (standing.frozen is None or not self.frozen)
        all_count = not (standing.sources or standing.retracted or self.capped)
        if learns and (all_count or self.counts(case.line, number, source, case.asker)):
            del self.cases[number]
            self.target.learn_reward(number, case.reward, case.entry)
        else:
            self.left_out += case.learns
            self.drop(number, source)

    def settle_parts(self, number: int, case: Case, parts: dict[str, tuple[int, float, str | None]]) -> None:
        """Learn what several reports come to, without those that do not count."""
        learns, terms = case.learns and not self.frozen, self.terms
        counting = [
            (value, source)
            for line, value, source in parts.values()
            if learns and self.counts(line, number, source, case.asker)
        ]
        self.left_out += len(parts) - len(counting) if case.learns else 0
        if not counting:
            self.drop(number)
            return
        values = [value for value, _ in counting]
        total = sum(values) if self.rules.aggregate == SUM else max(values)
        entry = {"source": counting[0][1], "time": self.clock}
        self.learn(number, case, terms.inside(min(max(total, terms.low), terms.high)), entry)

    def learn(self, number: int, case: Case, reward: float, entry: Entry) -> None:
        """Hand on a reward that is settled by the clock, unless nothing is to be learnt of its decision."""
        if case.learns and not self.frozen:
            del self.cases[number]
            self.target.learn_reward(number, reward, entry)
        else:
            self.drop(number)

    def drop(self, number: int, source: str | None = None) -> None:
        """Close a case from which nothing is learnt."""
        del self.cases[number]
        self.target.drop_decision(number, source)

    def is_trusted(self, line: int, number: int, source: str | None) -> bool:
        """Whether a source stands well, and the draw by its weight passes."""
        standing = self.standing
        if standing.sources or standing.retracted:
            if standing.leaves_out(line, number, source):
                return False
            weight = standing.weight(source)
            if weight < 1.0 and decision_stream(self.weighing, number).uniform() >= weight:
                return False
        return True

    def counts(self, line: int, number: int, source: str | None, asker: str | None = None) -> bool:
        """Whether a reward is learnt: its source and who asked stand well, and the source is below its cap today."""
        standing, rules = self.standing, self.rules
        if not self.is_trusted(line, number, source) or (asker and not self.is_trusted(line, number, asker)):
            return False
        if not self.capped and not standing.sources:
            return True
        day = int(self.clock // DAY) if self.clock > -inf else 0
        names, counts = levels_of(source), []
        for name, learnt, usual in zip(names, self.learnt, (rules.cap, rules.token_cap), strict=True):
            own = standing.verdict(name).cap
            cap = usual if own is None else own
            then, count = learnt.get(name, (day, 0))
            counts.append(count if then == day else 0)
            if cap is not None and counts[-1] >= cap:
                return False
        for name, learnt, count in zip(names, self.learnt, counts, strict=True):
            learnt[name] = (day, count + 1)
        return True

    def epoch(self, number: int) -> int:
        """Return the epoch of a decision's id."""
        first, epoch = self.epochs[-1]
        return epoch if number >= first else next(one for least, one in reversed(self.epochs) if number >= least)

    def as_json(self) -> dict[str, Any]:
        """Return all that its future depends on besides the standing."""
        return {
            "cases": [[number, *case.as_list()] for number, case in self.cases.items()],
            "deadlines": list(self.deadlines),
            "holds": list(self.holds),
            "learnt": self.learnt,
            "asked": self.asked,
            "epochs": self.epochs,
            "clock": None if self.clock == -inf else self.clock,
            "expired": self.expired,
            "left_out": self.left_out,
            "line": self.line,
            "decisions": self.decisions,
        }

    def load(self, snapshot: dict[str, Any]) -> None:
        """Go back to what `as_json` returned."""
        self.cases.clear()
        self.queues.clear()
        for number, *values in snapshot["cases"]:
            case = self.cases[number] = Case.from_list(values)
            self.queues.setdefault(case.token, deque()).append(number)
        self.asked = dict(snapshot["asked"])
        self.deadlines = deque((time, number) for time, number in snapshot["deadlines"])
        self.holds = deque((time, number) for time, number in snapshot["holds"])
        self.learnt = tuple({name: (day, count) for name, (day, count) in one.items()} for one in snapshot["learnt"])
        self.epochs = [(first, epoch) for first, epoch in snapshot["epochs"]]
        self.clock = -inf if snapshot["clock"] is None else snapshot["clock"]
        self.line, self.decisions = snapshot["line"], snapshot["decisions"]
        self.expired, self.left_out = snapshot["expired"], snapshot["left_out"]
