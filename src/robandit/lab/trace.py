"""What a play returns: plain arrays at checkpoints, and the numbers people read off them."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.errors import InputError
from robandit.estimates import summarise
from robandit.extras import require
from robandit.game import Floats
from robandit.lab.paused import PausedPlay


@dataclass(frozen=True)
class Team:
    """What several agents pulled and sent, one entry per run."""

    pulls: NDArray[np.int64]  # (runs, agents, arms)
    messages: NDArray[np.int64]  # (runs,)
    numbers: int  # in each message

    @property
    def agents(self) -> int:
        """How many agents there are."""
        return int(self.pulls.shape[1])

    @property
    def bits(self) -> Floats:
        """What was sent, at 32 bits per number."""
        return np.asarray(32.0 * self.numbers * self.messages, np.float64)

    def regret(self, gaps: Floats) -> Floats:
        """Each agent's own regret, (runs, agents)."""
        regret: Floats = self.pulls @ gaps
        return regret


@dataclass(frozen=True, repr=False)
class Trace:
    """One row per replication; the last checkpoint is the horizon."""

    rounds: NDArray[np.int64]  # (checkpoints,)
    regret: Floats  # (runs, checkpoints), cumulative, from the true means
    corruption_paid: Floats  # (runs, checkpoints), cumulative, the cost of the definition
    pulls: NDArray[np.int64]  # (runs, arms)
    rounds_changed: NDArray[np.int64]  # (runs,)
    gaps: Floats  # (arms,)
    engine: str
    nanoseconds: float  # of CPU time per round
    state: PausedPlay | None = None  # where the play was left, if it was
    road: str = ""  # how the loop was compiled: linked, or by numba as one; empty where it was not
    team: "Team | None" = None  # what the agents did, where there are several; regret and bill are the team's
    best_rounds: NDArray[np.int64] | None = None  # with a best slate, or the round's best arm, by run
    best_pulls: NDArray[np.int64] | None = None  # (runs, checkpoints), cumulative, of best arms; not stored in files
    checks: NDArray[np.int64] | None = None  # (runs,), rewards verified; None where the policy never asks
    alarms: NDArray[np.int64] | None = None  # (runs,), when the monitor rang, 0 where it did not; None without one

    def __repr__(self) -> str:
        """What was played and what it cost, in a line; the arrays are attributes."""
        regret = self.summary()
        half = "" if regret["half_width_95"] is None else f" ± {regret['half_width_95']:,.1f}"
        runs = f"{len(self.regret):,} run{'s' * (len(self.regret) != 1)} of {self.horizon:,} rounds"
        paid = self.corruption_paid[:, -1].mean()
        bill = f", corruption {paid:,.1f}" if paid > 0 else ""
        bill += "" if self.checks is None else f", {self.checks.mean():,.0f} checks"
        return f"<Trace: {runs}, {len(self.gaps)} arms, regret {regret['mean']:,.1f}{half}{bill}>"

    @property
    def horizon(self) -> int:
        """The number of rounds played."""
        return int(self.rounds[-1])

    @property
    def best_arm_share(self) -> float:
        """The share of rounds spent on arms with gap 0; of slates, of those none is better than."""
        if self.best_rounds is not None:
            return float(self.best_shares.mean())
        return float(self.pulls[:, self.gaps <= 1e-12].sum() / self.pulls.sum())

    @property
    def best_shares(self) -> Floats:
        """The same for each run."""
        if self.best_rounds is not None:
            return np.asarray(self.best_rounds / self.horizon, np.float64)
        shares: Floats = self.pulls[:, self.gaps <= 1e-12].sum(axis=1) / self.pulls.sum(axis=1)
        return shares

    def to_arrow(self) -> Any:
        """A pyarrow table, one row per run and checkpoint: run, round, regret, corruption_paid."""
        runs, marks = self.regret.shape
        columns = {
            "run": np.repeat(np.arange(runs), marks),
            "round": np.tile(self.rounds, runs),
            "regret": self.regret.ravel(),
            "corruption_paid": self.corruption_paid.ravel(),
        }
        return require("pyarrow", "an Arrow table").table(columns)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """The rows of `to_arrow`, for `polars.DataFrame(trace)`, `pyarrow.table(trace)` and others that know Arrow."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def to_pandas(self) -> Any:
        """The same as a pandas frame."""
        return as_frame(self.to_arrow())

    def plot(self, label: str = "regret") -> Any:
        """A picture of regret over time: a notebook shows it, `.save("regret.png")` writes it."""
        import robandit  # drawing is in a package above this one, and is reached by its public name

        return robandit.plot({label: self})

    def summary(self) -> dict[str, float | None]:
        """The regret at the horizon over replications."""
        return summarise(self.regret[:, -1])


def as_frame(table: Any) -> Any:
    """An arrow table as a pandas frame, if there is pandas."""
    try:
        import pandas  # type: ignore[import-untyped,import-not-found,unused-ignore]  # noqa: F401  # not a dependency
    except ImportError as error:
        raise InputError("to_pandas needs pandas, which is not installed: pip install pandas, or to_arrow()") from error
    return table.to_pandas()


def checkpoint_grid(wanted: Any, horizon: int) -> NDArray[np.int64]:
    """Rounds at which a play is recorded: a number of evenly spaced ones, "log", or the rounds themselves."""
    if isinstance(wanted, str):
        if wanted != "log":
            raise InputError(f"checkpoints must be a whole number, 'log' or a list of rounds, not {wanted!r}")
        grid = np.unique(np.geomspace(1, horizon, 200).round().astype(np.int64))
    elif np.ndim(wanted) == 0:
        if not isinstance(wanted, int | np.integer) or wanted < 1:
            raise InputError(f"checkpoints must be at least 1, not {wanted!r}")
        grid = np.unique(np.linspace(0, horizon, int(wanted) + 1).round().astype(np.int64)[1:])
    else:
        listed = np.asarray(wanted, dtype=float)
        if listed.ndim != 1 or not ((listed >= 1) & (listed <= horizon) & (listed == np.floor(listed))).all():
            raise InputError(f"checkpoints must be whole numbers between 1 and the horizon {horizon}, not {wanted!r}")
        grid = np.unique(np.append(listed.astype(np.int64), horizon))
    return grid[grid > 0]
