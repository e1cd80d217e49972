"""The loop that learns a log again and again, each time without one source, at compiled speed.

A row whose source is below 0 is always left out. The stream of a decision is worked out here, so that a long log needs
no words in memory. The text runs interpreted as it stands; the functions of seams.py are where the compiler steps in.
Arguments are the named tuples of folds.py.
"""

from typing import Any

from robandit.dice import splitmix, stream_words  # noqa: F401  # a helper of a helper must be in sight
from robandit.game import Choice
from robandit.lab.parts import PolicyParts
from robandit.lab.play import words_of
from robandit.lab.seams import close_state, open_policy, open_random, open_state, restore_state
from robandit.lab.sight import write_features

PRESENT, MEANS, TRIALS = 0, 1, 2  # what a belief is read from: p, the best mean of the rows, or trial choices
LISTEN = 65_536  # rows after which the loop looks whether it shall stop, far less than a second


def leave_out(parts: Any, fresh: Any, rows: Any, streams: Any, left: Any, span: Any, record: Any, view: Any) -> Any:
    """Learn all rows but those of one source, for each source in `left`; what is believed at each mark is written.

    Where contexts came, what is believed is the mean over those in `view.references`.
    """
    policy, state = open_policy(parts.policy), open_state(parts.state)
    opened, seen, control = PolicyParts(policy, state), record.seen, record.control
    for number in range(len(left)):
        restore_state(state, fresh.state)
        for arm in range(seen.shape[1]):
            seen[0, arm] = seen[1, arm] = 0.0
        done = span.first
        for mark in range(len(span.marks)):
            learn_rows(opened, rows, streams.key, left[number], (done, span.marks[mark]), record, view)
            policy.refresh(state)
            belief = record.beliefs[number, mark]
            if len(view.references) > 0:
                write_mean_belief(opened, streams, span.kind, view, belief)
            elif span.kind == TRIALS:
                write_trials(policy, state, streams, belief)
            elif span.kind == MEANS:
                belief[best_mean(seen)] = 1.0
            else:
                for arm in range(len(belief)):
                    belief[arm] = state.probabilities[arm]
            done = span.marks[mark]
        if control.stop[0] != 0:
            break
    return (close_state(state),)


def learn_rows(parts: Any, rows: Any, key: Any, left: int, limits: Any, record: Any, view: Any) -> None:
    """Learn the rows from one limit to the other; into a record with room for it, write what was expected of each."""
    policy, state, control = parts.policy, parts.state, record.control
    arms, rewards, sources, seen = rows.arms, rows.rewards, rows.sources, record.seen
    first, last = limits
    pause = first + LISTEN
    for row in range(first, last):
        if row == pause:
            pause += LISTEN
            if control.stop[0] != 0:
                return
            control.progress[0] += LISTEN
        if len(view.users) > 0:
            write_features(view.users[rows.places[row]], view.own, view.features)
            policy.look(state, view.features)
        if len(record.taken) > 0:
            policy.refresh(state)
            record.taken[row] = state.probabilities[arms[row]]
            record.expected[row] = reward_expected(state.probabilities, seen)
        if sources[row] < 0 or sources[row] == left:
            continue
        choice = Choice(arms[row], rows.probabilities[row], rows.notes[row])
        if rows.withdrawn[row]:
            policy.take_back(state, choice, rewards[row], open_random(stream_words(key, rows.numbers[row])))
            if seen.shape[1] > 0:
                seen[0, arms[row]] -= rewards[row]
                seen[1, arms[row]] -= 1.0
        elif rows.rewarded[row]:
            random = open_random(stream_words(key, rows.numbers[row]))
            if rows.verified[row] and policy.asks:
                policy.learn_verified(state, choice, rewards[row], random)
            else:
                policy.learn(state, choice, rewards[row], random)
            if seen.shape[1] > 0:
                seen[0, arms[row]] += rewards[row]
                seen[1, arms[row]] += 1.0
        else:
            policy.defer(state, choice)
    control.progress[0] += (last - first) % LISTEN


def reward_expected(probabilities: Any, seen: Any) -> float:
    """The mean reward of p by the means seen so far; 1/2 for an arm of which nothing was seen."""
    total = 0.0
    for arm in range(len(probabilities)):
        total += probabilities[arm] * ((seen[0, arm] + 0.5) / (seen[1, arm] + 1.0))
    return total


def best_mean(seen: Any) -> int:
    """The arm with the best mean reward in the rows that were learnt; one that has none is the worst."""
    best, best_value = 0, -1.0
    for arm in range(seen.shape[1]):
        if seen[1, arm] > 0.0 and seen[0, arm] / seen[1, arm] > best_value:
            best, best_value = arm, seen[0, arm] / seen[1, arm]
    return best


def write_mean_belief(parts: Any, streams: Any, kind: int, view: Any, belief: Any) -> None:
    """Write the mean of p over the contexts of reference; of trial choices where the policy cannot tell p."""
    policy, state, count = parts.policy, parts.state, len(view.references)
    random = open_random(words_of(streams.trial_words))
    draws = max(1, streams.trials // count)
    for user in range(count):
        write_features(view.references[user], view.own, view.features)
        policy.look(state, view.features)
        if kind == TRIALS:
            for _ in range(draws):
                belief[policy.choose(state, random).arm] += 1.0 / (draws * count)
        else:
            for arm in range(len(belief)):
                belief[arm] += state.probabilities[arm] / count


def write_trials(policy: Any, state: Any, streams: Any, belief: Any) -> None:
    """Write how often each arm comes in trial choices, drawn from the same stream for every source left out."""
    random = open_random(words_of(streams.trial_words))
    for _ in range(streams.trials):
        arm = policy.choose(state, random).arm
        if 0 <= arm < len(belief):
            belief[arm] += 1.0
    for arm in range(len(belief)):
        belief[arm] /= streams.trials
