"""The journal of a learner read again from its first line: is the past what it was, and the state what follows?

Checked are: the checksums; that the state folded anew, interpreted and compiled, is the same to the bit; and, for a
plain learner, that every decision is the one its random stream gives. A service's database is checked by
service/verify.py in the same way.
"""

import struct
from array import array
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np

from robandit.errors import Refused
from robandit.extras import has_extra
from robandit.game import Choice
from robandit.lab.log import Log, redraw_log
from robandit.online.fold import Fold
from robandit.online.journal import read_into
from robandit.online.learner import as_policy
from robandit.online.lists import as_lists
from robandit.online.rebuild import first_difference
from robandit.online.standing import Entry
from robandit.online.terms import Terms
from robandit.state import save_state


@dataclass
class Verification:
    """The result for one journal."""

    name: str
    lines: int = 0
    decisions: int = 0
    head: str = ""
    chain: bool = True
    compiled: bool | None = None  # None: not compared
    snapshot: bool | None = None
    dice: bool | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def sound(self) -> bool:
        """Whether every check that was made holds."""
        return self.chain and False not in (self.compiled, self.snapshot, self.dice)


class FoldAndRows:
    """A docket's target that is a fold, and beside it the rows of what it learns, for the compiled loop."""

    kinds = {
        "numbers": "Q",
        "arms": "q",
        "probabilities": "d",
        "notes": "q",
        "rewards": "d",
        "places": "q",
        "drawn": "?",
        "verified": "?",
        "withdrawn": "?",
    }
    pack = struct.Struct("=" + "".join(kinds.values())).pack
    layout = np.dtype([(name, f"={kind}") for name, kind in kinds.items()])

    def __init__(self, fold: Fold) -> None:
        self.fold, self.index, self.rows = fold, fold.index, bytearray()
        self.changes: list[
            tuple[int, str, str, Any]
        ] = []  # before this row, an arm: its name, the change, its features
        self.users: array[float] | None = array("d") if fold.sight is not None and fold.policy.looks else None
        self.places: dict[int, int] = {}  # of pending decisions: which of the users

    def record_decision(self, choice: Choice, learns: bool, entry: Entry) -> None:
        """Take the next decision."""
        fold = self.fold
        number, place = fold.decisions, 0
        fold.record_decision(choice, learns, entry)
        if learns:
            if self.users is not None:
                user = fold.users[number]
                place = self.places[number] = len(self.users) // len(user)
                self.users.extend(user)
            self.add_row(number, choice, nan, place, entry.get("eligible") is None)

    def learn_reward(self, number: int, reward: float, entry: Entry) -> None:
        """Learn a decision's reward."""
        fold = self.fold
        choice, claim, place = fold.pending[number], fold.claims.get(number), self.places.pop(number, 0)
        fold.learn_reward(number, reward, entry)
        if claim is not None and fold.terms.takes_back:
            self.add_row(number, choice, claim, place, False, is_withdrawn=True)
        self.add_row(number, choice, reward, place, False, is_verified=entry.get("verified", False))

    def add_row(
        self,
        number: int,
        choice: Choice,
        reward: float,
        place: int,
        drawn: bool,
        *,
        is_verified: bool = False,
        is_withdrawn: bool = False,
    ) -> None:
        """Add one row: a decision's, if the reward is NaN."""
        try:
            self.rows += self.pack(number, *choice, reward, place, drawn, is_verified, is_withdrawn)
        except struct.error as error:
            raise ValueError(f"{error}") from error

    def record_claim(self, number: int, reward: float | None, entry: Entry) -> None:
        """Take an unverified reward of a decision that waits for a verified one."""
        self.fold.record_claim(number, reward, entry)
        if self.fold.terms.takes_back and reward is not None:
            self.add_row(number, self.fold.pending[number], reward, self.places.get(number, 0), False)

    def drop_decision(self, number: int, source: str | None) -> None:
        """Close a decision from which nothing is learnt."""
        self.fold.drop_decision(number)
        self.places.pop(number, None)

    def record_exposure(self, number: int, is_shown: bool) -> None:
        """Whether a decision was displayed does not matter to a policy."""

    def change_arm(self, name: str, change: str, values: Any = None) -> None:
        """Change the arms."""
        self.fold.change_arm(name, change, values)
        self.changes.append((self.count, name, change, values))

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.rows) // self.layout.itemsize

    def replay(self) -> tuple[bool, int | None]:
        """Return whether the compiled loop comes to the state of the fold, and the first decision it would not draw."""
        policy, terms = self.fold.policy, self.fold.terms
        table, fold = np.frombuffer(self.rows, self.layout), Fold(policy, terms)
        first, state, difference = 0, terms.state, None

        def replay_until(stop: int) -> Any:
            nonlocal difference
            setting, seed = fold.setting, terms.seed
            after, row = redraw_log(
                policy, self.log_of(table[first:stop], fold), table["drawn"][first:stop], seed=seed, state=state,
                arms=setting.arms, horizon=setting.horizon, corruption=setting.corruption, features=setting.features,
            )  # fmt: skip
            if difference is None and row is not None:
                difference = int(table["numbers"][first + row])
            return after

        for row, name, change, values in self.changes:
            fold.state = as_lists(replay_until(row), tables=policy.looks)
            fold.change_arm(name, change, values)
            state, first = fold.save_state(), row
        return save_state(policy, replay_until(len(table))) == self.fold.save_state(), difference

    def log_of(self, table: Any, fold: Fold) -> Log:
        """Return some rows as a log."""
        names = ("arms", "probabilities", "rewards", "notes", "numbers", "places", "verified", "withdrawn")
        columns: dict[str, Any] = {name: np.ascontiguousarray(table[name]) for name in names}
        columns["rewarded"] = ~np.isnan(columns["rewards"])
        if self.users is not None and fold.sight is not None:
            columns["users"] = np.array(self.users).reshape(-1, len(fold.sight.unknown))
            columns["own"] = np.array(fold.sight.own) if fold.sight.own else None
        return Log(**columns)


def verify_journal(path: str, *, compiled: bool = True) -> Verification:
    """Check the journal of a learner: checksums, both folds, and the draws of a plain learner."""

    def make_target(terms: Terms) -> FoldAndRows:
        return FoldAndRows(Fold(as_policy(terms.policy), terms))

    try:
        both = read_into(path, make_target)
    except Refused as error:
        return Verification(path, chain=False, notes=[str(error)])
    fold, result = both.fold, Verification(path, both.count, both.fold.decisions)
    if compiled and has_extra("numba"):
        result.compiled, _ = both.replay()
    elif compiled:
        result.notes.append("not compared with a compiled replay: numba is not installed")
    if fold.terms.rules is None:  # a service draws holdouts besides, which only service/verify.py knows
        other = first_difference(path, fold.policy)
        result.dice = other is None
        result.notes += [] if other is None else [f"decision {other} is not what its random stream gives"]
    return result
