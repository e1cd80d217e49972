"""A game, set up: parts checked, buffers made, ready to be played compiled or interpreted, in whole or in part."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robandit.dice import seed_words
from robandit.errors import InputError, PlayError
from robandit.game import Adversary, Environment, Floats, Policy, Setting
from robandit.lab import contexts, play
from robandit.lab.books import Booked
from robandit.lab.position import Position
from robandit.lab.scenario import Scenario, ScenarioTerms
from robandit.lab.trace import checkpoint_grid
from robandit.layout import Fresh
from robandit.state import load_state, load_values, save_state, saved

MOST_NUMBERS = 2 * 10**9  # recorded by one play: 16 GB


class Seat(NamedTuple):
    """The parts as some runs begin with them, and after the play as the last one left them; what the loop is given."""

    policy: Policy[Any]
    state: Any
    environment: Environment[Any]
    tables: Any
    adversary: Adversary[Any]
    memory: Any
    given: tuple[Any, ...]
    road: str = ""  # how the loop was compiled

    def parts(self) -> dict[str, Any]:
        """The parts by role, in the order the loop takes them."""
        return {role: part for role, part in self._asdict().items() if role not in ("given", "road")}


@dataclass
class Table:
    """One game: the parts, what is rolled, and what is written for each run."""

    policy: Policy[Any]
    environment: Environment[Any]
    adversary: Adversary[Any]
    means: Floats
    horizon: int
    until: int  # the round before which the play is left, usually the horizon
    start: Position | dict[str, Any] | None  # where the runs were left, or one saved state for all of them
    checkpoints: NDArray[np.int64]
    dice: NDArray[np.uint64]
    regret: Floats
    paid: Floats
    pulls: NDArray[np.int64]
    changed: NDArray[np.int64]
    stop: NDArray[np.int64]  # one number; anything but 0 asks all runs to end soon
    progress: NDArray[np.int64]  # rounds done
    faults: NDArray[np.int64]  # what a policy did wrong, and with which arm
    agents: int = 1  # rounds, horizon and checkpoints count those of all agents
    slots: int = 1  # ... and all items of a slate
    best: NDArray[np.int64] | None = None  # rounds in which the round's own best arm was played, where it changes

    @property
    def gaps(self) -> Floats:
        """What a pull of each arm costs; of a slate, what it lacks of the mean item of the best one."""
        gaps: Floats = best_value(self.means, self.slots, self.environment.family) - self.means
        return gaps

    @property
    def turns(self) -> int:
        """Rounds that belong together."""
        return self.agents * self.slots

    @property
    def entry(self) -> Any:
        """The loop that plays this."""
        return play.play_runs if self.best is None else contexts.play_runs

    @property
    def first(self) -> int:
        """The round the play begins or goes on with."""
        return self.start.round if isinstance(self.start, Position) else 0

    @property
    def work(self) -> int:
        """Rounds of all runs times arms: how long the play takes, roughly."""
        return (self.until - self.first) * len(self.progress) * len(self.means)

    def setting(self) -> Setting:
        """What the policy is told."""
        features = self.environment.features if self.best is None else self.blank()
        told = features, self.agents, self.slots, self.environment.family
        return Setting(len(self.means), self.horizon, self.adversary.budget, *told)

    def blank(self) -> Floats:
        """Room for the features of a round, before the first of them came."""
        return np.zeros((len(self.means), self.environment.context_size))

    def seat(self, runs: slice) -> Seat:
        """Everything the loop is given for some of the runs."""
        means, count = self.means.copy(), len(self.progress[runs])
        state, memory = self.policy.start(self.setting()), self.adversary.start(means, self.horizon)
        sums, changed, shown = np.zeros((count, 3)), np.zeros(count, np.int64), np.full(len(means), 1.0 / len(means))
        if isinstance(self.start, Position):  # one run at a time: each has a state of its own
            state = load_state(self.policy, self.setting(), self.start.states[runs.start])
            load_values(memory, self.start.memories[runs.start])
            sums, changed = self.start.sums[runs].copy(), self.start.changed[runs].copy()
            shown = self.start.shown[runs.start].copy()
        elif self.start is not None:
            state = load_state(self.policy, self.setting(), self.start)
        fresh = (Fresh(deepcopy(state)), Fresh(deepcopy(memory)))
        arena = (means, self.gaps, shown, means.copy())
        by_rounds = self.adversary.charge == "rounds"
        rules = (self.first, self.until, self.start is not None, by_rounds, self.checkpoints)
        out = (self.regret[runs], self.paid[runs], self.pulls[runs], self.changed[runs])
        control = (self.stop, self.progress[runs], self.faults[runs])
        given: tuple[Any, ...] = (fresh, self.dice[runs].copy(), arena, rules, out, (sums, changed), control)
        if self.best is not None:
            given = (
                fresh,
                self.dice[runs].copy(),
                (means, self.blank()),
                (self.until, *rules[3:]),
                (*out, self.best[runs]),
                control,
            )
        ground = self.environment
        if self.turns > 1:
            ground = Booked(self.environment, self.turns, tuple(self.gaps.tolist()))
        return Seat(self.policy, state, ground, ground.start(), self.adversary, memory, given)

    def play_interpreted(self, runs: slice) -> Seat:
        """Play some runs as plain Python."""
        seat = self.seat(runs)
        self.entry(tuple(seat.parts().values()), *seat.given)
        return seat

    def play_compiled(self, runs: slice, effort: str | None = None) -> Seat:
        """Play some runs compiled; the same numbers, bit for bit, whatever the effort of the compiler."""
        from robandit.lab.compile.kernel import effort_for, kernel_for

        seat = self.seat(runs)
        kernel = kernel_for(self.entry, seat.parts(), seat.given, effort or effort_for(self.work))
        kernel(tuple(seat.parts().values()), *seat.given)
        return seat._replace(road=kernel.road)

    def left_at(self, seats: list[Seat]) -> Position:
        """The position after plays of one run each."""
        given = [seat.given for seat in seats]
        return Position(
            self.until,
            states=tuple(save_state(self.policy, seat.state) for seat in seats),
            memories=tuple(saved(seat.memory) for seat in seats),
            dice=np.concatenate([dice for _, dice, *_ in given]),
            sums=np.concatenate([sums for *_, (sums, _), _ in given]),
            changed=np.concatenate([changed for *_, (_, changed), _ in given]),
            pulls=self.pulls.copy(),
            shown=np.array([shown for _, _, (_, _, shown, _), *_ in given]),
        )

    def check_faults(self, runs: slice) -> None:
        """Never a silent wrong number: an arm that does not exist, or probabilities that are none."""
        for code, arm in self.faults[runs]:
            if code == play.NO_SUCH_ARM:
                raise PlayError(f"policy {self.policy} chose arm {arm}, allowed are 0 to {len(self.means) - 1}")
            if code == play.NO_DISTRIBUTION:
                raise PlayError(
                    f"policy {self.policy} left the simplex: its probabilities are no distribution any more"
                )


def set_table(
    policy: Policy[Any] | str,
    environment: Environment[Any] | Sequence[float] | str,
    adversary: Adversary[Any] | None,
    horizon: float,
    runs: int,
    seed: int,
    checkpoints: Any,
    *,
    agents: int = 1,
    slate: int = 1,
) -> Table:
    """A table for these parts; see `table_of`."""
    terms: ScenarioTerms = {"horizon": horizon, "runs": runs, "seed": seed, "agents": agents, "slate": slate}
    return table_of(Scenario(policy, environment, adversary, **terms), checkpoints)


def table_of(scenario: Scenario, checkpoints: Any, until: int | None = None) -> Table:
    """Buffers for a scenario that is played from where it begins to the round `until`, or to its end."""
    first, horizon, turns = scenario.first, scenario.horizon, scenario.turns
    last = horizon if until is None else until
    if isinstance(last, bool) or not isinstance(last, int | np.integer) or not first < last <= horizon:
        raise InputError(f"until must be a whole number from {first + 1} to the horizon {horizon}, not {until!r}")
    scenario.check_parts(until is not None)
    grid, last = checkpoint_grid(checkpoints, horizon) * turns, last * turns
    grid = np.unique(np.append(grid[(grid > first) & (grid < last)], last))
    runs, arms, state = scenario.runs, scenario.arms, scenario.state
    if runs * (2 * len(grid) + arms) > MOST_NUMBERS:
        raise InputError(f"{runs:,} runs of {len(grid):,} checkpoints and {arms:,} arms do not fit into memory")
    dice, pulls = seed_words(scenario.seed, range(runs)), np.zeros((runs, arms), np.int64)
    if isinstance(state, Position):
        dice, pulls = state.dice.copy(), state.pulls.copy()
    return Table(
        scenario.policy,
        scenario.environment,
        scenario.adversary,
        scenario.means,
        scenario.rounds,
        int(last),
        state,
        grid,
        dice,
        regret=np.zeros((runs, len(grid))),
        paid=np.zeros((runs, len(grid))),
        pulls=pulls,
        changed=np.zeros(runs, np.int64),
        stop=np.zeros(1, np.int64),
        progress=np.zeros(runs, np.int64),
        faults=np.zeros((runs, 2), np.int64),
        agents=scenario.agents,
        slots=scenario.slots,
        best=np.zeros(runs, np.int64) if scenario.is_contextual else None,
    )


def best_value(means: Floats, slots: int, family: NDArray[np.int64] | None) -> float:
    """The mean of the best arm, or of an item of the best slate."""
    if slots == 1:
        return float(means.max())
    best = np.sort(means)[-slots:].sum() if family is None else means[family].sum(axis=1).max()
    return float(best) / slots
