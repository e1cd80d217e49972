"""Attacks as plain text, so that each can be written down, compared and played again; and lists of those to try."""

from dataclasses import dataclass
from itertools import product
from typing import Any

from robandit.capability import ANYTHING, Capability
from robandit.catalogue import SHIPPED, Catalogue
from robandit.errors import InputError
from robandit.game import Adversary

THETAS = (0.05, 0.1, 0.2, 0.5, 0.8)
EPOCHS = (1, 2, 3, 4)
TUNED = ("always", "band", "epoch", "leading", "periodic", "window")  # start by another name, or with a parameter
FAMILY = ("push-shown", "sink-near")  # left to the search among `push-shown:lowered=`, which holds both
SAME = ("sink-best", "depose")  # as sink-shown, where no context comes and while the leader leads
SIZES = ("full", "efficient", "0.1")


@dataclass(frozen=True)
class Candidate:
    """One attack without its budget."""

    attack: str
    schedule: str = "start"
    size: str = "full"

    def adversary(
        self,
        budget: float,
        charge: str = "cost",
        catalogue: Catalogue = SHIPPED,
        capability: Capability = ANYTHING,
    ) -> Adversary[Any]:
        """The attack within a budget, held to what its attacker can do."""
        terms: dict[str, Any] = {"budget": budget, "charge": charge, "capability": capability}
        return catalogue.attack(self.attack, schedule=self.schedule, size=self.size, **terms)

    def flags(self, capability: Capability = ANYTHING) -> str:
        """The words after `robandit play` that play this attack."""
        words = {"attack": self.attack}
        words |= {} if (self.schedule, self.size) == ("start", "full") else {"schedule": self.schedule}
        words |= {} if self.size == "full" else {"size": self.size}
        words |= {"can": str(capability)} if capability.limited else {}
        return " ".join(f"--{name} {value}" for name, value in words.items())


def check_threat(threat: str) -> None:
    """Raise InputError for anything but the two threat models."""
    if threat not in ("A", "B"):
        raise InputError(f"threat must be A (before the draw) or B (sees the draw), not {threat!r}")


def within(candidates: list[Candidate], capability: Capability, catalogue: Catalogue = SHIPPED) -> list[Candidate]:
    """The attacks that can be carried out whole."""
    return [one for one in candidates if capability.allows(one.adversary(1.0, catalogue=catalogue).direction)]


def catalogue_attacks(
    threat: str, phased: bool, catalogue: Catalogue = SHIPPED, capability: Capability = ANYTHING
) -> list[Candidate]:
    """Every attack of a threat model, loaded ones too; in model A on every schedule, at three sizes.

    Schedules with parameters are tried at a few values; `push`, `band` and windows are left to the search in the
    family; epochs are struck only where there are some.
    """
    check_threat(threat)
    whole = {name: cls.sees_draw for name, cls in catalogue.parts("adversary").items()}
    if threat == "B":
        plain = [name for name, sees in whole.items() if sees and name not in ("sink-shown", *FAMILY, *SAME)]
        return within([Candidate(name) for name in ("sink-shown", *plain)], capability, catalogue)
    targets = catalogue.parts("attack")
    names = [name for name in targets if name != "push"]
    attacks = [*names, "close-gap:overturn=0.2", "push:raised=1,worst=true"]
    schedules = [name for name in catalogue.parts("schedule") if name not in TUNED]
    schedules += ["periodic:step=5", *(f"leading:theta={theta}" for theta in THETAS), "contested:rivalry=2"]
    schedules += [f"epoch:number={number}" for number in EPOCHS] if phased else []
    one_sided = {name for name in names if not targets[name].pushes_both}
    own = [Candidate(name) for name, sees in whole.items() if not sees]
    return own + [
        Candidate(attack, schedule, size)
        for attack, schedule, size in product(attacks, schedules, SIZES)
        if not (attack in one_sided and size == "efficient")
    ]


def shortlist(
    threat: str, arms: int, phased: bool, catalogue: Catalogue = SHIPPED, capability: Capability = ANYTHING
) -> list[Candidate]:
    """The attacks that usually win: enough for a comparison of many policies, too few for a verdict on one."""
    check_threat(threat)
    several = [count for count in (2, 3, 4) if count < arms]
    if threat == "B":
        pushes = [f"push-shown:lowered={count}" for count in several]
        pushes += [f"push-shown:lowered=0,raised={count}" for count in several]
        attacks = [*catalogue_attacks("B", phased, catalogue), *map(Candidate, ("push-shown:raised=1", *pushes))]
        return within(attacks, capability, catalogue)
    aimed = [Candidate("invert", f"leading:theta={theta}", size) for theta in (0.05, 0.2) for size in SIZES[:2]]
    aimed += [Candidate("invert", "contested", size) for size in SIZES[:2]]
    early = [Candidate("invert", "start", "efficient"), Candidate("flip"), Candidate("blackout")]
    pushes = [f"push:lowered={count},raised={raised}" for count in several for raised in (1, arms - count)]
    epochs = [Candidate("flip", f"epoch:number={number}") for number in EPOCHS] if phased else []
    return [*aimed, *early, Candidate("flip", "middle"), *(Candidate(name, "band") for name in pushes), *epochs]
