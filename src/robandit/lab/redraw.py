"""The loop that learns a log row by row and draws its decisions again, at compiled speed.

The text runs interpreted as it stands; the functions of seams.py are where the compiler steps in. It learns as
replay.py does, and chooses beside it.
"""

from typing import Any

from robandit.game import Choice
from robandit.lab.play import words_of
from robandit.lab.seams import close_state, open_policy, open_random, open_state
from robandit.lab.sight import write_features


def redraw_rows(parts: Any, rows: Any, words: Any, view: Any, differing: Any) -> Any:
    """Learn row after row; the first one whose choice its stream does not give is written into `differing`.

    A row without a reward is a choice that waits for one; it is drawn again where `drawn` says so.
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
            if rows.drawn[row] and differing[0] < 0:
                own = policy.choose(state, open_random(words_of(words[row])))
                if own.arm != choice.arm or own.note != choice.note or differs(own.probability, choice.probability):
                    differing[0] = row
            policy.defer(state, choice)
    policy.refresh(state)
    return (close_state(state),)


def differs(one: float, other: float) -> bool:
    """Whether two probabilities are not the same; none at all (NaN) is the same as none."""
    return one != other and (one == one or other == other)
