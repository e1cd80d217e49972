"""What a service's journal teaches, said of each decision by itself: no queue, no clock that runs.

Every reward that may count becomes one event with the line that brings it about; caps alone need the events in order.
"""

from dataclasses import dataclass, field
from math import inf
from typing import Any

import numpy as np

from robandit.dice import Random, decision_words
from robandit.online.terms import Terms

Entry = dict[str, Any]
DAY = 24 * 60 * 60


@dataclass
class Told:
    """What a policy is told, line by line, and what did not reach it."""

    heard: list[tuple[Any, ...]] = field(default_factory=list)
    expired: int = 0
    left_out: int = 0


class Journal:
    """Entries from line 2 on, each accepted or not when it comes."""

    def __init__(self, terms: Terms) -> None:
        self.terms, self.rules = terms, terms.rules
        self.entries: list[Entry] = []
        self.made: list[tuple[int, Entry]] = []  # decisions, with their lines
        self.rewards: dict[int, list[tuple[int, Entry]]] = {}
        self.shown: dict[int, tuple[int, Entry]] = {}

    def open(self, number: int, time: float | None) -> bool:
        """Whether anything may still be said about a decision."""
        if not 0 <= number < len(self.made) or self.given_up(number) < inf:
            return False
        return time is None or time < self.ends(number)

    def ends(self, number: int) -> float:
        """When a decision's window ends."""
        time = self.made[number][1]["time"]
        return inf if self.rules.window is None or time is None else time + self.rules.window

    def accepts(self, entry: Entry) -> bool:
        """Whether an entry may come next."""
        number, before = entry.get("id"), self.rewards.get(entry.get("id"), [])
        if entry["entry"] == "reward":
            again = before if self.rules.aggregate == "first" else [1 for _, one in before if part(one) == part(entry)]
            return self.open(number, entry["time"]) and not again
        if entry["entry"] == "activate":
            return self.rules.activation and self.open(number, entry["time"]) and number not in self.shown
        return entry["entry"] != "decide" or number == len(self.made)

    def append(self, entry: Entry) -> None:
        """One more line."""
        line = len(self.entries) + 2
        self.entries.append(entry)
        if entry["entry"] == "decide":
            self.made.append((line, entry))
        elif entry["entry"] == "reward":
            self.rewards.setdefault(entry["id"], []).append((line, entry))
        elif entry["entry"] == "activate":
            self.shown[entry["id"]] = (line, entry)

    def first_line_at(self, after: int, time: float) -> float:
        """The first line after one whose time has come."""
        found = (line for line, entry in self.lines() if line > after and (entry["time"] or -inf) >= time)
        return next(found, inf)

    def lines(self) -> Any:
        """Entries with their lines."""
        return enumerate(self.entries, start=2)

    def settled(self, number: int) -> tuple[float, float, int, int, list[tuple[int, Entry]]] | None:
        """When a decision's rewards are weighed, if ever: line, time, windows before holds, rank; and the rewards."""
        rules, (line, _), rewards = self.rules, self.made[number], self.rewards.get(number, [])
        hold, ends = rules.hold, self.ends(number)
        shown = self.shown.get(number) if rules.activation else (line, self.made[number][1])
        if shown is None:
            return None
        if rules.aggregate == "first" and rewards:
            ready_line, ready = max(shown, rewards[0], key=lambda one: one[0])
            if hold == 0 or ready["time"] is None:
                return ready_line, inf, 1, ready_line, rewards
            due = ready["time"] + hold
            return self.first_line_at(ready_line, due), due, 1, ready_line, rewards
        due = ends + hold if rewards else ends
        return self.first_line_at(line, due), due, int(bool(rewards) and hold > 0), number, rewards

    def given_up(self, number: int) -> float:
        """The line of the decision that makes this one too old: so many decisions of the same token came since."""
        token = self.made[number][1].get("by", "")
        later = [line for line, entry in self.made[number + 1 :] if entry.get("by", "") == token]
        return later[self.terms.patience - 1] if len(later) >= self.terms.patience else inf

    def told(self) -> Told:
        """What counts under what operators said last."""
        found, acts = Told(), Acts(list(self.lines()))
        events = []
        for number in range(len(self.made)):
            event = self.settled(number)
            if event is not None and event[0] < inf and event[0] <= self.given_up(number):
                events.append((*event[:4], number, event[4]))
        heard: list[tuple[float, float, tuple[Any, ...]]] = []
        for line, entry in self.lines():
            if entry["entry"] == "decide":
                learns = not entry.get("holdout", False) and line <= acts.frozen
                heard.append((line, inf, ("decided", entry["arm"], entry["chance"], entry["note"], learns)))
            elif entry["entry"] == "arm":
                heard.append((line, inf, ("change", entry["arm"], entry["change"])))
        caps = Caps(self.rules, acts)
        for place, (line, due, _, _, number, rewards) in enumerate(sorted(events, key=lambda event: event[:5])):
            decided_in, decision = self.made[number]
            learns = not decision.get("holdout", False) and decided_in <= acts.frozen
            moment = self.entries[int(line) - 2]["time"] if due == inf else due
            if not rewards:
                found.expired += 1
                if self.rules.default is not None and learns and line <= acts.frozen:
                    heard.append((line, place, ("rewarded", number, self.inside(self.rules.default), None, moment)))
                continue
            may = learns and line <= acts.frozen
            kept = [one for at, one in rewards if may and self.passes(acts, at, one) and caps.take(one, moment)]
            found.left_out += len(rewards) - len(kept) if learns else 0
            if kept:
                values = [float(one["value"]) for one in kept]
                total = sum(values) if self.rules.aggregate == "sum" else max(values)
                reward = self.inside(min(max(total, self.terms.low), self.terms.high))
                told = kept[0]["time"] if self.rules.aggregate == "first" else moment
                heard.append((line, place, ("rewarded", number, reward, kept[0]["source"], told)))
        # in one line what was due comes before the line itself, and a reward that is learnt at once after it
        heard.sort(key=lambda one: (one[0], one[1]))
        found.heard = [one for _, _, one in heard]
        return found

    def inside(self, value: float) -> float:
        """A reward on the scale of policies."""
        return (value - self.terms.low) / (self.terms.high - self.terms.low)

    def passes(self, acts: "Acts", line: int, entry: Entry) -> bool:
        """Whether operators and dice let a reward count."""
        number, names = entry["id"], both(entry["source"])
        if line < max(acts.retracted.get(("id", number), 0), acts.retracted.get(("source", entry["source"]), 0)):
            return False
        if any(acts.quarantined.get(name, False) for name in names):
            return False
        weight = min(acts.weights.get(name, 1.0) for name in names)
        words = decision_words(self.terms.seed, np.array([number], np.uint64), 5)[0]
        return Random(*map(int, words)).uniform() < weight


class Acts:
    """What operators said last."""

    def __init__(self, lines: list[tuple[int, Entry]]) -> None:
        self.quarantined: dict[str, bool] = {}
        self.caps: dict[str, int | None] = {}
        self.weights: dict[str, float] = {}
        self.retracted: dict[tuple[str, Any], int] = {}
        self.frozen = inf
        for line, entry in lines:
            if entry["entry"] == "retract":
                self.retracted["source" if "source" in entry else "id", entry.get("source", entry.get("id"))] = line
            elif entry["entry"] == "breaker":
                self.frozen = entry["since"] if entry["change"] == "tripped" else inf
            elif entry["entry"] == "source" and entry["change"] == "capped":
                self.caps[entry["source"]] = entry["cap"]
            elif entry["entry"] == "source" and entry["change"] == "weighted":
                self.weights[entry["source"]] = entry["weight"]
            elif entry["entry"] == "source":
                self.quarantined[entry["source"]] = entry["change"] == "quarantined"


class Caps:
    """Every reward that counted so far, with its day."""

    def __init__(self, rules: Any, acts: Acts) -> None:
        self.usual, self.acts = (rules.cap, rules.token_cap), acts
        self.counted: list[tuple[int, str, str]] = []

    def take(self, entry: Entry, moment: float | None) -> bool:
        """Whether source and token have a share left in the day, which is then taken."""
        day, names = 0 if moment is None else int(moment // DAY), both(entry["source"])
        for level, name in enumerate(names):
            said = self.acts.caps.get(name)
            cap = self.usual[level] if said is None else said
            if cap is not None and sum(one[0] == day and one[1 + level] == name for one in self.counted) >= cap:
                return False
        self.counted.append((day, *names))
        return True


def both(source: str | None) -> tuple[str, str]:
    """The name of a source and of its token."""
    return (source or "", (source or "").split("/")[0])


def part(entry: Entry) -> str:
    """Which report of several."""
    return str(entry.get("part", ""))
