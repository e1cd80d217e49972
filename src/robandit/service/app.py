"""HTTP by Starlette: every route, and around them the checks that protect a browser's user."""

import re
import time
from hashlib import blake2b
from inspect import isawaitable
from typing import Any
from urllib.parse import urlsplit

import msgspec
from starlette import routing
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.cors import CORSMiddleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from robandit.service.forward import ROUTE
from robandit.service.logs import log_request, request_id
from robandit.service.perform import MOST_BYTES, UNREACHABLE, perform, reach
from robandit.service.problems import MEDIA, Problem
from robandit.service.routes import ROUTES, Route
from robandit.service.service import Service
from robandit.service.stores.base import Unreachable

LOOPBACK = {"127.0.0.1", "localhost", "::1"}
NO_STORE = {"cache-control": "no-store"}  # what a token may see is not for whoever uses the same browser or proxy later
MOST_BODIES = 64 * MOST_BYTES  # bytes of all bodies that are not whole yet
DIGITS = re.compile(r"[0-9]{1,20}").fullmatch  # longer ones cannot be read as a number, and are no length


class Bodies:
    """Bodies that are not whole yet, of this process."""

    bytes = 0


UNDER_WAY = Bodies()


def reply(status: int, message: Any) -> Response:
    """Returns a message as JSON."""
    return Response(msgspec.json.encode(message), status, NO_STORE, "application/json")


def tagged_reply(message: Any, known: str) -> Response:
    """Returns a message with a tag of its content; 304 without it where the client has it already."""
    content = msgspec.json.encode(message)
    tag = f'"{blake2b(content, digest_size=16).hexdigest()}"'
    if tag in known.replace("W/", "").split(", "):
        return Response(None, 304, {"etag": tag})
    return Response(content, 200, {"etag": tag}, "application/json")


def credentials(request: Request) -> bytes:
    """Returns the Authorization header, or a token that came as X-API-Key in the same form."""
    key = request.headers.get("x-api-key")
    return request.headers.get("authorization", "" if key is None else f"Bearer {key}").encode("latin-1")


def problem_reply(problem: Problem, request: Request) -> Response:
    """Returns a refusal as problem details."""
    return Response(problem.body(), problem.status, NO_STORE | problem.headers_at(target_of(request)), MEDIA)


def target_of(request: Request) -> str:
    """Returns the path and the query as the client sent them."""
    path, query = request.scope["raw_path"].decode("latin-1"), request.scope["query_string"].decode("latin-1")
    return f"{path}?{query}" if query else path


def hostname(address: str) -> str | None:
    """Returns the host that an address names; None where it is no address, as a header may well be."""
    try:
        return urlsplit(address).hostname
    except ValueError:
        return None


async def body_of(request: Request) -> bytes:
    """Returns the body. Raises a Problem if it is too long, or if all that are under way are."""
    length = request.headers.get("content-length", "0")
    if not DIGITS(length) or int(length) > MOST_BYTES:
        raise Problem(413, f"a body may have {MOST_BYTES:,} bytes")
    body = b""
    try:
        async for piece in request.stream():
            body += piece
            UNDER_WAY.bytes += len(piece)
            if len(body) > MOST_BYTES:
                raise Problem(413, f"a body may have {MOST_BYTES:,} bytes")
            if UNDER_WAY.bytes > MOST_BODIES:
                raise Problem(503, "too many long requests are under way: ask again in a moment", {"retry-after": "1"})
    finally:
        UNDER_WAY.bytes -= len(body)
    return body


def check_host(service: Service, request: Request) -> None:
    """Raises a Problem unless, where no token is needed, the request names this machine itself."""
    if service.tokens.open and hostname(f"//{request.headers.get('host', '')}") not in LOOPBACK:
        raise Problem(421, "without tokens this service answers to localhost only")


def check_origin(service: Service, request: Request) -> None:
    """Raises a Problem where no token is needed and somebody else's web page acts in the name of this machine's user.

    A name that somebody else's server resolves to this machine is not one of ours; and a body that a form can send
    by itself is not taken for JSON.
    """
    check_host(service, request)
    if service.tokens.open and request.method not in ("GET", "HEAD"):
        origin = request.headers.get("origin")
        if origin is not None and hostname(origin) not in LOOPBACK:
            raise Problem(403, "requests from other sites are refused")
        kind = request.headers.get("content-type", "application/json").partition(";")[0].strip().lower()
        if kind != "application/json":
            raise Problem(415, f"the body must be application/json, not {kind}")


def endpoint(service: Service, route: Route) -> Any:
    """Returns a route as Starlette calls it."""

    async def answer_request(request: Request) -> Response:
        try:
            check_origin(service, request)
            header = credentials(request)
            service.token(header)  # of strangers no body is kept
            body = await body_of(request)
            key, redirects = request.headers.get("idempotency-key"), ROUTE in request.headers
            answer, experiment = perform(service, route, header, request.path_params, body, key, redirects)
            answer = await service.commit(await reach(answer) if isawaitable(answer) else answer, experiment)
        except Problem as problem:
            if problem.status == 409:
                await service.writer.commit([])  # what it is in conflict with is durable before the answer leaves
            service.requests[route.verb.__name__, problem.status] += 1
            if route.refusal is not None:
                body = route.refusal(problem, request.path_params)
                headers = NO_STORE | problem.headers_at(target_of(request))
                return Response(body, problem.status, headers, "application/json")
            return problem_reply(problem, request)
        except ClientDisconnect:
            return Response(status_code=400)
        service.requests[route.verb.__name__, answer.status] += 1
        if route.tagged:
            return tagged_reply(answer.message, request.headers.get("if-none-match", ""))
        return reply(answer.status, answer.message)

    return answer_request


def guard(service: Service, role: str, work: Any) -> Any:
    """Returns a page or a stream that is no verb: for those with a role, and refusals as problem details.

    It is about a journal, which is the same whichever process serves its experiment.
    """

    async def answer_request(request: Request) -> Response:
        try:
            check_origin(service, request)
            token = service.token(credentials(request))
            service.admit(token, role)
            experiment = None
            if "experiment" in request.path_params:
                experiment = await service.find_anywhere(token, request.path_params["experiment"])
            response: Response = await work(request, token, experiment)
        except Problem as problem:
            return problem_reply(problem, request)
        return response

    return answer_request


async def failed(request: Request, error: Exception) -> Response:
    """A fault of ours, without its details."""
    return problem_reply(Problem(500, "this is a fault of the service; its log says more"), request)


async def unreachable(request: Request, error: Exception) -> Response:
    """The database does not answer."""
    return problem_reply(Problem(503, UNREACHABLE, {"retry-after": "1"}), request)


async def not_found(request: Request, error: Exception) -> Response:
    """No such page."""
    return problem_reply(Problem(404, f"there is nothing at {request.scope['path']}"), request)


async def not_allowed(request: Request, error: Any) -> Response:
    """The path has other verbs."""
    sentence = f"{request.method} is not for {request.scope['path']}"
    return problem_reply(Problem(405, sentence, dict(error.headers or {})), request)


class Traced:
    """Around the whole application: an answer bears its request's id, and each request may be logged."""

    def __init__(self, app: Any, service: Service) -> None:
        self.app, self.service = app, service

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer one request."""
        began, id = time.perf_counter(), request_id(dict(scope["headers"]).get(b"x-request-id"))

        async def send_traced(message: Any) -> None:
            if message["type"] == "http.response.start":
                if id is not None:
                    message["headers"] = [*message["headers"], (b"x-request-id", id)]
                if self.service.access_log:
                    kind = f"{scope['method']} {getattr(scope.get('route'), 'path', 'nothing')}"
                    log_request(kind, message["status"], began, id)
            await send(message)

        await self.app(scope, receive, send_traced)


def open_ended(path: str) -> str:
    """Returns a path whose last name may have slashes in it, as those of sources do."""
    return path[:-1] + ":path}" if path.endswith(("{source}", "{arm}")) else path


def application(service: Service, pages: list[routing.BaseRoute]) -> Traced:
    """Returns the whole: the verbs and the pages."""
    by_path: dict[str, dict[str, Any]] = {}
    for route in ROUTES:
        by_path.setdefault(route.path, {})[route.method] = endpoint(service, route)
    routes: list[routing.BaseRoute] = [
        routing.Route(open_ended(path), by_verb(verbs), methods=list(verbs)) for path, verbs in by_path.items()
    ]
    handlers: dict[Any, Any] = {
        404: not_found,
        405: not_allowed,
        500: failed,
        Exception: failed,
        Unreachable: unreachable,
    }
    middleware = [] if not service.origins else [allow_origins(service.origins)]
    return Traced(Starlette(routes=routes + pages, middleware=middleware, exception_handlers=handlers), service)


def allow_origins(origins: tuple[str, ...]) -> Middleware:
    """Returns what tells a browser that web pages of some origins may call; no cookie is taken from them."""
    methods, headers = ["GET", "POST", "PUT", "PATCH", "DELETE"], ["authorization", "x-api-key", "content-type"]
    headers += ["idempotency-key", "if-none-match", "x-request-id"]
    return Middleware(
        CORSMiddleware,
        allow_origins=list(origins),
        allow_methods=methods,
        allow_headers=headers,
        expose_headers=["etag", "retry-after", "x-request-id"],
    )


def by_verb(verbs: dict[str, Any]) -> Any:
    """Returns all verbs of one path as one endpoint, so that a missing verb gets the list of those there are."""

    async def answer_request(request: Request) -> Response:
        response: Response = await verbs["GET" if request.method == "HEAD" else request.method](request)
        return response

    return answer_request
