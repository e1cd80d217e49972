"""The OpenAPI 3.1 document, made from the table of verbs and the structs of its messages."""

import re
from typing import Any

import msgspec

from robandit.service import messages as say
from robandit.service.api import ROUTES, Route
from robandit.service.problems import MEDIA, TITLES, Details
from robandit.version import __version__

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
    """The statuses a route may refuse with."""
    found = {400, 401, 403, 413, 415, 421, 422, 429, 503}
    found |= {307, 404} if "{" in route.path else set()
    found |= {409} if route.path == "/v1/experiments" else set()
    found |= {409, 410} if "/decisions/" in route.path else set()
    return sorted(found)


def document() -> dict[str, Any]:
    """The document."""
    structs = {say.Health, Details, *(route.asks for route in ROUTES if route.asks is not None)}
    told = {one for route in ROUTES for tells in route.tells.values() for one in one_or_more(tells)}
    known = sorted(structs | told, key=lambda struct: struct.__name__)
    schemas, components = msgspec.json.schema_components(known, ref_template=REFERENCE)
    schema_of = dict(zip(known, schemas, strict=True))
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = operation(route, schema_of)
    for path, verbs in EXTRA.items():
        for verb, told_of in verbs.items():
            parameters = path_parameters(path)
            ok: dict[str, Any] = {"200": {"description": "OK"}, "default": problem()}
            paths.setdefault(path, {})[verb] = {**told_of, "parameters": parameters, "responses": ok}
    return {
        "openapi": "3.1.0",
        "info": {"title": "robandit", "version": __version__, "summary": "Decisions whose rewards cannot be trusted"},
        "paths": paths,
        "components": {"schemas": components, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
        "security": [{"token": []}, {}],
    }


def operation(route: Route, schema_of: dict[Any, Any]) -> dict[str, Any]:
    """One verb."""
    parameters = path_parameters(route.path)
    if route.keyed:
        key = {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"}
        parameters.append({"name": "Idempotency-Key", "in": "header", "required": False, "schema": key})
    answers: dict[str, Any] = {
        str(status): {
            "description": TITLES.get(status, "OK"),
            "content": {"application/json": {"schema": one_of([schema_of[one] for one in one_or_more(tells)])}},
        }
        for status, tells in route.tells.items()
    }
    answers |= {str(status): problem(route.no is not None) for status in refusals(route)}
    told: dict[str, Any] = {"summary": route.summary, "operationId": route.do.__name__, "responses": answers}
    told |= {"parameters": parameters, "description": f"Role: {route.role}."}
    if route.asks is not None:
        required = bool(msgspec.structs.fields(route.asks)[0].required)
        content = {"application/json": {"schema": schema_of[route.asks]}}
        told["requestBody"] = {"required": required, "content": content}
    return told


def one_or_more(tells: Any) -> tuple[Any, ...]:
    """The structs an answer may be."""
    return tells if isinstance(tells, tuple) else (tells,)


def one_of(schemas: list[Any]) -> Any:
    """A schema, or the choice between some."""
    return schemas[0] if len(schemas) == 1 else {"oneOf": schemas}


def path_parameters(path: str) -> list[dict[str, Any]]:
    """The names in a path."""
    text = {"type": "string", "minLength": 1}
    names = NAMES.findall(path)
    return [{"name": one, "in": "path", "required": True, "schema": text, "description": WORDS[one]} for one in names]


def problem(openfeature: bool = False) -> dict[str, Any]:
    """A refusal."""
    media = "application/json" if openfeature else MEDIA
    schema = {"type": "object"} if openfeature else {"$ref": REFERENCE.format(name="Details")}
    return {"description": "refused; nothing has changed", "content": {media: {"schema": schema}}}
