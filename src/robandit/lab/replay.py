"""The loop that learns a log row by row, at compiled speed.

The text runs interpreted as it stands; the functions of seams.py are where the compiler steps in. It knows of no
sources: what leave_out.py says of a log without some rows is checked against it.
"""

from typing import Any

from robandit.game import Choice
from robandit.lab.play import words_of
from robandit.lab.seams import close_state, open_policy, open_random, open_state


def replay_rows(parts: Any, rows: Any, words: Any) -> Any:
    """Learn row after row; a row without a reward is a choice that waits for one."""
    policy, state = open_policy(parts.policy), open_state(parts.state)
    for row in range(len(rows.arms)):
        choice = Choice(rows.arms[row], rows.probabilities[row], rows.notes[row])
        if rows.rewarded[row]:
            policy.learn(state, choice, rows.rewards[row], open_random(words_of(words[row])))
        else:
            policy.defer(state, choice)
    return (close_state(state),)
