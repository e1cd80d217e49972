"""Many experiments over several processes on one PostgreSQL, under load, while processes are killed, stopped and added.

    python verification/fleet.py --experiments 50 --processes 4 --seconds 10

Each experiment has one client, which sends every request to a process drawn at random, as behind a load balancer, and
repeats it until a reply comes. At the end every acknowledged reply is looked up in the journals. It starts a server
of its own (tests/postgres_server.py) and uses this machine alone.
"""

import argparse
import asyncio
import json
import math
import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

sys.path.insert(0, str(Path(__file__).parents[1]))

from robandit.service.stores.postgres import PostgresStore
from tests.crowd import check, send
from tests.fleet import Fleet
from tests.postgres_server import Server

NEW = {"arms": ["x", "y", "z"], "policy": "samba"}
PAUSE = 0.02  # seconds between two attempts
LONGEST = 30.0  # seconds for a process to get its share, or for an experiment to come back


class Lines:
    """Open connections of one client, by address."""

    def __init__(self) -> None:
        self.open: dict[str, tuple[asyncio.StreamReader, asyncio.StreamWriter]] = {}

    async def send(self, address: str, request: bytes) -> tuple[int, bytes]:
        """Returns status and body; status 0 where there was no reply."""
        try:
            async with asyncio.timeout(10):
                if address not in self.open:
                    parts = urlsplit(address)
                    self.open[address] = await asyncio.open_connection(parts.hostname, parts.port)
                reader, writer = self.open[address]
                writer.write(request)
                head = await reader.readuntil(b"\r\n\r\n")
                length = int(head.lower().partition(b"content-length:")[2].partition(b"\r\n")[0])
                return int(head[9:12]), await reader.readexactly(length)
        except (OSError, EOFError):
            if address in self.open:
                self.open.pop(address)[1].close()
            return 0, b""

    def close(self) -> None:
        """Close all."""
        for _, writer in self.open.values():
            writer.close()


class Reply(NamedTuple):
    """The time of a reply to a client."""

    at: float
    latency: float  # of the request, with all its attempts


@dataclass
class FleetClient:
    """The client of one experiment."""

    experiment: int
    token: str
    addresses: list[str]  # of living processes, shared with all other clients
    think: float  # seconds between a reward and the next decision
    decided: dict[str, Any] = field(default_factory=dict)
    rewarded: dict[str, float] = field(default_factory=dict)
    times: list[Reply] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    pinned: str | None = None  # the only process that it asks
    over: bool = False

    async def play(self) -> None:
        """Ask for a decision, send its reward, again; each request is repeated until a reply comes."""
        stream, lines, turn = random.Random(self.experiment), Lines(), 0
        while not self.over:
            turn += 1
            key, value = f"{self.experiment}-{turn}", stream.randrange(5) / 4
            decision = await self.insist(stream, lines, "POST", "/decisions", {}, key)
            if decision is not None:
                self.decided[key] = decision
                path = f"/decisions/{decision['id']}/reward"
                if await self.insist(stream, lines, "PUT", path, {"reward": value}) is not None:
                    self.rewarded[decision["id"]] = value
            await asyncio.sleep(self.think * stream.uniform(0.5, 1.5))
        lines.close()

    async def insist(
        self, stream: random.Random, lines: Lines, method: str, path: str, body: Any, key: str = ""
    ) -> Any | None:
        """Returns the message of a success, from whichever process; None if the time is over before."""
        content = json.dumps(body).encode()
        head = f"{method} /v1/experiments/{self.experiment}{path} HTTP/1.1\r\nhost: x\r\n"
        head += f"authorization: Bearer {self.token}\r\ncontent-length: {len(content)}\r\n"
        head += f"idempotency-key: {key}\r\n\r\n" if key else "\r\n"
        start = time.monotonic()
        while not self.over:
            status, reply = await lines.send(self.pinned or stream.choice(self.addresses), head.encode() + content)
            self.statuses[status] += 1
            if status in (200, 201):
                end = time.monotonic()
                self.times.append(Reply(end, end - start))
                return json.loads(reply)
            if status not in (0, 503):
                raise AssertionError((status, reply))
            await asyncio.sleep(PAUSE)
        return None


def quantile(values: list[float], share: float) -> float:
    """Returns a quantile; NaN of nothing."""
    return sorted(values)[min(int(share * len(values)), len(values) - 1)] if values else float("nan")


class Phase(NamedTuple):
    """A time of the trial."""

    name: str
    start: float
    end: float
    affected: list[int]  # experiments whose process went


class Trial:
    """A fleet, its clients and what happened when."""

    def __init__(self, fleet: Fleet, experiments: int, think: float) -> None:
        self.fleet, self.addresses, self.phases = fleet, list(fleet.processes), list[Phase]()
        self.clients: list[FleetClient] = []
        for number in range(experiments):
            address = self.addresses[number % len(self.addresses)]
            status, body, _ = send(address, fleet.token, "POST", "/v1/experiments", {"name": f"e{number}", **NEW})
            assert status == 201, body
            self.clients.append(FleetClient(int(body["id"]), fleet.token, self.addresses, think))

    async def experiments_by_address(self) -> dict[str, list[int]]:
        """Returns the experiments of each process that lives; one that has just begun may refuse for a moment."""
        experiments = dict[str, list[int]]()
        for address in self.addresses:
            status, body, _ = await asyncio.to_thread(send, address, self.fleet.token, "GET", "/v1/experiments")
            experiments[address] = [one["id"] for one in body["experiments"]] if status == 200 else []
        return experiments

    async def until_balanced(self) -> float:
        """Returns the seconds until no process has more than its share."""
        start, share = time.monotonic(), math.ceil(len(self.clients) / len(self.addresses))
        while time.monotonic() < start + LONGEST:
            counts = [len(ids) for ids in (await self.experiments_by_address()).values()]
            if sum(counts) == len(self.clients) and max(counts) <= share:
                return time.monotonic() - start
            await asyncio.sleep(0.1)
        raise AssertionError(f"after {LONGEST:g} s the processes have {counts} experiments")

    async def phase(self, name: str, seconds: float, affected: list[int] | None = None) -> None:
        """Let the clients go on for a while, until all that were affected have a reply again."""
        start = time.monotonic()
        await asyncio.sleep(seconds)
        waiting = [one for one in self.clients if affected and one.experiment in affected]
        while any(one.times[-1].at < start for one in waiting) and time.monotonic() < start + LONGEST:
            await asyncio.sleep(0.05)
        self.phases.append(Phase(name, start, time.monotonic(), affected or []))

    async def run(self, seconds: float) -> float:
        """Returns the seconds that a new process needed to get its share."""
        players = [asyncio.create_task(one.play()) for one in self.clients]
        await self.until_balanced()
        owners = await self.experiments_by_address()
        for one in self.clients:
            one.pinned = next(address for address, ids in owners.items() if one.experiment in ids)
        await self.phase("each at its owner", seconds)
        for one in self.clients:
            one.pinned = None
        await self.phase("each anywhere", seconds)
        victim, owners = self.addresses[0], await self.experiments_by_address()
        self.addresses.remove(victim)
        self.fleet.kill(victim)
        await self.phase("after a kill", seconds, owners[victim])
        self.addresses.append(await asyncio.to_thread(self.fleet.begin))
        delay = await self.until_balanced()
        await self.phase("after a new one", seconds)
        owners, leaver = await self.experiments_by_address(), self.addresses[0]
        process = self.fleet.processes.pop(leaver)
        process.terminate()
        self.addresses.remove(leaver)
        await self.phase("after a stop", seconds, owners[leaver])
        assert await asyncio.to_thread(process.wait, 30) == 0
        process.stdout.close()  # type: ignore[union-attr]
        for one in self.clients:
            one.over = True
        await asyncio.gather(*players)
        return delay

    def away(self, phase: Phase) -> list[float]:
        """Returns how long each affected experiment gave no reply: its longest pause in a phase."""
        pauses = []
        for client in self.clients:
            if client.experiment in phase.affected:
                times = [phase.start, *(one.at for one in client.times if phase.start < one.at)]
                pauses.append(max(after - before for before, after in pairwise(times)))
        return pauses

    def table(self) -> str:
        """Returns events per second, latencies and seconds away, one row per phase."""
        rows = [
            "| phase | events/s | p50 ms | p99 ms | away s, median | away s, longest |",
            "|---|---|---|---|---|---|",
        ]
        for phase in self.phases:
            times = [one for client in self.clients for one in client.times if phase.start <= one.at < phase.end]
            latencies, away = [1e3 * one.latency for one in times], self.away(phase)
            figures = [f"{len(times) / (phase.end - phase.start):,.0f}"]
            figures += [f"{quantile(latencies, share):.0f}" for share in (0.5, 0.99)]
            figures += [f"{quantile(away, 0.5):.2f}", f"{max(away):.2f}"] if away else ["", ""]
            rows.append(f"| {phase.name} | {' | '.join(figures)} |")
        return "\n".join(rows)

    def check(self) -> int:
        """Returns how many replies were acknowledged; all of them are in the journals, once."""
        store = PostgresStore(self.fleet.database, read_only=True)
        for client in self.clients:
            check(client, store, client.experiment)
        store.close()
        return sum(len(one.decided) + len(one.rewarded) for one in self.clients)


def try_fleet(trial: Trial, seconds: float) -> str:
    """Returns the table of a trial and its last line. Raises AssertionError if anything acknowledged is lost."""
    delay = asyncio.run(trial.run(seconds))
    statuses = sum((one.statuses for one in trial.clients), Counter[int]())
    return (
        f"{trial.table()}\na new process has its share after {delay:.1f} s; {trial.check():,} acknowledged, lost 0; "
        f"attempts by status: {dict(sorted(statuses.items()))}"
    )


def main() -> None:
    """Parse, try, print."""
    parser = argparse.ArgumentParser(description="experiments over processes that are killed, stopped and added")
    parser.add_argument("--experiments", type=int, default=50)
    parser.add_argument("--processes", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=10.0, help="of each phase, at least")
    parser.add_argument("--lease", type=float, default=2.0, help="seconds")
    parser.add_argument("--think", type=float, default=0.05, help="seconds between a reward and the next decision")
    arguments = parser.parse_args()
    server = Server()
    try:
        with tempfile.TemporaryDirectory() as folder:
            fleet = Fleet(server.database(), Path(folder), arguments.lease)
            for process in [fleet.launch() for _ in range(arguments.processes)]:
                fleet.begun(process)
            try:
                print(try_fleet(Trial(fleet, arguments.experiments, arguments.think), arguments.seconds))
            finally:
                fleet.end()
    finally:
        server.close()


if __name__ == "__main__":
    main()
