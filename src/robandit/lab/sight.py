"""What a policy sees before it chooses: the features of whoever comes, and of the arms.

One text for the learner, which is interpreted, and for the loops that learn its log again.
"""

from typing import Any, NamedTuple

import numpy as np

from robandit.game import Floats


class LogView(NamedTuple):
    """Who came in the decisions of a log, the arms' own features, and room for what is seen; all empty without.

    `references` are those for whom a belief is read.
    """

    users: Any  # (users, numbers)
    own: Any  # (arms, numbers); empty where arms have none
    features: Any  # as the setting has them
    references: Any = np.zeros((0, 0))  # (users, numbers)


def write_features(user: Any, own: Any, features: Any) -> None:
    """Write what is seen of a user: one row for all arms; or of each arm all products with its own features."""
    if len(own) == 0:
        row = features[0]
        for i in range(len(user)):
            row[i] = user[i]
        return
    for arm in range(len(own)):
        z, row = own[arm], features[arm]
        place = 0
        for i in range(len(user)):
            for j in range(len(z)):
                row[place] = user[i] * z[j]
                place += 1


def features_for(user: Floats, own: Floats) -> Floats:
    """The same in an array of its own."""
    features = np.zeros((max(len(own), 1), len(user) * (own.shape[1] if len(own) else 1)))
    write_features(user, own, features)
    return features
