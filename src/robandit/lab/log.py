"""A log of choices and rewards as plain columns, checked at the edge, and its replay into a state."""

from dataclasses import dataclass
from typing import Any, NamedTuple, Required, TypedDict, Unpack

import numpy as np
from numpy.typing import NDArray

from robandit.catalogue import SHIPPED
from robandit.dice import Role, decision_key, decision_stream, decision_words, stream_words
from robandit.errors import InputError
from robandit.game import Floats, Policy, Setting
from robandit.lab import replay
from robandit.lab.parts import PolicyParts
from robandit.lab.preflight import ROUNDS, check_user_replay
from robandit.lab.redraw import redraw_rows
from robandit.lab.sight import LogView
from robandit.state import load_state

ROWS = 100_000  # learnt by one call: bounds the memory of the streams, and Ctrl-C is heard in between


@dataclass(frozen=True)
class Log:
    """What happened, in the order it was learnt: one row per reward, or a choice whose reward comes in a later row."""

    arms: NDArray[np.int64]
    probabilities: Floats  # the probability the arm had when it was chosen; NaN where the policy cannot compute it
    rewards: Floats  # in [0, 1]; ignored where there is none
    notes: NDArray[np.int64] | None = None  # what the policy itself drew, where it drew something
    rewarded: NDArray[np.bool_] | None = None  # False: the reward comes later, or never; all True by default
    numbers: NDArray[np.uint64] | None = None  # of the decisions, from 0; the row's own number by default
    places: NDArray[np.int64] | None = None  # which of `users` each row is about; 0 by default
    verified: NDArray[np.bool_] | None = None  # rewards that somebody made sure of; none by default
    withdrawn: NDArray[np.bool_] | None = None  # rows that take the same reward of an earlier row back; none by default
    users: Floats | None = None  # (users, numbers): the features of those who came, where contexts did
    own: Floats | None = None  # (arms, numbers): features of the arms themselves, where they have some

    def columns(self) -> dict[str, Any]:
        """Every column as an array of its type."""
        count = np.size(self.arms)
        usual = {"notes": np.zeros(count), "rewarded": np.ones(count), "numbers": np.arange(count)}
        usual |= {name: np.zeros(count) for name in ("places", "verified", "withdrawn")}
        kinds: dict[str, Any] = {
            "arms": np.int64,
            "probabilities": np.float64,
            "notes": np.int64,
            "rewards": np.float64,
        }
        kinds |= {"rewarded": np.bool_, "numbers": np.uint64, "places": np.int64}
        kinds |= {"verified": np.bool_, "withdrawn": np.bool_}
        columns = {}
        for name, kind in kinds.items():
            own = getattr(self, name)
            values = np.asarray(usual[name] if own is None else own)
            try:
                with np.errstate(invalid="ignore"):  # what cannot be cast is refused below
                    column = values.astype(kind)
            except (TypeError, ValueError) as error:
                raise InputError(f"log: {name} must be of the type {np.dtype(kind)}, not {values.dtype}") from error
            if column.shape != (count,):
                raise InputError(f"log: {name} must have one entry per row ({count}), not the shape {column.shape}")
            if not np.array_equal(column, values, equal_nan=kind is np.float64):
                raise InputError(f"log: {name} must be of the type {np.dtype(kind)}, not {values.dtype}")
            columns[name] = np.ascontiguousarray(column)
        return columns

    def select(self, rows: Any) -> "Log":
        """Some of the rows: a slice, or one truth value for each."""
        columns = {name: column[rows] for name, column in self.columns().items()}
        return Log(**columns, users=self.users, own=self.own)

    def view(self, policy: Policy[Any], setting: Setting) -> LogView:
        """What a policy sees of those who came; empty for one that does not look, or where the features stay.

        Raises InputError where the policy must see somebody and the log names nobody.
        """
        empty = np.zeros((0, 0))
        if not policy.looks or setting.features is None:
            return LogView(empty, empty, empty)
        if self.users is None:
            if len(setting.features) < setting.arms:
                raise InputError(f"{policy.name} learns by who came, and this log has no contexts")
            return LogView(empty, empty, empty)
        own = empty if self.own is None else np.ascontiguousarray(self.own[: setting.arms], np.float64)
        users = np.ascontiguousarray(self.users, np.float64)
        size = users.shape[1] * (own.shape[1] if len(own) else 1)
        if setting.features.shape != (max(len(own), 1), size):
            raise InputError(f"log: {size} features were seen, the setting has {setting.features.shape[1]}")
        return LogView(users, own, np.zeros_like(setting.features, np.float64))


def check_columns(columns: dict[str, Any], policy: Policy[Any], arms: int) -> None:
    """Raise InputError for rows that cannot have happened, with the number of the first one."""
    rewarded, probabilities = columns["rewarded"], columns["probabilities"]
    is_number = ~np.isnan(probabilities)
    wrong = {
        f"arms must be from 0 to {arms - 1}": (columns["arms"] < 0) | (columns["arms"] >= arms),
        "rewards must be numbers from 0 to 1": rewarded & ~((columns["rewards"] >= 0) & (columns["rewards"] <= 1)),
        "probabilities must be above 0 and at most 1, or NaN": is_number
        & ~((probabilities > 0) & (probabilities <= 1)),
    }
    if policy.explicit:
        wrong[f"probabilities must be known for {policy.name}"] = ~is_number
    for rule, rows in wrong.items():
        if rows.any():
            row = int(np.argmax(rows))
            entries = {name: column[row].item() for name, column in columns.items()}
            raise InputError(f"log: {rule}; row {row} has {entries}")
    if columns["withdrawn"].any() and not policy.can_unlearn:
        raise InputError(f"{policy} cannot take a reward back, and this log has rows that do: {policy.cannot_forget}")
    if policy.late == "no" and not rewarded.all():
        raise InputError(f"{policy} does not take rewards that come late: every row must have its reward")


class LogRows(NamedTuple):
    """The columns of a log as the loop reads them: arrays, or lists where it is interpreted."""

    arms: Any
    probabilities: Any
    notes: Any
    rewards: Any
    rewarded: Any
    places: Any
    verified: Any
    withdrawn: Any


class SettingTerms(TypedDict, total=False):
    """What a policy may look at before the first row; see `Setting`."""

    arms: Required[int]
    horizon: Required[int]
    corruption: float
    features: Floats | None


def replay_log(
    policy: Policy[Any] | str,
    log: Log,
    *,
    seed: int = 1,
    state: dict[str, Any] | None = None,
    engine: str = "rounds",
    **setting: Unpack[SettingTerms],
) -> Any:
    """The state a policy has after a log.

    What `learn` draws comes from the stream of its decision, so the result depends on the rows, their decisions'
    numbers and the seed alone.

    Args:
        policy: a policy or its text.
        log: what happened.
        seed: of the streams of the decisions.
        state: a saved state to begin with, in place of a fresh one.
        engine: "rounds" (compiled) or "plain" (interpreted): the same bits.
        **setting: `arms` and `horizon`; `corruption` and `features` (of the arms) where the policy needs them.

    Raises:
        InputError: if the log, the state or the engine do not fit.
    """
    if engine not in ("rounds", "plain"):
        raise InputError(f"engine must be rounds or plain, not {engine!r}")
    policy = SHIPPED.policy(policy) if isinstance(policy, str) else policy
    columns, terms = log.columns(), Setting(**setting)
    check_columns(columns, policy, terms.arms)
    memory = fresh_state(policy, terms, seed) if state is None else load_state(policy, terms, state)
    count, view = len(columns["arms"]), log.view(policy, terms)
    for first in range(0, count, ROWS):
        piece = {name: column[first : first + ROWS] for name, column in columns.items()}
        words = decision_words(seed, piece.pop("numbers"), Role.LEARNING)
        rows, parts = LogRows(**piece), PolicyParts(policy, memory)
        if first == 0 and engine == "rounds":
            check_user_replay(parts, LogRows(*(column[:ROUNDS].tolist() for column in rows)), words, view)
        loop: Any = replay.replay_rows
        if engine == "rounds":
            from robandit.lab.compile.kernel import effort_for, kernel_for

            loop = kernel_for(loop, parts, (rows, words, view), effort_for(count * terms.arms))
        else:
            rows = LogRows(*(column.tolist() for column in rows))
        loop(parts, rows, words, view)
    if len(view.users) > 0 and terms.features is not None:
        policy.look(memory, terms.features)  # between two decisions a state sees what its setting has
    return memory


class DrawnRows(NamedTuple):
    """The same columns, and which rows are decisions to be drawn again."""

    arms: Any
    probabilities: Any
    notes: Any
    rewards: Any
    rewarded: Any
    places: Any
    verified: Any
    withdrawn: Any
    drawn: Any


def redraw_log(
    policy: Policy[Any],
    log: Log,
    drawn: NDArray[np.bool_],
    *,
    seed: int,
    state: dict[str, Any] | None,
    **setting: Unpack[SettingTerms],
) -> tuple[Any, int | None]:
    """The state a policy has after a log, as `replay_log` returns it compiled, and the first decision it did not make.

    Args:
        policy: a policy.
        log: what happened.
        drawn: which rows are decisions that the policy drew among all its arms.
        seed: of the streams of the decisions.
        state: a saved state to begin with; None for a fresh one.
        **setting: as for `replay_log`.

    Returns:
        The state, and the row of the first decision whose stream gives another one; None if all are as drawn.
    """
    from robandit.lab.compile.kernel import effort_for, kernel_for

    columns, terms = log.columns(), Setting(**setting)
    check_columns(columns, policy, terms.arms)
    memory = fresh_state(policy, terms, seed) if state is None else load_state(policy, terms, state)
    count, view, differing = len(columns["arms"]), log.view(policy, terms), np.full(1, -1)
    keys = np.array([decision_key(seed, role) for role in (Role.CHOOSING, Role.LEARNING)], np.uint64)
    first_different = None
    for first in range(0, count, ROWS):
        piece = {
            name: column[first : first + ROWS]
            for name, column in (columns | {"drawn": np.ascontiguousarray(drawn)}).items()
        }
        words = np.stack(stream_words(keys[piece["rewarded"].astype(np.int64)], piece.pop("numbers")), axis=1)
        rows, parts = DrawnRows(**piece), PolicyParts(policy, memory)
        loop = kernel_for(redraw_rows, parts, (rows, words, view, differing), effort_for(count * terms.arms))
        loop(parts, rows, words, view, differing)
        if first_different is None and differing[0] >= 0:
            first_different = first + int(differing[0])
    if len(view.users) > 0 and terms.features is not None:
        policy.look(memory, terms.features)
    return memory, first_different


def fresh_state(policy: Policy[Any], setting: Setting, seed: int) -> Any:
    """The state before the first row."""
    state = policy.start(setting)
    policy.begin(state, decision_stream(decision_key(seed, Role.BEGINNING), 0))
    return state
