"""A game, set up: parts checked, buffers made, ready to be played compiled or interpreted."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.adversaries.nobody import Nobody
from robandit.dice import seed_words
from robandit.environments.means import checked_means
from robandit.errors import InputError, PlayError
from robandit.game import Adversary, Environment, Floats, Policy, Setting
from robandit.lab import play
from robandit.lab.trace import checkpoint_grid
from robandit.layout import layout_of, packed, scalars_set

LIMITS = {"horizon": (1, 10**15), "runs": (1, 10**8), "seed": (0, 2**128)}
MOST_NUMBERS = 2 * 10**9  # recorded by one play: 16 GB


@dataclass
class Table:
    """One game: the parts, what is rolled, and what is written for each run."""

    policy: Policy[Any]
    environment: Environment[Any]
    adversary: Adversary[Any]
    means: Floats
    horizon: int
    checkpoints: NDArray[np.int64]
    dice: NDArray[np.uint64]
    regret: Floats
    paid: Floats
    pulls: NDArray[np.int64]
    changed: NDArray[np.int64]
    stop: NDArray[np.int64]  # one number; anything but 0 asks all runs to end at their next checkpoint
    progress: NDArray[np.int64]  # rounds done
    faults: NDArray[np.int64]  # what a policy did wrong, and with which arm

    @property
    def gaps(self) -> Floats:
        """What a pull of each arm costs."""
        gaps: Floats = self.means.max() - self.means
        return gaps

    def setting(self) -> Setting:
        """What the policy is told."""
        return Setting(len(self.means), self.horizon, self.adversary.budget)

    def seat(self, runs: slice) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
        """Fresh parts for some of the runs, and everything else the loop is given."""
        means = self.means.copy()
        state, memory = self.policy.start(self.setting()), self.adversary.start(means, self.horizon)
        parts = (self.policy, state, self.environment, self.environment.start(), self.adversary, memory)
        fresh = tuple(copied(packed(part, layout_of(part))) for part in (state, memory))
        arena = (means, self.gaps, np.full(len(means), 1.0 / len(means)), means.copy())
        rules = (self.horizon, self.adversary.charge == "rounds", self.checkpoints)
        out = (self.regret[runs], self.paid[runs], self.pulls[runs], self.changed[runs])
        return parts, (fresh, self.dice[runs], arena, rules, out, (self.stop, self.progress[runs], self.faults[runs]))

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

    def check_faults(self, runs: slice) -> None:
        """Never a silent wrong number: an arm that does not exist, or probabilities that are none."""
        for code, arm in self.faults[runs]:
            if code == play.NO_SUCH_ARM:
                raise PlayError(f"policy {self.policy} chose arm {arm}, allowed are 0 to {len(self.means) - 1}")
            if code == play.NO_DISTRIBUTION:
                raise PlayError(f"policy {self.policy} left the simplex: its chances are no distribution any more")


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
    against = Nobody() if adversary is None else adversary
    for kind, part in ((Policy, policy), (Environment, environment), (Adversary, against)):
        if not isinstance(part, kind):
            raise InputError(f"the {kind.__name__.lower()} must be a {kind.__name__}, not {part!r}")
    for name, number in (("horizon", horizon), ("runs", runs), ("seed", seed)):
        least, most = LIMITS[name]
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < least:
            raise InputError(f"{name} must be a whole number of at least {least}, not {number!r}")
        if number > most:
            raise InputError(f"{name} must be at most {most:,}, not {number:,}")
    check_threat(against)
    means = np.array(checked_means(getattr(environment, "means", ())))
    grid = checkpoint_grid(checkpoints, int(horizon))
    if runs * (2 * len(grid) + len(means)) > MOST_NUMBERS:
        raise InputError(f"{runs:,} runs of {len(grid):,} checkpoints and {len(means):,} arms do not fit into memory")
    return Table(
        policy,
        environment,
        against,
        means,
        int(horizon),
        grid,
        seed_words(int(seed), range(runs)),
        regret=np.zeros((runs, len(grid))),
        paid=np.zeros((runs, len(grid))),
        pulls=np.zeros((runs, len(means)), np.int64),
        changed=np.zeros(runs, np.int64),
        stop=np.zeros(1, np.int64),
        progress=np.zeros(runs, np.int64),
        faults=np.zeros((runs, 2), np.int64),
    )


def check_threat(adversary: Adversary[Any]) -> None:
    """Refuse an adversary whose threat model and methods do not agree: it would attack nothing."""
    kind = type(adversary)
    moves_means = kind.tamper_means is not Adversary.tamper_means
    moves_reward = kind.tamper_reward is not Adversary.tamper_reward
    if moves_means == moves_reward:
        raise InputError(
            f"adversary {adversary.name} must define tamper_means (threat model A) "
            "or tamper_reward (threat model B), one of the two"
        )
