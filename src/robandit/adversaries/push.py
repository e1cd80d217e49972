"""Which arms are raised and which are lowered, as numbers: the family of targets a search can walk through."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robandit.adversaries.attacks import Attack
from robandit.errors import InputError
from robandit.game import Floats
from robandit.parts import About, parameter


@dataclass(frozen=True)
class Push(Attack):
    """Sink, decoy, invert and lift-others are members of this family."""

    about = About("push", "the `lowered` best arms' means become 0, those of `raised` other arms 1")
    lowered: int = parameter(1, "how many of the best arms are pushed down", least=0)
    raised: int = parameter(1, "how many of the others are pushed up", least=0)
    worst: bool = parameter(False, "raise the worst of the others, not the best of them")

    def target(self, means: Floats) -> Floats:
        down, up = arms_to_push(means, self.lowered, self.raised, self.worst)
        wanted = means.copy()
        wanted[down], wanted[up] = 0.0, 1.0
        return wanted


def arms_to_push(means: Floats, lowered: int, raised: int, worst: bool) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The arms to push down and those to push up."""
    if lowered + raised > len(means) or lowered + raised == 0:
        raise InputError(
            f"push: lowered and raised must be 1 to {len(means)} arms together, not {lowered} and {raised}"
        )
    order = np.argsort(-means, kind="stable")
    others = order[lowered:]
    return order[:lowered], others[len(others) - raised :] if worst else others[:raised]
