"""No connection holds up the others: heads without end, clients that dawdle or do not read, too many, and a stop."""

import http.client
import json
import select
import socket
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from robandit.client import Client
from robandit.service import app, connections, hot
from robandit.service.stores.base import Row, Snapshot
from robandit.service.stores.memory import MemoryStore
from tests.serving import Running, running, until


class SlowStore(MemoryStore):
    """A disk that takes its time."""

    pause = 0.0

    def commit(self, rows: list[Row], snapshots: Iterable[Snapshot] = ()) -> None:
        time.sleep(self.pause if rows else 0.0)
        super().commit(rows, snapshots)


@pytest.fixture
def served() -> Iterator[Running]:
    with running(SlowStore()) as service, Client(service.url) as client:
        client.create("e", ["a", "b"])
        yield service


def connect(served: Running, sent: bytes = b"") -> socket.socket:
    """A connection on which something was sent."""
    one = socket.create_connection(("127.0.0.1", served.port), timeout=20)
    served.closing.callback(one.close)
    one.sendall(sent)
    return one


def read_all(one: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    read = b""
    try:
        while piece := one.recv(65536):
            read += piece
    except ConnectionResetError:
        pass
    return read


def test_a_stranger_s_body_is_not_waited_for(tmp_path: Path) -> None:
    """Who has no token is refused by the headers; of those who have one, long bodies together have a limit."""
    with running(SlowStore(), tmp_path, boss="admin") as served:
        head = b"POST /v1/experiments HTTP/1.1\r\nhost: x\r\ncontent-length: 1048000\r\n"
        stranger = connect(served, head + b"\r\n" + b" " * 1000)
        assert stranger.recv(65536).startswith(b"HTTP/1.1 401 ")
        token = f"authorization: Bearer {served.tokens['boss']}\r\n\r\n".encode()
        waiting = [connect(served, head + token + b" " * 1_047_000) for _ in range(62)]
        until(lambda: app.UNDER_WAY.bytes > 60_000_000)
        for _ in range(3):
            waiting.append(connect(served, head + token + b" " * 1_047_000))
        until(lambda: b" 503 " in peek(waiting))
        for one in waiting:
            one.close()
        until(lambda: app.UNDER_WAY.bytes == 0)


def peek(sockets: list[socket.socket]) -> bytes:
    """What has come on some connections."""
    ready, _, _ = select.select(sockets, [], [], 0)
    return b"".join(one.recv(65536) for one in ready)


def send_endlessly(one: socket.socket, text: bytes, most: int = 64 << 20) -> int:
    """Send the same again and again until the other side closes; returns how many bytes that took."""
    sent = 0
    try:
        while sent < most:
            sent += one.send(text)
    except (BrokenPipeError, ConnectionResetError):
        pass
    return sent


def decide(served: Running) -> int:
    """The status of a decision on a connection of its own."""
    one = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
    served.closing.callback(one.close)
    one.request("POST", "/v1/experiments/e/decisions", "{}")
    answer = one.getresponse()
    answer.read()
    return answer.status


def request(served: Running, method: str = "POST", path: str = "/v1/experiments/e/decisions", body: str = "") -> bytes:
    """A request as bytes."""
    head = f"{method} {path} HTTP/1.1\r\nhost: 127.0.0.1:{served.port}\r\ncontent-length: {len(body)}\r\n\r\n"
    return (head + body).encode()


HEADS = {
    "a header without end": (b"GET / HTTP/1.1\r\nx: ", b"a" * 4096),
    "headers without end": (b"GET / HTTP/1.1\r\n", b"x: y\r\n" * 500),
    "an address without end": (b"GET /", b"a" * 4096),
    "a hot address without end": (b"POST /v1/experiments/", b"e" * 4096),
}


@pytest.mark.parametrize(("begin", "more"), HEADS.values(), ids=HEADS)
def test_a_head_without_end_is_refused(served: Running, begin: bytes, more: bytes) -> None:
    one = connect(served, begin + more)
    one.settimeout(5)
    for _ in range(hot.MOST_HEAD // len(more)):
        one.sendall(more)
    assert read_all(one).startswith(b"HTTP/1.1 431 ")
    assert send_endlessly(connect(served, begin), more) < 32 << 20  # the rest is what sockets hold
    assert decide(served) == 201


def test_a_long_head_that_ends_is_served(served: Running) -> None:
    for path in ("/healthz", "/v1/experiments/e/decisions"):
        text = request(served, "GET" if path == "/healthz" else "POST", path)
        one = connect(served, text.replace(b"\r\n\r\n", b"\r\nx-long: " + b"a" * 20_000 + b"\r\n\r\n"))
        assert one.recv(65536).startswith(b"HTTP/1.1 20")


def test_trailers_without_end_are_cut_off(served: Running) -> None:
    head = b"POST /v1/experiments HTTP/1.1\r\nhost: 127.0.0.1:%d\r\ntransfer-encoding: chunked\r\n\r\n" % served.port
    assert send_endlessly(connect(served, head + b"0\r\n"), b"x: y\r\n" * 5000) < 48 << 20
    assert send_endlessly(connect(served, head), b"1\r\na\r\n" * 5000) < 48 << 20
    assert decide(served) == 201


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BEAT", 0.05)
    for stage in connections.PATIENCE:
        monkeypatch.setitem(connections.PATIENCE, stage, 0.5)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"", b""),
        (b"\r\n\r\n", b""),
        (b"GET / HT", b"HTTP/1.1 408 "),
        (b"POST /v1/experiments/e/decisions HTTP/1.1\r\nhost: 127.0.0.1:1\r\n", b"HTTP/1.1 408 "),
        (
            b"POST /v1/experiments/e/decisions HTTP/1.1\r\nhost: 127.0.0.1:1\r\ncontent-length: 9\r\n\r\n{",
            b"HTTP/1.1 408 ",
        ),
        (b"POST /v1/experiments HTTP/1.1\r\nhost: 127.0.0.1:1\r\ncontent-length: 9\r\n\r\n{", b""),
        (
            b"POST /v1/experiments/e/decisions HTTP/1.1\r\nhost: 127.0.0.1:1\r\ncontent-length: 0\r\n\r\n",
            b"HTTP/1.1 201 ",
        ),
        (b"GET /healthz HTTP/1.1\r\nhost: 127.0.0.1:1\r\n\r\n", b"HTTP/1.1 200 "),
    ],
    ids=["nothing", "line ends", "a line", "a head", "a hot body", "a cold body", "idle after hot", "idle after cold"],
)
def test_who_is_silent_is_let_go(served: Running, sent: bytes, answer: bytes) -> None:
    began = time.monotonic()
    one = connect(served, sent)
    read = read_all(one)
    assert read.startswith(answer)
    assert read.count(b"HTTP/1.1 ") == (1 if answer else 0)
    assert 0.3 < time.monotonic() - began < 10


@pytest.mark.usefixtures("impatient")
def test_who_sends_a_letter_now_and_then_is_let_go(served: Running) -> None:
    one, sent = connect(served), 0
    for letter in request(served):
        sent += send_endlessly(one, bytes([letter]), 1)
        time.sleep(0.05)
    assert sent < 60 < len(request(served))  # closed from the other side


@pytest.mark.usefixtures("impatient")
def test_what_is_under_way_is_not_given_up(served: Running) -> None:
    """An answer that takes longer than patience lasts, a page that is open, a client that asks again and again."""
    stream = connect(served, request(served, "GET", "/experiments/1/events"))
    served.service.store.pause = 2.0
    assert decide(served) == 201
    served.service.store.pause = 0.0
    regular = connect(served)
    for _ in range(15):
        regular.sendall(request(served))
        assert regular.recv(65536).startswith(b"HTTP/1.1 201 ")
        time.sleep(0.1)
    assert b"event-stream" in stream.recv(1 << 20)
    stream.setblocking(False)
    with pytest.raises(BlockingIOError):  # it is still open
        stream.recv(1)


def test_too_many_connections_make_room_for_who_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "MOST", 20)
    monkeypatch.setattr(connections, "BEAT", 0.05)
    with running() as served, Client(served.url) as client:
        client.create("e", ["a", "b"])
        known = connect(served, request(served))
        assert known.recv(65536).startswith(b"HTTP/1.1 201 ")
        time.sleep(0.2)
        slow = [connect(served, b"GET / HTTP/1.1\r\nx: ") for _ in range(100)]
        for _ in range(10):
            assert decide(served) == 201
        known.sendall(request(served))
        assert known.recv(65536).startswith(b"HTTP/1.1 201 ")  # who was served before does not make room
        assert read_all(slow[0]) == b""
        assert len(served.service.supervisor.duties) >= 2


def test_who_reads_no_answers_is_read_no_more(served: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connections, "BEAT", 0.05)
    monkeypatch.setitem(connections.PATIENCE, connections.SENDING, 1.0)
    one, text = connect(served), request(served, path="/v1/experiments/" + "nothing" * 20 + "/decisions") * 50
    assert send_endlessly(one, text) < 48 << 20  # it is cut off
    assert decide(served) == 201


def answers(read: bytes) -> list[tuple[bytes, Any]]:
    """Statuses and bodies of several answers."""
    pieces = [piece.partition(b"\r\n\r\n") for piece in read.split(b"HTTP/1.1 ")[1:]]
    return [(head[:3], json.loads(body)) for head, _, body in pieces]


def test_answers_keep_their_order_whatever_path_they_take(served: Running) -> None:
    """Health needs no commit and would be faster; so would a refusal and what the database is asked for."""
    served.service.store.pause = 0.1
    bulk = request(served, body='{"count": 2}')
    health, unknown = request(served, "GET", "/healthz"), request(served, path="/v1/experiments/none/decisions")
    one = connect(served, request(served) + health + bulk + unknown + request(served) + request(served) + health)
    read = b""
    while read.count(b"HTTP/1.1 ") < 7 or not read.endswith(b"}"):
        piece = one.recv(65536)
        assert piece, "the connection was closed"
        read += piece
    kinds = [(status, "status" if "commit_ms" in body else next(iter(body))) for status, body in answers(read)]
    decided, well = (b"201", "id"), (b"200", "status")
    assert kinds == [decided, well, (b"201", "decisions"), (b"404", "title"), decided, decided, well]


def test_many_requests_at_once_are_all_answered(served: Running) -> None:
    """More than a piece, more than a socket holds: hot ones, and between them others."""
    count = 3000
    texts = [request(served) if place % 10 else request(served, "GET", "/healthz") for place in range(count)]
    one = connect(served)
    thread = threading.Thread(target=one.sendall, args=(b"".join(texts),))
    thread.start()
    read = b""
    while read.count(b"HTTP/1.1 ") < count or not read.endswith(b"}"):
        piece = one.recv(1 << 20)
        assert piece
        read += piece
    thread.join()
    statuses = [status for status, _ in answers(read)]
    assert statuses == [b"201" if place % 10 else b"200" for place in range(count)]
    ids = [body["id"] for status, body in answers(read) if status == b"201"]
    assert len(set(ids)) == count - count // 10


@pytest.mark.parametrize("pipelined", [1, 3])
def test_a_stop_answers_whatever_is_recorded(pipelined: int) -> None:
    store = SlowStore()
    with running(store) as served, ExitStack() as closing:
        with Client(served.url) as client:
            client.create("e", ["a", "b"])
        store.pause = 0.6
        clients = [closing.enter_context(connect(served, request(served) * pipelined)) for _ in range(20)]
        clients += [connect(served, request(served, path="/v1/experiments/e/decisions?cold")) for _ in range(5)]
        until(lambda: served.service.engine.experiments[1].line >= 26)
        served.stop()
        answered = sum(read_all(one).count(b"HTTP/1.1 201 ") for one in clients)
    recorded = sum(b'"decide"' in row.body.encode() for row in store.rows[1])
    assert answered == recorded >= 25
