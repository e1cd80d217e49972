"""The OpenAPI 3.1 document, derived from the routes and the structs of their messages."""

import re
from typing import Any

import msgspec

from robandit.service import messages
from robandit.service.problems import MEDIA, TITLES, Details
from robandit.service.routes import ROUTES, Route
from robandit.version import __version__

SCHEMES = {
    "token": {"type": "http", "scheme": "bearer"},
    "key": {"type": "apiKey", "in": "header", "name": "X-API-Key"},
}
REFERENCE = "#/components/schemas/{name}"
NAMES = re.compile(r"{(\w+)}")
WORDS = {
    "experiment": "an experiment's id, or its name",
    "decision": "a decision's id",
    "arm": "an arm's name",
    "source": "a source's name, with its token before a slash",
}
EXTRA: dict[str, dict[str, Any]] = {
    "/healthz": {"get": {"summary": "Whether the service can answer", "security": []}},
    "/metrics": {"get": {"summary": "Counters for Prometheus"}},
    "/v1/experiments/{experiment}/export": {"get": {"summary": "Everything that happened: csv, parquet or journal"}},
}


def refusals(route: Route) -> list[int]:
    """Returns the statuses a route may refuse with."""
    statuses = {400, 401, 403, 408, 413, 415, 421, 422, 429, 431, 503}
    statuses |= {307, 404} if "{" in route.path else set()
    statuses |= {409} if route.path == "/v1/experiments" else set()
    statuses |= {409, 410} if "/decisions/" in route.path else set()
    statuses |= {410} if route.path.endswith("/decisions") else set()
    return sorted(statuses)


def document() -> dict[str, Any]:
    """Returns the document."""
    structs = {messages.Health, Details, *(route.request for route in ROUTES if route.request is not None)}
    structs |= {one for route in ROUTES for replies in route.replies.values() for one in one_or_more(replies)}
    ordered = sorted(structs, key=lambda struct: struct.__name__)
    schemas, components = msgspec.json.schema_components(ordered, ref_template=REFERENCE)
    schema_of = dict(zip(ordered, schemas, strict=True))
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = operation(route, schema_of)
    for path, verbs in EXTRA.items():
        for verb, summary in verbs.items():
            parameters = path_parameters(path)
            ok: dict[str, Any] = {"200": {"description": "OK"}, "default": problem()}
            paths.setdefault(path, {})[verb] = {**summary, "parameters": parameters, "responses": ok}
    return {
        "openapi": "3.1.0",
        "info": {"title": "robandit", "version": __version__, "summary": "Decisions whose rewards cannot be trusted"},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": SCHEMES},
        "security": [{"token": []}, {"key": []}, {}],
    }


def operation(route: Route, schema_of: dict[Any, Any]) -> dict[str, Any]:
    """Returns what the document says of one verb."""
    parameters = path_parameters(route.path)
    if route.keyed:
        key = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"}
        parameters.append({"name": "Idempotency-Key", "in": "header", "required": False, "schema": key})
    answers: dict[str, Any] = {
        str(status): {
            "description": TITLES.get(status, "OK"),
            "content": {"application/json": {"schema": one_of([schema_of[one] for one in one_or_more(replies)])}},
        }
        for status, replies in route.replies.items()
    }
    if route.tagged:
        tag = {"type": "string"}
        parameters.append({"name": "If-None-Match", "in": "header", "required": False, "schema": tag})
        answers["304"] = {"description": "the answer whose ETag was sent still holds"}
    answers |= {str(status): problem(route.refusal is not None) for status in refusals(route)}
    verb: dict[str, Any] = {"summary": route.summary, "operationId": route.verb.__name__, "responses": answers}
    verb |= {"parameters": parameters, "description": f"Role: {route.role}."}
    if route.request is not None:
        required = bool(msgspec.structs.fields(route.request)[0].required)
        content = {"application/json": {"schema": schema_of[route.request]}}
        verb["requestBody"] = {"required": required, "content": content}
    return verb


def one_or_more(replies: Any) -> tuple[Any, ...]:
    """Returns the structs that a reply may be."""
    return replies if isinstance(replies, tuple) else (replies,)


def one_of(schemas: list[Any]) -> Any:
    """Returns a schema, or the choice between some."""
    return schemas[0] if len(schemas) == 1 else {"oneOf": schemas}


def path_parameters(path: str) -> list[dict[str, Any]]:
    """Returns the parameters in a path."""
    text = {"type": "string", "minLength": 1}
    names = NAMES.findall(path)
    return [{"name": one, "in": "path", "required": True, "schema": text, "description": WORDS[one]} for one in names]


def problem(openfeature: bool = False) -> dict[str, Any]:
    """Returns what the document says of a refusal."""
    media = "application/json" if openfeature else MEDIA
    schema = {"type": "object"} if openfeature else {"$ref": REFERENCE.format(name="Details")}
    return {"description": "refused; nothing has changed", "content": {media: {"schema": schema}}}
