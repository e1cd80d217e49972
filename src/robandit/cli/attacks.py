"""Attacks as the command shows them: as JSON, as flags, in words."""

import math
from typing import Any


def adversary_json(adversary: Any) -> dict[str, Any] | None:
    """The adversary as it could be given again; one in one piece has neither schedule nor size."""
    if adversary is None:
        return None
    from dataclasses import replace

    from robandit.adversaries.limited import Limited
    from robandit.adversaries.scheduled import ScheduledAttack

    if isinstance(adversary, Limited):
        told = adversary_json(replace(adversary.inner, budget=adversary.budget, charge=adversary.charge)) or {}
        can = adversary.capability
        return {**told, "capability": {**can.parameters(), "text": str(can), "words": can.words()}}
    told = {"threat": "B" if adversary.sees_draw else "A"}
    if isinstance(adversary, ScheduledAttack):
        told |= {name: str(getattr(adversary, name)) for name in ("attack", "schedule", "size")}
    else:
        told |= {"attack": str(replace(adversary, budget=0.0, charge="cost")), "schedule": None, "size": None}
    return {**told, "charge": adversary.charge, "budget": finite(adversary.budget)}


def finite(number: float) -> float | None:
    """A number JSON can hold; an unlimited budget is null."""
    return number if math.isfinite(number) else None


def as_flags(candidate: Any, capability: Any = None) -> str:
    """An attack as flags of `robandit play`."""
    if capability is not None and capability.limited:
        return f"{as_flags(candidate)} --can {capability}"
    when = "" if (candidate.schedule, candidate.size) == ("start", "full") else f" --schedule {candidate.schedule}"
    return f"--attack {candidate.attack}{when}" + ("" if candidate.size == "full" else f" --size {candidate.size}")


def described(adversary: dict[str, Any]) -> str:
    """An attack in a few words."""
    if "capability" in adversary:
        return f"{adversary['attack']} ({adversary['capability']['words']})"
    if adversary["schedule"] is None:
        return str(adversary["attack"])
    return f"{adversary['attack']} on schedule {adversary['schedule']}, size {adversary['size']}"
