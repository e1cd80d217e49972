"""Clients that never give up, and the ledger of all that was acknowledged to them."""

import asyncio
import json
import random
import time
from typing import Any, NamedTuple
from urllib.parse import urlsplit

EXPERIMENTS: list[dict[str, Any]] = [
    {"name": "plain", "arms": ["a", "b", "c"], "policy": "exp3", "rules": {"holdout": 0.1}},
    {"name": "windows", "arms": ["a", "b"], "policy": "samba", "rules": {"window": 5.0, "default": 0.0}},
    {"name": "flags", "arms": ["x", "y"], "policy": "samba", "rules": {"sticky": True}},  # for browsers, too
]
FLAGS = "/ofrep/v1/evaluate/flags"
PATIENCE = 10.0  # seconds for one answer
REPEATED = 0.1  # share of requests that were made before
EVALUATED = 0.1  # share of requests for all flags of a unit


class Reply(NamedTuple):
    """An answer; status 0 if there was none."""

    status: int
    message: Any = None
    location: str = ""


class Ledger:
    """What clients know: whatever is here must be in the journals, once."""

    def __init__(self) -> None:
        self.decided: dict[tuple[str, str], dict[str, Any]] = {}  # by experiment and key
        self.rewarded: dict[str, float] = {}  # by id
        self.evaluated: dict[str, dict[str, Any]] = {}  # by unit
        self.refused: set[str] = set()  # ids whose reward came too late
        self.wrong: list[str] = []  # answers that must not be
        self.latencies: list[float] = []  # seconds, of answers since they were last counted
        self.longest_wait = 0.0  # seconds until a request was acknowledged, all its attempts together

    def acknowledged(self) -> int:
        """Returns how much must be there."""
        return len(self.decided) + len(self.rewarded) + len(self.evaluated)


class Client:
    """One connection that asks at a steady pace, and asks again until it is answered."""

    def __init__(self, number: int, seed: int, addresses: list[str], ledger: Ledger) -> None:
        self.number, self.dice = number, random.Random(f"client {number} {seed}")
        self.addresses, self.address, self.ledger = addresses, addresses[number % len(addresses)], ledger
        self.link: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None
        self.count, self.is_over = 0, False
        self.keys: list[tuple[str, str]] = []
        self.waiting: list[tuple[str, str]] = []  # experiments and ids without a reward

    async def run(self, pause: float) -> None:
        """Ask once per `pause` seconds until it is over; what is asked is asked until it is answered."""
        due = time.monotonic() + self.dice.uniform(0.0, pause)
        while not self.is_over:
            await asyncio.sleep(max(due - time.monotonic(), 0.0))
            await self.ask_something()
            self.ledger.longest_wait = max(self.ledger.longest_wait, time.monotonic() - due)
            due = max(due + pause, time.monotonic() - 1.0)  # after a long wait, at most a second of arrears
        self.hang_up()

    async def ask_something(self) -> None:
        """A decision, a reward, or one of the past again."""
        draw = self.dice.random()
        if self.dice.random() < EVALUATED:
            await self.evaluate(f"{self.number}-{self.count // 50}-{self.dice.randrange(10)}")
        elif self.keys and draw < REPEATED:
            await self.repeat(*self.dice.choice(self.keys[-50:]))
        elif self.waiting and draw < 0.5 + REPEATED / 2:
            experiment, id = self.waiting.pop(self.dice.randrange(len(self.waiting)))
            await self.reward(experiment, id, self.dice.randrange(5) / 4, {200, 201})
        else:
            self.count += 1
            experiment = self.dice.choice(EXPERIMENTS)["name"]
            self.keys.append((experiment, f"{self.number}-{self.count}"))
            self.waiting.append((experiment, (await self.decide(*self.keys[-1]))["id"]))

    async def repeat(self, experiment: str, key: str) -> None:
        """Ask for a decision again, and report its reward again, now and then another one."""
        id = (await self.decide(experiment, key))["id"]
        if id in self.ledger.rewarded:
            value = self.ledger.rewarded[id]
            is_other = self.dice.random() < 0.3
            await self.reward(experiment, id, 1.0 - value / 2 if is_other else value, {409} if is_other else {200})

    async def decide(self, experiment: str, key: str) -> dict[str, Any]:
        """Returns a decision under a key."""
        reply = await self.insist("POST", f"/v1/experiments/{experiment}/decisions", {}, key)
        if reply.status not in (200, 201):
            self.ledger.wrong.append(f"decision {key}: {reply}")
            return {"id": ""}
        message: dict[str, Any] = reply.message
        if self.ledger.decided.setdefault((experiment, key), message) != message:
            self.ledger.wrong.append(f"decision {key}: {message} after {self.ledger.decided[experiment, key]}")
        return message

    async def evaluate(self, unit: str) -> None:
        """Ask for all flags of a unit, as a browser does; it keeps its arm."""
        while True:
            reply = await self.insist("POST", FLAGS, {"context": {"targetingKey": unit}})
            if reply.status == 200 and any("errorCode" in flag for flag in reply.message["flags"]):
                await asyncio.sleep(0.05)  # its experiment is changing hands
            else:
                break
        flags = reply.message["flags"] if reply.status == 200 else []
        if [flag["key"] for flag in flags] != ["flags"]:
            self.ledger.wrong.append(f"flags of {unit}: {reply}")
        elif self.ledger.evaluated.setdefault(unit, flags[0]) != flags[0]:
            self.ledger.wrong.append(f"flags of {unit}: {flags[0]} after {self.ledger.evaluated[unit]}")

    async def reward(self, experiment: str, id: str, value: float, right: set[int]) -> None:
        """Report a reward; one that comes too late is refused where there are windows."""
        reply = await self.insist("PUT", f"/v1/experiments/{experiment}/decisions/{id}/reward", {"reward": value})
        if reply.status == 410 and experiment == "windows" and 409 not in right and id not in self.ledger.rewarded:
            self.ledger.refused.add(id)
        elif reply.status not in right:
            self.ledger.wrong.append(f"reward {value} of {experiment} {id}: {reply}, not {right}")
        elif reply.status != 409:
            self.ledger.rewarded[id] = value

    async def insist(self, method: str, path: str, body: Any, key: str = "") -> Reply:
        """Returns the first answer that is not about who serves, or whether it can."""
        while True:
            began = time.monotonic()
            reply = await self.send(method, path, body, key)
            if reply.status not in (0, 307, 503):
                self.ledger.latencies.append(time.monotonic() - began)
                return reply
            self.hang_up()
            where = urlsplit(reply.location).netloc if reply.status == 307 else ""
            self.address = f"http://{where}" if where else self.dice.choice(self.addresses)
            await asyncio.sleep(0.05)

    async def send(self, method: str, path: str, body: Any, key: str) -> Reply:
        """Returns the answer to one request on the connection that is there, or on a new one."""
        parts, text = urlsplit(self.address), json.dumps(body).encode()
        head = f"{method} {path} HTTP/1.1\r\nhost: {parts.netloc}\r\ncontent-type: application/json\r\n"
        head += f"idempotency-key: {key}\r\n" if key else ""
        try:
            async with asyncio.timeout(PATIENCE):
                if self.link is None:
                    self.link = await asyncio.open_connection(parts.hostname, parts.port)
                reader, writer = self.link
                writer.write(f"{head}content-length: {len(text)}\r\n\r\n".encode() + text)
                return await read_reply(reader)
        except (OSError, TimeoutError, asyncio.IncompleteReadError):
            return Reply(0)

    def hang_up(self) -> None:
        """Close the connection."""
        if self.link is not None:
            self.link[1].close()
            self.link = None


async def read_reply(reader: asyncio.StreamReader) -> Reply:
    """Returns one answer."""
    head = (await reader.readuntil(b"\r\n\r\n")).decode()
    headers = dict(line.lower().split(": ", 1) for line in head.split("\r\n")[1:] if line)
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Reply(int(head[9:12]), json.loads(body) if body else None, headers.get("location", ""))
