"""A scenario as plain values, so that it can be sent to another machine and made there again."""

import hashlib
import json
from dataclasses import fields
from typing import Any

from robandit.catalogue import SHIPPED, parameters_of
from robandit.errors import InputError
from robandit.game import Environment
from robandit.lab.scenario import USUAL, Scenario
from robandit.parts import is_default, to_text
from robandit.store.code import code_hash

ELSEWHERE = ("runs", "capability", "catalogue")  # of a scenario; in the key of a play, or in the hash of its code
NUMBERS = ("horizon", "runs", "seed", "agents", "slate", "charge")


def scenario_text(scenario: Scenario) -> str:
    """What is attacked, as text; journals on disk are found by it, so it must not change."""
    record: dict[str, Any] = {"policy": str(scenario.policy), "environment": repr(scenario.environment)}
    record |= {name: getattr(scenario, name) for name in ("charge", "horizon", "seed")}
    for name, usual in USUAL.items():
        if name not in (*record, *ELSEWHERE) and getattr(scenario, name) != usual:
            record[name] = getattr(scenario, name)
    return json.dumps(record, sort_keys=True)


def identity_of(scenario: Scenario) -> str:
    """A digest of a scenario and of the code that plays it: two machines that agree on it play the same."""
    code = code_hash(scenario.policy, scenario.environment)
    return hashlib.sha256(json.dumps([scenario_text(scenario), code]).encode()).hexdigest()[:32]


def plain_scenario(scenario: Scenario) -> dict[str, Any]:
    """The values of a scenario; raises InputError for one that text cannot say."""
    environment = scenario.environment
    values = {
        "policy": str(scenario.policy),
        "environment": environment_text(environment),
        "means": list(environment.means),
        "capability": str(scenario.capability),
        "load": [str(module.__file__) for module in scenario.catalogue.files],
        **{name: getattr(scenario, name) for name in NUMBERS},
    }
    problem = "what a cluster plays must have a text: name shipped parts, or those of a file of the catalogue"
    try:
        again = make_scenario(values)
    except InputError as error:
        raise InputError(f"{problem} ({error})") from error
    if identity_of(again) != identity_of(scenario):
        raise InputError(f"{problem}; {scenario.policy} on {environment.name} is not the same when made from its text")
    return values


def environment_text(environment: Environment[Any]) -> str:
    """An environment as the catalogue reads it, without its means and without lists that it draws or reads itself."""
    values = {item: getattr(environment, item.name) for item in fields(environment)}
    settings = [
        f"{item.name}={to_text(value)}"
        for item, value in values.items()
        if item.name in parameters_of(type(environment))
        and not isinstance(value, tuple)
        and not is_default(value, item.default)
    ]
    return environment.name + (":" + ",".join(settings) if settings else "")


def make_scenario(values: dict[str, Any]) -> Scenario:
    """The scenario of some values."""
    catalogue = SHIPPED.with_files(values["load"])
    return Scenario(
        catalogue.policy(values["policy"]),
        catalogue.environment(values["environment"], tuple(values["means"])),
        capability=values["capability"],
        catalogue=catalogue,
        **{name: values[name] for name in NUMBERS},
    )
