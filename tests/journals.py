"""Random journals of a service, valid and not: rules, decisions, rewards, arms and operators' acts from one seed."""

import json
import random
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from robandit.online.journal import write_line
from robandit.online.rules import Rules
from robandit.online.terms import Terms
from tests.naive.checks import CheckedJournal
from tests.naive.docket import Entry, Journal

SOURCES = [None, "shop", "shop/a", "shop/b", "app/a", "app/", "bot"]
WEIGHTS = {"decide": 8, "reward": 10, "activate": 6, "arm": 1, "source": 2, "retract": 1, "breaker": 1, "tick": 1}


def random_rules(dice: random.Random) -> Rules:
    """Any rules, small times so that what is due at the same moment is common."""
    window = dice.choice([None, 3.0, 8.0])
    return Rules(
        window=window,
        default=None if window is None else dice.choice([None, None, 0.0, 1.5]),
        hold=dice.choice([0.0, 0.0, 2.0, 5.0]),
        aggregate="first" if window is None else dice.choice(["first", "sum", "max"]),
        activation=dice.random() < 0.3,
        cap=dice.choice([None, None, 0, 1, 3]),
        token_cap=dice.choice([None, None, 1, 4]),
        holdout=dice.choice([0.0, 0.3]),
    )


def random_terms(dice: random.Random, rules: Rules, policy: str) -> Terms:
    """Three arms, rewards from -1 to 3, now and then little patience."""
    patience = dice.choice([2, 7, 1000, 1000])
    return Terms(policy, ("a", "b", "c"), dice.randrange(10**6), low=-1.0, high=3.0, patience=patience, rules=rules)


def with_checks(dice: random.Random, terms: Terms) -> Terms:
    """The same terms with a rule about verified rewards, or none, and only first reports."""
    assert terms.rules is not None
    verified = dice.choice([None, "only", "prefer", "prefer"])
    rules = replace(terms.rules, aggregate="first", default=None if verified == "only" else terms.rules.default)
    return replace(terms, rules=rules, verified=verified)


class Writing:
    """A journal in the making."""

    def __init__(
        self, seed: int, *, rules: Rules | None = None, policy: str = "exp3", timed: bool = True, checks: bool = False
    ) -> None:
        self.dice = dice = random.Random(seed)
        terms = random_terms(dice, random_rules(dice) if rules is None else rules, policy)
        self.checks = checks
        self.journal = CheckedJournal(with_checks(dice, terms)) if checks else Journal(terms)
        self.tried: list[tuple[Entry, bool]] = []  # every entry, and whether it is part of the journal
        self.time: float | None = 86_390.0 if timed else None
        self.arms = dict.fromkeys("abc", "active")

    def grow(self, entries: int) -> "Writing":
        """So many more attempts."""
        for _ in range(entries):
            if self.time is not None:
                self.time += self.dice.choice([0, 0, 1, 1, 2, 0.5]) + (40_000 if self.dice.random() < 0.02 else 0)
            entry = self.entry()
            good = self.journal.accepts(entry)
            self.tried.append((entry, good))
            if good:
                self.journal.append(entry)
        self.tried.append(({"entry": "tick", "time": self.time}, True))  # what was refused had a time too
        self.journal.append(self.tried[-1][0])
        return self

    def entry(self) -> Entry:
        """Any entry; of rewards and activations many cannot be."""
        dice, made = self.dice, len(self.journal.made)
        kind = dice.choices(list(WEIGHTS), list(WEIGHTS.values()))[0]
        told: Entry = {"entry": kind, "time": self.time}
        if kind == "decide":
            arm = dice.choice([arm for arm, status in self.arms.items() if status == "active"])
            told |= {"id": made, "arm": arm, "chance": dice.choice([0.2, 0.5, 1.0]), "note": 0, "eligible": None}
            token = dice.choice(["", "", "shop", "app"])
            told |= {"by": token} if token else {}
            told |= {"check": True} if self.asks and dice.random() < 0.6 else {}
            return told | ({"holdout": True} if dice.random() < self.journal.rules.holdout else {})
        if kind == "reward":
            told |= {"id": self.recent(), "value": dice.choice([-1.0, 0.0, 0.7, 3.0]), "source": dice.choice(SOURCES)}
            told |= {"verified": True} if self.checks and dice.random() < 0.4 else {}
            return told | ({"part": dice.choice("xyz")} if dice.random() < 0.7 else {})
        if kind == "activate":
            return told | {"id": self.recent()}
        return told | (self.arm() if kind == "arm" else self.act(kind))

    @property
    def asks(self) -> bool:
        """Whether decisions may ask for a check."""
        return self.checks and self.journal.terms.verified is None

    def recent(self) -> int:
        """A decision not long ago, or one that was never made."""
        return max(len(self.journal.made) - self.dice.randrange(6), 0)

    def arm(self) -> Entry:
        """A change of arms that can be."""
        active = [arm for arm, status in self.arms.items() if status == "active"]
        paused = [arm for arm, status in self.arms.items() if status == "paused"]
        if paused and self.dice.random() < 0.5:
            name, change, status = paused[0], "resumed", "active"
        elif len(active) > 1 and self.dice.random() < 0.6:
            name = self.dice.choice(active)
            change = status = self.dice.choice(["paused", "retired"])
        else:
            name, change, status = f"new {len(self.arms)}", "added", "active"
        self.arms[name] = status
        return {"arm": name, "change": change}

    def act(self, kind: str) -> Entry:
        """What an operator may say."""
        dice, name = self.dice, self.dice.choice([source for source in SOURCES if source])
        if kind == "source":
            change = dice.choice(["quarantined", "released", "released", "capped", "weighted"])
            more: Entry = {"cap": dice.choice([None, 0, 2])} if change == "capped" else {}
            more |= {"weight": dice.choice([0.0, 0.5, 1.0])} if change == "weighted" else {}
            return {"source": name, "change": change, **more}
        if kind == "retract":
            return {"id": self.recent()} if dice.random() < 0.7 else {"source": name}
        if kind == "breaker" and dice.random() < 0.4:
            return {"change": "tripped", "since": dice.randrange(1, len(self.journal.entries) + 2)}
        return {"change": "released"} if kind == "breaker" else {}


def write(path: Path, terms: Terms, entries: list[Entry]) -> Path:
    """A journal as a file: its terms, then its lines."""
    checksum, texts = 0, []
    for entry in [terms.header(), *entries]:
        text, checksum = write_line(json.loads(json.dumps(entry)), checksum)
        texts.append(text)
    path.write_bytes(b"".join(texts))
    return path


def lines(entries: list[Entry]) -> Iterator[tuple[int, Any]]:
    """Entries as they stand behind the terms."""
    return enumerate(entries, start=2)
