"""Where a play was left: all that its later part needs to go on to the same bits."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.errors import InputError
from robandit.game import Floats


@dataclass(frozen=True)
class Position:
    """One entry a run; `sums` are regret, bill and its rounding, `shown` is the p(t) a watching adversary last saw."""

    round: int
    states: tuple[dict[str, Any], ...]
    memories: tuple[dict[str, Any], ...]
    dice: NDArray[np.uint64]
    sums: Floats
    changed: NDArray[np.int64]
    pulls: NDArray[np.int64]
    shown: Floats

    def as_json(self) -> dict[str, Any]:
        """Plain values that JSON can hold, exact to the bit."""
        plain = {"round": self.round, "states": list(self.states), "memories": list(self.memories)}
        return {**plain, **{name: getattr(self, name).tolist() for name in ARRAYS}}


ARRAYS = {"dice": np.uint64, "sums": np.float64, "changed": np.int64, "pulls": np.int64, "shown": np.float64}


def read_position(told: Any) -> Position:
    """A position from what `as_json` wrote."""
    names = ["round", "states", "memories", *ARRAYS]
    if not isinstance(told, dict) or set(told) != set(names):
        raise InputError(f"a saved play must have the keys {', '.join(names)}")
    try:
        arrays: dict[str, Any] = {name: np.array(told[name], dtype=kind) for name, kind in ARRAYS.items()}
        return Position(int(told["round"]), tuple(told["states"]), tuple(told["memories"]), **arrays)
    except (TypeError, ValueError, OverflowError) as error:
        raise InputError(f"a saved play cannot be read: {error}") from error


def check_position(position: Position, runs: int, arms: int, horizon: int) -> None:
    """Refuse a position that belongs to another game."""
    count = len(position.dice)
    if count != runs:
        raise InputError(f"state holds {count} runs, so runs must be {count}, not {runs}")
    shapes = {"dice": (runs, 3, 4), "sums": (runs, 3), "changed": (runs,), "pulls": (runs, arms), "shown": (runs, arms)}
    for name, shape in shapes.items():
        if getattr(position, name).shape != shape:
            raise InputError(f"state's {name} must have the shape {shape}, not {getattr(position, name).shape}")
    if len(position.states) != runs or len(position.memories) != runs:
        raise InputError(f"state must hold {runs} states and memories")
    if not np.isfinite(position.sums).all() or not np.isfinite(position.shown).all():
        raise InputError("state holds a sum that is not a finite number")
    if not 0 < position.round < horizon:
        raise InputError(f"state was left after round {position.round}, which must be between 1 and {horizon - 1}")
