"""A shortcut for the two requests that come all the time: decide and reward never become ASGI calls.

uvicorn's own protocol parses HTTP; when a request is one of the two and nothing else is under way on its connection, it
is performed at once and its answer written when its lines are durable. Meanwhile further bytes of that connection are
held back, so answers keep their order even for a client that does not wait for them. All else goes through ASGI, by
the same `performed`: tests hold both roads to the same answers.
"""

from typing import Any
from urllib.parse import unquote

import msgspec
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from robandit.service.api import ROUTES, Route, performed
from robandit.service.problems import MEDIA, TITLES, Problem
from robandit.service.service import UNKNOWN, Service

MOST = 16_384  # bytes of a hot body; a longer one takes the other road
REASONS = {200: "OK", 201: "Created", **TITLES}
DECIDE = next(route for route in ROUTES if route.path.endswith("/decisions"))
REWARD = next(route for route in ROUTES if route.path.endswith("/reward") and route.method == "PUT")


def http(status: int, body: bytes, kind: bytes = b"application/json", more: bytes = b"") -> bytes:
    """A whole answer."""
    head = b"HTTP/1.1 %d %b\r\ncontent-type: %b\r\ncontent-length: %d\r\n%b\r\n"
    return head % (status, REASONS[status].encode(), kind, len(body), more) + body


def http_problem(problem: Problem, target: str = "") -> bytes:
    """A refusal as a whole answer."""
    more = "".join(f"{name}: {value}\r\n" for name, value in problem.headers_at(target).items())
    return http(problem.status, problem.body(), MEDIA.encode(), more.encode())


def route_of(method: bytes, url: bytes) -> tuple[Route, dict[str, str]] | None:
    """Which of the two requests this is, if it is one."""
    parts = url.split(b"/")
    if parts[1:3] != [b"v1", b"experiments"] or b"?" in url or b"%2" in url:
        return None
    if method == b"POST" and len(parts) == 5 and parts[4] == b"decisions":
        return DECIDE, {"experiment": unquote(parts[3].decode("latin-1"))}
    if method == b"PUT" and len(parts) == 7 and parts[4] == b"decisions" and parts[6] == b"reward":
        return REWARD, {"experiment": unquote(parts[3].decode("latin-1")), "decision": parts[5].decode("latin-1")}
    return None


def hot_protocol(service: Service) -> type:
    """uvicorn's protocol with the shortcut to one service."""

    class Hot(HttpToolsProtocol):
        """One connection."""

        found: tuple[Route, dict[str, str]] | None = None
        waiting = False  # for a commit
        body = b""

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

        def on_headers_complete(self) -> None:
            """Which road this request takes."""
            idle = self.cycle is None or self.cycle.response_complete
            plain = not self.expect_100_continue and not self.parser.should_upgrade() and not self.pipeline
            found = route_of(self.parser.get_method(), self.url) if idle and plain else None
            if found is not None and self.parser.should_keep_alive() and self.is_short() and not service.stopping:
                self.found, self.body = found, b""
            else:
                self.found = None
                super().on_headers_complete()

        def is_short(self) -> bool:
            """Whether the body is told to be short; and what only ASGI checks is not at stake."""
            length = -1
            for name, value in self.headers:
                if name == b"content-length":
                    length = int(value) if value.isdigit() else MOST + 1
                elif name in (b"transfer-encoding", b"origin") or (
                    name == b"content-type" and value != b"application/json"
                ):
                    return False
            return length <= MOST and (not service.tokens.open or self.is_local())

        def is_local(self) -> bool:
            """Whether the Host header names this machine."""
            host = next((value for name, value in self.headers if name == b"host"), b"")
            return host.rpartition(b":")[0] in (b"127.0.0.1", b"localhost", b"[::1]")

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
            (route, params), self.found, header, key = self.found, None, b"", None
            for name, value in self.headers:
                if name == b"authorization":
                    header = value
                elif name == b"idempotency-key":
                    key = value.decode("latin-1")
            self.waiting = True
            try:
                answer, experiment = performed(service, route, header, params, self.body, key)
            except Problem as problem:
                service.count(route.summary, problem.status)
                out = http_problem(problem, self.url.decode("latin-1"))
                service.writer.add([], self.answer, out)  # after what was asked before it
                return
            service.count(route.summary, answer.status)
            out = http(answer.status, msgspec.json.encode(answer.message))
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
