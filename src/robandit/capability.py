"""What an attacker who sees the draw can do: which way rewards may move, on which arms, and in which rounds."""

import math
from dataclasses import dataclass, fields

import numpy as np

from robandit.errors import InputError
from robandit.game import Can, Floats
from robandit.parts import Part, parameter, to_text

VERBS = {Can.BOTH: "can add and erase rewards", Can.ADD: "can only add rewards", Can.ERASE: "can only erase rewards"}


@dataclass(frozen=True)
class Capability(Part):
    """A share of all rounds is a ring: each round is its own with that probability, as in the contamination model."""

    can: Can = parameter(Can.BOTH, "add (towards 1), erase (towards 0) or both")
    share: float = parameter(
        1.0, "the probability that a round is the attacker's: a ring's share of the users", above=0, most=1
    )
    every: int = parameter(1, "only in every so many-th round: one agent of several", least=1)
    first: int = parameter(0, "not before this round", least=0)
    stop: int | None = parameter(None, "not from this round on", least=1)
    arms: str = parameter("all", "the arms that can be reached, counted from 1, such as 1+4")
    sources: int = parameter(0, "users, each as likely in every round; `share` of them are the attacker's", least=0)
    each: int = parameter(0, "the most forged rewards of one source; needs `sources`", least=0)
    blind: bool = parameter(False, "the attacker sees which arm was pulled, and not its reward")
    wrong_arm: bool = parameter(False, "rewards are not made up: the reward of another arm is recorded for this one")

    def __post_init__(self) -> None:
        super().__post_init__()
        if bool(self.sources) != bool(self.each):
            raise InputError(f"{self.name}: sources and each go together, not {self.sources} and {self.each}")
        if self.stop is not None and self.stop <= self.first:
            raise InputError(f"{self.name}: stop must be above first ({self.first}), not {self.stop}")
        self.chosen_arms()

    @property
    def name(self) -> str:
        """The way rewards may move."""
        return str(self.can) if isinstance(self.can, Can) else "can"

    def __str__(self) -> str:
        parameters = [
            f"{item.name}={to_text(getattr(self, item.name)).lower()}"
            for item in fields(self)
            if item.name != "can" and getattr(self, item.name) != item.default
        ]
        return self.name + (":" + ",".join(parameters) if parameters else "")

    @property
    def limited(self) -> bool:
        """Whether anything is forbidden at all."""
        return self != ANYTHING

    def chosen_arms(self) -> list[int] | None:
        """The arms that can be reached, counted from 0; None for all."""
        if self.arms == "all":
            return None
        words = self.arms.split("+")
        if not all(word.isdigit() and int(word) >= 1 for word in words):
            raise InputError(f"{self.name}: arms must be numbers from 1 with + between them, not {self.arms!r}")
        return [int(word) - 1 for word in words]

    def reached(self, arms: int) -> Floats:
        """1 for each arm that can be reached, 0 for the others."""
        chosen = self.chosen_arms()
        if chosen is None:
            return np.ones(arms)
        if max(chosen) >= arms:
            raise InputError(f"{self.name}: arms must be from 1 to {arms}, not {self.arms!r}", about="capability")
        return np.isin(np.arange(arms), chosen).astype(np.float64)

    def own_sources(self) -> int:
        """How many sources are the attacker's."""
        return math.ceil(self.share * self.sources)

    def allows(self, direction: Can) -> bool:
        """Whether an attack that moves rewards this way can be carried out whole."""
        return self.can in (Can.BOTH, direction)

    def limit(self, means: Floats) -> float | None:
        """The share of rounds from which on no policy can distinguish the best arm from another; None if there is none.

        With so many rounds the best arms' mean can be lowered and another's raised until they are equal: what the
        policy sees is then a game with one best arm more. Whoever is held to some rounds or to so many a source
        leaves others that report truly.
        """
        if self.every > 1 or self.first or self.stop is not None or self.sources:
            return None
        best, reached = float(means.max()), self.reached(len(means)) > 0.0
        lowest, highest = (float(means.min()), best) if self.wrong_arm else (0.0, 1.0)
        leading = means > best - 1e-12
        is_free = self.can is Can.BOTH  # a coin of another arm is recorded as it falls, not only where it suits
        fall = best - lowest if is_free else best * (1.0 - lowest)
        down = fall if self.can is not Can.ADD and bool(reached[leading].all()) else 0.0
        shares = []
        for mean, own in zip(means[~leading].tolist(), reached[~leading].tolist(), strict=True):
            rise = highest - mean if is_free else (1.0 - mean) * highest
            moved = down + (rise if self.can is not Can.ERASE and own else 0.0)  # by a share of 1
            if moved > 0.0:
                shares.append((best - mean) / moved)
        return min((share for share in shares if share <= 1.0), default=None)

    def words(self) -> str:
        """For captions: what this attacker can do."""
        said = [VERBS[self.can]]
        if self.arms != "all":
            said.append(f"on arms {self.arms.replace('+', ', ')}")
        if self.sources:
            said.append(f"from {self.own_sources():,} of {self.sources:,} sources, at most {self.each:,} from each")
        elif self.share < 1.0:
            said.append(f"in {100 * self.share:.3g} % of rounds")
        if self.wrong_arm:
            said.append("by recording another arm's reward")
        if self.blind:
            said.append("without seeing rewards")
        if self.every > 1:
            said.append(f"in one round of {self.every:,}")
        if self.first:
            said.append(f"from round {self.first:,} on")
        if self.stop is not None:
            said.append(f"before round {self.stop:,}")
        return ", ".join(said)


ANYTHING = Capability()
