"""The second loop: logged choices and rewards folded into a policy's state, at compiled speed.

The text runs interpreted as it stands; `open_...` and `close_...` are the compiler's seams, as in play.py.
"""

from typing import Any

from robandit.dice import Random
from robandit.game import Choice
from robandit.layout import layout_of, scalars_of


def open_part(part: Any) -> Any:
    """Interpreted, a part is its own opened self."""
    return part


def open_random(words: Any) -> Random:
    """Four seed words as a stream."""
    return Random(int(words[0]), int(words[1]), int(words[2]), int(words[3]))


def close_state(part: Any) -> Any:
    """The scalars of a state, for the caller outside."""
    return scalars_of(part, layout_of(part))


open_policy = open_state = open_part


def replay_rows(parts: Any, rows: Any, words: Any) -> Any:
    """Learn row after row; a row without a reward is a choice that waits for one."""
    policy, state = open_policy(parts[0]), open_state(parts[1])
    arms, probabilities, notes, rewards, rewarded = rows
    for row in range(len(arms)):
        choice = Choice(arms[row], probabilities[row], notes[row])
        if rewarded[row]:
            random = open_random((words[row, 0], words[row, 1], words[row, 2], words[row, 3]))
            policy.learn(state, choice, rewards[row], random)
        else:
            policy.defer(state, choice)
    return (close_state(state),)
