"""What a learner's policy sees: contexts as numbers, and the arms' own features."""

from array import array
from typing import Any

import numpy as np

from robandit.errors import InputError
from robandit.game import Floats
from robandit.lab.sight import features_for, write_features
from robandit.online.features import MOST_DIMENSION, Features

User = Any  # a context as numbers


class Sight:
    """The features that terms declare; contexts become rows of numbers that a policy can look at."""

    __slots__ = ("arm_features", "features", "own", "room", "unknown")

    def __init__(self, features: Features | None, arm_features: Features | None, own: list[list[float]]) -> None:
        self.features, self.arm_features, self.own = features, arm_features, own
        self.unknown: User = [1.0] if features is None else features.encode(features.nothing_known())
        size = len(self.unknown) * (1 if arm_features is None else arm_features.size)
        if size > MOST_DIMENSION:
            raise InputError(
                f"the features come to {size} numbers per arm, allowed are {MOST_DIMENSION}: declare fewer values"
            )
        self.room = self.setting_features().tolist()

    def read(self, context: Any) -> User:
        """Return a context as numbers; raises InputError if it is not what was declared."""
        if self.features is None:
            return self.unknown
        return array("d", self.features.encode(context))

    def show(self, user: User) -> Any:
        """Return what a policy looks at, in lists that are used again."""
        write_features(user, self.own, self.room)
        return self.room

    def setting_features(self) -> Floats:
        """Return what is seen of somebody of whom nothing is known."""
        return features_for(np.array(self.unknown), np.array(self.own))

    def with_arm(self, values: Any) -> "Sight":
        """Return the sight with one more arm, its features as values or as numbers already.

        Raises InputError if they are not what was declared.
        """
        check_arm_values(self.arm_features, values)
        if self.arm_features is None:
            return self
        row = values if isinstance(values, list) else self.arm_features.encode(values, "arm")
        return Sight(self.features, self.arm_features, [*self.own, row])


def check_context(features: Features | None, context: Any) -> None:
    """Refuse a context where none was declared, and none where some was."""
    if features is None and context is not None:
        raise InputError("a context needs features that were declared when it began, and none were")
    if features is not None and context is None:
        raise InputError(f"a context is needed, with the features {', '.join(features.order)}")


def check_arm_values(arm_features: Features | None, values: Any) -> None:
    """Refuse an arm's own features where none were declared."""
    if arm_features is None and values is not None:
        raise InputError("an arm has features of its own only where arm_features were declared at the beginning")
