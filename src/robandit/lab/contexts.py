"""The third loop: in each round a context comes, a policy looks at it, and regret is against the round's own best arm.

The text runs interpreted as it stands; seams and helpers are those of play.py. Attackers see the draw (threat model B);
the means they are shown are the round's.
"""

from typing import Any

from robandit.lab.play import (
    LISTEN,
    NO_DISTRIBUTION,
    NO_SUCH_ARM,
    add_exactly,
    affordable,
    clipped,
    is_distribution,
    open_part,
    open_random,
    restore_part,
    what_is_left,
)
from robandit.layout import layout_of, scalars_of

DUST = 1e-12  # a gap that only rounding left


def close_part(part: Any) -> Any:
    """The scalars of a state or memory, for the caller outside."""
    return scalars_of(part, layout_of(part))


open_policy = open_state = open_environment = open_tables = open_adversary = open_memory = open_part
restore_state = restore_memory = restore_part
close_state = close_memory = close_part


def play_runs(parts: Any, fresh: Any, dice: Any, arena: Any, rules: Any, out: Any, control: Any) -> Any:
    """Play one replication after another, each from a fresh state with dice of its own."""
    policy, environment, adversary = open_policy(parts[0]), open_environment(parts[2]), open_adversary(parts[4])
    state, tables, memory = open_state(parts[1]), open_tables(parts[3]), open_memory(parts[5])
    stop = control[0]
    for run in range(len(dice)):
        if stop[0] != 0:
            break
        restore_state(state, fresh[0])
        restore_memory(memory, fresh[1])
        play(policy, state, environment, tables, adversary, memory, dice[run], arena, rules, out, control, run)
    return close_state(state), close_memory(memory)


def play(
    policy: Any,
    state: Any,
    environment: Any,
    tables: Any,
    adversary: Any,
    memory: Any,
    dice: Any,
    arena: Any,
    rules: Any,
    out: Any,
    control: Any,
    run: int,
) -> None:
    """One replication, written into row `run` of `out`."""
    means, features = arena
    last, by_rounds, checkpoints = rules
    regret_at, paid_at, pulls, changed_rounds, best_rounds = out
    stop, progress, faults = control
    environment_random = open_random((dice[0, 0], dice[0, 1], dice[0, 2], dice[0, 3]))
    policy_random = open_random((dice[1, 0], dice[1, 1], dice[1, 2], dice[1, 3]))
    adversary_random = open_random((dice[2, 0], dice[2, 1], dice[2, 2], dice[2, 3]))
    policy.begin(state, policy_random)
    regret, paid, lost, changed, hits = 0.0, 0.0, 0.0, 0, 0
    left = what_is_left(adversary.budget, paid, changed, by_rounds)
    checkpoint, record = checkpoints[0], 0
    pause = min(checkpoint, LISTEN)
    for t in range(last):
        uniform = environment.context(tables, environment_random.uniform(), features, means)
        policy.look(state, features)
        choice = policy.choose(state, policy_random)
        arm = choice.arm
        if arm < 0 or arm >= len(means):
            faults[run, 0], faults[run, 1] = NO_SUCH_ARM, arm
            return
        reward = environment.reward(tables, arm, means[arm], uniform)
        if adversary.sees_draw and left > 0.0:
            wanted = clipped(adversary.tamper_reward(memory, t, means, arm, reward, adversary_random), reward)
            wanted, cost = affordable(reward, wanted, left, by_rounds)
            if cost > 0.0:
                reward = wanted
                changed += 1
                paid, lost = add_exactly(paid, lost, cost)
                left = what_is_left(adversary.budget, paid, changed, by_rounds)
        policy.learn(state, choice, reward, policy_random)
        gap = largest(means) - means[arm]
        regret += gap
        hits += 1 if gap <= DUST else 0
        pulls[run, arm] += 1
        if t + 1 == pause:
            if pause == checkpoint:
                regret_at[run, record], paid_at[run, record] = regret, min(paid, adversary.budget)
                record += 1
                checkpoint = checkpoints[min(record, len(checkpoints) - 1)]
            pause = min(checkpoint, pause + LISTEN)
            progress[run] = t + 1
            if not is_distribution(state.probabilities):
                faults[run, 0] = NO_DISTRIBUTION
                return
            if stop[0] != 0:
                return
    changed_rounds[run], best_rounds[run] = changed, hits


def largest(means: Any) -> float:
    """The mean of the round's best arm."""
    best: float = means[0]
    for arm in range(1, len(means)):
        best = max(best, means[arm])
    return best
