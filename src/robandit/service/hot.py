"""A shortcut for the two requests that come all the time: decide and reward never become ASGI calls.

uvicorn's own protocol parses HTTP; when a request is one of the two and nothing else is under way on its connection, it
is performed at once and its answer written when its lines are durable. Meanwhile further requests of that connection
are held back, so answers keep their order even for a client that does not wait for them. All else goes through ASGI, by
the same `perform`: tests hold both paths to the same answers.

No connection holds up the others: what it sends is read in small pieces, the head of a request and all of it have a
limit, and connections.py says how long it may take.

The shortcut overrides inner methods of uvicorn's protocol. Where a version of uvicorn has others, `hot_protocol`
returns the plain protocol, and a note says so: slower and without these limits, the same answers.
"""

import asyncio
import re
import time
from collections import deque
from typing import Any
from urllib.parse import unquote

import msgspec
import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from robandit.service.connections import ANSWERING, ASKING, CLOSING, IDLE, NEW, SENDING, Connections
from robandit.service.engine import Answer
from robandit.service.experiment import Experiment
from robandit.service.forward import FOLLOWS
from robandit.service.logs import log_request, request_id
from robandit.service.perform import MOST_BYTES, perform, reach
from robandit.service.problems import MEDIA, TITLES, Problem
from robandit.service.routes import ROUTES, Route
from robandit.service.service import UNKNOWN, Service

MOST = 16_384  # bytes of a hot body; a longer one goes through ASGI
MOST_HEAD = 32_768  # bytes of a request's address and headers
MOST_REQUEST = 8 * MOST_BYTES  # bytes of a whole request; a body in chunks takes more than it has
PIECE = 16_384  # bytes that are read before others have their turn
JSON = b"application/json"
COLD = frozenset([b"expect", b"origin", b"transfer-encoding", b"x-api-key"])  # headers of requests that go through ASGI
ADDRESS = re.compile(r"/v1/experiments/((?:[^/?#%]|%(?!2))+)/decisions(?:/([^/?#%]+)/reward)?").fullmatch
HERE = (b"127.0.0.1", b"localhost", b"[::1]")
REASONS = {200: "OK", 201: "Created", **TITLES}
HEAD = "HTTP/1.1 {} {}\r\ncontent-type: {}\r\n"
GOOD = {status: HEAD.format(status, REASONS[status], JSON.decode()).encode() for status in (200, 201)}
ENCODE = msgspec.json.Encoder().encode
DECIDE = next(route for route in ROUTES if route.path.endswith("/decisions"))
REWARD = next(route for route in ROUTES if route.path.endswith("/reward") and route.method == "PUT")
METHODS = {  # of uvicorn's protocol that the shortcut overrides: their parameters, and the fields that they set
    "connection_made": (("self", "transport"), ("transport", "flow")),
    "connection_lost": (("self", "exc"), ("parser",)),
    "data_received": (("self", "data"), ("parser",)),
    "on_message_begin": (("self",), ("url", "headers", "expect_100_continue")),
    "on_header": (("self", "name", "value"), ("headers",)),
    "on_headers_complete": (("self",), ("app", "cycle", "pipeline", "response_complete")),
    "on_body": (("self", "body"), ("cycle",)),
    "on_message_complete": (("self",), ("cycle",)),
    "on_response_complete": (("self",), ("pipeline",)),
    "shutdown": (("self",), ("cycle", "transport")),
    "pause_writing": (("self",), ("flow",)),
    "resume_writing": (("self",), ("flow",)),
}
Target = tuple[Route, dict[str, str]]  # a verb, and the names in its path
HotRequest = tuple[Target, dict[bytes, bytes], bytes, bytes]  # with its headers, its body and its address


def http(head: bytes, body: bytes, id: bytes | None = None) -> bytes:
    """Returns a whole answer, with its request's id if that came with one."""
    if id is not None:
        head += b"x-request-id: %b\r\n" % id
    return b"%bcontent-length: %d\r\n\r\n%b" % (head, len(body), body)


def http_problem(problem: Problem, target: str = "", id: bytes | None = None) -> bytes:
    """Returns a refusal as a whole answer."""
    head = HEAD.format(problem.status, REASONS[problem.status], MEDIA)
    more = "".join(f"{name}: {value}\r\n" for name, value in problem.headers_at(target).items())
    return http((head + more).encode(), problem.body(), id)


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
    open: Connections
    target: Target | None = None  # of the present request, if it takes the shortcut
    reading = False  # a request that is not whole yet
    heading = False  # its address and headers are not
    counted: list[Any] | None = None  # the headers of the request whose bytes are counted, because it came in pieces
    size = 0  # its bytes so far
    waiting = False  # for a commit
    stuck = False  # the client does not read its answers
    full = False  # nothing is read, because something is held
    ending = False  # it is closed after the next answer
    turn: asyncio.Future[None] | None = None  # of a request that waits for one that took the shortcut before it
    body = b""
    address = b""  # of the request that is answered next
    id: bytes | None = None  # that it came with
    last_line = (b"", b"")  # method and path that came last, as decisions of one experiment do again and again
    last_target: Target | None = None  # where they go
    last_headers: list[tuple[bytes, bytes]] | None = None  # that came last: mostly they come again
    by_name: dict[bytes, bytes] = {}  # the same by name
    plain = False  # what `is_plain` says of them

    def connection_made(self, transport: Any) -> None:
        """A client connects."""
        super().connection_made(transport)
        self.held: deque[bytes] = deque()  # what came and is not read yet
        self.backlog: deque[HotRequest] = deque()  # requests that a client sent without waiting
        self.open.add(self)

    def connection_lost(self, exc: Exception | None) -> None:
        """A client has gone."""
        super().connection_lost(exc)
        self.open.remove(self)
        self.held.clear()
        self.backlog.clear()
        if self.turn is not None:
            self.turn.set_result(None)
            self.turn = None

    def data_received(self, data: bytes) -> None:
        """Bytes arrive; while an answer is owed, or the client does not read any, they wait."""
        if self.waiting or self.stuck or self.held or len(data) > PIECE:
            self.held.extend(data[start : start + PIECE] for start in range(0, len(data), PIECE))
            self.go_on()
        else:
            super().data_received(data)
            if self.reading:
                self.count(len(data))

    def go_on(self) -> None:
        """Do what the client asked without waiting, one after the other; read no more while there is something left."""
        while not (self.waiting or self.stuck or self.transport.is_closing()):
            if self.backlog:
                self.perform(*self.backlog.popleft())
            elif self.held and not self.pipeline:
                piece = self.held.popleft()
                super().data_received(piece)
                if self.reading:
                    self.count(len(piece))
            else:
                break
        if self.turn is not None and not (self.waiting or self.backlog):
            self.turn.set_result(None)
            self.turn = None
        if self.full != bool(self.held or self.stuck):
            self.full = not self.full
            (self.flow.pause_reading if self.full else self.flow.resume_reading)()

    def count(self, size: int) -> None:
        """Count the bytes of a request that comes in pieces, and refuse one that is too long."""
        if self.counted is not self.headers:
            self.counted, self.size = self.headers, 0
        self.size += size
        if self.size > (MOST_HEAD if self.heading else MOST_REQUEST):
            what = f"the headers may have {MOST_HEAD:,}" if self.heading else f"a request may have {MOST_REQUEST:,}"
            self.refuse_all(Problem(431 if self.heading else 413, f"{what} bytes"))

    def refuse_all(self, problem: Problem) -> None:
        """Refuse the present request and whatever would follow it."""
        if self.heading or self.target is not None:  # of any other, ASGI may have begun to answer
            problem.headers["connection"] = "close"
            self.transport.write(http_problem(problem))
        self.held.clear()
        self.transport.close()

    def stage(self) -> str:
        """Returns what this connection is doing."""
        if self.transport.is_closing():
            return CLOSING
        if self.stuck:
            return SENDING
        if self.waiting or (self.cycle is not None and not self.cycle.response_complete and not self.reading):
            return ANSWERING
        if self.reading:
            return ASKING
        return NEW if self.headers is None else IDLE

    def progress(self) -> tuple[Any, int]:
        """Returns an object that is another one for each request, and how many bytes wait until the client reads."""
        return self.headers, self.transport.get_write_buffer_size() if self.stuck else 0

    def give_up(self, stage: str) -> None:
        """Close a connection that has been at a stage for too long."""
        if stage == ASKING:
            self.refuse_all(Problem(408, "the request did not come in time"))
        elif stage in (NEW, IDLE):
            self.transport.close()
        else:
            self.abort()

    def abort(self) -> None:
        """End the connection at once."""
        self.transport.abort()

    def pause_writing(self) -> None:
        """The client does not read its answers: nothing more is read from it, so that they do not fill the memory."""
        super().pause_writing()
        self.stuck = True
        self.go_on()

    def resume_writing(self) -> None:
        """The client reads again."""
        super().resume_writing()
        self.stuck = False
        self.go_on()

    def on_response_complete(self) -> None:
        """ASGI has answered."""
        super().on_response_complete()
        if self.held:
            self.go_on()

    def shutdown(self) -> None:
        """The service stops: what is recorded is answered first."""
        if self.waiting:
            self.ending = True
        else:
            super().shutdown()

    def on_message_begin(self) -> None:
        """A request begins; uvicorn's own preparation waits until it is clear that ASGI gets it."""
        self.url, self.headers, self.expect_100_continue = b"", [], False
        self.reading = self.heading = True

    def on_header(self, name: bytes, value: bytes) -> None:
        """One of its headers."""
        self.headers.append((name.lower(), value))

    def on_headers_complete(self) -> None:
        """Decide whether this request takes the shortcut."""
        self.heading, parser, cycle = False, self.parser, self.cycle
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
        self.app = self.app_in_turn if self.waiting else self.config.loaded_app
        super().on_headers_complete()

    async def app_in_turn(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer by ASGI, after the requests before it that took the shortcut."""
        if self.waiting:
            self.turn = self.loop.create_future()
            await self.turn
        await self.config.loaded_app(scope, receive, send)

    def on_body(self, body: bytes) -> None:
        """A piece of the body."""
        if self.target is None:
            super().on_body(body)
        else:
            self.body += body

    def on_message_complete(self) -> None:
        """The request is whole."""
        self.reading = False
        if self.target is None:
            super().on_message_complete()
        elif self.waiting:
            self.backlog.append((self.target, self.by_name, self.body, self.url))
        else:
            self.perform(self.target, self.by_name, self.body, self.url)

    def perform(self, target: Target, headers: dict[bytes, bytes], body: bytes, address: bytes) -> None:
        """Do a request that takes the shortcut."""
        self.waiting, self.address = True, address
        service, (route, params) = self.service, target
        self.id = request_id(headers.get(b"x-request-id"))
        key = headers[b"idempotency-key"].decode("latin-1") if b"idempotency-key" in headers else None
        try:
            header = headers.get(b"authorization", b"")
            answer, experiment = perform(service, route, header, params, body, key, FOLLOWS in headers)
        except Problem as problem:
            self.refuse(route, problem)
            return
        if type(answer) is Answer:
            self.commit(route, answer, experiment)
        else:
            service.background(self.commit_later(route, answer, experiment))

    def commit(self, route: Route, answer: Answer, experiment: Experiment | None) -> None:
        """Answer when the lines are durable."""
        service = self.service
        service.requests[route.verb.__name__, answer.status] += 1
        self.trace(route, answer.status)
        out = http(GOOD[answer.status], ENCODE(answer.message), self.id)
        if experiment is None:  # another process has answered, and committed it
            self.answer(out)
        else:
            service.writer.add(answer.rows, self.answer, out, service.follow_up(answer, experiment))

    async def commit_later(self, route: Route, answer: Any, experiment: Experiment | None) -> None:
        """Answer when the database was asked what it knows of a request, and then the same."""
        try:
            self.commit(route, await reach(answer), experiment)
        except Problem as problem:
            self.refuse(route, problem)
        except Exception:
            self.refuse(route, Problem(500, "this is a fault of the service; its log says more"))
            raise

    def refuse(self, route: Route, problem: Problem) -> None:
        """Answer with a refusal, after the requests before it."""
        self.service.requests[route.verb.__name__, problem.status] += 1
        self.trace(route, problem.status)
        self.service.writer.add([], self.answer, http_problem(problem, self.address.decode("latin-1"), self.id))

    def trace(self, route: Route, status: int) -> None:
        """Remember what to log when the answer leaves, where requests are logged."""
        if self.service.access_log:
            self.entry = (f"{route.method} {route.path}", status, time.perf_counter(), self.id)

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
        if self.service.access_log:
            log_request(*self.entry)
        if self.ending:
            self.backlog.clear()
            self.held.clear()
            super().shutdown()
        if self.backlog or self.held or self.turn is not None:
            self.go_on()


def hot_protocol(service: Service, connections: Connections) -> type:
    """Returns uvicorn's protocol with the shortcut to one service; the plain one, and a note, where they do not fit."""
    if not fits(HttpToolsProtocol):
        service.notes.append(
            f"uvicorn {uvicorn.__version__} is new to the shortcut: requests take more CPU, connections have no limits"
        )
        return HttpToolsProtocol
    return type("ServiceProtocol", (HotProtocol,), {"service": service, "open": connections})
