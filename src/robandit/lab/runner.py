"""A scenario ready to be played, compiled or interpreted, in whole or in part: set-up, buffers and runner."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robandit.dice import seed_words
from robandit.errors import InputError, PlayError
from robandit.game import Floats
from robandit.lab import play
from robandit.lab.parts import PlayParts
from robandit.lab.paused import PausedPlay
from robandit.lab.scenario import Scenario
from robandit.lab.trace import Team, checkpoint_grid
from robandit.lab.turns import CountingEnvironment
from robandit.layout import Fresh
from robandit.state import load_state, load_values, save_state, save_values

MOST_NUMBERS = 2 * 10**9  # recorded by one play: 16 GB


class FreshParts(NamedTuple):
    """What each run begins with."""

    state: Fresh
    memory: Fresh


class Arena(NamedTuple):
    """What a round is played on, one entry per arm."""

    means: Floats
    gaps: Floats
    frequencies: Floats  # of trial choices, where p(t) has no closed form
    proposal: Floats  # the means an adversary wants
    features: Floats  # of the round: one row, which all arms see


class Span(NamedTuple):
    """From which round to which, and by which rules."""

    first: int
    last: int
    is_resumed: bool
    by_rounds: bool  # how the adversary is charged
    checkpoints: NDArray[np.int64]


class Record(NamedTuple):
    """What is written, one row per run."""

    regret: Floats
    paid: Floats
    best_pulls: NDArray[np.int64]
    pulls: NDArray[np.int64]
    changed: NDArray[np.int64]
    checks: NDArray[np.int64]
    sums: Floats  # regret, bill and what rounding lost of it, for a later part


class Control(NamedTuple):
    """How a play is watched and stopped from outside."""

    stop: NDArray[np.int64]
    progress: NDArray[np.int64]
    faults: NDArray[np.int64]


class LoopCall(NamedTuple):
    """One call of the loop for some runs: parts as the runs begin with them, afterwards as the last one left them."""

    parts: PlayParts
    fresh: FreshParts
    streams: NDArray[np.uint64]
    arena: Arena
    span: Span
    record: Record
    control: Control
    road: str = ""  # how the loop was compiled: linked, or by numba as one; empty where it was not

    @property
    def arguments(self) -> tuple[Any, ...]:
        """What the loop takes after the parts."""
        return self[1:-1]


@dataclass(frozen=True)
class Buffers:
    """The arrays a play writes, one row per run."""

    checkpoints: NDArray[np.int64]
    regret: Floats
    paid: Floats
    best_pulls: NDArray[np.int64]  # of the best arm; of the round's own, where it changes
    pulls: NDArray[np.int64]
    changed: NDArray[np.int64]  # rounds
    checks: NDArray[np.int64]  # rewards verified
    stop: NDArray[np.int64]  # one number; anything but 0 ends all runs soon
    progress: NDArray[np.int64]  # rounds done
    faults: NDArray[np.int64]  # what a policy did wrong, and with which arm

    @classmethod
    def of(cls, scenario: Scenario, checkpoints: NDArray[np.int64]) -> "Buffers":
        """Buffers of a scenario; raises InputError where they do not fit into memory."""
        runs, arms, marks = scenario.runs, scenario.arms, len(checkpoints)
        if runs * (3 * marks + arms) > MOST_NUMBERS:
            raise InputError(f"{runs:,} runs of {marks:,} checkpoints and {arms:,} arms do not fit into memory")
        state = scenario.state
        return cls(
            checkpoints,
            regret=np.zeros((runs, marks)),
            paid=np.zeros((runs, marks)),
            best_pulls=np.zeros((runs, marks), np.int64),
            pulls=state.pulls.copy() if isinstance(state, PausedPlay) else np.zeros((runs, arms), np.int64),
            changed=np.zeros(runs, np.int64),
            checks=np.zeros(runs, np.int64),
            stop=np.zeros(1, np.int64),
            progress=np.zeros(runs, np.int64),
            faults=np.zeros((runs, 2), np.int64),
        )

    def done(self, first: int) -> int:
        """Rounds done by all runs since the round they began with."""
        return int(np.maximum(self.progress - first, 0).sum())


@dataclass(frozen=True)
class Runner:
    """Plays a scenario up to the round `last`, some runs at a time."""

    scenario: Scenario
    last: int
    streams: NDArray[np.uint64]  # (runs, role, 4)
    buffers: Buffers

    @property
    def work(self) -> int:
        """Rounds of all runs times arms: how long the play takes, roughly."""
        return self.rounds * self.scenario.arms

    @property
    def rounds(self) -> int:
        """Rounds of all runs."""
        return (self.last - self.scenario.first) * self.scenario.runs

    def call(self, runs: slice) -> LoopCall:
        """The arguments of the loop for some of the runs."""
        scenario, buffers, start = self.scenario, self.buffers, self.scenario.state
        means, count, setting = scenario.means.copy(), len(buffers.progress[runs]), scenario.setting()
        state, memory = scenario.policy.start(setting), scenario.adversary.start(means, scenario.rounds)
        sums, frequencies = np.zeros((count, 3)), np.full(len(means), 1.0 / len(means))
        buffers.changed[runs], buffers.checks[runs] = 0, 0
        if isinstance(start, PausedPlay):  # one run at a time: each has a state of its own
            state = load_state(scenario.policy, setting, start.states[runs.start])
            load_values(memory, start.memories[runs.start])
            sums, frequencies = start.sums[runs].copy(), start.shown[runs.start].copy()
            buffers.changed[runs], buffers.checks[runs] = start.changed[runs], start.checks[runs]
        elif start is not None:
            state = load_state(scenario.policy, setting, start)
        ground = scenario.environment
        if scenario.turns > 1:
            ground = CountingEnvironment(ground, scenario.turns, tuple(scenario.gaps.tolist()))
        features = setting.features if scenario.is_contextual and setting.features is not None else np.zeros((0, 0))
        by_rounds = scenario.adversary.charge == "rounds"
        return LoopCall(
            PlayParts(scenario.policy, state, ground, ground.start(), scenario.adversary, memory),
            FreshParts(Fresh(deepcopy(state)), Fresh(deepcopy(memory))),
            self.streams[runs].copy(),
            Arena(means, scenario.gaps, frequencies, means.copy(), features),
            Span(scenario.first, self.last, start is not None, by_rounds, buffers.checkpoints),
            Record(
                buffers.regret[runs],
                buffers.paid[runs],
                buffers.best_pulls[runs],
                buffers.pulls[runs],
                buffers.changed[runs],
                buffers.checks[runs],
                sums,
            ),
            Control(buffers.stop, buffers.progress[runs], buffers.faults[runs]),
        )

    def play_interpreted(self, runs: slice) -> LoopCall:
        """Play some runs as plain Python."""
        call = self.call(runs)
        play.play_runs(call.parts, *call.arguments)
        return call

    def play_compiled(self, runs: slice, effort: str | None = None) -> LoopCall:
        """Play some runs compiled; the same numbers, bit for bit, whatever the effort of the compiler."""
        from robandit.lab.compile.kernel import effort_for, kernel_for

        call = self.call(runs)
        kernel = kernel_for(play.play_runs, call.parts, call.arguments, effort or effort_for(self.work))
        kernel(call.parts, *call.arguments)
        return call._replace(road=kernel.road)

    def pause(self, calls: list[LoopCall]) -> PausedPlay:
        """Where the play was left, after calls of one run each."""
        return PausedPlay(
            self.last,
            states=tuple(save_state(self.scenario.policy, call.parts.state) for call in calls),
            memories=tuple(save_values(call.parts.memory) for call in calls),
            dice=np.concatenate([call.streams for call in calls]),
            sums=np.concatenate([call.record.sums for call in calls]),
            changed=self.buffers.changed.copy(),
            checks=self.buffers.checks.copy(),
            pulls=self.buffers.pulls.copy(),
            shown=np.array([call.arena.frequencies for call in calls]),
        )

    def team(self, calls: list[LoopCall]) -> Team:
        """What the agents did, from the counts of each run and the state it ended in."""
        policy = self.scenario.policy
        return Team(
            np.array([call.parts.tables.pulls for call in calls]),
            np.array([policy.messages(call.parts.state, self.scenario.rounds) for call in calls]),
            policy.message_size(self.scenario.arms),
        )

    def alarms(self, calls: list[LoopCall]) -> NDArray[np.int64]:
        """The round in which the monitor of each run rang, from the state it ended in; 0 where none did."""
        return np.array([call.parts.state.alarm for call in calls])

    def best_rounds(self, calls: list[LoopCall]) -> NDArray[np.int64] | None:
        """Rounds with a best slate or the round's own best arm, by run; None where the best arms' pulls say it."""
        if self.scenario.slots > 1:
            return np.array([call.parts.tables.counts[1] for call in calls])
        return self.buffers.best_pulls[:, -1].copy() if self.scenario.has_best_by_round else None

    def check_faults(self, runs: slice) -> None:
        """Raise PlayError for an arm that does not exist or for p(t) that is none: never a silent wrong number."""
        policy, arms = self.scenario.policy, self.scenario.arms
        for code, arm in self.buffers.faults[runs]:
            if code == play.NO_SUCH_ARM:
                raise PlayError(f"policy {policy} chose arm {arm}, allowed are 0 to {arms - 1}")
            if code == play.NO_DISTRIBUTION:
                raise PlayError(f"policy {policy} left the simplex: its probabilities are no distribution any more")


def prepare(scenario: Scenario, checkpoints: Any = 200, until: int | None = None) -> Runner:
    """A runner for a scenario from where it begins to the round `until`, or to its end.

    Raises:
        InputError: if the checkpoints or `until` do not fit.
    """
    first, horizon, turns = scenario.first, scenario.horizon, scenario.turns
    last = horizon if until is None else until
    if isinstance(last, bool) or not isinstance(last, int | np.integer) or not first < last <= horizon:
        raise InputError(f"until must be a whole number from {first + 1} to the horizon {horizon}, not {until!r}")
    scenario.check_parts(until is not None)
    grid, last = checkpoint_grid(checkpoints, horizon) * turns, int(last * turns)
    grid = np.unique(np.append(grid[(grid > first) & (grid < last)], last))
    buffers, start = Buffers.of(scenario, grid), scenario.state  # refuses what does not fit into memory
    streams = start.dice if isinstance(start, PausedPlay) else seed_words(scenario.seed, range(scenario.runs))
    return Runner(scenario, last, streams, buffers)
