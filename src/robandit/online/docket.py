"""Which rewards count, and when: entries of a journal, under its rules and standing, become what a policy learns.

Time is the journal's own: what is due by the time of an entry happens before it. So a journal says all by itself, and
reading it again tomorrow gives the same bits. Whoever learns (a fold, or the columns of a log) is told:

    decided(choice, learns, partial)      the next decision, of some arms only if partial; of one that does not learn
                                          nothing is ever learnt
    rewarded(number, reward, source, time)  learn this now, a number in [0, 1]
    dropped(number)                       nothing will come of that decision
    change(arm, change)                   an arm was added, paused, resumed or retired
"""

from collections import deque
from math import inf, nan
from typing import Any, Protocol

from robandit.dice import decision_key, decision_stream
from robandit.errors import InputError
from robandit.game import Choice
from robandit.online.rules import DAY, FIRST, SUM, Rules
from robandit.online.standing import Entry, Standing, levels_of
from robandit.online.terms import Terms

WEIGHING = 5  # role of the streams that say whether a reward of a doubtful source is learnt
ACTS = ("source", "retract", "breaker")


class Learns(Protocol):
    """Whoever is told what counts."""

    def index(self, arm: str) -> int:
        """An arm's index by its name."""

    def decided(self, choice: Choice, learns: bool, partial: bool) -> None:
        """The next decision."""

    def rewarded(self, number: int, reward: float, source: str | None, time: float | None) -> None:
        """A decision's reward."""

    def dropped(self, number: int) -> None:
        """A decision of which nothing will be learnt."""

    def change(self, name: str, change: str) -> None:
        """A change of arms."""


class Case:
    """A decision that is not settled yet."""

    __slots__ = ("arm", "ends", "learns", "line", "parts", "reward", "shown", "source", "time")
    source: str | None
    time: float | None
    parts: dict[str, tuple[int, float, str | None]] | None  # by their ids: line, value, source

    def __init__(self, arm: int, learns: bool, shown: bool, ends: float = inf) -> None:
        self.arm, self.learns, self.shown, self.ends = arm, learns, shown, ends
        self.line, self.reward = 0, 0.0  # line 0: no reward yet
        self.source = self.time = self.parts = None

    def as_list(self) -> list[Any]:
        """Plain values."""
        ends = None if self.ends == inf else self.ends
        return [self.arm, self.learns, self.shown, ends, self.line, self.reward, self.source, self.time, self.parts]

    @classmethod
    def from_list(cls, told: list[Any]) -> "Case":
        """Back from plain values."""
        arm, learns, shown, ends, line, reward, source, time, parts = told
        case = cls(arm, learns, shown, inf if ends is None else ends)
        case.line, case.reward, case.source, case.time = line, reward, source, time
        case.parts = None if parts is None else {name: tuple(part) for name, part in parts.items()}
        return case


class Docket:
    """Open cases, and the clock that settles them."""

    __slots__ = (
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
        "rules",
        "standing",
        "target",
        "terms",
        "weighing",
    )

    def __init__(self, terms: Terms, standing: Standing, target: Learns) -> None:
        self.terms, self.standing, self.target = terms, standing, target
        self.rules = terms.rules or Rules()
        self.weighing = decision_key(terms.seed, WEIGHING)
        self.cases: dict[int, Case] = {}
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

    def take(self, line: int, entry: Entry) -> None:
        """One more entry, in its line."""
        self.line, kind, time = line, entry["entry"], entry.get("time")
        if time is not None:
            self.advance(time)
        if kind == "decide":
            self.decide(entry, time)
        elif kind == "reward":
            self.reward(line, entry, time)
        elif kind == "activate":
            self.activate(entry["id"], time)
        elif kind == "arm":
            self.target.change(entry["arm"], entry["change"])
        elif kind == "epoch":
            self.epochs.append((self.decisions, entry["epoch"]))
        elif kind != "tick" and kind not in ACTS:
            raise InputError(f"an entry of the kind {kind!r} is unknown")

    def decide(self, entry: Entry, time: float | None) -> None:
        """The next decision opens a case; the oldest one is given up."""
        number, probability = entry["id"], entry["chance"]
        if number != self.decisions:
            raise InputError(f"decision {self.decisions} must come next, not {number!r}")
        learns = not entry.get("holdout", False) and not self.frozen
        target, rules = self.target, self.rules
        arm = target.index(entry["arm"])
        choice = Choice(arm, nan if probability is None else probability, entry["note"])
        target.decided(choice, learns, entry.get("eligible") is not None)
        case = self.cases[number] = Case(arm, learns, not rules.activation)
        self.cases.pop(number - self.terms.patience, None)
        self.decisions += 1
        if rules.window is not None and time is not None:
            case.ends = time + rules.window
            self.deadlines.append((case.ends, number))

    def waits(self, number: int, part: str = "", time: float = -inf) -> bool:
        """Whether a decision still takes a reward, or a part of one, at some time."""
        case = self.cases.get(number)
        if case is None or case.line or time >= case.ends:
            return False
        return self.rules.aggregate == FIRST or part not in (case.parts or ())

    def reward(self, line: int, entry: Entry, time: float | None) -> None:
        """A reward for an open case: learnt at once, after a while, or with others at the end of the window."""
        number, part, value = entry["id"], entry.get("part", ""), entry["value"]
        if not self.waits(number, part, -inf if time is None else time):
            raise InputError(f"decision {number!r} does not wait for a reward")
        case, reward = self.cases[number], self.terms.inside(value)
        if self.rules.aggregate == FIRST:
            case.line, case.reward, case.source, case.time = line, reward, entry["source"], time
            if case.shown:
                self.ready(number, case, time)
        else:
            case.parts = case.parts or {}
            case.parts[part] = (line, float(value), entry["source"])

    def activate(self, number: int, time: float | None) -> None:
        """A decision was shown."""
        case = self.cases.get(number)
        if case is None or case.shown:
            raise InputError(f"decision {number!r} does not wait to be shown")
        case.shown = True
        if case.line:
            self.ready(number, case, time)

    def ready(self, number: int, case: Case, time: float | None) -> None:
        """Learn a reward, or hold it first."""
        if self.rules.hold > 0 and time is not None:
            self.holds.append((time + self.rules.hold, number))
        else:
            self.settle(number, case)

    def advance(self, time: float) -> None:
        """Everything that is due by now, in order."""
        while self.deadlines or self.holds:
            end = self.deadlines[0][0] if self.deadlines else inf
            held = self.holds[0][0] if self.holds else inf
            if min(end, held) > time:
                break
            self.clock = min(end, held)
            if end <= held:
                self.ended(self.deadlines.popleft()[1])
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
        """When something happens next though nobody comes; infinite if nothing does."""
        return min(self.deadlines[0][0] if self.deadlines else inf, self.holds[0][0] if self.holds else inf)

    def ended(self, number: int) -> None:
        """A decision's window has ended."""
        case = self.cases.get(number)
        if case is None:
            return
        if not case.shown:
            self.drop(number)
        elif case.parts is not None and self.rules.hold > 0:
            self.holds.append((self.clock + self.rules.hold, number))
        elif case.parts is not None:
            self.settle_parts(number, case, case.parts)
        elif not case.line and self.rules.default is None:
            self.expired += 1
            self.drop(number)
        elif not case.line:
            self.expired += 1
            del self.cases[number]
            self.learn(number, case, self.terms.inside(self.rules.default), None)

    def settle(self, number: int, case: Case) -> None:
        """The one reward of a decision, if it counts."""
        if case.learns and not self.frozen and self.counts(case.line, number, case.source):
            del self.cases[number]
            self.target.rewarded(number, case.reward, case.source, case.time)
        else:
            self.left_out += case.learns
            self.drop(number)

    def settle_parts(self, number: int, case: Case, parts: dict[str, tuple[int, float, str | None]]) -> None:
        """What several reports come to, without those that do not count."""
        learns = case.learns and not self.frozen
        kept = [
            (value, source) for line, value, source in parts.values() if learns and self.counts(line, number, source)
        ]
        self.left_out += len(parts) - len(kept) if case.learns else 0
        if not kept:
            self.drop(number)
            return
        values, terms = [value for value, _ in kept], self.terms
        total = sum(values) if self.rules.aggregate == SUM else max(values)
        del self.cases[number]
        self.learn(number, case, terms.inside(min(max(total, terms.low), terms.high)), kept[0][1])

    def learn(self, number: int, case: Case, reward: float, source: str | None) -> None:
        """Hand a reward on, unless nothing is to be learnt of its decision."""
        if case.learns and not self.frozen:
            self.target.rewarded(number, reward, source, case.time if case.line else self.clock)
        else:
            self.target.dropped(number)

    def drop(self, number: int) -> None:
        """Nothing comes of a decision."""
        del self.cases[number]
        self.target.dropped(number)

    def counts(self, line: int, number: int, source: str | None) -> bool:
        """Whether a reward is learnt: its source stands well, has not had its share today, and the dice let it pass."""
        standing, rules = self.standing, self.rules
        if standing.sources or standing.retracted:
            if standing.leaves_out(line, number, source):
                return False
            weight = standing.weight(source)
            if weight < 1.0 and decision_stream(self.weighing, number).uniform() >= weight:
                return False
        if rules.cap is None and rules.token_cap is None and not standing.sources:
            return True
        day = int(self.clock // DAY) if self.clock > -inf else 0
        names, counts = levels_of(source), []
        for name, learnt, usual in zip(names, self.learnt, (rules.cap, rules.token_cap), strict=True):
            said = standing.verdict(name).cap
            cap = usual if said is None else said
            then, count = learnt.get(name, (day, 0))
            counts.append(count if then == day else 0)
            if cap is not None and counts[-1] >= cap:
                return False
        for name, learnt, count in zip(names, self.learnt, counts, strict=True):
            learnt[name] = (day, count + 1)
        return True

    def epoch(self, number: int) -> int:
        """The epoch of a decision's id."""
        first, epoch = self.epochs[-1]
        return epoch if number >= first else next(one for least, one in reversed(self.epochs) if number >= least)

    def as_json(self) -> dict[str, Any]:
        """All that its future depends on besides the standing."""
        cases = [[number, *case.as_list()] for number, case in self.cases.items()]
        told: dict[str, Any] = {
            "cases": cases,
            "deadlines": list(self.deadlines),
            "holds": list(self.holds),
            "learnt": self.learnt,
        }
        clock = None if self.clock == -inf else self.clock
        told |= {"epochs": self.epochs, "clock": clock, "expired": self.expired, "left_out": self.left_out}
        return {**told, "line": self.line, "decisions": self.decisions}

    def load(self, told: dict[str, Any]) -> None:
        """Back to what `as_json` told."""
        self.cases.clear()
        for number, *case in told["cases"]:
            self.cases[number] = Case.from_list(case)
        self.deadlines = deque((time, number) for time, number in told["deadlines"])
        self.holds = deque((time, number) for time, number in told["holds"])
        self.learnt = tuple({name: (day, count) for name, (day, count) in one.items()} for one in told["learnt"])
        self.epochs = [(first, epoch) for first, epoch in told["epochs"]]
        self.clock = -inf if told["clock"] is None else told["clock"]
        self.line, self.decisions = told["line"], told["decisions"]
        self.expired, self.left_out = told["expired"], told["left_out"]
