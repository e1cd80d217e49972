"""One request, from its header and body to an answer: whatever carries it, ASGI or the shortcut."""

import json
import re
from collections.abc import Awaitable
from typing import Any, get_args

import msgspec

from robandit.service.api import MOST_KEY, Call, Route
from robandit.service.engine import Answer
from robandit.service.experiment import Experiment
from robandit.service.forward import REPEATABLE, ForwardedRequest
from robandit.service.messages import DecisionRequest, Reward
from robandit.service.problems import Problem
from robandit.service.routes import ROUTES
from robandit.service.service import Service
from robandit.service.stores.base import Unreachable

MOST_BYTES = 1 << 20  # of a body
TOO_DEEP = "the body has too many objects or lists inside each other"
UNREACHABLE = "the database does not answer: ask again in a moment"
DECODERS = {route.request: msgspec.json.Decoder(route.request) for route in ROUTES if route.request is not None}
FLAT = (DecisionRequest, Reward)  # the frequent ones, with no object inside: a key that comes once needs no second look
KEYS = {message: [f'"{name}"'.encode() for name in message.__struct_fields__] for message in FLAT}


def decode_body(message: Any, body: bytes) -> Any:
    """Returns a body as its message. Raises a Problem, also for a key that comes twice: readers differ about it."""
    if message is None:
        if body.strip() not in (b"", b"{}"):
            raise Problem(422, "this request takes no body")
        return None
    try:
        request = DECODERS[message].decode(body or b"{}")
    except msgspec.ValidationError as error:
        raise Problem(422, f"{error}{name_allowed(message, str(error))}") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Problem(422, f"the body is no JSON: {error}") from error
    except RecursionError as error:
        raise Problem(422, TOO_DEEP) from error
    if body.count(b":") > 1 and (
        message not in KEYS or b"\\" in body or any(body.count(key) > 1 for key in KEYS[message])
    ):
        check_twins(body)
    return request


def name_allowed(message: Any, error: str) -> str:
    """Returns which fields a message has, or which words a field takes, where the error is about one of these."""
    fields = {field.encode_name: field.type for field in msgspec.structs.fields(message)}
    if re.fullmatch(r"Object contains unknown field `.*`", error):
        return f": the fields are {', '.join(fields)}"
    place = re.fullmatch(r"Invalid enum value .* - at `\$\.(\w+)`", error)
    words = get_args(fields[place[1]]) if place else ()
    return f": it is one of {', '.join(map(str, words))}" if words else ""


def check_twins(body: bytes) -> None:
    """Raises a Problem for JSON with an object in which a key comes twice, however deep it lies."""
    try:
        json.loads(body, object_pairs_hook=refuse_twins, parse_int=float)  # an `int` may have 4,300 digits at most
    except ValueError as error:
        raise Problem(422, f"the body is no JSON: {error}") from error
    except RecursionError as error:
        raise Problem(422, TOO_DEEP) from error


def refuse_twins(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object from its pairs. Raises a Problem if two have the same key."""
    values = dict(pairs)
    if len(values) < len(pairs):
        twice = next(name for name in values if sum(name == other for other, _ in pairs) > 1)
        raise Problem(422, f"the key {twice!r} stands twice")
    return values


def check_key(key: str) -> str:
    """Returns an Idempotency-Key. Raises a Problem unless it is plain letters without blanks, not too many."""
    if not (1 <= len(key) <= MOST_KEY and all("!" <= letter <= "~" for letter in key)):
        raise Problem(422, f"an Idempotency-Key must be 1 to {MOST_KEY} plain letters without blanks, not {key[:40]!r}")
    return key


def perform(
    service: Service,
    route: Route,
    header: bytes,
    params: dict[str, str],
    body: bytes,
    key: str | None,
    redirects: bool = False,
) -> tuple[Any, Experiment | None]:
    """Do one request; returns the answer to be committed, or an awaitable of it where the database is asked first.

    A request for another process's experiment is forwarded, unless it says that it follows redirects. Raises a Problem,
    and then nothing has changed.
    """
    token = service.token(header)
    service.admit(token, route.role)
    try:
        experiment = service.experiment(token, params["experiment"]) if "experiment" in params else None
        key = check_key(key) if route.keyed and key is not None else None
        if experiment is None and "experiment" in params:
            if redirects or service.forwarder is None:
                return service.refuse_absent(token, params["experiment"]), None
            repeats = route.method in REPEATABLE or key is not None
            forwarded = ForwardedRequest(route.method, route.path, params, header, body, key, repeats)
            return service.forwarder.forward(service, token, forwarded), None
        request = decode_body(route.request, body)
        call = Call(service, token, experiment, params, request, key, header, redirects)
        return service.attempt(route.verb, call), experiment
    except Unreachable as error:
        raise Problem(503, UNREACHABLE, {"retry-after": "1"}) from error


async def reach(answer: Awaitable[Answer]) -> Answer:
    """Returns an answer that had to be waited for. Raises a Problem, also where the database does not answer."""
    try:
        return await answer
    except Unreachable as error:
        raise Problem(503, UNREACHABLE, {"retry-after": "1"}) from error
