"""The loop that learns a log row by row, at compiled speed.

The text runs interpreted as it stands; the functions of seams.py are where the compiler steps in. It knows of no
sources: what leave_out.py says of a log without some rows is checked against it.
"""

from typing import Any

from robandit.game import Choice
from robandit.lab.play import words_of
from robandit.lab.seams import close_state, open_policy, open_random, open_state
from robandit.lab.sight import write_features


def replay_rows(parts: Any, rows: Any, words: Any, view: Any) -> Any:
    """Learn row after row; a row without a reward is a choice that waits for one, a withdrawn one is taken back.

    Where contexts came, the policy sees that of a row before it learns from it.
    """
    policy, state = open_policy(parts.policy), open_state(parts.state)
    for row in range(len(rows.arms)):
        if len(view.users) > 0:
            write_features(view.users[rows.places[row]], view.own, view.features)
            policy.look(state, view.features)
        choice = Choice(rows.arms[row], rows.probabilities[row], rows.notes[row])
        if rows.withdrawn[row]:
            policy.take_back(state, choice, rows.rewards[row], open_random(words_of(words[row])))
        elif rows.rewarded[row] and rows.verified[row] and policy.asks:
            policy.learn_verified(state, choice, rows.rewards[row], open_random(words_of(words[row])))
        elif rows.rewarded[row]:
            policy.learn(state, choice, rows.rewards[row], open_random(words_of(words[row])))
        else:
            policy.defer(state, choice)
    policy.refresh(state)
    return (close_state(state),)
