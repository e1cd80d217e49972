"""The fourth loop: a policy asked again in the rounds of a log, and told the reward where it takes the logged arm.

The text runs interpreted as it stands; seams and helpers are those of play.py.
"""

from typing import Any

from robandit.lab.play import add_exactly, affordable, clipped, open_part, open_random, what_is_left
from robandit.layout import layout_of, scalars_of


def close_part(part: Any) -> Any:
    """The scalars of a state or memory, for the caller outside."""
    return scalars_of(part, layout_of(part))


open_policy = open_state = open_adversary = open_memory = open_part
close_state = close_memory = close_part


def match_rows(parts: Any, rows: Any, dice: Any, arena: Any, rules: Any, out: Any) -> Any:
    """A row counts if the policy takes its arm and a coin that evens out the logged probabilities falls its way."""
    policy, adversary = open_policy(parts[0]), open_adversary(parts[2])
    state, memory = open_state(parts[1]), open_memory(parts[3])
    users, arms, rewards, probabilities = rows
    features, means = arena
    least, by_rounds = rules
    matched, bill = out
    coins = open_random((dice[0, 0], dice[0, 1], dice[0, 2], dice[0, 3]))
    policy_random = open_random((dice[1, 0], dice[1, 1], dice[1, 2], dice[1, 3]))
    adversary_random = open_random((dice[2, 0], dice[2, 1], dice[2, 2], dice[2, 3]))
    size = users.shape[1]
    paid, lost, changed, t = 0.0, 0.0, 0, 0
    left = what_is_left(adversary.budget, paid, changed, by_rounds)
    policy.begin(state, policy_random)
    for row in range(len(arms)):
        for arm in range(len(means)):
            for i in range(size):
                features[arm, arm * size + i] = users[row, i]
        policy.look(state, features)
        choice = policy.choose(state, policy_random)
        if coins.uniform() * probabilities[row] >= least or choice.arm != arms[row]:
            continue
        reward = rewards[row]
        if left > 0.0:
            wanted = clipped(adversary.tamper_reward(memory, t, means, choice.arm, reward, adversary_random), reward)
            wanted, cost = affordable(reward, wanted, left, by_rounds)
            if cost > 0.0:
                reward = wanted
                changed += 1
                paid, lost = add_exactly(paid, lost, cost)
                left = what_is_left(adversary.budget, paid, changed, by_rounds)
        policy.learn(state, choice, reward, policy_random)
        matched[row] = 1
        t += 1
    bill[0] = min(paid, adversary.budget)
    return close_state(state), close_memory(memory)
