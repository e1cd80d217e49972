"""A learner's state rebuilt from its journal, and the decisions in it drawn again."""

from pathlib import Path
from typing import Any

from robandit.game import Choice, Policy
from robandit.online.docket import Docket
from robandit.online.fold import Fold
from robandit.online.journal import for_each, read_entries, read_into
from robandit.online.standing import ACTS, Entry, Standing


def rebuild(path: Path | str, policy: Policy[Any], before: int | None = None) -> Fold:
    """Return the fold of a whole journal, or of what stands before a line."""
    return read_into(path, lambda terms: Fold(policy, terms), before)


def first_difference(path: Path | str, policy: Policy[Any]) -> int | None:
    """Return the first decision of a plain learner's journal that its policy would not have drawn; None if none."""
    terms, entries = read_entries(path)
    fold = Fold(policy, terms)
    docket, differences = Docket(terms, Standing(), fold), list[int]()

    def take(line: int, entry: Entry) -> None:
        nonlocal fold
        if entry["entry"] == "decide" and not differences and not is_own_draw(fold, entry):
            differences.append(entry["id"])
        docket.take(line, entry)
        if entry["entry"] in ACTS:  # the learner learnt anew without what was taken back
            docket.standing.take(line, entry)
            docket.target = fold = rebuild(path, policy, line + 1)

    for_each(path, entries, take)
    return differences[0] if differences else None


def is_own_draw(fold: Fold, entry: Entry) -> bool:
    """Whether a decision of a journal is the one that the fold draws next."""
    return is_choice(fold, entry, fold.choose(eligible_arms(fold, entry), fold.read(entry.get("context"))))


def eligible_arms(fold: Fold, entry: Entry) -> list[int] | None:
    """Return the indices of the arms that a decision was made among; None for all of them."""
    names = entry["eligible"]
    return None if names is None else [fold.roster.index[name] for name in names]


def is_choice(fold: Fold, entry: Entry, choice: Choice) -> bool:
    """Whether an entry holds just this choice."""
    probability = None if choice.probability != choice.probability else choice.probability
    own = fold.roster.names[choice.arm], probability, choice.note
    is_asked = not entry.get("check") or fold.wants_check(choice)  # journals of before checks do not say it
    return is_asked and own == (entry["arm"], entry["chance"], entry["note"])
