"""The form of a new experiment: what a person typed becomes the message that the API takes."""

from functools import cache
from typing import Any

import msgspec

from robandit.catalogue import SHIPPED
from robandit.service import messages as say
from robandit.service.actions import decimal, whole
from robandit.service.api import Call
from robandit.service.api import create as create_experiment
from robandit.service.engine import Answer
from robandit.service.problems import Problem
from robandit.service.service import Service
from robandit.service.tokens import Token

TEXTS = {"name": "", "arms": "", "policy": "samba", "low": "0", "high": "1", "window": "", "default": ""}
BLANK = {**TEXTS, "trip": "", "activation": "", "hold": "0", "cap": "", "holdout": "0", "shadow": ""}


@cache
def policies() -> list[tuple[str, str]]:
    """Policies that take rewards as they come, each with a line about it."""
    known = SHIPPED.parts("policy").items()
    return [(name, cls.about.summary) for name, cls in known if cls.about.late != "no" and name != "floor"]


def create(service: Service, token: Token, fields: dict[str, str]) -> Answer:
    """The experiment that a form asks for, by the verb that the API has for it."""
    given = {name: fields.get(name, value).strip() for name, value in BLANK.items()}
    rules: dict[str, Any] = {"hold": decimal(given["hold"] or "0"), "activation": bool(given["activation"])}
    rules["holdout"] = decimal(given["holdout"] or "0") / 100
    rules |= {name: decimal(given[name]) for name in ("window", "default") if given[name]}
    rules |= {"cap": whole(given["cap"])} if given["cap"] else {}
    asked = {
        "name": given["name"],
        "arms": lines_of(given["arms"]),
        "policy": given["policy"],
        "reward_range": [decimal(given["low"]), decimal(given["high"])],
        "rules": rules,
        "shadow": lines_of(given["shadow"]),
        "trip": bool(given["trip"]),
    }
    try:
        message = msgspec.convert(asked, say.NewExperiment)
    except msgspec.ValidationError as error:
        raise Problem(422, str(error)) from error
    return create_experiment(Call(service, token, None, {}, message, None))


def lines_of(text: str) -> list[str]:
    """The lines of a text that have something in them."""
    return [line.strip() for line in text.splitlines() if line.strip()]
