"""A game, set up: parts checked, buffers made, ready to be played compiled or interpreted."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.adversaries.timed import TimedAttack
from robandit.dice import seed_words
from robandit.errors import InputError
from robandit.game import Adversary, Environment, Floats, Policy, Setting
from robandit.lab import play
from robandit.lab.layout import layout_of, packed, scalars_set
from robandit.lab.trace import checkpoint_grid


class PlayError(Exception):
    """A part broke its contract during a play; the message names it."""


@dataclass
class Table:
    """One game, set up: the parts with their memories, all buffers, and what is written for each run."""

    policy: Policy[Any]
    environment: Environment[Any]
    adversary: Adversary[Any]
    horizon: int
    checkpoints: NDArray[np.int64]
    dice: NDArray[np.uint64]
    regret: Floats
    paid: Floats
    pulls: NDArray[np.int64]
    changed: NDArray[np.int64]
    signal: NDArray[np.int64]  # rounds done; -1 asks to stop; -2 - arm says that arm does not exist

    def setting(self) -> Setting:
        """What the policy is told."""
        return Setting(len(self.environment.means), self.horizon, self.adversary.budget)

    def seat(self, runs: slice) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Fresh parts for some of the runs, and everything else the loop is given."""
        means = np.array(self.environment.means)
        state, memory = self.policy.start(self.setting()), self.adversary.start(means, self.horizon)
        parts = (self.policy, state, self.environment, self.environment.start(), self.adversary, memory)
        fresh = tuple(copied(packed(part, layout_of(part))) for part in (state, memory))
        arena = (means, means.max() - means, np.full(len(means), 1.0 / len(means)), means.copy())
        out = (self.regret[runs], self.paid[runs], self.pulls[runs], self.changed[runs])
        by_rounds = self.adversary.charge == "rounds"
        return parts, (fresh, self.dice[runs], arena, self.horizon, by_rounds, self.checkpoints, out, self.signal[runs])

    def play_interpreted(self, runs: slice) -> tuple[Any, ...]:
        """Play some runs as plain Python; answers the parts as the last run left them."""
        parts, rest = self.seat(runs)
        play.play_runs(parts, *rest)
        return parts

    def play_compiled(self, runs: slice) -> tuple[Any, ...]:
        """Play some runs compiled; the same numbers, bit for bit."""
        from robandit.lab.compile.kernel import kernel_for

        parts, rest = self.seat(runs)
        arguments = (tuple(packed(part, layout_of(part)) for part in parts), *rest)
        state_scalars, memory_scalars = kernel_for(parts, arguments)(*arguments)
        scalars_set(parts[1], layout_of(parts[1]), state_scalars)
        scalars_set(parts[5], layout_of(parts[5]), memory_scalars)
        return parts


def copied(values: tuple[Any, ...]) -> tuple[Any, ...]:
    """Packed values with arrays of their own."""
    return tuple(copied(v) if isinstance(v, tuple) else v.copy() if isinstance(v, np.ndarray) else v for v in values)


def set_table(
    policy: Policy[Any],
    environment: Environment[Any],
    adversary: Adversary[Any] | None,
    horizon: int,
    runs: int,
    seed: int,
    checkpoints: Any,
) -> Table:
    """A table for these parts, after checking what a user may have got wrong."""
    for kind, part in ((Policy, policy), (Environment, environment), (Adversary, adversary or TimedAttack())):
        if not isinstance(part, kind):
            raise InputError(f"the {kind.__name__.lower()} must be a {kind.__name__}, not {part!r}")
    for name, number, least in (("horizon", horizon, 1), ("runs", runs, 1), ("seed", seed, 0)):
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
            raise InputError(f"{name} must be a whole number of at least {least}, not {number!r}")
    grid = checkpoint_grid(checkpoints, int(horizon))
    arms = len(environment.means)
    return Table(
        policy,
        environment,
        adversary or TimedAttack(),
        int(horizon),
        grid,
        seed_words(int(seed), range(runs)),
        regret=np.zeros((runs, len(grid))),
        paid=np.zeros((runs, len(grid))),
        pulls=np.zeros((runs, arms), np.int64),
        changed=np.zeros(runs, np.int64),
        signal=np.zeros(runs, np.int64),
    )


def check_played(table: Table, runs: slice, state: Any) -> None:
    """Never a silent wrong number: an arm that does not exist, or probabilities that are none."""
    bad = table.signal[runs][table.signal[runs] < -1]
    if len(bad):
        raise PlayError(
            f"policy {table.policy} chose arm {-2 - int(bad[0])}, allowed are 0 to {table.pulls.shape[1] - 1}"
        )
    if not np.isfinite(state.chances).all() or abs(state.chances.sum() - 1.0) > 1e-6:
        raise PlayError(f"policy {table.policy} left the simplex: its chances are {state.chances}")
