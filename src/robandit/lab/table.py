"""A game, set up: parts checked, buffers made, ready to be played compiled or interpreted, in whole or in part."""

from copy import deepcopy
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robandit.adversaries.nobody import Nobody
from robandit.dice import seed_words
from robandit.environments.means import checked_means
from robandit.errors import InputError, PlayError, whole
from robandit.game import Adversary, Environment, Floats, Policy, Setting
from robandit.lab import contexts, play
from robandit.lab.books import Booked
from robandit.lab.position import Position, check_position
from robandit.lab.trace import checkpoint_grid
from robandit.layout import Fresh
from robandit.state import load_state, load_values, save_state, saved

MEANT = {
    "policy": "a Policy or its text, such as 'samba:learning_rate=0.1'",
    "environment": "an Environment or a list of means, such as rb.Bernoulli([0.1, 0.9])",
    "adversary": "an Adversary, such as rb.attack('flip', budget=300), or None",
}
LIMITS = {"horizon": (1, 10**15), "runs": (1, 10**8), "seed": (0, 2**128), "agents": (1, 10_000), "slate": (1, 10_000)}
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
    policy: Policy[Any],
    environment: Environment[Any],
    adversary: Adversary[Any] | None,
    horizon: float,
    runs: int,
    seed: int,
    checkpoints: Any,
    *,
    until: int | None = None,
    state: Position | dict[str, Any] | None = None,
    agents: int = 1,
    slate: int = 1,
) -> Table:
    """A table for these parts, after checking what a user may have got wrong; the horizon is an agent's, in slates."""
    against = Nobody() if adversary is None else adversary
    for kind, part in ((Policy, policy), (Environment, environment), (Adversary, against)):
        if not isinstance(part, kind):
            name = kind.__name__.lower()
            raise InputError(f"the {name} must be {MEANT[name]}, not {part!r}")
    given = {"horizon": horizon, "runs": runs, "seed": seed, "agents": agents, "slate": slate}
    horizon, runs, seed, agents, slate = (whole(name, value, *LIMITS[name]) for name, value in given.items())
    check_threat(against)
    means = np.array(checked_means(getattr(environment, "means", ())))
    if isinstance(state, Position):
        check_position(state, runs, len(means), horizon)
    first = state.round if isinstance(state, Position) else 0
    last = horizon if until is None else until
    if isinstance(last, bool) or not isinstance(last, int | np.integer) or not first < last <= horizon:
        raise InputError(f"until must be a whole number from {first + 1} to the horizon {horizon}, not {until!r}")
    slots = slots_of(policy, environment, slate, agents)
    turns = agents * slots
    if environment.context_size:
        check_contexts(policy, against, turns, until is not None or state is not None)
    grid = checkpoint_grid(checkpoints, horizon) * turns
    horizon, last = horizon * turns, last * turns
    grid = np.unique(np.append(grid[(grid > first) & (grid < last)], last))
    if runs * (2 * len(grid) + len(means)) > MOST_NUMBERS:
        raise InputError(f"{runs:,} runs of {len(grid):,} checkpoints and {len(means):,} arms do not fit into memory")
    dice, pulls = seed_words(seed, range(runs)), np.zeros((runs, len(means)), np.int64)
    if isinstance(state, Position):
        dice, pulls = state.dice.copy(), state.pulls.copy()
    return Table(
        policy,
        environment,
        against,
        means,
        horizon,
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
        agents=int(agents),
        slots=slots,
        best=np.zeros(runs, np.int64) if environment.context_size else None,
    )


def check_contexts(policy: Policy[Any], adversary: Adversary[Any], turns: int, in_parts: bool) -> None:
    """Refuse what cannot be played where every round has a context of its own."""
    if policy.plays != "arms" and not policy.looks:
        raise InputError(
            f"{policy.name} needs a game that stays the same, and here a context comes in each round: take linucb, "
            "cw-oful, linear-thompson or linear-softmax, or a policy for arms, which ignores it"
        )
    if turns > 1 or in_parts:
        raise InputError("contexts are played by one agent, one arm at a time, in one piece: leave out the rest")
    if not adversary.sees_draw and type(adversary) is not Nobody:
        raise InputError(
            "this attack is of threat model A, which moves the means before the draw; where contexts come, attackers "
            "see the draw (threat model B), such as sink-best, sink-shown or promote"
        )


def slots_of(policy: Policy[Any], environment: Environment[Any], slate: int, agents: int) -> int:
    """How many items are shown at once; refuses a policy that was made for another number."""
    family, arms = environment.family, len(environment.means)
    slots = slate if family is None else family.shape[1]
    if slate not in (1, slots):
        raise InputError(f"slate must be {slots} with this environment, which lists its slates, not {slate}")
    if slots > arms:
        raise InputError(f"slate must be at most the number of arms, {arms}, not {slots}")
    if slots == 1:
        return 1
    if policy.plays != "slates":
        made = "slate-samba, bar, comb-ucb1 or slate-thompson" if family is None else "listed-samba or comb-ucb1"
        raise InputError(f"{policy.name} shows one arm at a time and cannot fill a slate of {slots}: take {made}")
    if agents > 1:
        raise InputError(f"slates are shown by one agent: give a slate of {slots} or {agents} agents, not both")
    takes = getattr(policy, "takes", "sets")
    if takes not in ("both", "sets" if family is None else "lists"):
        shown = f"any {slots} items" if family is None else "only the slates it lists"
        raise InputError(f"{policy.name} is for {takes} of items, and here {shown} may be shown together")
    return slots


def best_value(means: Floats, slots: int, family: NDArray[np.int64] | None) -> float:
    """The mean of the best arm, or of an item of the best slate."""
    if slots == 1:
        return float(means.max())
    best = np.sort(means)[-slots:].sum() if family is None else means[family].sum(axis=1).max()
    return float(best) / slots


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
