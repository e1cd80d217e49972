"""A learner as plain values, exact to the bit, and back again only if everything fits."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from robandit.errors import InputError
from robandit.game import Choice, Policy, Setting
from robandit.online.fold import NAN, Fold
from robandit.online.lists import as_lists
from robandit.online.roster import ACTIVE, PAUSED, RETIRED, Roster
from robandit.online.terms import read_terms
from robandit.state import load_state

KIND = {"robandit": "learner", "format": 1}
KEYS = (*KIND, "terms", "decisions", "pending", "arms", "state")


def told_by(fold: Fold) -> dict[str, Any]:
    """All of a fold that its future depends on."""
    pending = [
        [number, int(arm), None if probability != probability else float(probability), int(note)]
        for number, (arm, probability, note) in fold.pending.items()
    ]
    arms = [list(pair) for pair in zip(fold.roster.names, fold.roster.status, strict=True)]
    told = {"terms": fold.terms.header(), "decisions": fold.decisions, "pending": pending, "arms": arms}
    return {**KIND, **told, "state": fold.saved_state()}


def loaded(saved: dict[str, Any] | Path | str, make: Callable[[str], Policy[Any]]) -> Fold:
    """The fold that was told, from a dictionary or a file."""
    told = saved if isinstance(saved, dict) else read_json(saved)
    if not isinstance(told, dict) or set(told) != set(KEYS) or any(told[key] != value for key, value in KIND.items()):
        raise InputError(f"a saved learner must have the keys {', '.join(KEYS)}, with format 1")
    terms = read_terms(told["terms"])
    fold = Fold(make(terms.policy), terms)
    if str(fold.policy) != terms.policy:
        raise InputError(f"the saved learner's policy is {terms.policy}, not {fold.policy}")
    try:
        fold.roster = Roster([name for name, _ in told["arms"]])
        fold.roster.status = [status for _, status in told["arms"]]
        fold.decisions = told["decisions"]
        fold.pending = {
            number: Choice(arm, NAN if probability is None else probability, note)
            for number, arm, probability, note in told["pending"]
        }
    except (TypeError, ValueError) as error:
        raise InputError(f"a saved learner cannot be read: {error}") from error
    check(fold)
    fold.roster.present = [arm for arm, status in enumerate(fold.roster.status) if status == ACTIVE]
    fold.setting = Setting(len(fold.roster.names), terms.horizon, terms.corruption)
    fold.state = as_lists(load_state(fold.policy, fold.setting, told["state"]))
    return fold


def check(fold: Fold) -> None:
    """Refuse what no learner can have been."""
    count, arms = fold.decisions, len(fold.roster.names)
    whole = type(count) is int and count >= 0
    numbers = all(type(number) is int and number < count for number in fold.pending) if whole else False
    chosen = all(type(c.arm) is type(c.note) is int and 0 <= c.arm < arms for c in fold.pending.values())
    likely = all(c.probability != c.probability or 0 < c.probability <= 1 for c in fold.pending.values() if chosen)
    named = tuple(fold.roster.names[: len(fold.terms.arms)]) == fold.terms.arms and len(fold.roster.index) == arms
    if not (whole and numbers and chosen and likely and named and {ACTIVE, PAUSED, RETIRED} >= set(fold.roster.status)):
        raise InputError("a saved learner cannot be read: its decisions, pending choices or arms do not fit together")


def read_json(path: Path | str) -> Any:
    """What a file says."""
    try:
        return json.loads(Path(path).read_bytes())
    except OSError as error:
        raise InputError(f"the file {str(path)!r} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise InputError(f"the file {str(path)!r} is not JSON: {error}") from error
