"""The verbs of the service: one function per route, with its address, its role, its messages and its documentation.

The name of a function is its operation id in the OpenAPI document, and its docstring the summary there.
"""

import asyncio
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from robandit.service import messages
from robandit.service.engine import Answer
from robandit.service.messages import Done
from robandit.service.problems import Problem
from robandit.service.service import Service
from robandit.service.tokens import Token

MOST_KEY = 200  # letters of a key or of a unit
EXPERIMENT = "/v1/experiments/{experiment}"
DECISION = EXPERIMENT + "/decisions/{decision}"
OPENFEATURE = "/ofrep/v1/evaluate/flags/{experiment}"
DECIDED = (messages.DecisionReply, messages.Decisions)


class Call(msgspec.Struct):
    """One request, parsed and admitted."""

    service: Service
    token: Token
    experiment: Any  # an Experiment, where the path names one
    params: dict[str, str]
    request: Any  # the body as its message
    key: str | None


Verb = Callable[[Call], Any]  # returns an Answer, or an awaitable of one
Refusal = Callable[[Problem, dict[str, str]], bytes]


class Route(NamedTuple):
    """Where a verb is, who may use it, and the messages it takes and returns."""

    method: str
    path: str
    role: str
    request: Any  # None: it takes no body
    replies: dict[int, Any]  # by status: a message, or a tuple of which it is one
    verb: Verb
    summary: str
    keyed: bool
    refusal: Refusal | None  # in another protocol's words


ROUTES: list[Route] = []


def serve_at(
    method: str,
    path: str,
    role: str,
    request: Any,
    replies: dict[int, Any],
    *,
    keyed: bool = False,
    refusal: Refusal | None = None,
) -> Callable[[Verb], Verb]:
    """Returns a decorator that adds a verb to the routes; see Route."""

    def add_route(verb: Verb) -> Verb:
        summary = (verb.__doc__ or verb.__name__).removesuffix(".")
        ROUTES.append(Route(method, path, role, request, replies, verb, summary, keyed, refusal))
        return verb

    return add_route


def source_of(token: Token, label: str | None, service: Service) -> str | None:
    """Returns who reports: the token, refined by the label that the request adds."""
    if service.tokens.open:
        return label
    return token.name if label is None else f"{token.name}/{label}"


@serve_at("POST", "/v1/experiments", "admin", messages.NewExperiment, {201: messages.Created})
def create(call: Call) -> Answer:
    """Begin an experiment."""
    if call.token.experiments is not None:
        raise Problem(403, "this token is bound to its experiments and cannot create new ones")
    return call.service.engine.create(call.request)


@serve_at("GET", "/v1/experiments", "read", None, {200: messages.Experiments})
def experiments(call: Call) -> Answer:
    """All experiments."""
    engine = call.service.engine
    visible = [one for one in engine.experiments.values() if call.token.sees(one.id, one.name)]
    others = [one for one in call.service.ownership.others() if call.token.sees(one.id, one.name)]
    elsewhere = [messages.ElsewhereReply(*one) for one in others]
    return Answer(200, messages.Experiments([engine.about(one) for one in visible], elsewhere), [])


@serve_at("GET", EXPERIMENT, "read", None, {200: messages.ExperimentReply})
def about(call: Call) -> Answer:
    """An experiment as it stands."""
    reply = call.service.engine.about(call.experiment)
    reply.head = call.service.store.head(reply.id).chain.hex()
    return Answer(200, reply, [])


@serve_at("POST", EXPERIMENT + "/watch", "admin", None, {202: Done})
def look_now(call: Call) -> Answer:
    """Look for signs of fraud now."""
    call.service.watch.soon(call.experiment)
    return Answer(202, messages.Done(), [])


@serve_at("GET", EXPERIMENT + "/watch", "read", None, {200: messages.WatchReply})
def watched(call: Call) -> Answer:
    """What the last look for signs of fraud found."""
    audit = call.service.watch.audits.get(call.experiment.id)
    if audit is None:
        return Answer(200, messages.WatchReply(0, None, [], [], "no look was taken yet", None), [])
    reply = (audit.line, audit.time, audit.alarms, audit.flagged, audit.problem, audit.findings)
    return Answer(200, messages.WatchReply(*reply), [])


@serve_at(
    "POST", EXPERIMENT + "/decisions", "decide", messages.DecisionRequest, {201: DECIDED, 200: DECIDED}, keyed=True
)
def decide(call: Call) -> Answer:
    """Decide; with an Idempotency-Key a retry gets the same decision."""
    return call.service.engine.decide(call.experiment, call.request, call.key)


@serve_at("PUT", DECISION + "/reward", "reward", messages.Reward, {201: Done, 200: Done})
def reward(call: Call) -> Answer:
    """Reward a decision: the same value again is fine, another one is a conflict."""
    source = source_of(call.token, call.request.source, call.service)
    return call.service.engine.reward(call.experiment, call.params["decision"], call.request, source)


@serve_at("DELETE", DECISION + "/reward", "admin", None, {200: Done})
def retract(call: Call) -> Answer:
    """Take a reward back."""
    number = call.service.engine.number(call.experiment, call.params["decision"])
    if call.service.engine.value_of(call.experiment, number, "") is None:
        raise Problem(404, "this decision has no reward to take back")
    return call.service.engine.act(call.experiment, {"entry": "retract", "id": number}, call.token.name)


@serve_at("POST", EXPERIMENT + "/rewards", "reward", messages.Rewards, {200: messages.Outcomes})
def rewards(call: Call) -> Answer:
    """Reward many decisions."""
    rows, outcomes = [], []
    for one in call.request.rewards:
        source = source_of(call.token, one.source, call.service)
        request = messages.Reward(one.reward, one.source, one.part)
        try:
            answer = call.service.engine.reward(call.experiment, one.id, request, source)
        except Problem as problem:
            outcomes.append(messages.Outcome(problem.status, problem.detail))
        else:
            rows += answer.rows
            outcomes.append(messages.Outcome(answer.status))
    return Answer(200, messages.Outcomes(outcomes), rows)


@serve_at("POST", DECISION + "/activation", "reward", None, {201: Done, 200: Done})
def activate(call: Call) -> Answer:
    """It was shown."""
    return call.service.engine.activate(call.experiment, call.params["decision"])


@serve_at("POST", EXPERIMENT + "/arms", "admin", messages.NewArm, {201: Done})
def add_arm(call: Call) -> Answer:
    """Add an arm."""
    return call.service.engine.change_arm(call.experiment, call.request.name, "added", call.token.name)


@serve_at("PATCH", EXPERIMENT + "/arms/{arm}", "admin", messages.ArmChange, {200: Done})
def change_arm(call: Call) -> Answer:
    """Pause, resume or retire an arm."""
    return call.service.engine.change_arm(call.experiment, call.params["arm"], call.request.change, call.token.name)


@serve_at("POST", EXPERIMENT + "/sources/{source}", "admin", messages.SourceChange, {200: Done})
def change_source(call: Call) -> Answer:
    """Quarantine, release, cap or weigh a source."""
    entry = {"entry": "source", "source": call.params["source"], "change": call.request.change}
    if call.request.change == "capped":
        entry["cap"] = call.request.cap
    if call.request.change == "weighted":
        if call.request.weight is None:
            raise Problem(422, "a source that is weighted needs a weight from 0 to 1")
        entry["weight"] = call.request.weight
    return call.service.engine.act(call.experiment, entry, call.token.name)


@serve_at("POST", EXPERIMENT + "/what-if", "read", messages.WhatIfRequest, {200: messages.WhatIfReply})
def what_if(call: Call) -> Any:
    """What if these had not been?"""
    engine = call.service.engine
    numbers = [engine.number(call.experiment, id) for id in call.request.decisions]
    return asyncio.to_thread(engine.what_if, call.experiment, call.request.sources, numbers)


def openfeature_refusal(problem: Problem, params: dict[str, str]) -> bytes:
    """Returns a refusal in OpenFeature's words."""
    code = {404: "FLAG_NOT_FOUND", 400: "INVALID_CONTEXT", 422: "PARSE_ERROR"}.get(problem.status, "GENERAL")
    return msgspec.json.encode({"key": params["experiment"], "errorCode": code, "errorDetails": problem.detail})


@serve_at("POST", OPENFEATURE, "decide", messages.Evaluation, {200: messages.Evaluated}, refusal=openfeature_refusal)
def evaluate(call: Call) -> Answer:
    """Decide, for any OpenFeature SDK."""
    unit = call.request.context.get("targetingKey")
    if unit is not None and not (isinstance(unit, str) and 1 <= len(unit) <= MOST_KEY):
        raise Problem(400, f"targetingKey must be text of 1 to {MOST_KEY} letters")
    answer = call.service.engine.decide(call.experiment, messages.DecisionRequest(unit=unit), None)
    reply: messages.DecisionReply = answer.message
    metadata = {"decision": reply.id, "holdout": reply.holdout}
    if reply.probability is not None:
        metadata["probability"] = reply.probability
    message = messages.Evaluated(call.params["experiment"], reply.arm, reply.arm, "SPLIT", metadata)
    return Answer(200, message, answer.rows)


@serve_at("POST", EXPERIMENT + "/breaker", "admin", messages.BreakerChange, {200: Done})
def change_breaker(call: Call) -> Answer:
    """Stop learning, or go on."""
    experiment = call.experiment
    since = experiment.line if call.request.since is None else min(call.request.since, experiment.line)
    entry: dict[str, Any] = {"entry": "breaker", "change": call.request.change}
    if call.request.change == "tripped":
        entry["since"] = since
    return call.service.engine.act(experiment, entry, call.token.name)
