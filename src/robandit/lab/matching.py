"""The loop that offers a policy the rounds of a log of contexts; it learns the reward where it takes the logged arm.

The text runs interpreted as it stands; the functions of seams.py are where the compiler steps in. Arguments are the
named tuples of matched.py.
"""

from typing import Any

from robandit.lab.play import words_of
from robandit.lab.seams import (
    close_memory,
    close_state,
    open_adversary,
    open_bill,
    open_memory,
    open_policy,
    open_random,
    open_state,
)


def match_rows(parts: Any, rows: Any, streams: Any, arena: Any, rules: Any, record: Any) -> Any:
    """A row counts if the policy takes its arm and a draw that evens out the logged probabilities accepts it."""
    policy, adversary = open_policy(parts.policy), open_adversary(parts.adversary)
    state, memory = open_state(parts.state), open_memory(parts.memory)
    features, means, size, t = arena.features, arena.means, rows.users.shape[1], 0
    acceptance = open_random(words_of(streams[0]))
    policy_random = open_random(words_of(streams[1]))
    adversary_random = open_random(words_of(streams[2]))
    bill = open_bill((adversary.budget, rules.by_rounds, 0.0, 0.0, 0, 0.0))
    bill.balance()
    policy.begin(state, policy_random)
    for row in range(len(rows.arms)):
        for i in range(size):
            features[0, i] = rows.users[row, i]
        policy.look(state, features)
        choice = policy.choose(state, policy_random)
        if acceptance.uniform() * rows.probabilities[row] >= rules.least or choice.arm != rows.arms[row]:
            continue
        reward = rows.rewards[row]
        if bill.left > 0.0:
            wanted = adversary.tamper_reward(memory, t, means, choice.arm, reward, adversary_random)
            reward = bill.move_reward(reward, wanted)
        policy.learn(state, choice, reward, policy_random)
        record.taken[row] = 1
        t += 1
    record.paid[0] = bill.total()
    return close_state(state), close_memory(memory)
