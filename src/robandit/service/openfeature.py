"""OpenFeature's remote evaluation protocol: an experiment is a flag, its arms are the variants.

One flag at a time for servers. All flags at once for browsers and phones, whose SDKs ask again and again: there each
unit must keep its arm, so only experiments whose rule is `sticky` are flags of it.
"""

import asyncio
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from robandit.service import messages
from robandit.service.api import MOST_KEY, Call, decider_of, serve_at
from robandit.service.engine import Answer
from robandit.service.forward import ForwardedRequest
from robandit.service.ownership import Elsewhere
from robandit.service.problems import Problem
from robandit.service.service import UNKNOWN
from robandit.version import __version__

FLAGS = "/ofrep/v1/evaluate/flags"
POLLING_MS = 1_000  # a browser need not ask more often: its arms stay
NOT_SERVED = "nobody serves it just now: ask again in a moment"
Flag = messages.Evaluated | messages.NotEvaluated


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


class Decided(NamedTuple):
    """A flag's value, and the lines to be committed before it is sent."""

    message: messages.Evaluated
    answer: Answer


def decide_flag(call: Call, flag: str, unit: str | None) -> Decided:
    """Returns the value of the flag that is a call's experiment.

    Of the evaluation context the experiment's own features count; one that is missing is not known.
    """
    experiment = call.experiment
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
    return Decided(messages.Evaluated(flag, reply.arm, reply.arm, "SPLIT", metadata), answer)


@serve_at("POST", FLAGS + "/{experiment}", "decide", messages.Evaluation, {200: messages.Evaluated}, refusal=refuse)
def evaluate(call: Call) -> Answer:
    """Decide, for any OpenFeature SDK."""
    unit = unit_in(call.request.context)
    decided = decide_flag(call, call.params["experiment"], unit)
    return Answer(200, decided.message, decided.answer.rows)


@serve_at("POST", FLAGS, "decide", messages.Evaluation, {200: messages.AllEvaluated}, refusal=refuse, tagged=True)
async def evaluate_all(call: Call) -> Answer:
    """Decide in every sticky experiment, for SDKs of browsers and phones."""
    unit = unit_in(call.request.context)
    if unit is None:
        raise Problem(400, "targetingKey is needed: whoever asks again must get the same arms")
    flags, commits = evaluate_here(call, unit)
    call.token.charge(max(len(commits) - 1, 0))
    others = [] if call.redirects else await evaluate_elsewhere(call, {flag.key for flag in flags})
    if any(isinstance(outcome, BaseException) for outcome in await asyncio.gather(*commits)):
        raise Problem(503, UNKNOWN, {"retry-after": "5"})
    return Answer(200, messages.AllEvaluated(sorted([*flags, *others], key=lambda flag: flag.key)), [])


def evaluate_here(call: Call, unit: str) -> tuple[list[Flag], list[asyncio.Future[Any]]]:
    """Returns the flags that this process serves, and the commits to wait for.

    A commit begins in the same turn of the loop as its decision: the lines of a journal follow each other.
    """
    service, flags, commits = call.service, list[Flag](), list[asyncio.Future[Any]]()
    for experiment in list(service.engine.experiments.values()):
        if not (experiment.rules.sticky and service.ownership.holds(experiment.id)):
            continue
        if not call.token.sees(experiment.id, experiment.name):
            continue
        try:
            decided: Decided = service.attempt(
                lambda call: decide_flag(call, call.experiment.name, unit), replace(call, experiment=experiment)
            )
        except Problem as problem:
            flags.append(messages.NotEvaluated(experiment.name, "GENERAL", problem.detail))
        else:
            flags.append(decided.message)
            commits.append(service.begin_commit(decided.answer, experiment))
    return flags, commits


async def evaluate_elsewhere(call: Call, known: set[str]) -> list[Flag]:
    """Returns all flags but those that are known; each other process is asked once, for all of its own.

    One that nobody serves just now has no value, but it does not vanish: experiments change hands meanwhile.
    """
    service, forwarder = call.service, call.service.forwarder
    aside = [Elsewhere(record.id, record.name, None) for record, _ in service.engine.aside.values()]
    places = {one.id: one for one in (*aside, *await service.ownership.all_places())}
    visible = [one for one in places.values() if one.name not in known and call.token.sees(one.id, one.name)]
    flags = list[Flag]()
    if forwarder is not None:
        body = msgspec.json.encode(call.request)
        request = ForwardedRequest("POST", FLAGS, {}, call.credentials, body, None, repeats=True)  # units keep arms
        addresses = {one.address for one in visible if one.address}
        replies = await asyncio.gather(*(forwarder.ask(address, request) for address in addresses))
        bodies = [msgspec.json.decode(reply) for reply in replies if reply is not None]
        answered = {
            flag["key"]: read_flag(flag) for body in bodies for flag in body["flags"] if flag["key"] not in known
        }
        flags, known = list(answered.values()), known | answered.keys()
    absent = [one for one in visible if one.name not in known]
    sticky = await asyncio.to_thread(lambda: [one for one in absent if service.is_sticky(one.id)])
    why = "another process serves it" if forwarder is None else NOT_SERVED
    return flags + [messages.NotEvaluated(one.name, "GENERAL", why if one.address else NOT_SERVED) for one in sticky]


def read_flag(flag: dict[str, Any]) -> Flag:
    """Returns a flag that another process has evaluated."""
    kind: type[Flag] = messages.NotEvaluated if "errorCode" in flag else messages.Evaluated
    return msgspec.convert(flag, kind)


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
