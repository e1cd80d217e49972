"""A shortcut for the two requests that come all the time: decide and reward never become ASGI calls.

uvicorn's own protocol parses HTTP; when a request is one of the two and nothing else is under way on its connection, it
is performed at once and its answer written when its lines are durable. Meanwhile further bytes of that connection are
held back, so answers keep their order even for a client that does not wait for them. All else goes through ASGI, by
the same `performed`: tests hold both roads to the same answers.
"""

import re
from typing import Any
from urllib.parse import unquote

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from robandit.service.api import ROUTES, Route, performed
from robandit.service.problems import MEDIA, TITLES, Problem
from robandit.service.service import UNKNOWN, Service

MOST = 16_384  # bytes of a hot body; a longer one takes the other road
JSON = b"application/json"
COLD = frozenset([b"expect", b"origin", b"transfer-encoding"])  # headers of requests that take the other road
ADDRESS = re.compile(r"/v1/experiments/((?:[^/?#%]|%(?!2))+)/decisions(?:/([^/?#%]+)/reward)?").fullmatch
HERE = (b"127.0.0.1", b"localhost", b"[::1]")
REASONS = {200: "OK", 201: "Created", **TITLES}
HEAD = "HTTP/1.1 {} {}\r\ncontent-type: {}\r\n"
GOOD = {status: HEAD.format(status, REASONS[status], JSON.decode()).encode() for status in (200, 201)}
ENCODE = msgspec.json.Encoder().encode
DECIDE = next(route for route in ROUTES if route.path.endswith("/decisions"))
REWARD = next(route for route in ROUTES if route.path.endswith("/reward") and route.method == "PUT")


def http(head: bytes, body: bytes) -> bytes:
    """A whole answer."""
    return b"%bcontent-length: %d\r\n\r\n%b" % (head, len(body), body)


def http_problem(problem: Problem, target: str = "") -> bytes:
    """A refusal as a whole answer."""
    head = HEAD.format(problem.status, REASONS[problem.status], MEDIA)
    more = "".join(f"{name}: {value}\r\n" for name, value in problem.headers_at(target).items())
    return http((head + more).encode(), problem.body())


def route_of(method: bytes, url: bytes) -> tuple[Route, dict[str, str]] | None:
    """Which of the two requests this is, if it is one."""
    found = ADDRESS(url.decode("latin-1"))
    if found is None:
        return None
    name, decision = found.groups()
    if "%" in name:
        name = unquote(name)
    if method == b"PUT" and decision is not None:
        return REWARD, {"experiment": name, "decision": decision}
    if method == b"POST" and decision is None:
        return DECIDE, {"experiment": name}
    return None


def is_plain(headers: dict[bytes, bytes], local: bool) -> bool:
    """Whether the body is told to be short, and what only ASGI checks is not at stake: origin, Host and media type."""
    length = headers.get(b"content-length", b"0")
    return (
        length.isdigit()
        and int(length) <= MOST
        and headers.get(b"content-type", JSON) == JSON
        and COLD.isdisjoint(headers)
        and (not local or headers.get(b"host", b"").rpartition(b":")[0] in HERE)
    )


def hot_protocol(service: Service) -> type:
    """uvicorn's protocol with the shortcut to one service."""

    class Hot(HttpToolsProtocol):
        """One connection."""

        found: tuple[Route, dict[str, str]] | None = None
        waiting = False  # for a commit
        body = b""
        asked = (b"", b"")  # method and path that came last, as decisions of one experiment do again and again
        route: tuple[Route, dict[str, str]] | None = None  # where they go
        known: list[tuple[bytes, bytes]] | None = None  # headers that came last: mostly they come again
        told: dict[bytes, bytes] = {}  # the same by name
        plain = False  # what `is_plain` said of them

        def connection_made(self, transport: Any) -> None:
            """A client came."""
            super().connection_made(transport)
            self.held: list[bytes] = []

        def data_received(self, data: bytes) -> None:
            """Bytes came; while an answer is owed they wait."""
            if self.waiting:
                self.held.append(data)
                if len(self.held) > 64:
                    self.transport.pause_reading()
            else:
                super().data_received(data)

        def on_message_begin(self) -> None:
            """A request begins; what ASGI is told of it is put together when it goes there."""
            self.url, self.headers, self.expect_100_continue = b"", [], False

        def on_header(self, name: bytes, value: bytes) -> None:
            """One of its headers."""
            self.headers.append((name.lower(), value))

        def on_headers_complete(self) -> None:
            """Which road this request takes."""
            parser, cycle = self.parser, self.cycle
            if (
                (cycle is None or cycle.response_complete)
                and not self.pipeline
                and parser.should_keep_alive()
                and not parser.should_upgrade()
                and not service.stopping
            ):
                asked = (parser.get_method(), self.url)
                if asked != self.asked:
                    self.asked, self.route = asked, route_of(*asked)
                self.found = self.route
                if self.found is not None:
                    if self.headers != self.known:
                        self.known, self.told = self.headers, dict(self.headers)
                        self.plain = len(self.told) == len(self.known) and is_plain(self.told, service.tokens.open)
                    if self.plain:
                        self.body = b""
                        return
            self.found = None
            url, headers = self.url, self.headers
            super().on_message_begin()
            self.url = url
            for name, value in headers:
                super().on_header(name, value)
            super().on_headers_complete()

        def on_body(self, body: bytes) -> None:
            """A piece of the body."""
            if self.found is None:
                super().on_body(body)
            else:
                self.body += body

        def on_message_complete(self) -> None:
            """The request is whole."""
            if self.found is None:
                super().on_message_complete()
                return
            self.waiting = True
            (route, params), told = self.found, self.told
            key = told[b"idempotency-key"].decode("latin-1") if b"idempotency-key" in told else None
            try:
                answer, experiment = performed(service, route, told.get(b"authorization", b""), params, self.body, key)
            except Problem as problem:
                service.requests[route.summary, problem.status] += 1
                out = http_problem(problem, self.url.decode("latin-1"))
                service.writer.add([], self.answer, out)  # after what was asked before it
                return
            service.requests[route.summary, answer.status] += 1
            out = http(GOOD[answer.status], ENCODE(answer.message))
            service.writer.add(answer.rows, self.answer, out, service.after(answer, experiment))

        def answer(self, out: Any) -> None:
            """The lines are durable, or the disk has failed."""
            self.waiting = False
            if self.transport.is_closing():
                return
            if isinstance(out, BaseException):  # what was asked after it on this connection is not answered
                self.transport.write(http_problem(Problem(503, UNKNOWN, {"retry-after": "5", "connection": "close"})))
                self.transport.close()
                return
            self.transport.write(out)
            if self.held:
                if len(self.held) > 64:
                    self.transport.resume_reading()
                while self.held and not self.waiting:
                    super().data_received(self.held.pop(0))

    return Hot
