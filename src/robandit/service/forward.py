"""Requests for experiments of another process, forwarded to it: a client needs the address of any one process only.

A forwarded request says that its answer may be a redirect (`ROUTE`), so that it is never forwarded twice. A redirect
means that the experiment has moved: its owner is looked up again, for a moment. What may have been recorded without an
answer is sent again only where that cannot record it twice.
"""

import asyncio
from contextlib import suppress
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

import httptools
import msgspec

from robandit.service.clock import measure as now
from robandit.service.engine import Answer
from robandit.service.problems import TITLES, Problem
from robandit.service.service import UNKNOWN, Service
from robandit.service.tokens import Token

ROUTE = "robandit-route"  # a header, `redirect`: the client follows redirects, so nothing is forwarded for it
FOLLOWS = ROUTE.encode()
HOLD = 4.0  # seconds that a request waits for an owner that can be reached
STEP = 0.05  # seconds between two attempts
CONNECT = 1.0  # seconds until an owner must accept a connection
REPLY = 30.0  # seconds until it must have answered: a what-if may take long
MOST = 256  # connections to one address
ATTEMPTS = 2  # at a question to each of several processes: an idle connection may be closed by now
MOST_POOLS = 64  # addresses; processes that went leave theirs behind
REST = 30.0  # seconds that a connection may be idle; its other end closes it after 75
REPEATABLE = ("GET", "PUT", "DELETE")
PLAIN = "!$&'()*+,;=:@"  # letters that need no quoting in a part of a path, besides the usual ones


class ForwardedRequest(NamedTuple):
    """A request as another process needs it."""

    method: str
    path: str  # with names in braces
    params: dict[str, str]
    credentials: bytes  # the Authorization header
    body: bytes
    key: str | None
    repeats: bool  # whether it may be sent again after one that may have been recorded

    def encode(self, host: str) -> bytes:
        """Returns the request as HTTP."""
        path = self.path.format_map({name: quote(value, PLAIN) for name, value in self.params.items()})
        head = f"{self.method} {path} HTTP/1.1\r\nhost: {host}\r\n{ROUTE}: redirect\r\n"
        head += "" if self.key is None else f"idempotency-key: {self.key}\r\n"
        head += f"content-type: application/json\r\ncontent-length: {len(self.body)}\r\n"
        header = b"authorization: %b\r\n" % self.credentials if self.credentials else b""
        return b"%b%b\r\n%b" % (head.encode("latin-1"), header, self.body)


class OwnerReply(NamedTuple):
    """The whole answer of an owner."""

    status: int
    retry_after: str | None
    body: bytes

    def read(self) -> Answer:
        """Returns a success as an answer with nothing to commit. Raises a refusal as a Problem."""
        if self.status < 300:
            return Answer(self.status, msgspec.Raw(self.body), [])
        try:
            details: Any = msgspec.json.decode(self.body)
            detail = str(details.get("detail") or details["errorDetails"])
        except (msgspec.DecodeError, AttributeError, KeyError):
            detail = f"the owner of this experiment answered {self.status}"
        headers = {} if self.retry_after is None else {"retry-after": self.retry_after}
        raise Problem(self.status if self.status in TITLES else 503, detail, headers)


class OwnerConnection(asyncio.Protocol):
    """One connection to another process, for one request at a time."""

    def __init__(self) -> None:
        self.parser, self.since, self.is_open = httptools.HttpResponseParser(self), now(), True
        self.done: asyncio.Future[OwnerReply] | None = None
        self.transport: Any = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The other process accepts."""
        self.transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """The other process, or the network, has hung up."""
        self.is_open = False
        if self.done is not None and not self.done.done():
            self.done.set_exception(ConnectionResetError("no answer"))

    def data_received(self, data: bytes) -> None:
        """Bytes of an answer arrive."""
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserError:
            self.close()

    def on_message_begin(self) -> None:
        """An answer begins."""
        self.retry_after: str | None = None
        self.pieces: list[bytes] = []

    def on_header(self, name: bytes, value: bytes) -> None:
        """One of its headers."""
        if name.lower() == b"retry-after":
            self.retry_after = value.decode("latin-1")

    def on_body(self, body: bytes) -> None:
        """A piece of its body."""
        self.pieces.append(body)

    def on_message_complete(self) -> None:
        """It is whole."""
        if not self.parser.should_keep_alive():
            self.close()
        if self.done is not None and not self.done.done():
            self.done.set_result(OwnerReply(self.parser.get_status_code(), self.retry_after, b"".join(self.pieces)))

    async def ask(self, request: bytes) -> OwnerReply:
        """Returns the answer to a request. Raises OSError if there is none, and then it may have been recorded."""
        self.done = asyncio.get_running_loop().create_future()
        self.transport.write(request)
        try:
            async with asyncio.timeout(REPLY):
                reply = await self.done
        except BaseException:
            self.close()  # an answer that comes later is nobody's
            raise
        self.since = now()
        return reply

    def close(self) -> None:
        """Use it no more."""
        self.is_open = False
        if self.transport is not None:
            self.transport.close()


class OwnerPool:
    """Connections to one address."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self.host, self.secure = parts.hostname or "", parts.scheme == "https"
        self.port, self.name = parts.port or (443 if self.secure else 80), parts.netloc
        self.idle: list[OwnerConnection] = []
        self.free = asyncio.Semaphore(MOST)

    async def lend(self) -> OwnerConnection:
        """Returns an idle connection, or a new one. Raises OSError, and then nothing was sent."""
        while self.idle:
            connection = self.idle.pop()
            if connection.is_open and now() - connection.since < REST:
                return connection
            connection.close()
        async with asyncio.timeout(CONNECT):
            loop = asyncio.get_running_loop()
            return (await loop.create_connection(OwnerConnection, self.host, self.port, ssl=self.secure or None))[1]

    async def send(self, request: ForwardedRequest) -> OwnerReply | None:
        """Returns the answer to a request; None if it was not recorded, or may be sent again. Raises OSError."""
        async with self.free:
            connection = None
            try:
                connection = await self.lend()
                reply = await connection.ask(request.encode(self.name))
            except OSError:  # a timeout is one, too
                if connection is None or request.repeats:
                    return None
                raise
            if connection.is_open:
                self.idle.append(connection)
            return reply

    def close(self) -> None:
        """Close the idle connections."""
        while self.idle:
            self.idle.pop().close()


class Forwarder:
    """The pools of all other processes, by address."""

    def __init__(self, own: str) -> None:
        self.own = own.rstrip("/")  # for an experiment that has just become this process's
        self.pools: dict[str, OwnerPool] = {}
        self.requests = self.unanswered = 0

    async def forward(self, service: Service, token: Token, request: ForwardedRequest) -> Answer:
        """Returns the owner's answer to a request. Raises its refusal, or that there is none, as a Problem."""
        id, ends, wait = request.params["experiment"], now() + HOLD, STEP
        self.requests += 1
        while True:
            where = await service.locate(token, id)
            if where.address is None:
                raise where.problem()
            try:
                reply = await self.pool(where.address or self.own).send(request)
            except OSError as error:
                self.unanswered += 1
                raise Problem(503, UNKNOWN, {"retry-after": "1"}) from error
            if reply is not None and reply.status != 307:
                return reply.read()
            service.ownership.forget_place(id)
            if now() > ends:
                self.unanswered += 1
                raise where._replace(address=None).problem()
            await asyncio.sleep(wait)
            wait = min(2.0 * wait, 0.4)

    async def ask(self, address: str, request: ForwardedRequest) -> bytes | None:
        """Returns what another process answers to a request that may be repeated; None if it does not."""
        self.requests += 1
        reply = None
        with suppress(OSError):  # a timeout is one, too
            async with asyncio.timeout(HOLD):
                for _ in range(ATTEMPTS):
                    reply = reply or await self.pool(address).send(request)
        self.unanswered += reply is None
        return reply.body if reply is not None and reply.status == 200 else None

    def pool(self, address: str) -> OwnerPool:
        """Returns the connections to an address."""
        if address not in self.pools:
            if len(self.pools) >= MOST_POOLS:
                self.close()
            self.pools[address] = OwnerPool(address)
        return self.pools[address]

    def close(self) -> None:
        """Close all connections that nobody uses."""
        for pool in self.pools.values():
            pool.close()
        self.pools.clear()
