"""State = fold of the journal: what a policy becomes by its terms and then, in order, by all that happened to it.

One machine for a learner that lives and for one that is read again, so that both come to the same bits.
"""

import math
from copy import deepcopy
from dataclasses import dataclass, field
from itertools import islice, takewhile
from operator import index
from pathlib import Path
from typing import Any

from robandit.dice import LaterStream, Random, Streams, decision_key, decision_stream
from robandit.errors import InputError
from robandit.game import Choice, Policy, Setting
from robandit.lab.log import BEGINNING, CHOOSING, LEARNING
from robandit.online.docket import Docket
from robandit.online.journal import Entry, for_each, lines, parsed, read
from robandit.online.lift import lift_of
from robandit.online.lists import as_arrays, as_lists, widened
from robandit.online.roster import Roster
from robandit.online.standing import standing_of
from robandit.online.terms import Terms
from robandit.state import load_state, save_state

NAN = float("nan")
TRIALS = 3  # role of the streams of trial choices


class Fold:
    """A policy's state, its arms and the decisions that wait for a reward."""

    __slots__ = (
        "choosing",
        "decisions",
        "learning",
        "lift",
        "pending",
        "policy",
        "roster",
        "setting",
        "state",
        "streams",
        "terms",
    )

    def __init__(self, policy: Policy[Any], terms: Terms) -> None:
        if policy.late == "no":
            raise InputError(f"{policy} does not take rewards that come late, so it cannot be used here")
        self.policy, self.terms, self.roster = policy, terms, Roster(terms.arms)
        self.setting = Setting(len(terms.arms), terms.horizon, terms.corruption)
        self.choosing, self.learning = (decision_key(terms.seed, role) for role in (CHOOSING, LEARNING))
        self.streams = Streams(self.choosing)
        if terms.state is None:
            state = policy.start(self.setting)
            policy.begin(state, decision_stream(decision_key(terms.seed, BEGINNING), 0))
        else:
            state = load_state(policy, self.setting, terms.state)
        self.state = as_lists(state)
        self.decisions = 0
        self.pending: dict[int, Choice] = {}
        self.lift = lift_of(policy, self.roster.names)

    def choice(self, among: list[int] | None) -> Choice:
        """The next decision, from its own stream; changes nothing."""
        return self.drawn(self.streams.stream(self.decisions), among)

    def drawn(self, random: Random, among: list[int] | None) -> Choice:
        """What the policy chooses with these dice, of some arms or of all."""
        if among is None:
            return self.policy.choose(self.state, random)
        self.check_arms()
        return self.policy.choose_among(self.state, among, random)

    def trial_shares(self, trials: int = 1000) -> dict[str, float]:
        """How often each active arm comes in trial choices, for policies that cannot tell their probabilities."""
        key, counts = decision_key(self.terms.seed, TRIALS), dict.fromkeys(self.roster.active, 0)
        for trial in range(trials):
            counts[self.roster.names[self.drawn(decision_stream(key, trial), self.roster.among(None)).arm]] += 1
        return {name: count / trials for name, count in counts.items()}

    def check_arms(self) -> None:
        """Refuse a policy that needs all its arms where they come, go or are not all eligible."""
        if self.policy.arms_fixed:
            raise InputError(f"{self.policy.name} cannot play some of its arms only: {self.policy.arms_fixed}")

    def number(self, id: Any) -> int:
        """The number of a decision that was made."""
        try:
            number = -1 if isinstance(id, bool) else index(id)
        except TypeError:
            number = -1
        if not 0 <= number < self.decisions:
            raise InputError(f"no decision has the id {id!r}: {self.decisions:,} were made, counted from 0")
        return number

    def index(self, arm: str) -> int:
        """An arm's index by its name."""
        return self.roster.index[arm]

    def decided(self, choice: Choice, learns: bool = True, partial: bool = False) -> None:
        """A decision was made; it waits for its reward if anything is to be learnt, and the oldest gives up."""
        self.pending.pop(self.decisions - self.terms.patience, None)
        if learns:
            self.pending[self.decisions] = choice
            self.policy.defer(self.state, choice)
        self.decisions += 1

    def dropped(self, number: int) -> None:
        """A decision's reward will not be learnt."""
        self.pending.pop(number, None)

    def rewarded(self, number: int, reward: float, source: str | None = None, time: float | None = None) -> None:
        """A decision's reward, in [0, 1], is learnt; who told it, and when, does not matter to a policy."""
        choice = self.pending.pop(number)
        self.policy.learn(self.state, choice, reward, LaterStream(self.learning, number))
        if self.lift is not None:
            self.lift.seen(choice.arm, reward)

    def changing(self, name: str, change: str) -> tuple[Roster, Setting, Any]:
        """Arms, setting and state as they will be after a change of arms; nothing is changed yet."""
        self.check_arms()
        after = self.roster.after(name, change)
        setting = Setting(len(after.names), self.setting.horizon, self.setting.corruption)
        state, arm = deepcopy(self.state), after.index[name]
        if change == "added":
            widened(state, self.policy.start(setting))
        move = self.policy.admit if change in ("added", "resumed") else self.policy.withdraw
        move(state, arm, after.present)
        return after, setting, state

    def change(self, name: str, change: str) -> None:
        """An arm was added, paused, resumed or retired."""
        self.roster, self.setting, self.state = self.changing(name, change)
        if self.lift is not None:
            self.lift.names = self.roster.names

    def saved_state(self) -> dict[str, Any]:
        """The policy's state as `save_state` writes it."""
        return save_state(self.policy, as_arrays(self.policy, self.setting, self.state))

    def take(self, entry: Entry) -> None:
        """One entry of a journal that was not retracted."""
        kind = entry["entry"]
        if kind == "decide":
            if entry["id"] != self.decisions:
                raise InputError(f"decision {self.decisions} must come next, not {entry['id']!r}")
            probability = entry["chance"]
            self.decided(
                Choice(self.roster.index[entry["arm"]], NAN if probability is None else probability, entry["note"])
            )
        elif kind == "reward":
            if entry["id"] not in self.pending:
                raise InputError(f"decision {entry['id']!r} does not wait for a reward")
            self.rewarded(entry["id"], self.terms.inside(entry["value"]))
        elif kind == "arm":
            self.change(entry["arm"], entry["change"])
        elif kind != "retract":
            raise InputError(f"an entry must be decide, reward, arm or retract, not {kind!r}")


@dataclass
class Retractions:
    """What was taken back: of decisions and of sources, each up to a line."""

    lines: dict[tuple[str, Any], int] = field(default_factory=dict)

    def cover(self, line: int, entry: Entry) -> bool:
        """Whether a reward that stands in a line was taken back after it."""
        told = self.lines
        return line < max(told.get(("id", entry["id"]), 0), told.get(("source", entry["source"]), 0))


def retractions(path: Path | str, before: float = math.inf) -> Retractions:
    """Every retraction of a journal, up to a line, checked on the way."""
    found = Retractions()
    for line in takewhile(lambda line: line.number < before, lines(path)):
        entry = parsed(line, path) if b'"retract"' in line.body else {}  # few are: the others need not be parsed
        if entry.get("entry") == "retract":
            key = "source" if "source" in entry else "id"
            found.lines[key, entry.get(key)] = line.number
    return found


def folded(path: Path | str, policy: Policy[Any], before: float = math.inf) -> Fold:
    """A journal read from first to last, or up to a line."""
    terms, entries = read(path)
    fold = Fold(policy, terms)
    if terms.rules is not None:
        docket = Docket(terms, standing_of(enumerate(read(path)[1], start=2)), fold)
        for_each(path, entries if before == math.inf else islice(entries, int(before) - 2), docket.take)
        return fold
    gone = retractions(path, before)

    def take(number: int, entry: Entry) -> None:
        if gone.lines and entry["entry"] == "reward" and gone.cover(number, entry):
            fold.pending.pop(entry["id"], None)  # it had one, and may have no other
        else:
            fold.take(entry)

    for_each(path, entries if before == math.inf else islice(entries, int(before) - 2), take)
    return fold


def first_difference(path: Path | str, policy: Policy[Any]) -> int | None:
    """The first decision of a journal that its policy, with its dice, would not have made; None if there is none."""
    terms, entries = read(path)
    fold = Fold(policy, terms)
    found: list[int] = []

    def take(number: int, entry: Entry) -> None:
        nonlocal fold
        if entry["entry"] == "decide" and not found:
            named = entry["eligible"]
            own = fold.choice(None if named is None else [fold.roster.index[name] for name in named])
            probability = None if own.probability != own.probability else own.probability
            if (fold.roster.names[own.arm], probability, own.note) != (entry["arm"], entry["chance"], entry["note"]):
                found.append(entry["id"])
        fold.take(entry)
        if entry["entry"] == "retract":
            fold = folded(path, policy, number + 1)

    for_each(path, entries, take)
    return found[0] if found else None
