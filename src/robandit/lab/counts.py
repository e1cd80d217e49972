"""Phased policies by counts: the same law as the round loop, at a cost that hardly depends on the horizon.

Inside an epoch a phased policy draws independently from fixed probabilities, and while the means
stand still the rewards of an entry are independent draws. So a stretch of n such rounds is one
multinomial draw of the counts and one binomial draw of the successes for each entry. Stretches
end where an epoch, a checkpoint or a change of the adversary does. Bernoulli rewards only.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from robandit.adversaries.nobody import Nobody
from robandit.adversaries.scheduled import ScheduledAttack
from robandit.dice import Random
from robandit.environments.bernoulli import Bernoulli
from robandit.game import Floats
from robandit.lab.play import best_pulls
from robandit.lab.runner import Runner
from robandit.lab.scenario import Scenario
from robandit.policies.phased import Epoch, Phased
from robandit.schedule import Schedule

ABOVE = 10_000_000  # "auto" takes counts beyond this horizon
STRETCHES = 100_000  # and only if the adversary's changes are no more than this


def why_not_counts(scenario: Scenario) -> str:
    """The reason a play cannot go by counts, empty if it can."""
    policy, environment, adversary = scenario.policy, scenario.environment, scenario.adversary
    if not isinstance(policy, Phased) or not policy.by_counts or changed(policy, Phased, "choose", "learn"):
        return f"{policy} is not made of epochs with fixed probabilities"
    if not isinstance(environment, Bernoulli) or changed(environment, Bernoulli, "reward"):
        return f"rewards must be bernoulli, not {environment.name}"
    if type(adversary) is Nobody:
        return ""
    if (
        not isinstance(adversary, ScheduledAttack)
        or changed(adversary, ScheduledAttack, "start", "tamper_means")
        or changed(adversary.schedule, Schedule, "start", "strikes")
    ):
        return "the adversary must strike on a fixed schedule"
    if adversary.budget > 0:
        means = np.array(environment.means)
        aim = adversary.start(means, scenario.rounds)
        if aim.when.chosen < aim.when.slots:
            return "the schedule must not be random"
        if aim.when.step > 1 and min(aim.when.slots, adversary.strikes_paid(aim.target, means)) > STRETCHES:
            return f"the schedule must not change the means more than {STRETCHES:,} times"
    return ""


def changed(part: Any, base: type, *methods: str) -> bool:
    """Whether a part overrides what counting takes for granted."""
    return any(getattr(type(part), name) is not getattr(base, name) for name in methods)


def strikes(adversary: ScheduledAttack, means: Floats, horizon: int) -> Iterator[tuple[int, int, float, float]]:
    """The corrupted stretches in order: first round, stop, how far the means go towards the target, cost per round."""
    aim = adversary.start(means, horizon)
    target, timing = aim.target, aim.when
    cost = float(np.abs(target - means).max())
    left = adversary.strikes_paid(target, means)
    whole, rest = (horizon, 0.0) if math.isinf(left) else (int(left), left - int(left))
    slots = range(timing.first, min(timing.stop, horizon), timing.step)
    if cost == 0.0:
        return
    if timing.step == 1:
        if whole and len(slots):
            yield slots[0], slots[0] + min(whole, len(slots)), 1.0, cost
    else:
        for slot in slots[:whole]:
            yield slot, slot + 1, 1.0, cost
    if rest > 1e-12 and whole < len(slots):
        yield slots[whole], slots[whole] + 1, rest, rest * cost


def play_counts(runner: Runner, run: int) -> Epoch:
    """One replication by counts, written into row `run` of the buffers."""
    scenario, buffers, streams = runner.scenario, runner.buffers, runner.streams[run]
    policy, adversary, horizon = scenario.policy, scenario.adversary, scenario.rounds
    assert isinstance(policy, Phased)
    means, gaps = scenario.means, scenario.gaps
    target = means
    coming: Iterator[tuple[int, int, float, float]] = iter(())
    if isinstance(adversary, ScheduledAttack) and adversary.budget > 0:
        target, coming = adversary.start(means, horizon).target, strikes(adversary, means, horizon)
    random = np.random.Generator(np.random.PCG64(streams.reshape(-1).tolist()))
    state: Epoch = policy.start(scenario.setting())
    policy.begin(state, Random(*map(int, streams[1])))
    regret = paid = 0.0
    now = 0
    strike = next(coming, None)
    for record, checkpoint in enumerate(buffers.checkpoints):
        while now < checkpoint:
            struck = strike is not None and strike[0] <= now
            change = horizon if strike is None else strike[1] if struck else strike[0]
            stop = int(min(checkpoint, now + state.left, change))
            truth = means
            if struck and strike is not None:
                truth = means + strike[2] * (target - means)
                paid += (stop - now) * strike[3]
                buffers.changed[run] += stop - now
            counts = play_stretch(policy, state, stop - now, truth, random)
            buffers.pulls[run] += counts
            regret += float(gaps @ counts)
            now = stop
            if struck and strike is not None and now == strike[1]:
                strike = next(coming, None)
        buffers.regret[run, record], buffers.paid[run, record] = regret, min(paid, adversary.budget)
        buffers.best_pulls[run, record] = best_pulls(means, buffers.pulls[run])
        buffers.progress[run] = now
        if buffers.stop[0] != 0:
            return state
    return state


def play_stretch(policy: Phased[Any], state: Epoch, rounds: int, means: Floats, random: np.random.Generator) -> Any:
    """Some rounds of one epoch under fixed means; returns the pulls of each arm."""
    drawn = random.multinomial(rounds, state.entries)
    state.drawn += drawn
    state.sums += random.binomial(drawn, means[state.arms])
    counts = np.bincount(state.arms, weights=drawn, minlength=len(means)).astype(np.int64)
    state.left -= rounds
    if state.left == 0:
        policy.close_epoch(state)
    return counts
