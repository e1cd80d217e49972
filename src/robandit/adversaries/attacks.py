"""What the adversary wants the means to be in a corrupted round: one target vector per attack."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from robandit.errors import InputError
from robandit.game import Floats
from robandit.parts import About, Part, parameter


@dataclass(frozen=True)
class Attack(Part):
    """A target for the means, computed once from the true ones."""

    pushes_both: ClassVar[bool] = True  # moves best and runner-up towards each other
    needs_rival: ClassVar[bool] = True

    def target(self, means: Floats) -> Floats:
        """The means wanted in a corrupted round at full size."""
        raise NotImplementedError(f"{self.name} has no target")


@dataclass(frozen=True)
class Flip(Attack):
    """Good arms look bad and bad arms good."""

    about = About("flip", "every mean r becomes 1 - r")
    needs_rival = False

    def target(self, means: Floats) -> Floats:
        return 1.0 - means


@dataclass(frozen=True)
class Invert(Attack):
    """The strongest move of all means at once."""

    about = About("invert", "the best arm's mean becomes 0, all others 1")

    def target(self, means: Floats) -> Floats:
        return np.where(np.arange(len(means)) == means.argmax(), 0.0, 1.0)


@dataclass(frozen=True)
class Sink(Attack):
    """Only the best arm is touched."""

    about = About("sink", "the best arm's mean becomes 0, the others keep theirs")
    pushes_both = False
    needs_rival = False

    def target(self, means: Floats) -> Floats:
        return np.where(np.arange(len(means)) == means.argmax(), 0.0, means)


@dataclass(frozen=True)
class LiftOthers(Attack):
    """Only the wrong arms are touched."""

    about = About("lift-others", "all means but the best arm's become 1")
    pushes_both = False

    def target(self, means: Floats) -> Floats:
        return np.where(np.arange(len(means)) == means.argmax(), means, 1.0)


@dataclass(frozen=True)
class Decoy(Attack):
    """One wrong arm is promoted."""

    about = About("decoy", "the best arm's mean becomes 0 and one arm's 1 (default: the runner-up)")
    arm: int | None = parameter(None, "the arm to promote, counted from 1; the runner-up by default", least=1)

    def target(self, means: Floats) -> Floats:
        best = int(means.argmax())
        chosen = runner_up(means) if self.arm is None else self.arm - 1
        if not 0 <= chosen < len(means) or chosen == best:
            others = ", ".join(str(arm + 1) for arm in range(len(means)) if arm != best)
            raise InputError(f"decoy: arm must be one of {others} (not the best), not {chosen + 1}")
        wanted = means.copy()
        wanted[best], wanted[chosen] = 0.0, 1.0
        return wanted


@dataclass(frozen=True)
class Reverse(Attack):
    """The ranking is reversed, with the same values."""

    about = About("reverse", "the means in reversed rank order")

    def target(self, means: Floats) -> Floats:
        order = np.argsort(means, kind="stable")
        wanted = np.empty_like(means)
        wanted[order] = means[order[::-1]]
        return wanted


@dataclass(frozen=True)
class CloseGap(Attack):
    """The cheapest move that hides which arm is best."""

    about = About("close-gap", "best and runner-up both move to their midpoint, or past it by `overturn`")
    overturn: float = parameter(0.0, "how far the runner-up shall be ahead, as far as [0, 1] allows", least=0, most=1)

    def target(self, means: Floats) -> Floats:
        best, rival = int(means.argmax()), runner_up(means)
        middle = 0.5 * (means[best] + means[rival])
        wanted = means.copy()
        wanted[best] = max(middle - 0.5 * self.overturn, 0.0)
        wanted[rival] = min(middle + 0.5 * self.overturn, 1.0)
        return wanted


@dataclass(frozen=True)
class Blackout(Attack):
    """Nothing pays; SAMBA stands still."""

    about = About("blackout", "all means become 0")
    pushes_both = False
    needs_rival = False

    def target(self, means: Floats) -> Floats:
        return np.zeros_like(means)


def runner_up(means: Floats) -> int:
    """The second best arm, lowest index on ties."""
    rest = means.copy()
    rest[means.argmax()] = -1.0
    return int(rest.argmax())


def limit_target(attack: Attack, size: str, means: Floats) -> Floats:
    """The attack's target, each mean moved by no more than the size.

    `efficient` is min(1 - r_2, r*): beyond it only one of best and runner-up still moves, so a
    unit of cost buys half. For attacks that move one side only it is the full size.
    """
    if attack.needs_rival and len(means) < 2:
        raise InputError(f"attack {attack.name!r} needs a runner-up, so at least 2 arms; there is 1")
    wanted = attack.target(means)
    if size == "full" or (size == "efficient" and not attack.pushes_both):
        return wanted
    if size == "efficient":
        rival = means[runner_up(means)] if len(means) > 1 else 1.0
        most = min(1.0 - rival, means.max())
    else:
        most = float(size)
    return means + np.clip(wanted - means, -most, most)


def check_size(size: str | float) -> str:
    """Return a size as text: full, efficient, or a number above 0 and at most 1."""
    if size in ("full", "efficient"):
        return str(size)
    try:
        if 0.0 < float(size) <= 1.0:
            return f"{float(size)!r}"
    except (TypeError, ValueError):
        pass
    raise InputError(f"size must be full, efficient or a number above 0 and at most 1, not {size!r}")
