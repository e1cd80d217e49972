"""A log folded into a state: a learner's history before its first decision, and a whole journal at compiled speed."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from robandit.errors import InputError
from robandit.game import Policy, Setting
from robandit.lab.log import Log, replay_log
from robandit.online.columns import JournalLog, read_columns
from robandit.online.fold import Fold
from robandit.online.lists import as_lists
from robandit.online.terms import Terms
from robandit.state import save_state


def warm_terms(
    policy: Policy[Any], terms: Terms, state: dict[str, Any] | None, history: Log | Path | str | None
) -> Terms:
    """Return terms with the state to begin with: a saved one, what a history makes of a fresh one, or none."""
    if state is not None and history is not None:
        raise InputError("a learner begins with a state or with a history, not with both")
    if history is None:
        return replace(terms, state=state)
    log = history if isinstance(history, Log) else read_columns(history)
    if policy.reads_note and log.notes is None:
        raise InputError(
            f"{policy.name} learns from the notes of its own choices: a history without notes says nothing"
        )
    if isinstance(log, JournalLog) and (log.changes or tuple(log.names) != terms.arms):
        raise InputError(f"the history must have the same arms from first to last, not {', '.join(log.names)}")
    began = log.terms.state if isinstance(log, JournalLog) and log.terms.policy == terms.policy else None
    if isinstance(log, JournalLog) and policy.looks and log.terms.features != terms.features:
        raise InputError("the history must have the same features as the learner")
    state_after = replay(policy, terms, log, Fold(policy, terms).setting, began, "plain")
    return replace(terms, state=save_state(policy, state_after))


def fold_log(policy: Policy[Any], log: JournalLog, *, engine: str = "rounds") -> Any:
    """Return the state after a journal's rows, changes of arms included; compiled unless `engine` is "plain"."""
    changes = [(row, change, log.names[arm]) for row, change, arm in log.changes]
    return fold_rows(policy, log.terms, log, changes, engine=engine)


def fold_rows(
    policy: Policy[Any], terms: Terms, log: Log, changes: Iterable[tuple[int, str, str]], *, engine: str = "rounds"
) -> Any:
    """Return the state after a log's rows; before some of them an arm was added, paused, ..., by its name."""
    first = 0
    fold, state = Fold(policy, replace(terms, state=None)), terms.state

    def state_after(stop: int | None) -> Any:
        return replay(policy, terms, log.select(slice(first, stop)), fold.setting, state, engine)

    for row, change, name in changes:
        fold.state = as_lists(state_after(row), tables=policy.looks)
        own = log.own[len(fold.roster.names)].tolist() if change == "added" and log.own is not None else None
        fold.change_arm(name, change, own)
        state, first = fold.save_state(), row
    return state_after(None)


def replay(
    policy: Policy[Any], terms: Terms, log: Log, setting: Setting, state: dict[str, Any] | None, engine: str
) -> Any:
    """Return the state after a log, from a saved state or (None) from a fresh one, under a learner's terms."""
    values: dict[str, Any] = {"horizon": setting.horizon, "corruption": setting.corruption, "seed": terms.seed}
    values |= {"arms": setting.arms, "features": setting.features}
    return replay_log(policy, log, state=state, engine=engine, **values)
