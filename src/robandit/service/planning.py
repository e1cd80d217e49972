"""A request for a new experiment becomes its name, what is known about it, and the first line of its journal."""

import json
import secrets
from typing import Any

import msgspec

from robandit.catalogue import SHIPPED
from robandit.errors import InputError
from robandit.game import Policy
from robandit.online.features import features_from
from robandit.online.fold import Fold
from robandit.online.rules import Rules
from robandit.online.terms import Terms, check_range
from robandit.service.messages import NewExperiment, PolicyName
from robandit.service.problems import Problem


def plan_experiment(request: NewExperiment, now: float) -> tuple[str, str, str]:
    """Returns a new experiment's name, what is known about it, and its first line. Raises a Problem."""
    name = request.name
    if "/" in name or name.isdigit():
        raise Problem(422, f"a name must not be a number and have no slash, for it stands in addresses: {name!r}")
    if "\0" in name:
        raise Problem(422, "a name cannot have the character of the number 0")
    try:
        policy = policy_of(request.policy).as_deployed()
        shadows = [str(policy_of(one)) for one in request.shadow]
        low, high = check_range(*map(float, request.reward_range))
        rule = msgspec.structs.asdict(request.rules)
        verified, guardrail = rule.pop("verified"), rule.pop("guardrail")
        rules = Rules(**rule)
        seed = secrets.randbits(64) if request.seed is None else request.seed
        limits = (request.horizon, float(request.corruption), low, high, request.patience, None, rules)
        seen = (features_from(request.features), features_from(request.arm_features, "arm_features"))
        terms = Terms(str(policy), tuple(request.arms), seed, *limits, *seen, request.arm_values, verified)
        Fold(policy, terms)
    except InputError as error:
        raise Problem(422, str(error)) from error
    if (request.trip or guardrail is not None) and policy.rewards_fixed:
        raise Problem(422, f"{policy.name} cannot stop learning by itself: {policy.rewards_fixed}")
    about = {"shadow": shadows, "trip": request.trip, "created": now}
    about |= {} if guardrail is None else {"guardrail": msgspec.structs.asdict(guardrail)}
    return name, json.dumps(about), msgspec.json.encode(terms.header()).decode()


def policy_of(request: PolicyName | str) -> Policy[Any]:
    """Returns a policy by its name and parameters, or from its text. Raises InputError."""
    if isinstance(request, str):
        return SHIPPED.policy(request)
    parameters = []
    for name, value in request.parameters.items():
        if not isinstance(value, bool | int | float | str) and value is not None:
            sentence = f"{name} must be a number, a word or true or false, not {value!r:.40}"
            raise InputError(f"policy {request.name!r}: {sentence}")
        parameters.append(f"{name}=({value})" if isinstance(value, str) else f"{name}={value!r}")
    return SHIPPED.policy(f"{request.name}:{','.join(parameters)}" if parameters else request.name)
