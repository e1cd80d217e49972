"""One request, from its header and body to an answer: whatever carries it, ASGI or the shortcut."""

import json
from typing import Any

import msgspec

from robandit.service.api import MOST_KEY, ROUTES, Call, Route
from robandit.service.experiment import Experiment
from robandit.service.problems import Problem
from robandit.service.service import UNKNOWN, Service
from robandit.service.stores.base import Unreachable

MOST_BYTES = 1 << 20  # of a body
UNREACHABLE = "the database does not answer: ask again in a moment"
DECODERS = {route.request: msgspec.json.Decoder(route.request) for route in ROUTES if route.request is not None}
KEYS = {message: [f'"{name}"'.encode() for name in message.__struct_fields__] for message in DECODERS}


def decode_body(message: Any, body: bytes) -> Any:
    """Returns a body as its message. Raises a Problem, also for a key that comes twice: readers differ about it."""
    if message is None:
        if body.strip() not in (b"", b"{}"):
            raise Problem(422, "this request takes no body")
        return None
    try:
        request = DECODERS[message].decode(body or b"{}")
    except msgspec.ValidationError as error:
        raise Problem(422, str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Problem(422, f"the body is no JSON: {error}") from error
    if body.count(b":") > 1 and (b"\\" in body or any(body.count(key) > 1 for key in KEYS[message])):
        json.loads(body, object_pairs_hook=refuse_twins)
    return request


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
    service: Service, route: Route, header: bytes, params: dict[str, str], body: bytes, key: str | None
) -> tuple[Any, Experiment | None]:
    """Do one request; returns the answer to be committed. Raises a Problem, and then nothing has changed.

    A fault in the middle of a verb, ours or the disk's, stops the service as when a commit fails: nobody knows whether
    the memory is what the journal comes to.
    """
    token = service.token(header)
    service.admit(token, route.role)
    try:
        experiment = service.experiment(token, params["experiment"]) if "experiment" in params else None
        request = decode_body(route.request, body)
        key = check_key(key) if route.keyed and key is not None else None
        call = Call(service, token, experiment, params, request, key)
        try:
            return route.verb(call), experiment
        except (Problem, Unreachable):
            raise
        except Exception as error:
            service.writer.fail([], error)
            raise Problem(503, UNKNOWN, {"retry-after": "5"}) from error
    except Unreachable as error:
        raise Problem(503, UNREACHABLE, {"retry-after": "1"}) from error
