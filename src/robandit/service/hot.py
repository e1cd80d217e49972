"""A shortcut for the two requests that come all the time: decide and reward never become ASGI calls.

uvicorn's own protocol parses HTTP; when a request is one of the two and nothing else is under way on its connection, it
is performed at once and its answer written when its lines are durable. Meanwhile further bytes of that connection are
held back, so answers keep their order even for a client that does not wait for them. All else goes through ASGI, by
the same `perform`: tests hold both paths to the same answers.

The shortcut overrides inner methods of uvicorn's protocol. Where a version of uvicorn has others, `hot_protocol`
returns the plain protocol, and a note says so: slower, the same answers.
"""

import re
from typing import Any
from urllib.parse import unquote

import msgspec
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from robandit.service.api import ROUTES, Route
from robandit.service.perform import perform
from robandit.service.problems import MEDIA, TITLES, Problem
from robandit.service.service import UNKNOWN, Service

MOST = 16_384  # bytes of a hot body; a longer one goes through ASGI
JSON = b"application/json"
COLD = frozenset([b"expect", b"origin", b"transfer-encoding"])  # headers of requests that go through ASGI
ADDRESS = re.compile(r"/v1/experiments/((?:[^/?#%]|%(?!2))+)/decisions(?:/([^/?#%]+)/reward)?").fullmatch
HERE = (b"127.0.0.1", b"localhost", b"[::1]")
REASONS = {200: "OK", 201: "Created", **TITLES}
HEAD = "HTTP/1.1 {} {}\r\ncontent-type: {}\r\n"
GOOD = {status: HEAD.format(status, REASONS[status], JSON.decode()).encode() for status in (200, 201)}
ENCODE = msgspec.json.Encoder().encode
DECIDE = next(route for route in ROUTES if route.path.endswith("/decisions"))
REWARD = next(route for route in ROUTES if route.path.endswith("/reward") and route.method == "PUT")
METHODS = {  # of uvicorn's protocol that the shortcut overrides: their parameters, and the fields that they set
    "connection_made": (("self", "transport"), ("transport",)),
    "data_received": (("self", "data"), ("parser",)),
    "on_message_begin": (("self",), ("url", "headers", "expect_100_continue")),
    "on_header": (("self", "name", "value"), ("headers",)),
    "on_headers_complete": (("self",), ("cycle", "pipeline", "response_complete")),
    "on_body": (("self", "body"), ("cycle",)),
    "on_message_complete": (("self",), ("cycle",)),
}
Target = tuple[Route, dict[str, str]]  # a verb, and the names in its path


def http(head: bytes, body: bytes) -> bytes:
    """Returns a whole answer."""
    return b"%bcontent-length: %d\r\n\r\n%b" % (head, len(body), body)


def http_problem(problem: Problem, target: str = "") -> bytes:
    """Returns a refusal as a whole answer."""
    head = HEAD.format(problem.status, REASONS[problem.status], MEDIA)
    more = "".join(f"{name}: {value}\r\n" for name, value in problem.headers_at(target).items())
    return http((head + more).encode(), problem.body())


def target_of(method: bytes, url: bytes) -> Target | None:
    """Returns which of the two requests this is, if it is one."""
    match = ADDRESS(url.decode("latin-1"))
    if match is None:
        return None
    name, decision = match.groups()
    if "%" in name:
        name = unquote(name)
    if method == b"PUT" and decision is not None:
        return REWARD, {"experiment": name, "decision": decision}
    if method == b"POST" and decision is None:
        return DECIDE, {"experiment": name}
    return None


def is_plain(headers: dict[bytes, bytes], local: bool) -> bool:
    """Whether the body is short by its header, and nothing needs the checks of ASGI: origin, Host, media type."""
    length = headers.get(b"content-length", b"0")
    return (
        length.isdigit()
        and int(length) <= MOST
        and headers.get(b"content-type", JSON) == JSON
        and COLD.isdisjoint(headers)
        and (not local or headers.get(b"host", b"").rpartition(b":")[0] in HERE)
    )


def fits(protocol: type) -> bool:
    """Whether a version of uvicorn's protocol has the methods and fields that the shortcut relies on."""
    for name, (parameters, fields) in METHODS.items():
        code = getattr(getattr(protocol, name, None), "__code__", None)
        if code is None or code.co_varnames[: code.co_argcount] != parameters or not {*fields} <= {*code.co_names}:
            return False
    return True


class HotProtocol(HttpToolsProtocol):
    """One connection, with the shortcut to one service."""

    service: Service
    target: Target | None = None  # of the present request, if it takes the shortcut
    waiting = False  # for a commit
    body = b""
    last_line = (b"", b"")  # method and path that came last, as decisions of one experiment do again and again
    last_target: Target | None = None  # where they go
    last_headers: list[tuple[bytes, bytes]] | None = None  # that came last: mostly they come again
    by_name: dict[bytes, bytes] = {}  # the same by name
    plain = False  # what `is_plain` says of them

    def connection_made(self, transport: Any) -> None:
        """A client connects."""
        super().connection_made(transport)
        self.held: list[bytes] = []

    def data_received(self, data: bytes) -> None:
        """Bytes arrive; while an answer is owed they wait."""
        if self.waiting:
            self.held.append(data)
            if len(self.held) > 64:
                self.transport.pause_reading()
        else:
            super().data_received(data)

    def on_message_begin(self) -> None:
        """A request begins; uvicorn's own preparation waits until it is clear that ASGI gets it."""
        self.url, self.headers, self.expect_100_continue = b"", [], False

    def on_header(self, name: bytes, value: bytes) -> None:
        """One of its headers."""
        self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """Decide whether this request takes the shortcut."""
        parser, cycle = self.parser, self.cycle
        if (
            (cycle is None or cycle.response_complete)
            and not self.pipeline
            and parser.should_keep_alive()
            and not parser.should_upgrade()
            and not self.service.stopping
        ):
            line = (parser.get_method(), self.url)
            if line != self.last_line:
                self.last_line, self.last_target = line, target_of(*line)
            self.target = self.last_target
            if self.target is not None:
                headers = self.headers
                if headers != self.last_headers:
                    self.last_headers, self.by_name = headers, dict(headers)
                    unique = len(self.by_name) == len(headers)
                    self.plain = unique and is_plain(self.by_name, self.service.tokens.open)
                if self.plain:
                    self.body = b""
                    return
        self.target = None
        url, headers = self.url, self.headers
        super().on_message_begin()
        self.url = url
        for name, value in headers:
            super().on_header(name, value)
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        if self.target is None:
            super().on_body(body)
        else:
            self.body += body

    def on_message_complete(self) -> None:
        """The request is whole."""
        if self.target is None:
            super().on_message_complete()
            return
        self.waiting = True
        service, (route, params), headers = self.service, self.target, self.by_name
        key = headers[b"idempotency-key"].decode("latin-1") if b"idempotency-key" in headers else None
        try:
            header = headers.get(b"authorization", b"")
            answer, experiment = perform(service, route, header, params, self.body, key)
        except Problem as problem:
            service.requests[route.summary, problem.status] += 1
            out = http_problem(problem, self.url.decode("latin-1"))
            service.writer.add([], self.answer, out)  # after the requests before it
            return
        service.requests[route.summary, answer.status] += 1
        out = http(GOOD[answer.status], ENCODE(answer.message))
        service.writer.add(answer.rows, self.answer, out, service.follow_up(answer, experiment))

    def answer(self, out: Any) -> None:
        """The lines are durable, or the disk has failed."""
        self.waiting = False
        if self.transport.is_closing():
            return
        if isinstance(out, BaseException):  # later requests on this connection get no answer
            self.transport.write(http_problem(Problem(503, UNKNOWN, {"retry-after": "5", "connection": "close"})))
            self.transport.close()
            return
        self.transport.write(out)
        if self.held:
            if len(self.held) > 64:
                self.transport.resume_reading()
            while self.held and not self.waiting:
                super().data_received(self.held.pop(0))


def hot_protocol(service: Service) -> type:
    """Returns uvicorn's protocol with the shortcut to one service; the plain one, and a note, where they do not fit."""
    if not fits(HttpToolsProtocol):
        service.notes.append(f"uvicorn {uvicorn.__version__} is new to the shortcut: requests take more CPU")
        return HttpToolsProtocol
    return type("ServiceProtocol", (HotProtocol,), {"service": service})
