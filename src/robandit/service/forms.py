"""The form of a new experiment: what a person typed becomes the message of the API."""

from functools import cache
from inspect import isawaitable
from typing import Any

from robandit.catalogue import SHIPPED
from robandit.service.actions import convert, decimal, whole
from robandit.service.api import Call
from robandit.service.api import create as create_experiment
from robandit.service.engine import Answer
from robandit.service.messages import NewExperiment
from robandit.service.perform import reach
from robandit.service.service import Service
from robandit.service.tokens import Token

TEXTS = {"name": "", "arms": "", "policy": "samba", "low": "0", "high": "1", "window": "", "default": ""}
BLANK = {**TEXTS, "trip": "", "activation": "", "hold": "0", "cap": "", "holdout": "0", "shadow": ""}


@cache
def policies() -> list[tuple[str, str]]:
    """Returns the policies that take rewards as they come, each with one line about it."""
    parts = SHIPPED.parts("policy").items()
    return [(name, cls.about.summary) for name, cls in parts if cls.about.late != "no" and name != "floor"]


async def create(service: Service, token: Token, fields: dict[str, str]) -> Answer:
    """Create the experiment of a form, by the verb of the API. Raises a Problem."""
    typed = {name: fields.get(name, value).strip() for name, value in BLANK.items()}
    rules: dict[str, Any] = {"hold": decimal(typed["hold"] or "0"), "activation": bool(typed["activation"])}
    rules["holdout"] = decimal(typed["holdout"] or "0") / 100
    rules |= {name: decimal(typed[name]) for name in ("window", "default") if typed[name]}
    rules |= {"cap": whole(typed["cap"])} if typed["cap"] else {}
    message = {
        "name": typed["name"],
        "arms": lines_of(typed["arms"]),
        "policy": typed["policy"],
        "reward_range": [decimal(typed["low"]), decimal(typed["high"])],
        "rules": rules,
        "shadow": lines_of(typed["shadow"]),
        "trip": bool(typed["trip"]),
    }
    call = Call(service, token, None, {}, convert(message, NewExperiment), None)
    answer = service.attempt(create_experiment, call)
    return await reach(answer) if isawaitable(answer) else answer


def lines_of(text: str) -> list[str]:
    """Returns the lines of a text that are not blank."""
    return [line.strip() for line in text.splitlines() if line.strip()]
