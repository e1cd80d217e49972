"""A load generator: connections that send again as soon as a reply comes, on this machine; prints JSON.

`python benchmarks/service_load.py PORT EXPERIMENT SECONDS [CONNECTIONS] [TOKEN] [QUERY]` asks for decisions, then
reports their rewards; `own_us` is the CPU that it took itself per request.
"""

import asyncio
import json
import sys
import time

import uvloop

MOST_SECONDS = 4000.0


class Client(asyncio.Protocol):
    """One connection: a request is under way at any time until the end."""

    def __init__(self, load: "Load") -> None:
        self.load, self.buffer, self.start = load, b"", 0.0
        self.loop = asyncio.get_running_loop()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the first request."""
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]  # TCP: it writes
        self.ask()

    def ask(self) -> None:
        """Send the next request, if there is time."""
        text = self.load.next()
        if text is None:
            self.transport.close()
            return
        self.start = time.perf_counter()
        self.transport.write(text)

    def data_received(self, data: bytes) -> None:
        """Read a reply, when it is whole."""
        text = self.buffer = self.buffer + data if self.buffer else data
        head = text.find(b"\r\n\r\n")
        if head < 0:
            return
        at = text.find(b"content-length: ") + 16
        end = head + 4 + int(text[at : text.find(b"\r\n", at)])
        if len(text) >= end:
            self.load.record(text[9:12], text[head + 4 : end], time.perf_counter() - self.start)
            self.buffer = text[end:]
            if self.load.pause:
                self.loop.call_later(self.load.pause, self.ask)
            else:
                self.ask()

    def connection_lost(self, error: Exception | None) -> None:
        """Count one connection less."""
        self.load.close_one()


class Load:
    """The requests, and what came back."""

    def __init__(self, port: int, experiment: str, kind: str, seconds: float, token: str = "", query: str = "") -> None:
        head = f"host: 127.0.0.1:{port}\r\ncontent-type: application/json\r\n"
        head += f"authorization: Bearer {token}\r\n" if token else ""
        line = f"POST /v1/experiments/{experiment}/decisions{query} HTTP/1.1"
        self.decide = f"{line}\r\n{head}content-length: 2\r\n\r\n{{}}".encode()
        self.put = (
            f"PUT /v1/experiments/{experiment}/decisions/".encode(),
            f"/reward{query} HTTP/1.1\r\n{head}content-length: 12\r\n\r\n".encode(),
        )
        self.ids: list[bytes] = []
        self.kind, self.ends, self.times = kind, time.perf_counter() + min(seconds, MOST_SECONDS), list[float]()
        self.statuses: dict[str, int] = {}
        self.pause = 0.0  # seconds between a reply and the next request of its connection
        self.open, self.done = 0, asyncio.get_running_loop().create_future()

    def next(self) -> bytes | None:
        """Returns the next request; None at the end."""
        if time.perf_counter() >= self.ends or (self.kind == "rewards" and not self.ids):
            return None
        if self.kind == "decisions":
            return self.decide
        before, after = self.put
        return b'%b%b%b{"reward":%d}' % (before, self.ids.pop(), after, len(self.ids) % 2)

    def record(self, status: bytes, body: bytes, seconds: float) -> None:
        """Record one reply."""
        self.times.append(seconds)
        key = status.decode()
        self.statuses[key] = self.statuses.get(key, 0) + 1
        if self.kind == "decisions" and key in ("200", "201"):
            self.ids.append(body[7 : body.index(b'"', 7)])  # {"id":"...

    def close_one(self) -> None:
        """Count a connection that has closed."""
        self.open -= 1
        if self.open == 0 and not self.done.done():
            self.done.set_result(None)


async def run_load(load: Load, port: int, connections: int) -> dict[str, object]:
    """Run all connections until the end; returns the figures."""
    loop, start, cpu_start = asyncio.get_running_loop(), time.perf_counter(), time.process_time()
    load.open, load.done = connections, loop.create_future()
    for _ in range(connections):
        await loop.create_connection(lambda: Client(load), "127.0.0.1", port)
    await load.done
    times, wall = sorted(load.times), time.perf_counter() - start
    ranks = {f"p{rank}": round(1000 * times[int(len(times) * rank / 100)], 2) for rank in (50, 99)} if times else {}
    return {
        "kind": load.kind,
        "requests": len(times),
        "a_second": round(len(times) / wall),
        "ms": ranks,
        "statuses": load.statuses,
        "own_us": round(1e6 * (time.process_time() - cpu_start) / max(len(times), 1)),
    }


async def main(
    port: int, experiment: str, seconds: float, connections: int, token: str, query: str
) -> list[dict[str, object]]:
    """Ask for decisions, then report their rewards; returns the figures of both."""
    load = Load(port, experiment, "decisions", seconds, token, query)
    kinds = [await run_load(load, port, connections)]
    load.kind, load.ends, load.times, load.statuses = "rewards", time.perf_counter() + seconds, [], {}
    return [*kinds, await run_load(load, port, connections)]


if __name__ == "__main__":
    port, experiment, seconds = int(sys.argv[1]), sys.argv[2], float(sys.argv[3])
    connections = int(sys.argv[4]) if len(sys.argv) > 4 else 64
    token, query = ([*sys.argv[5:], "", ""])[:2]
    uvloop.install()
    print(json.dumps(asyncio.run(main(port, experiment, seconds, connections, token, query))))
