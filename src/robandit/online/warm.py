"""A log folded into a state: a learner's history before its first decision, and a whole journal at compiled speed."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from robandit.errors import InputError
from robandit.game import Policy
from robandit.lab.log import Log, replay_log
from robandit.online.fold import Fold
from robandit.online.journal import JournalLog, as_log
from robandit.online.lists import as_lists
from robandit.online.terms import Terms
from robandit.state import save_state


def warmed(policy: Policy[Any], terms: Terms, state: dict[str, Any] | None, history: Log | Path | str | None) -> Terms:
    """Terms with a state to begin with: one that was saved, or what a history makes of a fresh one; or neither."""
    if state is not None and history is not None:
        raise InputError("a learner begins with a state or with a history, not with both")
    if history is None:
        return replace(terms, state=state)
    log = history if isinstance(history, Log) else as_log(history)
    if policy.reads_note and log.notes is None:
        raise InputError(
            f"{policy.name} learns from the notes of its own choices: a history without notes says nothing"
        )
    if isinstance(log, JournalLog) and (log.changes or tuple(log.names) != terms.arms):
        raise InputError(f"the history must have the same arms from first to last, not {', '.join(log.names)}")
    began = log.terms.state if isinstance(log, JournalLog) and log.terms.policy == terms.policy else None
    given: dict[str, Any] = {"horizon": terms.horizon, "corruption": terms.corruption, "seed": terms.seed}
    folded = replay_log(policy, log, arms=len(terms.arms), state=began, engine="plain", **given)
    return replace(terms, state=save_state(policy, folded))


def fold_log(policy: Policy[Any], log: JournalLog, *, engine: str = "rounds") -> Any:
    """The state after a journal's rows, changes of arms included; compiled unless `engine` is "plain"."""
    changes = [(row, change, log.names[arm]) for row, change, arm in log.changes]
    return fold_rows(policy, log.terms, log, changes, engine=engine)


def fold_rows(
    policy: Policy[Any], terms: Terms, log: Log, changes: Iterable[tuple[int, str, str]], *, engine: str = "rounds"
) -> Any:
    """The state after a log's rows; before some of them an arm was added, paused, ..., by its name."""
    columns, first = log.columns(), 0
    fold, state = Fold(policy, replace(terms, state=None)), terms.state

    def after(stop: int | None) -> Any:
        piece = Log(**{name: column[first:stop] for name, column in columns.items()})
        told: dict[str, Any] = {"horizon": terms.horizon, "corruption": terms.corruption, "seed": terms.seed}
        return replay_log(policy, piece, arms=fold.setting.arms, state=state, engine=engine, **told)

    for row, change, name in changes:
        fold.state = as_lists(after(row))
        fold.change(name, change)
        state, first = fold.saved_state(), row
    return after(None)
