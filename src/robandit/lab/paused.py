"""A play that was left: all that its later part needs to go on to the same bits."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.errors import InputError
from robandit.game import Floats

ARRAYS = {"dice": np.uint64, "sums": np.float64, "changed": np.int64, "pulls": np.int64, "shown": np.float64}
ARRAYS |= {"checks": np.int64}


@dataclass(frozen=True, eq=False)
class PausedPlay:
    """Where each run of a play was left, one entry per run; `trace.state` of a play with `until`."""

    round: int
    states: tuple[dict[str, Any], ...]  # of the policy
    memories: tuple[dict[str, Any], ...]  # of the adversary
    dice: NDArray[np.uint64]  # the random streams, (runs, role, 4)
    sums: Floats  # regret, bill, and what rounding lost of the bill
    changed: NDArray[np.int64]  # rounds changed by the adversary
    pulls: NDArray[np.int64]
    shown: Floats  # the p(t) that a watching adversary last saw
    checks: NDArray[np.int64]  # rewards verified

    def to_json(self) -> dict[str, Any]:
        """Plain values that JSON can hold, exact to the bit."""
        plain = {"round": self.round, "states": list(self.states), "memories": list(self.memories)}
        return {**plain, **{name: getattr(self, name).tolist() for name in ARRAYS}}

    @classmethod
    def from_json(cls, values: Any) -> "PausedPlay":
        """The play that `to_json` wrote; raises InputError for anything else."""
        names = ["round", "states", "memories", *ARRAYS]
        if isinstance(values, dict) and "checks" not in values:  # saved before there were any
            values = {**values, "checks": [0] * len(values.get("states", ()))}
        if not isinstance(values, dict) or set(values) != set(names):
            raise InputError(f"a saved play must have the keys {', '.join(names)}")
        try:
            arrays: dict[str, Any] = {name: np.array(values[name], dtype=kind) for name, kind in ARRAYS.items()}
            return cls(int(values["round"]), tuple(values["states"]), tuple(values["memories"]), **arrays)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"a saved play cannot be read: {error}") from error

    def check(self, runs: int, arms: int, horizon: int) -> None:
        """Raise InputError if the play was of another game."""
        count = len(self.dice)
        if count != runs:
            raise InputError(f"state holds {count} runs, so runs must be {count}, not {runs}")
        shapes = {"dice": (runs, 3, 4), "sums": (runs, 3), "changed": (runs,), "checks": (runs,)}
        shapes |= {"pulls": (runs, arms), "shown": (runs, arms)}
        for name, shape in shapes.items():
            if getattr(self, name).shape != shape:
                raise InputError(f"state's {name} must have the shape {shape}, not {getattr(self, name).shape}")
        if len(self.states) != runs or len(self.memories) != runs:
            raise InputError(f"state must hold {runs} states and memories")
        if not np.isfinite(self.sums).all() or not np.isfinite(self.shown).all():
            raise InputError("state holds a sum that is not a finite number")
        if not 0 < self.round < horizon:
            raise InputError(f"state was left after round {self.round}, which must be between 1 and {horizon - 1}")
