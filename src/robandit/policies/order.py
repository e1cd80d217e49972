"""The order of the pulls inside an epoch: drawn at random, arm by arm in blocks, or shuffled."""

import math
from dataclasses import dataclass

from robandit.parts import Word, parameter
from robandit.policies.phased import Memory, Phased, whole


class Order(Word):
    """Of the pulls inside an epoch."""

    RANDOM = 0
    BLOCKS = 1
    SHUFFLED = 2


@dataclass(frozen=True)
class OrderedPulls(Phased[Memory]):
    """A phased policy whose pulls come in one of three orders; those of a fixed order are whole numbers, rounded up."""

    pulls: Order = parameter(
        Order.RANDOM, "random (the theory), blocks (arm by arm, as the paper's simulation, predictable) or shuffled"
    )

    @property
    def by_counts(self) -> bool:  # type: ignore[override]  # a constant elsewhere, here a matter of the order
        """Only pulls in random order are independent."""
        return self.pulls == Order.RANDOM

    @property
    def waived(self) -> dict[str, str]:
        """Blocks follow the arms' index."""
        if self.pulls != Order.BLOCKS:
            return self.about.waived
        reason = "blocks come in the arms' index order, and the last epoch breaks off in one"
        return {**self.about.waived, "relabelling": reason}

    def fit(self, state: Memory) -> None:
        if self.pulls != Order.RANDOM:
            total = 0.0
            for entry in range(len(state.expected)):
                state.expected[entry] = math.ceil(state.expected[entry])
                total += state.expected[entry]
            state.length = whole(total)

    def arrange(self, state: Memory) -> None:
        """In blocks the first entry with pulls still due comes next; shuffled, all that is due is equally likely."""
        is_taken = False
        for entry in range(len(state.entries)):
            due = state.expected[entry] - state.drawn[entry]
            if self.pulls == Order.BLOCKS:
                state.entries[entry] = 1.0 if due > 0.5 and not is_taken else 0.0
                is_taken = is_taken or due > 0.5
            elif self.pulls == Order.SHUFFLED:
                state.entries[entry] = due / state.left
