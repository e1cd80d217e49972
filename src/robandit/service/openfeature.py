"""OpenFeature's remote evaluation protocol: an experiment is a flag, its arms are the variants.

One flag at a time for servers. All flags at once for browsers and phones, whose SDKs ask again and again: there each
unit must keep its arm, so only experiments whose rule is `sticky` are flags of it.
"""

import asyncio
from typing import Any

import msgspec

from robandit.service import messages
from robandit.service.api import MOST_KEY, Call, decider_of, serve_at
from robandit.service.engine import Answer
from robandit.service.experiment import Experiment
from robandit.service.problems import Problem
from robandit.version import __version__

FLAGS = "/ofrep/v1/evaluate/flags"
POLLING_MS = 1_000  # a browser need not ask more often: its arms stay


def refuse(problem: Problem, params: dict[str, str]) -> bytes:
    """Returns a refusal in OpenFeature's words."""
    codes = {404: "FLAG_NOT_FOUND", 400: "INVALID_CONTEXT", 422: "PARSE_ERROR"}
    flag = {"key": params["experiment"]} if "experiment" in params else {}
    code = codes.get(problem.status, "GENERAL")
    return msgspec.json.encode({**flag, "errorCode": code, "errorDetails": problem.detail})


def unit_in(context: dict[str, Any]) -> str | None:
    """Returns whom a context is about. Raises a Problem where that is no short text."""
    unit = context.get("targetingKey")
    if unit is not None and not (isinstance(unit, str) and 1 <= len(unit) <= MOST_KEY):
        raise Problem(400, f"targetingKey must be text of 1 to {MOST_KEY} letters")
    return unit


def decide_flag(call: Call, experiment: Experiment, flag: str, unit: str | None) -> tuple[messages.Evaluated, Answer]:
    """Returns a flag's value and the lines to be committed before it is sent.

    Of the evaluation context the experiment's own features count; one that is missing is not known.
    """
    if experiment.ended:
        raise Problem(404, "this experiment has ended: no decision is made any more")
    features = experiment.terms.features
    context = None if features is None else features.select(call.request.context)
    request = messages.DecisionRequest(unit=unit, context=context)
    answer = call.service.engine.decide(experiment, request, None, decider_of(call))
    reply: messages.DecisionReply = answer.message
    metadata = {"decision": reply.id, "holdout": reply.holdout}
    if reply.probability is not None:
        metadata["probability"] = reply.probability
    return messages.Evaluated(flag, reply.arm, reply.arm, "SPLIT", metadata), answer


@serve_at("POST", FLAGS + "/{experiment}", "decide", messages.Evaluation, {200: messages.Evaluated}, refusal=refuse)
def evaluate(call: Call) -> Answer:
    """Decide, for any OpenFeature SDK."""
    unit = unit_in(call.request.context)
    message, answer = decide_flag(call, call.experiment, call.params["experiment"], unit)
    return Answer(200, message, answer.rows)


@serve_at("POST", FLAGS, "decide", messages.Evaluation, {200: messages.AllEvaluated}, refusal=refuse, tagged=True)
async def evaluate_all(call: Call) -> Answer:
    """Decide in every sticky experiment, for SDKs of browsers and phones."""
    unit = unit_in(call.request.context)
    if unit is None:
        raise Problem(400, "targetingKey is needed: whoever asks again must get the same arms")
    flags: list[messages.Evaluated | messages.NotEvaluated] = []
    commits = []
    for experiment in list(call.service.engine.experiments.values()):
        if not (experiment.rules.sticky and call.token.sees(experiment.id, experiment.name)):
            continue
        if not call.service.ownership.holds(experiment.id):
            flags.append(messages.NotEvaluated(experiment.name, "GENERAL", "another process serves it"))
            continue
        try:
            message, answer = decide_flag(call, experiment, experiment.name, unit)
        except Problem as problem:
            flags.append(messages.NotEvaluated(experiment.name, "GENERAL", problem.detail))
        else:
            flags.append(message)
            commits.append(call.service.commit(answer, experiment))
    call.token.charge(max(len(commits) - 1, 0))
    await asyncio.gather(*commits)
    return Answer(200, messages.AllEvaluated(flags), [])


@serve_at("GET", "/ofrep/v1/configuration", "decide", None, {200: messages.FlagService}, refusal=refuse, tagged=True)
def configure(call: Call) -> Answer:
    """What an OpenFeature SDK can expect here."""
    return Answer(
        200,
        messages.FlagService(
            f"robandit {__version__}",
            {
                "cacheInvalidation": {"polling": {"enabled": True, "minPollingIntervalMs": POLLING_MS}},
                "flagEvaluation": {"supportedTypes": ["string"]},
                "caching": {"enabled": False},
            },
        ),
        [],
    )
