"""The round loop: one play of a policy against an environment and an adversary, many replications in a row.

The text runs interpreted as it stands. The lab also compiles it for each combination of parts; the
functions named `open_...`, `restore_...` and `close_...` are the seams where the compiler steps in.
Regret is measured here, from the true means; the adversary proposes, and this loop clips and charges.
"""

from typing import Any

from robandit.dice import Random
from robandit.layout import layout_of, restored, scalars_of

TRIALS = 64  # an implicit policy shows a watching adversary the frequencies of this many trial choices
REFRESH = 16  # ... thrown anew every so many rounds
LISTEN = 4096  # rounds after which a play looks whether it shall stop, far less than a second
NO_SUCH_ARM, NO_DISTRIBUTION = 1, 2  # faults of a policy


def open_part(part: Any) -> Any:
    """Interpreted, a part is its own opened self."""
    return part


def open_random(words: Any) -> Random:
    """Four seed words as a stream."""
    return Random(int(words[0]), int(words[1]), int(words[2]), int(words[3]))


def restore_part(part: Any, fresh: Any) -> None:
    """Put a state or memory back to what it was before round one."""
    restored(part, layout_of(part), fresh.value)


def close_part(part: Any) -> Any:
    """The scalars of a state or memory, for the caller outside."""
    return scalars_of(part, layout_of(part))


open_policy = open_state = open_environment = open_tables = open_adversary = open_memory = open_part
restore_state = restore_memory = restore_part
close_state = close_memory = close_part


def play_runs(parts: Any, fresh: Any, dice: Any, arena: Any, rules: Any, out: Any, carried: Any, control: Any) -> Any:
    """Play one replication after another, each from a fresh state, or the one it was left in, with dice of its own."""
    policy, environment, adversary = open_policy(parts[0]), open_environment(parts[2]), open_adversary(parts[4])
    state, tables, memory = open_state(parts[1]), open_tables(parts[3]), open_memory(parts[5])
    stop = control[0]
    for run in range(len(dice)):
        if stop[0] != 0:
            break
        restore_state(state, fresh[0])
        restore_memory(memory, fresh[1])
        play(policy, state, environment, tables, adversary, memory, dice[run], arena, rules, out, carried, control, run)
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
    carried: Any,
    control: Any,
    run: int,
) -> None:
    """One replication, written into row `run` of `out`; `carried` and `dice` keep what its later part needs."""
    means, gaps, shown, proposal = arena
    first, last, begun, by_rounds, checkpoints = rules
    regret_at, paid_at, pulls, changed_rounds = out
    sums, counts = carried
    stop, progress, faults = control
    environment_random = open_random((dice[0, 0], dice[0, 1], dice[0, 2], dice[0, 3]))
    policy_random = open_random((dice[1, 0], dice[1, 1], dice[1, 2], dice[1, 3]))
    adversary_random = open_random((dice[2, 0], dice[2, 1], dice[2, 2], dice[2, 3]))
    if not begun:
        policy.begin(state, policy_random)
    copy_means(means, proposal)
    regret, paid, lost, changed = sums[run, 0], sums[run, 1], sums[run, 2], counts[run]
    left = what_is_left(adversary.budget, paid, changed, by_rounds)
    checkpoint, record = checkpoints[0], 0
    pause = min(checkpoint, first + LISTEN)
    for t in range(first, last):
        tampered = False
        if left > 0.0 and not adversary.sees_draw:
            probabilities = state.probabilities
            if adversary.watches and not policy.explicit:
                probabilities = shown
                if t % REFRESH == 0:
                    show_frequencies(policy, state, adversary_random, shown)
            if adversary.tamper_means(memory, t, probabilities, means, proposal, adversary_random):
                cost = clip_to_budget(means, proposal, left, by_rounds)
                tampered = cost > 0.0
                if tampered:
                    changed += 1
                    paid, lost = add_exactly(paid, lost, cost)
                    left = what_is_left(adversary.budget, paid, changed, by_rounds)
        choice = policy.choose(state, policy_random)
        arm = choice.arm
        if arm < 0 or arm >= len(means):
            faults[run, 0], faults[run, 1] = NO_SUCH_ARM, arm
            return
        mean = means[arm]
        if tampered:
            mean = proposal[arm]
            copy_means(means, proposal)
        reward = environment.reward(tables, arm, mean, environment_random.uniform())
        if adversary.sees_draw and left > 0.0:
            wanted = clipped(adversary.tamper_reward(memory, t, means, arm, reward, adversary_random), reward)
            wanted, cost = affordable(reward, wanted, left, by_rounds)
            if cost > 0.0:
                reward = wanted
                changed += 1
                paid, lost = add_exactly(paid, lost, cost)
                left = what_is_left(adversary.budget, paid, changed, by_rounds)
        policy.learn(state, choice, reward, policy_random)
        regret += gaps[arm]
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
    changed_rounds[run] = counts[run] = changed
    sums[run, 0], sums[run, 1], sums[run, 2] = regret, paid, lost
    keep(environment_random, dice[0])
    keep(policy_random, dice[1])
    keep(adversary_random, dice[2])


def keep(random: Any, words: Any) -> None:
    """Write down where a stream has got to."""
    words[0], words[1], words[2], words[3] = random.s0, random.s1, random.s2, random.s3


def copy_means(means: Any, proposal: Any) -> None:
    """A proposal starts from the true means, whatever was proposed before."""
    for arm in range(len(means)):
        proposal[arm] = means[arm]


def clipped(value: float, fallback: float) -> float:
    """A number in [0, 1]; what is none becomes the fallback, so that nonsense changes nothing."""
    if value < 0.0:
        return 0.0
    if value > 1.0:
        return 1.0
    return value if value == value else fallback


def clip_to_budget(means: Any, proposal: Any, left: float, by_rounds: bool) -> float:
    """Clip the proposed means to [0, 1], shorten the step to what is left, and answer its cost."""
    cost = 0.0
    for arm in range(len(means)):
        proposal[arm] = clipped(proposal[arm], means[arm])
        cost = max(cost, abs(proposal[arm] - means[arm]))
    if by_rounds or cost <= left:
        return cost
    for arm in range(len(means)):
        proposal[arm] = means[arm] + (proposal[arm] - means[arm]) * (left / cost)
    return left


def affordable(reward: float, wanted: float, left: float, by_rounds: bool) -> tuple[float, float]:
    """What a reward becomes with what is left, and what that costs."""
    cost = abs(wanted - reward)
    if not by_rounds and cost > left:
        return reward + (wanted - reward) * (left / cost), left
    return wanted, cost


def add_exactly(total: float, lost: float, amount: float) -> tuple[float, float]:
    """Kahan's sum: a bill of many equal items must come out even."""
    amount -= lost
    after = total + amount
    return after, (after - total) - amount


def what_is_left(budget: float, paid: float, changed: int, by_rounds: bool) -> float:
    """The rest of the budget; dust that only rounding left there is nothing."""
    left = budget - changed if by_rounds else budget - paid
    return left if left > 1e-12 * paid else 0.0


def show_frequencies(policy: Any, state: Any, random: Any, shown: Any) -> None:
    """How often each arm comes in trial choices, thrown with the adversary's dice: watching changes nothing."""
    for arm in range(len(shown)):
        shown[arm] = 0.0
    for _ in range(TRIALS):
        arm = policy.choose(state, random).arm
        if 0 <= arm < len(shown):  # an arm that does not exist is caught when it is played
            shown[arm] += 1.0 / TRIALS


def is_distribution(probabilities: Any) -> bool:
    """Whether p(t) still is one; a number that is none fails every comparison."""
    total = 0.0
    for arm in range(len(probabilities)):
        if not probabilities[arm] >= -1e-12:
            return False
        total += probabilities[arm]
    return abs(total - 1.0) <= 1e-6
