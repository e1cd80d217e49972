"""The journal of a learner read again from its first line: is the past what it was, and the state what follows?

Checked are: the checksums; that the state folded anew, interpreted and compiled, is the same to the bit; and, for a
plain learner, that every decision is the one its random stream gives. A service's database is checked by
service/verify.py in the same way.
"""

from dataclasses import dataclass, field
from typing import Any

from robandit.errors import Refused
from robandit.extras import has_extra
from robandit.game import Choice
from robandit.online.columns import ColumnSink
from robandit.online.fold import Fold
from robandit.online.journal import read_into
from robandit.online.learner import as_policy
from robandit.online.rebuild import first_difference
from robandit.online.standing import Entry
from robandit.online.terms import Terms
from robandit.online.warm import fold_log
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


class FoldAndColumns:
    """A docket's target that is a fold, and beside it the columns of what the fold learns."""

    def __init__(self, fold: Fold) -> None:
        self.fold, self.columns, self.index = fold, ColumnSink(fold.terms), fold.index

    def record_decision(self, choice: Choice, learns: bool, entry: Entry) -> None:
        """Take the next decision."""
        self.fold.record_decision(choice, learns, entry)
        self.columns.record_decision(choice, learns, entry)

    def learn_reward(self, number: int, reward: float, entry: Entry) -> None:
        """Learn a decision's reward."""
        self.fold.learn_reward(number, reward)
        self.columns.learn_reward(number, reward, entry)

    def drop_decision(self, number: int, source: str | None) -> None:
        """Close a decision from which nothing is learnt."""
        self.fold.drop_decision(number)
        self.columns.drop_decision(number, source)

    def record_exposure(self, number: int, is_shown: bool) -> None:
        """Take whether a decision was displayed."""
        self.columns.record_exposure(number, is_shown)

    def change_arm(self, name: str, change: str, values: Any = None) -> None:
        """Change the arms."""
        self.fold.change_arm(name, change, values)
        self.columns.change_arm(name, change, values)

    def agree(self) -> bool:
        """Whether the columns, folded by the compiled loop, come to the state of the fold."""
        policy = self.fold.policy
        return save_state(policy, fold_log(policy, self.columns.log())) == self.fold.save_state()


def verify_journal(path: str, *, compiled: bool = True) -> Verification:
    """Check the journal of a learner: checksums, both folds, and the draws of a plain learner."""

    def make_target(terms: Terms) -> FoldAndColumns:
        return FoldAndColumns(Fold(as_policy(terms.policy), terms))

    try:
        both = read_into(path, make_target)
    except Refused as error:
        return Verification(path, chain=False, notes=[str(error)])
    fold, result = both.fold, Verification(path, both.columns.count, both.fold.decisions)
    if compiled and has_extra("numba"):
        result.compiled = both.agree()
    elif compiled:
        result.notes.append("not compared with the compiled fold: numba is not installed")
    if fold.terms.rules is None:  # a service draws holdouts besides, which only service/verify.py knows
        other = first_difference(path, fold.policy)
        result.dice = other is None
        result.notes += [] if other is None else [f"decision {other} is not what its random stream gives"]
    return result
