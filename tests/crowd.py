"""Clients of several service processes that never give up, and a check of all answers against the journal."""

import http.client
import json
import random
import threading
import time
from collections import Counter
from typing import Any
from urllib.parse import urlsplit

import msgspec

from robandit.service.engine import Engine
from robandit.service.experiment import open_experiment
from robandit.service.ids import read_id
from robandit.service.stores.base import NO_HEAD, ServiceStore, extend_chain


def send(
    address: str, token: str, method: str, path: str, body: Any = None, key: str = "", follows: bool = False
) -> tuple[int, Any, str]:
    """Status, message and where to go instead, for one that `follows`; 0 if there was no answer."""
    parts = urlsplit(address)
    line = http.client.HTTPConnection(parts.hostname or "", parts.port, timeout=20)
    headers = {"content-type": "application/json"} | ({"idempotency-key": key} if key else {})
    headers |= {"authorization": f"Bearer {token}"} if token else {}
    headers |= {"robandit-route": "redirect"} if follows else {}
    try:
        line.request(method, path, None if body is None else json.dumps(body), headers)
        answer = line.getresponse()
        return answer.status, json.loads(answer.read()), answer.headers.get("location", "")
    except (OSError, http.client.HTTPException):
        return 0, None, ""
    finally:
        line.close()


class Crowd:
    """Clients that decide and reward, at any of the processes, until they are stopped."""

    def __init__(
        self, addresses: list[str], experiment: int, token: str, clients: int = 3, follows: bool = False
    ) -> None:
        self.addresses, self.path, self.token = addresses, f"/v1/experiments/{experiment}", token
        self.follows = follows  # redirects; else requests are forwarded
        self.decided: dict[str, Any] = {}  # by key: what was answered
        self.rewarded: dict[str, float] = {}  # by id: what was acknowledged
        self.statuses: Counter[int] = Counter()
        self.over = False
        self.threads = [threading.Thread(target=self.play, args=(client,)) for client in range(clients)]
        for thread in self.threads:
            thread.start()

    def play(self, client: int) -> None:
        """One client: a decision, its reward, again; each asked for until it is answered."""
        dice, turn = random.Random(client), 0
        while not self.over:
            turn += 1
            key = f"{client}-{turn}"
            decision = self.insist(dice, "POST", "/decisions", {}, key)
            if decision is None:
                return
            self.decided[key] = decision
            value = dice.randrange(5) / 4
            if self.insist(dice, "PUT", f"/decisions/{decision['id']}/reward", {"reward": value}) is None:
                return
            self.rewarded[decision["id"]] = value

    def insist(self, dice: random.Random, method: str, path: str, body: Any, key: str = "") -> Any:
        """A success, from whichever process; None if the time is over before."""
        address = dice.choice(self.addresses)
        while not self.over:
            status, message, location = send(address, self.token, method, self.path + path, body, key, self.follows)
            self.statuses[status] += 1
            if status in (200, 201):
                time.sleep(0.02)
                return message
            assert status in (0, 307, 503), (status, message)
            parts = urlsplit(location)
            if status != 307:
                address = dice.choice(self.addresses)
            elif parts.netloc:  # else this very process serves it by now
                address = f"http://{parts.netloc}"
            time.sleep(0.05)
        return None

    def count(self) -> int:
        """How much was acknowledged."""
        return len(self.decided) + len(self.rewarded)

    def wait_for(self, more: int, seconds: float = 60.0) -> None:
        """Until so much more is acknowledged."""
        wanted, ends = self.count() + more, time.monotonic() + seconds
        while self.count() < wanted:
            assert time.monotonic() < ends, (self.statuses, self.count(), wanted)
            assert all(thread.is_alive() for thread in self.threads)
            time.sleep(0.02)

    def stop(self) -> None:
        """No more questions."""
        self.over = True
        for thread in self.threads:
            thread.join()


def check(crowd: Crowd, store: ServiceStore, experiment: int) -> None:
    """All that was acknowledged is in the journal, once; no number and no key is there twice; the head is its hash."""
    key, chain = store.meta("key", b""), NO_HEAD
    decisions: dict[int, Any] = {}
    rewards: dict[int, float] = {}
    keys: Counter[str] = Counter()
    for place, (line, body) in enumerate(store.lines(experiment), start=1):
        entry, chain = msgspec.json.decode(body), extend_chain(chain, body)
        assert line == place
        if entry.get("entry") == "decide":
            assert entry["id"] == len(decisions)
            decisions[entry["id"]] = entry
            keys[entry["key"]] += 1
        elif entry.get("entry") == "reward":
            assert entry["id"] not in rewards
            rewards[entry["id"]] = entry["value"]
    assert set(keys.values()) <= {1}
    assert store.head(experiment) == (line, chain)
    for name, reply in crowd.decided.items():
        number = read_id(key, reply["id"]).number  # type: ignore[union-attr]
        recorded = decisions[number]
        assert (recorded["key"], recorded["arm"], recorded["chance"]) == (name, reply["arm"], reply["probability"])
    for id, value in crowd.rewarded.items():
        assert rewards[read_id(key, id).number] == value  # type: ignore[union-attr]


def folded(store: ServiceStore, experiment: int) -> Any:
    """What an experiment's page tells, from the journal alone."""
    record = next(one for one in store.experiments() if one.id == experiment)
    engine = Engine(store, records=[])
    return msgspec.to_builtins(engine.about(open_experiment(store, record, snapshots=False)))["arms"]
