"""HTTP by Starlette: every route of the table, and around them what guards a browser's user."""

from inspect import isawaitable
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute
from starlette.routing import Route as Path

from robandit.service.api import MOST_BYTES, ROUTES, UNREACHABLE, Route, performed
from robandit.service.problems import MEDIA, Problem
from robandit.service.service import Service
from robandit.service.stores.base import Unreachable

LOOPBACK = {"127.0.0.1", "localhost", "::1"}


def reply(status: int, message: Any, headers: dict[str, str] | None = None) -> Response:
    """A message as JSON."""
    return Response(msgspec.json.encode(message), status, headers, "application/json")


def problem_reply(problem: Problem, request: Request) -> Response:
    """A refusal as problem details."""
    return Response(problem.body(), problem.status, problem.headers_at(target_of(request)), MEDIA)


def target_of(request: Request) -> str:
    """The path and the query, as they were asked for."""
    path, query = request.scope["raw_path"].decode("latin-1"), request.scope["query_string"].decode("latin-1")
    return f"{path}?{query}" if query else path


async def body_of(request: Request) -> bytes:
    """The body, as long as it may be."""
    if not (told := request.headers.get("content-length", "0")).isdigit() or int(told) > MOST_BYTES:
        raise Problem(413, f"a body may have {MOST_BYTES:,} bytes")
    body = b""
    async for piece in request.stream():
        body += piece
        if len(body) > MOST_BYTES:
            raise Problem(413, f"a body may have {MOST_BYTES:,} bytes")
    return body


def check_host(service: Service, request: Request) -> None:
    """Where no token is asked for, only names of this machine itself are answered to."""
    if service.tokens.open and urlsplit(f"//{request.headers.get('host', '')}").hostname not in LOOPBACK:
        raise Problem(421, "without tokens this service answers to localhost only")


def check_origin(service: Service, request: Request) -> None:
    """Where no token is asked for, a web page of somebody else must not act in the name of this machine's user.

    A name that somebody else's server resolves to this machine is not one of ours; and a body that a form can send
    without asking is not taken for JSON.
    """
    check_host(service, request)
    if service.tokens.open and request.method not in ("GET", "HEAD"):
        origin = request.headers.get("origin")
        if origin is not None and urlsplit(origin).hostname not in LOOPBACK:
            raise Problem(403, "requests from other sites are refused")
        kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Problem(415, f"the body must be application/json, not {kind}")


def endpoint(service: Service, route: Route) -> Any:
    """A route of the table as Starlette calls it."""

    async def called(request: Request) -> Response:
        try:
            check_origin(service, request)
            body = await body_of(request)
            header = request.headers.get("authorization", "").encode("latin-1")
            key = request.headers.get("idempotency-key")
            answer, experiment = performed(service, route, header, request.path_params, body, key)
            answer = await service.committed(await answer if isawaitable(answer) else answer, experiment)
        except Problem as problem:
            if problem.status == 409:
                await service.writer.added([])  # what it is in conflict with is durable before it is told
            service.requests[route.summary, problem.status] += 1
            if route.no is not None:
                said = route.no(problem, request.path_params)
                return Response(said, problem.status, problem.headers_at(target_of(request)), "application/json")
            return problem_reply(problem, request)
        except ClientDisconnect:
            return Response(status_code=400)
        service.requests[route.summary, answer.status] += 1
        return reply(answer.status, answer.message)

    return called


def guarded(service: Service, role: str, work: Any) -> Any:
    """A page or a stream that is no row of the table: who may, and refusals as problem details."""

    async def called(request: Request) -> Response:
        try:
            check_origin(service, request)
            token = service.token(request.headers.get("authorization", "").encode("latin-1"))
            service.admit(token, role)
            experiment = None
            if "experiment" in request.path_params:
                experiment = service.experiment(token, request.path_params["experiment"])
            response: Response = await work(request, token, experiment)
        except Problem as problem:
            return problem_reply(problem, request)
        return response

    return called


async def failed(request: Request, error: Exception) -> Response:
    """A fault of ours: said without its inside."""
    return problem_reply(Problem(500, "this is a fault of the service; its log says more"), request)


async def unreachable(request: Request, error: Exception) -> Response:
    """The database does not answer."""
    return problem_reply(Problem(503, UNREACHABLE, {"retry-after": "1"}), request)


async def not_found(request: Request, error: Exception) -> Response:
    """No such page."""
    return problem_reply(Problem(404, f"there is nothing at {request.url.path}"), request)


async def not_allowed(request: Request, error: Any) -> Response:
    """Another verb was meant."""
    sentence = f"{request.method} is not for {request.url.path}"
    return problem_reply(Problem(405, sentence, dict(error.headers or {})), request)


def open_ended(path: str) -> str:
    """A path whose last name may have slashes in it, as those of sources do."""
    return path[:-1] + ":path}" if path.endswith(("{source}", "{arm}")) else path


def application(service: Service, more: list[BaseRoute]) -> Starlette:
    """The whole: the table's routes and the pages."""
    by_path: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        by_path.setdefault(route.path, {})[route.method] = endpoint(service, route)
    paths: list[BaseRoute] = [
        Path(open_ended(path), by_verb(verbs), methods=list(verbs)) for path, verbs in by_path.items()
    ]
    handlers: dict[Any, Any] = {
        404: not_found,
        405: not_allowed,
        500: failed,
        Exception: failed,
        Unreachable: unreachable,
    }
    return Starlette(routes=paths + more, exception_handlers=handlers)


def by_verb(verbs: dict[str, Any]) -> Any:
    """All verbs of one path, so that one that is missing there is told which are not."""

    async def called(request: Request) -> Response:
        response: Response = await verbs["GET" if request.method == "HEAD" else request.method](request)
        return response

    return called
