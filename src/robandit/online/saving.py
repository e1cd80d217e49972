"""A learner as plain values, exact to the bit, and back again only if everything fits."""

import json
from array import array
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

from robandit.errors import InputError
from robandit.game import Choice, Policy
from robandit.online.fold import Fold
from robandit.online.lists import as_lists
from robandit.online.roster import ACTIVE, PAUSED, RETIRED, Roster
from robandit.online.terms import read_terms
from robandit.state import load_state

KIND = {"robandit": "learner", "format": 1}
KEYS = (*KIND, "terms", "decisions", "pending", "arms", "state")


def save_fold(fold: Fold) -> dict[str, Any]:
    """Return all of a fold that its future depends on, as plain values."""
    pending = [
        [
            number,
            int(arm),
            None if probability != probability else float(probability),
            int(note),
            *user_of(fold, number),
        ]
        for number, (arm, probability, note) in fold.pending.items()
    ]
    more: dict[str, Any] = {"own": fold.sight.own} if fold.sight is not None and fold.sight.own else {}
    more |= {"asked": sorted(fold.asked)} if fold.asked else {}
    more |= {"claims": [list(claim) for claim in fold.claims.items()]} if fold.claims else {}
    return {
        **KIND,
        "terms": fold.terms.header(),
        "decisions": fold.decisions,
        "pending": pending,
        "arms": [list(pair) for pair in zip(fold.roster.names, fold.roster.status, strict=True)],
        "state": fold.save_state(),
        **more,
    }


def user_of(fold: Fold, number: int) -> list[list[float]]:
    """Return who a pending decision was made for, as numbers; nothing where the policy does not look."""
    return [list(fold.users[number])] if number in fold.users else []


def load_fold(saved: dict[str, Any] | Path | str, make: Callable[[str], Policy[Any]]) -> Fold:
    """Return the fold that `save_fold` wrote, from a dictionary or a file; raises InputError if anything is amiss."""
    values = saved if isinstance(saved, dict) else read_json(saved)
    is_learner = isinstance(values, dict) and set(values) - {"own", "asked", "claims"} == set(KEYS)
    if not is_learner or any(values[key] != value for key, value in KIND.items()):
        raise InputError(f"a saved learner must have the keys {', '.join(KEYS)}, with format 1")
    terms = read_terms(values["terms"])
    fold = Fold(make(terms.policy), terms)
    if str(fold.policy) != terms.policy:
        raise InputError(f"the saved learner's policy is {terms.policy}, not {fold.policy}")
    try:
        fold.roster = Roster([name for name, _ in values["arms"]])
        fold.roster.status = [status for _, status in values["arms"]]
        fold.decisions = values["decisions"]
        fold.pending = {
            number: Choice(arm, nan if probability is None else probability, note)
            for number, arm, probability, note, *_ in values["pending"]
        }
        fold.asked, fold.claims = set(values.get("asked", ())), dict(values.get("claims", ()))
        fold.users = {number: array("d", user[0]) for number, _, _, _, *user in values["pending"] if user}
    except (TypeError, ValueError) as error:
        raise InputError(f"a saved learner cannot be read: {error}") from error
    check(fold)
    fold.roster.present = [arm for arm, status in enumerate(fold.roster.status) if status == ACTIVE]
    for row in values.get("own", [])[len(terms.arms) :]:
        fold.sight = fold.sight and fold.sight.with_arm(row)
    fold.setting = fold.setting_of(len(fold.roster.names), fold.sight)
    fold.state = as_lists(load_state(fold.policy, fold.setting, values["state"]), tables=fold.policy.looks)
    return fold


def check(fold: Fold) -> None:
    """Refuse what no learner can have been."""
    count, arms, choices = fold.decisions, len(fold.roster.names), fold.pending.values()
    whole = type(count) is int and count >= 0
    numbers = all(type(number) is int and number < count for number in fold.pending) if whole else False
    chosen = all(type(choice.arm) is type(choice.note) is int and 0 <= choice.arm < arms for choice in choices)
    likely = all(
        choice.probability != choice.probability or 0 < choice.probability <= 1 for choice in choices if chosen
    )
    named = tuple(fold.roster.names[: len(fold.terms.arms)]) == fold.terms.arms and len(fold.roster.index) == arms
    waiting = fold.pending.keys() >= fold.asked | fold.claims.keys()
    rewards = all(reward is None or 0.0 <= reward <= 1.0 for reward in fold.claims.values())
    known = waiting and rewards
    if not (
        whole
        and numbers
        and chosen
        and likely
        and named
        and known
        and {ACTIVE, PAUSED, RETIRED} >= set(fold.roster.status)
    ):
        raise InputError("a saved learner cannot be read: its decisions, pending choices or arms do not fit together")


def read_json(path: Path | str) -> Any:
    """Return the value in a JSON file; raises InputError if there is none."""
    try:
        return json.loads(Path(path).read_bytes())
    except OSError as error:
        raise InputError(f"the file {str(path)!r} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"the file {str(path)!r} is not JSON: {error}") from error
