"""The round loop: plays of a policy against an environment and an adversary, one replication after another.

The text runs interpreted as it stands. The lab also compiles it for each combination of parts (compile/kernel.py); the
functions of seams.py are where the compiler steps in. Regret is measured here, from the true means; the adversary
proposes, and its bill (bill.py) clips and charges. Arguments are the named tuples of runner.py.

Where a context comes in each round, the policy sees it before it chooses. There, and where the means change by
themselves, regret is against the round's best arm.

A policy may ask for the reward of a choice to be verified. It then gets the true one whatever the adversary did, and a
check is counted. An adversary that sees the draw pays nothing for such a round, as if it knew; one that moved the means
before has paid.
"""

from typing import Any

from robandit.lab.parts import PlayParts
from robandit.lab.seams import (
    close_memory,
    close_state,
    open_adversary,
    open_bill,
    open_environment,
    open_memory,
    open_policy,
    open_random,
    open_state,
    open_tables,
    restore_memory,
    restore_state,
)

TRIALS = 64  # an implicit policy shows a watching adversary the frequencies of this many trial choices
REFRESH = 16  # ... drawn anew every so many rounds
LISTEN = 4096  # rounds after which a play looks whether it shall stop, far less than a second
NO_SUCH_ARM, NO_DISTRIBUTION = 1, 2  # faults of a policy
DUST = 1e-12  # a gap that only rounding left


def play_runs(parts: Any, fresh: Any, streams: Any, arena: Any, span: Any, record: Any, control: Any) -> Any:
    """Play one replication after another, each from a fresh state, or the one it was left in, on its own streams."""
    policy, environment, adversary = (
        open_policy(parts.policy),
        open_environment(parts.environment),
        open_adversary(parts.adversary),
    )
    state, tables, memory = open_state(parts.state), open_tables(parts.tables), open_memory(parts.memory)
    opened = PlayParts(policy, state, environment, tables, adversary, memory)
    for run in range(len(streams)):
        if control.stop[0] != 0:
            break
        restore_state(state, fresh.state)
        restore_memory(memory, fresh.memory)
        play(opened, streams[run], arena, span, record, control, run)
    return close_state(state), close_memory(memory)


def play(parts: Any, streams: Any, arena: Any, span: Any, record: Any, control: Any, run: int) -> None:
    """One replication, written into row `run` of the record; its `sums` and `streams` keep what a later part needs."""
    policy, environment, adversary = parts.policy, parts.environment, parts.adversary
    state, tables, memory = parts.state, parts.tables, parts.memory
    means, gaps, proposal, checkpoints = arena.means, arena.gaps, arena.proposal, span.checkpoints
    pulls, sums, progress, faults = record.pulls, record.sums, control.progress, control.faults
    environment_random = open_random(words_of(streams[0]))
    policy_random = open_random(words_of(streams[1]))
    adversary_random = open_random(words_of(streams[2]))
    bill = open_bill((adversary.budget, span.by_rounds, sums[run, 1], sums[run, 2], record.changed[run], 0.0))
    bill.balance()
    if not span.is_resumed:
        policy.begin(state, policy_random)
    copy_means(means, proposal)
    regret, hits, checks = sums[run, 0], 0, record.checks[run]
    checkpoint, place = checkpoints[0], 0
    pause = min(checkpoint, span.first + LISTEN)
    for t in range(span.first, span.last):
        uniform = 0.0
        if environment.changes:
            environment.change(tables, t, means, environment_random)
            copy_means(means, proposal)
        if environment.is_contextual:
            uniform = environment.context(tables, environment_random.uniform(), arena.features, means)
            policy.look(state, arena.features)
        policy.refresh(state)
        tampered = False
        if bill.left > 0.0 and not adversary.sees_draw:
            probabilities = state.probabilities
            if adversary.watches and not policy.explicit:
                probabilities = arena.frequencies
                if t % REFRESH == 0:
                    try_choices(policy, state, adversary_random, arena.frequencies)
            if adversary.tamper_means(memory, t, probabilities, means, proposal, adversary_random):
                tampered = bill.move_means(means, proposal)
        choice = policy.choose(state, policy_random)
        arm = choice.arm
        if arm < 0 or arm >= len(means):
            faults[run, 0], faults[run, 1] = NO_SUCH_ARM, arm
            return
        is_checked = policy.asks and policy.wants_check(state, choice)
        mean = means[arm]
        if tampered:
            mean = mean if is_checked else proposal[arm]
            copy_means(means, proposal)
        if not environment.is_contextual:
            uniform = environment_random.uniform()
        reward = environment.reward(tables, arm, mean, uniform)
        if adversary.sees_draw and bill.left > 0.0:
            wanted = adversary.tamper_reward(memory, t, means, arm, reward, adversary_random)
            if not is_checked:
                reward = bill.move_reward(reward, wanted)
        if is_checked:
            checks += 1
            policy.learn_verified(state, choice, reward, policy_random)
        else:
            policy.learn(state, choice, reward, policy_random)
        gap = gaps[arm]
        if environment.is_contextual or environment.changes:
            gap = largest(means) - means[arm]
            hits += 1 if gap <= DUST else 0
        regret += gap
        pulls[run, arm] += 1
        if t + 1 == pause:
            if pause == checkpoint:
                is_own = environment.is_contextual or environment.changes  # the best arm is that of the round
                best = hits if is_own else best_pulls(means, pulls[run])
                record.regret[run, place], record.paid[run, place] = regret, bill.total()
                record.best_pulls[run, place] = best
                place += 1
                checkpoint = checkpoints[min(place, len(checkpoints) - 1)]
            pause = min(checkpoint, pause + LISTEN)
            progress[run] = t + 1
            if not is_distribution(state.probabilities):
                faults[run, 0] = NO_DISTRIBUTION
                return
            if control.stop[0] != 0:
                return
    record.changed[run], record.checks[run] = bill.changed, checks
    sums[run, 0], sums[run, 1], sums[run, 2] = regret, bill.paid, bill.lost
    write_words(environment_random, streams[0])
    write_words(policy_random, streams[1])
    write_words(adversary_random, streams[2])


def words_of(row: Any) -> Any:
    """The four words of a stream."""
    return row[0], row[1], row[2], row[3]


def write_words(random: Any, row: Any) -> None:
    """Write down where a stream has got to."""
    row[0], row[1], row[2], row[3] = random.s0, random.s1, random.s2, random.s3


def copy_means(means: Any, proposal: Any) -> None:
    """A proposal starts from the true means, whatever was proposed before."""
    for arm in range(len(means)):
        proposal[arm] = means[arm]


def largest(means: Any) -> float:
    """The mean of the best arm."""
    best: float = means[0]
    for arm in range(1, len(means)):
        best = max(best, means[arm])
    return best


def best_pulls(means: Any, pulls: Any) -> int:
    """How often an arm was pulled that no other is better than."""
    best, count = largest(means), 0
    for arm in range(len(means)):
        if means[arm] >= best - DUST:
            count += pulls[arm]
    return count


def try_choices(policy: Any, state: Any, random: Any, frequencies: Any) -> None:
    """Write how often each arm comes in trial choices, drawn from the adversary's stream: watching changes nothing."""
    for arm in range(len(frequencies)):
        frequencies[arm] = 0.0
    for _ in range(TRIALS):
        arm = policy.choose(state, random).arm
        if 0 <= arm < len(frequencies):  # an arm that does not exist is caught when it is played
            frequencies[arm] += 1.0 / TRIALS


def is_distribution(probabilities: Any) -> bool:
    """Whether p(t) still is one; NaN fails every comparison."""
    total = 0.0
    for arm in range(len(probabilities)):
        if not probabilities[arm] >= -1e-12:
            return False
        total += probabilities[arm]
    return abs(total - 1.0) <= 1e-6
