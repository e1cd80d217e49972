"""The verbs of the service: one row a route, from which come its address, its role, its check and its documentation."""

import asyncio
import json
from collections.abc import Callable
from typing import Any, NamedTuple

import msgspec

from robandit.service import messages as say
from robandit.service.engine import Answer
from robandit.service.experiment import Experiment
from robandit.service.problems import Problem
from robandit.service.service import UNKNOWN, Service
from robandit.service.stores.base import Unreachable
from robandit.service.tokens import Token

MOST_BYTES = 1 << 20  # of a body
MOST_KEY = 200
UNREACHABLE = "the database does not answer: ask again in a moment"


class Call(msgspec.Struct):
    """One request, parsed and admitted."""

    service: Service
    token: Token
    experiment: Any  # an Experiment, where the path names one
    params: dict[str, str]
    asked: Any
    key: str | None


class Route(NamedTuple):
    """A verb: where, who may, what is asked, what is told."""

    method: str
    path: str
    role: str
    do: Callable[[Any], Any]  # answers an Answer, or something to wait for that does
    asks: Any
    tells: dict[int, Any]
    summary: str
    keyed: bool = False
    no: Callable[[Problem, dict[str, str]], bytes] | None = None  # a refusal in another protocol's words


def source_of(token: Token, label: str | None, service: Service) -> str | None:
    """Who says so: the token, refined by what the request adds."""
    if service.tokens.open:
        return label
    return token.name if label is None else f"{token.name}/{label}"


def create(call: Call) -> Answer:
    """A new experiment."""
    if call.token.experiments is not None:
        raise Problem(403, "this token is bound to its experiments and cannot make new ones")
    return call.service.engine.create(call.asked)


def experiments(call: Call) -> Answer:
    """All that this token may see."""
    engine = call.service.engine
    seen = [one for one in engine.experiments.values() if call.token.sees(one.id, one.name)]
    others = [one for one in call.service.ownership.others() if call.token.sees(one.id, one.name)]
    elsewhere = [say.ElsewhereTold(*one) for one in others]
    return Answer(200, say.Experiments([engine.about(one) for one in seen], elsewhere), [])


def about(call: Call) -> Answer:
    """One experiment."""
    told = call.service.engine.about(call.experiment)
    told.head = call.service.store.head(told.id).chain.hex()
    return Answer(200, told, [])


def watched(call: Call) -> Answer:
    """What the last look at an experiment found."""
    look = call.service.watch.looks.get(call.experiment.id)
    if look is None:
        return Answer(200, say.Watched(0, None, [], [], "no look was taken yet", None), [])
    return Answer(200, say.Watched(look.line, look.time, look.alarms, look.flagged, look.problem, look.found), [])


def look_now(call: Call) -> Answer:
    """A look at an experiment before its time."""
    call.service.watch.soon(call.experiment)
    return Answer(202, say.Done(), [])


def decide(call: Call) -> Answer:
    """A decision, or several."""
    return call.service.engine.decide(call.experiment, call.asked, call.key)


def reward(call: Call) -> Answer:
    """A decision's reward."""
    source = source_of(call.token, call.asked.source, call.service)
    return call.service.engine.reward(call.experiment, call.params["decision"], call.asked, source)


def rewards(call: Call) -> Answer:
    """Rewards in bulk, each with its own outcome."""
    rows, outcomes = [], []
    for one in call.asked.rewards:
        source = source_of(call.token, one.source, call.service)
        asked = say.Reward(one.reward, one.source, one.part)
        try:
            answer = call.service.engine.reward(call.experiment, one.id, asked, source)
        except Problem as problem:
            outcomes.append(say.Outcome(problem.status, problem.detail))
        else:
            rows += answer.rows
            outcomes.append(say.Outcome(answer.status))
    return Answer(200, say.Outcomes(outcomes), rows)


def activate(call: Call) -> Answer:
    """A decision was shown."""
    return call.service.engine.activate(call.experiment, call.params["decision"])


def add_arm(call: Call) -> Answer:
    """One more arm."""
    return call.service.engine.change_arm(call.experiment, call.asked.name, "added", call.token.name)


def change_arm(call: Call) -> Answer:
    """An arm paused, resumed or retired."""
    return call.service.engine.change_arm(call.experiment, call.params["arm"], call.asked.change, call.token.name)


def change_source(call: Call) -> Answer:
    """A source quarantined, released, capped or weighted."""
    entry = {"entry": "source", "source": call.params["source"], "change": call.asked.change}
    if call.asked.change == "capped":
        entry["cap"] = call.asked.cap
    if call.asked.change == "weighted":
        if call.asked.weight is None:
            raise Problem(422, "a source that is weighted needs a weight from 0 to 1")
        entry["weight"] = call.asked.weight
    return call.service.engine.act(call.experiment, entry, call.token.name)


def change_breaker(call: Call) -> Answer:
    """Learning stops, or goes on."""
    experiment = call.experiment
    since = experiment.line if call.asked.since is None else min(call.asked.since, experiment.line)
    entry: dict[str, Any] = {"entry": "breaker", "change": call.asked.change}
    if call.asked.change == "tripped":
        entry["since"] = since
    return call.service.engine.act(experiment, entry, call.token.name)


def retract(call: Call) -> Answer:
    """Take one decision's reward back."""
    number = call.service.engine.number(call.experiment, call.params["decision"])
    if call.service.engine.value_of(call.experiment, number, "") is None:
        raise Problem(404, "this decision has no reward to take back")
    return call.service.engine.act(call.experiment, {"entry": "retract", "id": number}, call.token.name)


def what_if(call: Call) -> Any:
    """The belief without some sources or rewards, folded beside what lives."""
    engine = call.service.engine
    numbers = [engine.number(call.experiment, id) for id in call.asked.decisions]
    return asyncio.to_thread(engine.what_if, call.experiment, call.asked.sources, numbers)


def evaluate(call: Call) -> Answer:
    """OpenFeature asks for a decision."""
    unit = call.asked.context.get("targetingKey")
    if unit is not None and not (isinstance(unit, str) and 1 <= len(unit) <= MOST_KEY):
        raise Problem(400, f"targetingKey must be text of 1 to {MOST_KEY} letters")
    answer = call.service.engine.decide(call.experiment, say.Ask(unit=unit), None)
    made: say.Decision = answer.message
    told = {"decision": made.id, "holdout": made.holdout}
    if made.probability is not None:
        told["probability"] = made.probability
    message = say.Evaluated(call.params["experiment"], made.arm, made.arm, "SPLIT", told)
    return Answer(200, message, answer.rows)


def not_evaluated(problem: Problem, params: dict[str, str]) -> bytes:
    """A refusal in OpenFeature's words."""
    code = {404: "FLAG_NOT_FOUND", 400: "INVALID_CONTEXT", 422: "PARSE_ERROR"}.get(problem.status, "GENERAL")
    return msgspec.json.encode({"key": params["experiment"], "errorCode": code, "errorDetails": problem.detail})


E1 = "/v1/experiments/{experiment}"
DECISION = E1 + "/decisions/{decision}"
ROUTES = [
    Route("POST", "/v1/experiments", "admin", create, say.NewExperiment, {201: say.Created}, "Begin an experiment"),
    Route("GET", "/v1/experiments", "read", experiments, None, {200: say.Experiments}, "All experiments"),
    Route("GET", E1, "read", about, None, {200: say.ExperimentTold}, "An experiment as it stands"),
    Route("POST", E1 + "/watch", "admin", look_now, None, {202: say.Done}, "Look for signs of fraud now"),
    Route(
        "GET", E1 + "/watch", "read", watched, None, {200: say.Watched}, "What the last look for signs of fraud found"
    ),
    Route(
        "POST",
        E1 + "/decisions",
        "decide",
        decide,
        say.Ask,
        {201: (say.Decision, say.Decisions), 200: (say.Decision, say.Decisions)},
        "Decide; with an Idempotency-Key a retry gets the same decision",
        keyed=True,
    ),
    Route(
        "PUT",
        DECISION + "/reward",
        "reward",
        reward,
        say.Reward,
        {201: say.Done, 200: say.Done},
        "Reward a decision: the same value again is fine, another one is a conflict",
    ),
    Route("DELETE", DECISION + "/reward", "admin", retract, None, {200: say.Done}, "Take a reward back"),
    Route("POST", E1 + "/rewards", "reward", rewards, say.Rewards, {200: say.Outcomes}, "Reward many decisions"),
    Route("POST", DECISION + "/activation", "reward", activate, None, {201: say.Done, 200: say.Done}, "It was shown"),
    Route("POST", E1 + "/arms", "admin", add_arm, say.ArmAsked, {201: say.Done}, "Add an arm"),
    Route(
        "PATCH",
        E1 + "/arms/{arm}",
        "admin",
        change_arm,
        say.ArmChange,
        {200: say.Done},
        "Pause, resume or retire an arm",
    ),
    Route(
        "POST",
        E1 + "/sources/{source}",
        "admin",
        change_source,
        say.SourceChange,
        {200: say.Done},
        "Quarantine, release, cap or weigh a source",
    ),
    Route("POST", E1 + "/what-if", "read", what_if, say.WhatIf, {200: say.WhatIfTold}, "What if these had not been?"),
    Route(
        "POST",
        "/ofrep/v1/evaluate/flags/{experiment}",
        "decide",
        evaluate,
        say.Evaluation,
        {200: say.Evaluated},
        "Decide, for any OpenFeature SDK",
        no=not_evaluated,
    ),
    Route(
        "POST", E1 + "/breaker", "admin", change_breaker, say.BreakerChange, {200: say.Done}, "Stop learning, or go on"
    ),
]
DECODERS = {route.asks: msgspec.json.Decoder(route.asks) for route in ROUTES if route.asks is not None}
KEYS = {asks: [f'"{name}"'.encode() for name in asks.__struct_fields__] for asks in DECODERS}


def decoded(asks: Any, body: bytes) -> Any:
    """A body as a message; refused with a sentence. Keys that come twice are refused, for readers differ about them."""
    if asks is None:
        if body.strip() not in (b"", b"{}"):
            raise Problem(422, "this request takes no body")
        return None
    try:
        asked = DECODERS[asks].decode(body or b"{}")
    except msgspec.ValidationError as error:
        raise Problem(422, str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Problem(422, f"the body is no JSON: {error}") from error
    if body.count(b":") > 1 and (b"\\" in body or any(body.count(key) > 1 for key in KEYS[asks])):
        json.loads(body, object_pairs_hook=no_twins)
    return asked


def no_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object whose keys are all different."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for name in found if sum(name == other for other, _ in pairs) > 1)
        raise Problem(422, f"the key {twice!r} stands twice")
    return found


def checked_key(key: str) -> str:
    """An Idempotency-Key: plain letters without blanks, not too many."""
    if not (1 <= len(key) <= MOST_KEY and all("!" <= letter <= "~" for letter in key)):
        raise Problem(422, f"an Idempotency-Key must be 1 to {MOST_KEY} plain letters without blanks, not {key[:40]!r}")
    return key


def performed(
    service: Service, route: Route, header: bytes, params: dict[str, str], body: bytes, key: str | None
) -> tuple[Any, Experiment | None]:
    """One request, from who asks to what is to be committed; raises a Problem and changes nothing, or answers.

    A fault in the middle of what a verb does, ours or the disk's, stops the service: what memory holds is not known to
    be what the journal comes to, as when a commit fails.
    """
    token = service.token(header)
    service.admit(token, route.role)
    try:
        experiment = service.experiment(token, params["experiment"]) if "experiment" in params else None
        asked = decoded(route.asks, body)
        key = checked_key(key) if route.keyed and key is not None else None
        call = Call(service, token, experiment, params, asked, key)
        try:
            return route.do(call), experiment
        except (Problem, Unreachable):
            raise
        except Exception as error:
            service.writer.fail([], error)
            raise Problem(503, UNKNOWN, {"retry-after": "5"}) from error
    except Unreachable as error:
        raise Problem(503, UNREACHABLE, {"retry-after": "1"}) from error
