"""What a journal with verified rewards teaches, said of each decision by itself; only the first report counts here."""

from math import inf
from typing import Any

from tests.naive.docket import Acts, Caps, Entry, Journal, Told

Line = tuple[int, Entry]


class CheckedJournal(Journal):
    """A journal in which a decision may have a reward and a verified one."""

    def reports(self, number: int) -> tuple[Line | None, Line | None]:
        """A decision's reward and its verified one, with their lines."""
        found: list[Line | None] = [None, None]
        for line, entry in self.rewards.get(number, []):
            found[entry.get("verified", False)] = (line, entry)
        return found[0], found[1]

    def keeps(self, number: int) -> bool:
        """Whether a decision waits for a verified reward after the other one, for as long as it waits at all."""
        rule, checked = self.terms.verified, self.made[number][1].get("check", False)
        return checked or rule == "only" or (rule == "prefer" and self.rules.hold == 0)

    def ready(self, number: int, report: Line) -> Line | None:
        """The line from which on a report may count: it came, and the decision was shown."""
        shown = self.shown.get(number) if self.rules.activation else self.made[number]
        return None if shown is None else max(shown, report, key=lambda one: one[0])

    def accepts(self, entry: Entry) -> bool:
        if entry["entry"] != "reward":
            return super().accepts(entry)
        number, time = entry["id"], entry["time"]
        if not self.open(number, time):
            return False
        plain, verified = self.reports(number)
        if verified is not None or plain is None:
            return verified is None
        if not entry.get("verified") or (self.terms.verified is None and not self.made[number][1].get("check")):
            return False
        ready = self.ready(number, plain)
        if self.keeps(number) or ready is None:
            return True
        return bool(time is not None and ready[1]["time"] is not None and time < ready[1]["time"] + self.rules.hold)

    def events(self, number: int) -> list[tuple[Any, ...]]:
        """What happens to a decision: when (line, time, windows before holds, rank), what, and the report."""
        (plain, verified), hold, made = self.reports(number), self.rules.hold, self.made[number][0]
        ends = self.ends(number)
        end = (self.first_line_at(made, ends), ends, 0, number)
        if self.ready(number, self.made[number]) is None:
            return []
        if verified is not None:
            at = self.ready(number, verified)[0]  # type: ignore[index]
            events = [(at, inf, 1, at, number, 1, "verified", verified)]
            if plain is not None:
                claimed = self.ready(number, plain)[0] if self.keeps(number) else at  # type: ignore[index]
                events.insert(0, (claimed, inf, 1, claimed, number, 0, "claim", plain))
            return events
        if plain is None:
            return [(*end, number, 0, "silence", None)]
        line, ready = self.ready(number, plain)  # type: ignore[misc]
        if self.keeps(number):
            return [(line, inf, 1, line, number, 0, "claim", plain), (*end, number, 1, "unproved", None)]
        if hold == 0 or ready["time"] is None:
            return [(line, inf, 1, line, number, 0, "plain", plain)]
        due = ready["time"] + hold
        return [(self.first_line_at(line, due), due, 1, line, number, 0, "plain", plain)]

    def told(self) -> Told:
        found, acts = Told(), Acts(list(self.lines()))
        heard: list[tuple[float, float, tuple[Any, ...]]] = []
        for line, entry in self.lines():
            if entry["entry"] == "decide":
                learns = not entry.get("holdout", False) and line <= acts.frozen
                heard.append((line, inf, ("decided", entry["arm"], entry["chance"], entry["note"], learns)))
            elif entry["entry"] == "arm":
                heard.append((line, inf, ("change", entry["arm"], entry["change"])))
        events = [event for number in range(len(self.made)) for event in self.events(number)]
        happened = [event for event in events if event[0] < inf and event[0] <= self.given_up(event[4])]
        caps = Caps(self.rules, acts)
        for place, (line, due, _, _, number, _, kind, report) in enumerate(sorted(happened, key=lambda one: one[:6])):
            decided_in, decision = self.made[number]
            learns = not decision.get("holdout", False) and decided_in <= acts.frozen
            may = learns and line <= acts.frozen
            moment = self.entries[int(line) - 2]["time"] if due == inf else due
            if kind == "unproved":
                found.expired += self.terms.verified != "prefer"
            elif kind == "silence":
                found.expired += 1
                if self.rules.default is not None and may and not decision.get("check"):
                    heard.append((line, place, ("rewarded", number, self.inside(self.rules.default), None, moment)))
            else:
                counts = may and self.passes(acts, *report)
                counts = counts and (kind == "verified" or caps.take(report[1], moment))
                found.left_out += learns and not counts
                reward = self.inside(float(report[1]["value"]))
                if kind == "claim" and learns:
                    heard.append((line, place, ("claimed", number, reward if counts else None)))
                elif kind != "claim" and counts:
                    told = ("rewarded", number, reward, report[1]["source"], report[1]["time"])
                    heard.append((line, place, told))
        heard.sort(key=lambda one: (one[0], one[1]))
        found.heard = [one for _, _, one in heard]
        return found
