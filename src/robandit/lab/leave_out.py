"""The third loop: a log folded again and again, each time without one source, at compiled speed.

A row whose source is below 0 is left out always. The stream of a decision is worked out here (splitmix64, as
`dice.decision_words` does), so that a long log needs no words in memory. The text runs interpreted as it stands;
`open_...`, `restore_...` and `close_...` are the compiler's seams, as in play.py.
"""

from typing import Any

from robandit.dice import Random
from robandit.game import Choice
from robandit.layout import layout_of, restored, scalars_of

PRESENT, MEANS, TRIALS = 0, 1, 2  # what a belief is read from: p, the best mean of the rows, or trial choices
LISTEN = 65_536  # rows after which a fold looks whether it shall stop, far less than a second
WORD = 0xFFFFFFFFFFFFFFFF


def open_part(part: Any) -> Any:
    """Interpreted, a part is its own opened self."""
    return part


def open_random(words: Any) -> Random:
    """Four seed words as a stream."""
    return Random(int(words[0]), int(words[1]), int(words[2]), int(words[3]))


def restore_state(part: Any, fresh: Any) -> None:
    """Put a state back to what it was before the first row."""
    restored(part, layout_of(part), fresh.value)


def close_state(part: Any) -> Any:
    """The scalars of a state, for the caller outside."""
    return scalars_of(part, layout_of(part))


open_policy = open_state = open_part


def leave_out(parts: Any, fresh: Any, rows: Any, dice: Any, left: Any, rules: Any, out: Any, control: Any) -> Any:
    """Fold all rows but those of one source, for each source in `left`; what is believed at each mark is written."""
    policy, state = open_policy(parts[0]), open_state(parts[1])
    marks, first, kind, trials = rules
    beliefs, taken, expected, known = out
    for number in range(len(left)):
        restore_state(state, fresh[0])
        for arm in range(known.shape[1]):
            known[0, arm] = known[1, arm] = 0.0
        done = first
        for mark in range(len(marks)):
            counts = kind == MEANS or len(taken) > 0
            learn_rows(
                policy, state, rows, dice, left[number], done, marks[mark], counts, taken, expected, known, control
            )
            belief = beliefs[number, mark]
            if kind == TRIALS:
                show_trials(policy, state, trials, belief)
            elif kind == MEANS:
                belief[best_mean(known)] = 1.0
            else:
                for arm in range(len(belief)):
                    belief[arm] = state.probabilities[arm]
            done = marks[mark]
        if control[0][0] != 0:
            break
    return (close_state(state),)


def learn_rows(
    policy: Any,
    state: Any,
    rows: Any,
    dice: Any,
    left: int,
    first: int,
    last: int,
    counts: bool,
    taken: Any,
    expected: Any,
    known: Any,
    control: Any,
) -> None:
    """Learn some rows; where asked, write down the probability each row's arm had and the reward expected of p."""
    arms, probabilities, notes, rewards, rewarded, numbers, sources = rows
    stop, progress = control
    pause = first + LISTEN
    for row in range(first, last):
        if row == pause:
            pause += LISTEN
            if stop[0] != 0:
                return
            progress[0] += LISTEN
        if len(taken) > 0:
            taken[row] = state.probabilities[arms[row]]
            expected[row] = reward_expected(state.probabilities, known)
        if sources[row] < 0 or sources[row] == left:
            continue
        choice = Choice(arms[row], probabilities[row], notes[row])
        if rewarded[row]:
            random = open_random(decision_words(dice, numbers[row]))
            policy.learn(state, choice, rewards[row], random)
            if counts:
                known[0, arms[row]] += rewards[row]
                known[1, arms[row]] += 1.0
        else:
            policy.defer(state, choice)
    progress[0] += (last - first) % LISTEN


def reward_expected(probabilities: Any, known: Any) -> float:
    """The mean reward of p by the means seen so far; 1/2 for an arm of which nothing was seen."""
    total = 0.0
    for arm in range(len(probabilities)):
        total += probabilities[arm] * ((known[0, arm] + 0.5) / (known[1, arm] + 1.0))
    return total


def best_mean(known: Any) -> int:
    """The arm with the best mean reward in the rows that were learnt; one that has none is the worst."""
    best, best_value = 0, -1.0
    for arm in range(known.shape[1]):
        if known[1, arm] > 0.0 and known[0, arm] / known[1, arm] > best_value:
            best, best_value = arm, known[0, arm] / known[1, arm]
    return best


def show_trials(policy: Any, state: Any, trials: Any, belief: Any) -> None:
    """How often each arm comes in trial choices, thrown with the same dice for every source left out."""
    words, count = trials
    random = open_random((words[0], words[1], words[2], words[3]))
    for _ in range(count):
        arm = policy.choose(state, random).arm
        if 0 <= arm < len(belief):
            belief[arm] += 1.0
    for arm in range(len(belief)):
        belief[arm] /= count


def decision_words(dice: Any, number: Any) -> Any:
    """The words of a decision's stream; `dice` holds the key, 4, splitmix's step and its two factors."""
    first = (dice[0] + ((dice[1] * number) & WORD) * dice[2] + dice[2]) & WORD
    second = (first + dice[2]) & WORD
    third = (second + dice[2]) & WORD
    return mixed(first, dice), mixed(second, dice), mixed(third, dice), mixed((third + dice[2]) & WORD, dice)


def mixed(word: Any, dice: Any) -> Any:
    """The output of splitmix64 for one counter."""
    word = ((word ^ (word >> 30)) * dice[3]) & WORD
    word = ((word ^ (word >> 27)) * dice[4]) & WORD
    return word ^ (word >> 31)
