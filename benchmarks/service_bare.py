"""The least that a durable request costs: HTTP parsed, a row as long as ours committed with others, a fixed reply.

`python benchmarks/service_bare.py FILE` prints `serves at http://...`. It has no experiments, no ids, no policy and no
checks; what `robandit serve` takes beyond it is what those cost. benchmarks/service.py loads both with one generator.
"""

import asyncio
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any

import apsw
import httptools
import uvloop

BODY = '{"entry":"decide","id":1234567,"arm":"arm 10","chance":0.12345678901234567,"note":0,"time":1700000000.123}'
MESSAGE = (
    b'{"id":"AQAAAAAAAAABAAAAAAAAAABKzelC-tfib05VlOzP","arm":"arm 10","probability":0.1,"holdout":false,"check":false}'
)
REPLY = b"HTTP/1.1 201 Created\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%b" % (
    len(MESSAGE),
    MESSAGE,
)
INSERT = "INSERT INTO line VALUES(?, ?, ?)"
Reply = Callable[[bytes], None]


class Bare:
    """Commits the rows that came while the last commit ran."""

    def __init__(self, path: str) -> None:
        self.db = apsw.Connection(path)
        for word in ("journal_mode=WAL", "synchronous=FULL"):
            self.db.execute(f"PRAGMA {word}")
        self.db.execute("CREATE TABLE line(experiment INTEGER, line INTEGER, body TEXT, PRIMARY KEY(experiment, line))")
        self.line, self.busy = 0, False
        self.waiting: list[tuple[tuple[int, int, str], Reply]] = []
        self.batches: queue.SimpleQueue[list[tuple[tuple[int, int, str], Reply]]] = queue.SimpleQueue()
        self.loop = asyncio.get_running_loop()
        threading.Thread(target=self.run, daemon=True).start()

    def add(self, reply: Reply) -> None:
        """Add a row."""
        self.line += 1
        self.waiting.append(((1, self.line, BODY), reply))
        if not self.busy:
            self.busy = True
            self.loop.call_soon(self.hand_over)

    def hand_over(self) -> None:
        """Pass all waiting rows to the thread that commits."""
        batch, self.waiting = self.waiting, []
        self.batches.put(batch)

    def run(self) -> None:
        """Commit batch after batch."""
        while True:
            batch = self.batches.get()
            with self.db:
                self.db.executemany(INSERT, [row for row, _ in batch])
            self.loop.call_soon_threadsafe(self.finish, batch)

    def finish(self, batch: list[tuple[tuple[int, int, str], Reply]]) -> None:
        """Pass on the next batch first, then send the replies."""
        if self.waiting:
            self.hand_over()
        else:
            self.busy = False
        for _, reply in batch:
            reply(REPLY)


class Connection(asyncio.Protocol):
    """One client."""

    def __init__(self, bare: Bare) -> None:
        self.bare, self.parser, self.headers = bare, httptools.HttpRequestParser(self), list[tuple[bytes, bytes]]()

    def connection_made(self, transport: Any) -> None:
        """Keep the transport."""
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        """Parse some bytes."""
        self.parser.feed_data(data)

    def on_url(self, url: bytes) -> None:
        """Keep the path of a request."""
        self.url = url

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep one header."""
        self.headers.append((name, value))

    def on_body(self, body: bytes) -> None:
        """Keep the body."""
        self.body = body

    def on_message_complete(self) -> None:
        """Add a row for a request that is whole."""
        self.headers.clear()
        self.bare.add(self.transport.write)


async def main(path: str) -> None:
    """Serve until it is ended."""
    bare = Bare(path)
    server = await asyncio.get_running_loop().create_server(lambda: Connection(bare), "127.0.0.1", 0)
    print(f"bare server serves at http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    sys.setswitchinterval(0.0005)
    uvloop.run(main(sys.argv[1]))
