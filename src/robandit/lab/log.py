"""A log of choices and rewards as plain columns, checked at the edge, and its replay into a state."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random, decision_words
from robandit.errors import InputError
from robandit.game import Floats, Policy, Setting
from robandit.lab import replay
from robandit.lab.preflight import ROUNDS, check_user_replay
from robandit.state import load_state

ROWS = 100_000  # folded by one call: bounds the memory of the streams, and Ctrl-C is heard in between
CHOOSING, LEARNING, BEGINNING = 0, 1, 2  # roles of streams that `choose`, `learn` and `begin` may draw from


@dataclass(frozen=True)
class Log:
    """What happened, in the order it was learnt: one row a reward, or a choice whose reward comes in a later row."""

    arms: NDArray[np.int64]
    probabilities: Floats  # the probability the arm had when it was chosen; NaN where the policy cannot tell
    rewards: Floats  # in [0, 1]; not looked at where there is none
    notes: NDArray[np.int64] | None = None  # the coins of a policy that throws some
    rewarded: NDArray[np.bool_] | None = None  # False: the reward comes later, or never; all True if not given
    numbers: NDArray[np.uint64] | None = None  # of the decisions, from 0; the row's own number if not given

    def columns(self) -> dict[str, Any]:
        """Every column as an array of its type."""
        count = np.size(self.arms)
        usual = {"notes": np.zeros(count), "rewarded": np.ones(count), "numbers": np.arange(count)}
        kinds: dict[str, Any] = {
            "arms": np.int64,
            "probabilities": np.float64,
            "notes": np.int64,
            "rewards": np.float64,
        }
        kinds |= {"rewarded": np.bool_, "numbers": np.uint64}
        found = {}
        for name, kind in kinds.items():
            given = getattr(self, name)
            given = np.asarray(usual[name] if given is None else given)
            try:
                with np.errstate(invalid="ignore"):  # what cannot be cast is refused below
                    column = given.astype(kind)
            except (TypeError, ValueError) as error:
                raise InputError(f"log: {name} must be of the type {np.dtype(kind)}, not {given.dtype}") from error
            if column.shape != (count,):
                raise InputError(f"log: {name} must have one entry a row ({count}), not the shape {column.shape}")
            if not np.array_equal(column, given, equal_nan=kind is np.float64):
                raise InputError(f"log: {name} must be of the type {np.dtype(kind)}, not {given.dtype}")
            found[name] = np.ascontiguousarray(column)
        return found


def check_columns(columns: dict[str, Any], policy: Policy[Any], arms: int) -> None:
    """Refuse rows that cannot have happened, with the number of the first one."""
    rewarded, probabilities = columns["rewarded"], columns["probabilities"]
    known = ~np.isnan(probabilities)
    wrong = {
        f"arms must be from 0 to {arms - 1}": (columns["arms"] < 0) | (columns["arms"] >= arms),
        "rewards must be numbers from 0 to 1": rewarded & ~((columns["rewards"] >= 0) & (columns["rewards"] <= 1)),
        "probabilities must be above 0 and at most 1, or NaN": known & ~((probabilities > 0) & (probabilities <= 1)),
    }
    if policy.explicit:
        wrong[f"probabilities must be known for {policy.name}"] = ~known
    for rule, rows in wrong.items():
        if rows.any():
            row = int(np.argmax(rows))
            given = {name: column[row].item() for name, column in columns.items()}
            raise InputError(f"log: {rule}; row {row} has {given}")
    if policy.late == "no" and not rewarded.all():
        raise InputError(f"{policy} does not take rewards that come late: every row must have its reward")


def replay_log(
    policy: Policy[Any],
    log: Log,
    *,
    arms: int,
    horizon: int,
    corruption: float = 0.0,
    features: Floats | None = None,
    seed: int = 1,
    state: dict[str, Any] | None = None,
    engine: str = "rounds",
) -> Any:
    """The state a policy has after a log, from a fresh state or from a saved one.

    `features` are what is known of the arms, where the policy asks for it. `engine` is "rounds" (compiled) or "plain"
    (interpreted): the same bits. What `learn` throws comes from the stream of its decision, so the result depends on
    the rows, their decisions' numbers and the seed alone.
    """
    if engine not in ("rounds", "plain"):
        raise InputError(f"engine must be rounds or plain, not {engine!r}")
    columns = log.columns()
    check_columns(columns, policy, arms)
    setting = Setting(arms, horizon, corruption, features)
    if state is None:
        memory = policy.start(setting)
        words = decision_words(seed, np.zeros(1, np.uint64), BEGINNING)
        policy.begin(memory, Random(*map(int, words[0])))
    else:
        memory = load_state(policy, setting, state)
    for first in range(0, len(columns["arms"]), ROWS):
        piece = {name: column[first : first + ROWS] for name, column in columns.items()}
        words = decision_words(seed, piece.pop("numbers"), LEARNING)
        rows = tuple(piece[name] for name in ("arms", "probabilities", "notes", "rewards", "rewarded"))
        if first == 0 and engine == "rounds":
            check_user_replay(policy, memory, tuple(column[:ROUNDS].tolist() for column in rows), words)
        if engine == "plain":
            replay.replay_rows((policy, memory), tuple(column.tolist() for column in rows), words)
        else:
            fold_compiled(policy, memory, rows, words, len(columns["arms"]) * arms)
    return memory


def fold_compiled(policy: Policy[Any], state: Any, rows: tuple[Any, ...], words: Any, work: int) -> None:
    """Fold some rows into a state in place, compiled; `work` is what all of them make, rows times arms."""
    from robandit.lab.compile.kernel import effort_for, kernel_for

    kernel = kernel_for(replay.replay_rows, {"policy": policy, "state": state}, (rows, words), effort_for(work))
    kernel((policy, state), rows, words)
