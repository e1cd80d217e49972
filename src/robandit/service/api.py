"""The verbs of the service: one function per route, with its address, its role, its messages and its documentation.

The name of a function is its operation id in the OpenAPI document, and its docstring the summary there.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import msgspec

from robandit.service import messages
from robandit.service.engine import Answer
from robandit.service.guarding import record_report
from robandit.service.messages import Done
from robandit.service.ownership import Elsewhere
from robandit.service.planning import plan_experiment
from robandit.service.problems import Problem
from robandit.service.service import Service
from robandit.service.tokens import Token

MOST_KEY = 200  # letters of a key or of a unit
EXPERIMENT = "/v1/experiments/{experiment}"
DECISION = EXPERIMENT + "/decisions/{decision}"
DECIDED = (messages.DecisionReply, messages.Decisions)


class Call(msgspec.Struct):
    """One request, parsed and admitted."""

    service: Service
    token: Token
    experiment: Any  # an Experiment, where the path names one
    params: dict[str, str]
    request: Any  # the body as its message
    key: str | None
    credentials: bytes = b""  # the Authorization header, for whoever must ask another process
    redirects: bool = False  # whether no other process is to be asked


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
    tagged: bool  # the answer has an ETag, and is not sent again to whoever has it


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
    tagged: bool = False,
) -> Callable[[Verb], Verb]:
    """Returns a decorator that adds a verb to the routes; see Route."""

    def add_route(verb: Verb) -> Verb:
        summary = (verb.__doc__ or verb.__name__).removesuffix(".")
        ROUTES.append(Route(method, path, role, request, replies, verb, summary, keyed, refusal, tagged))
        return verb

    return add_route


def source_of(token: Token, label: str | None, service: Service) -> str | None:
    """Returns who reports: the token, refined by the label that the request adds."""
    if service.tokens.open:
        return label
    return token.name if label is None else f"{token.name}/{label}"


def decider_of(call: Call) -> str | None:
    """Returns the token that asks for a decision; None where no token is needed."""
    return None if call.service.tokens.open else call.token.name


@serve_at("POST", "/v1/experiments", "admin", messages.NewExperiment, {201: messages.Created})
def create(call: Call) -> Any:
    """Begin an experiment."""
    if call.token.experiments is not None:
        raise Problem(403, "this token is bound to its experiments and cannot create new ones")
    engine = call.service.engine
    if call.service.store.leased is None:
        return engine.create(call.request)
    plan = plan_experiment(call.request, engine.clock())

    async def create_beside() -> Answer:
        return engine.serve_new(await asyncio.to_thread(engine.store_new, *plan))

    return create_beside()


@serve_at("GET", "/v1/experiments", "read", None, {200: messages.Experiments})
async def experiments(call: Call) -> Answer:
    """All experiments."""
    engine = call.service.engine
    others = [one for one in await call.service.ownership.others() if call.token.sees(one.id, one.name)]
    visible = [one for one in engine.experiments.values() if call.token.sees(one.id, one.name)]
    elsewhere = [messages.ElsewhereReply(*one) for one in others]
    return Answer(200, messages.Experiments([engine.about(one) for one in visible], elsewhere), [])


@serve_at("GET", EXPERIMENT, "read", None, {200: messages.ExperimentReply})
async def about(call: Call) -> Answer:
    """An experiment as it stands."""
    head = await asyncio.to_thread(call.service.store.head, call.experiment.id)
    reply = call.service.engine.about(call.experiment)
    reply.head = head.chain.hex()
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
        return Answer(200, messages.WatchReply(0, None, [], [], "no audit was made yet", None), [])
    reply = (audit.line, audit.time, audit.alarms, audit.flagged, audit.problem, audit.findings)
    return Answer(200, messages.WatchReply(*reply), [])


@serve_at(
    "POST", EXPERIMENT + "/decisions", "decide", messages.DecisionRequest, {201: DECIDED, 200: DECIDED}, keyed=True
)
def decide(call: Call) -> Answer:
    """Decide; with an Idempotency-Key a retry gets the same decision."""
    call.token.charge((call.request.count or 1) - 1)
    return call.service.engine.decide(call.experiment, call.request, call.key, decider_of(call))


async def after_look_up(call: Call, numbers: list[int], verb: Callable[[dict[int, float | None]], Answer]) -> Answer:
    """Returns what a verb returns that must know old values, which another thread asks the database for."""
    stored = await asyncio.to_thread(call.service.engine.old_values, call.experiment.id, numbers)
    if call.service.experiment(call.token, str(call.experiment.id)) is not call.experiment:
        raise Elsewhere(call.experiment.id, call.experiment.name, None).problem()  # it changed hands meanwhile
    answer: Answer = call.service.attempt(lambda call: verb(stored), call)
    return answer


def check_verifier(token: Token, is_verified: bool) -> None:
    """Raises a Problem for a reward that is said to be verified by a token that may not say so."""
    if is_verified and not token.may("verify"):
        raise Problem(403, "this token lacks the role 'verify', without which no reward of its is a verified one")


@serve_at("PUT", DECISION + "/reward", "reward", messages.Reward, {201: Done, 200: Done})
def reward(call: Call) -> Any:
    """Reward a decision: the same value again is fine, another one is a conflict."""
    engine, id, request = call.service.engine, call.params["decision"], call.request
    check_verifier(call.token, request.verified)
    source = source_of(call.token, request.source, call.service)
    forgotten = engine.forgotten(call.experiment, [(id, request.part, request.verified)])
    if forgotten:
        return after_look_up(
            call, forgotten, lambda stored: engine.reward(call.experiment, id, request, source, stored)
        )
    return engine.reward(call.experiment, id, request, source)


@serve_at("DELETE", DECISION + "/reward", "admin", None, {200: Done})
def retract(call: Call) -> Any:
    """Take a reward back."""
    engine, id = call.service.engine, call.params["decision"]
    number = engine.number(call.experiment, id)

    def record(stored: dict[int, float | None]) -> Answer:
        kinds = (False, True)  # an unverified reward, and a verified one
        if all(engine.value_of(call.experiment, number, "", stored, kind) is None for kind in kinds):
            raise Problem(404, "this decision has no reward to take back")
        return engine.act(call.experiment, {"entry": "retract", "id": number}, call.token.name)

    forgotten = engine.forgotten(call.experiment, [(id, "", False), (id, "", True)])
    return after_look_up(call, forgotten, record) if forgotten else record({})


@serve_at("POST", EXPERIMENT + "/rewards", "reward", messages.Rewards, {200: messages.Outcomes})
def rewards(call: Call) -> Any:
    """Reward many decisions."""
    call.token.charge(len(call.request.rewards) - 1)
    reports = [(one.id, one.part, one.verified) for one in call.request.rewards]
    forgotten = call.service.engine.forgotten(call.experiment, reports)
    if forgotten:
        return after_look_up(call, forgotten, lambda stored: reward_all(call, stored))
    return reward_all(call, {})


def reward_all(call: Call, stored: dict[int, float | None]) -> Answer:
    """Reward many decisions, where old values were looked up already."""
    rows, outcomes = [], []
    for one in call.request.rewards:
        source = source_of(call.token, one.source, call.service)
        request = messages.Reward(one.reward, one.source, one.part, one.verified)
        try:
            check_verifier(call.token, one.verified)
            answer = call.service.engine.reward(call.experiment, one.id, request, source, stored)
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


@serve_at("PUT", DECISION + "/guardrail", "reward", messages.GuardrailReport, {201: Done, 200: Done})
def guard(call: Call) -> Answer:
    """Report the second metric of a decision; learning stops where its mean is surely above the limit."""
    return record_report(call.service.engine, call.experiment, call.params["decision"], call.request.value)


@serve_at("POST", EXPERIMENT + "/arms", "admin", messages.NewArm, {201: Done})
def add_arm(call: Call) -> Answer:
    """Add an arm."""
    return call.service.engine.change_arm(
        call.experiment, call.request.name, "added", call.token.name, call.request.values
    )


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
    work = partial(engine.what_if, call.experiment, call.request.sources, numbers)
    return call.service.replays.run(call.token, work)


@serve_at("POST", EXPERIMENT + "/breaker", "admin", messages.BreakerChange, {200: Done})
def change_breaker(call: Call) -> Answer:
    """Stop learning, or go on. Learning that has stopped can be stopped since an earlier line, never a later one."""
    experiment, frozen = call.experiment, call.experiment.standing.frozen
    entry: dict[str, Any] = {"entry": "breaker", "change": call.request.change}
    is_new = frozen is not None
    if call.request.change == "tripped":
        since = experiment.line if call.request.since is None else min(call.request.since, experiment.line)
        is_new, entry["since"] = frozen is None or since < frozen, since
    if not is_new:
        return Answer(200, Done(False), [])
    return call.service.engine.act(experiment, entry, call.token.name)


@serve_at("POST", EXPERIMENT + "/end", "admin", None, {200: Done})
def end_experiment(call: Call) -> Answer:
    """End an experiment: no decision is made any more, open ones take their rewards. It cannot be undone."""
    return call.service.engine.end(call.experiment, call.token.name)
