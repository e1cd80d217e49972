"""Kill the real server under load, again and again: `python -m tests.server_kills FOLDER KILLS` answers what was lost.

The server is `robandit serve`, forked from this process, in which everything is loaded already. A few connections
decide (under a key) and reward; what was not answered when the server died is asked again of the next one.
"""

import json
import os
import random
import selectors
import signal
import socket
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from robandit.cli.main import main as robandit
from robandit.online.columns import read_columns
from robandit.online.terms import read_terms
from robandit.online.warm import fold_log
from robandit.service import engine, experiment, serve
from robandit.service.experiment import open_experiment
from robandit.service.ids import read_id
from robandit.service.stores.sqlite import SqliteStore
from robandit.state import save_state
from tests.journals import write

CONNECTIONS = 12
ANSWERS = 100  # of one life, at most
MOST_SECONDS = 5.0  # of one life, on a busy machine
SNAPSHOTS = 200  # lines between two of them, so that most lives begin with one
NEW = {"name": "one", "arms": ["a", "b", "c"], "policy": "exp3", "seed": 3, "rules": {"holdout": 0.1}}


class Client:
    """All that was asked, and all that was answered, over every life of the server."""

    def __init__(self, seed: int) -> None:
        self.dice, self.count, self.heard = random.Random(seed), 0, 0
        self.decided: dict[str, dict[str, Any]] = {}  # by key
        self.rewarded: dict[str, float] = {}  # by id
        self.unrewarded: list[str] = []
        self.unknown: list[tuple[Any, ...]] = []  # asked, and not answered before the server died
        self.wrong: list[str] = []

    def next(self) -> tuple[Any, ...]:
        """What is asked next: a key to decide under, or an id and its reward; now and then what is known already."""
        if self.unknown:
            return self.unknown.pop()
        if self.decided and self.dice.random() < 0.05:
            key, reply = self.dice.choice(list(self.decided.items())[-50:])
            return (
                ("reward", reply["id"], self.rewarded[reply["id"]]) if reply["id"] in self.rewarded else ("decide", key)
            )
        if self.unrewarded and self.dice.random() < 0.5:
            return ("reward", self.unrewarded.pop(self.dice.randrange(len(self.unrewarded))), self.dice.random())
        self.count += 1
        return ("decide", f"key-{self.count}")

    def answered(self, task: tuple[Any, ...], status: int, body: bytes) -> None:
        """One answer."""
        self.heard += 1
        if status not in (200, 201):
            self.wrong.append(f"{task}: {status} {body!r}")
        elif task[0] == "reward":
            self.rewarded[task[1]] = task[2]
        else:
            reply = json.loads(body)
            if self.decided.setdefault(task[1], reply) != reply:
                self.wrong.append(f"{task}: {reply} after {self.decided[task[1]]}")
            elif reply["id"] not in self.rewarded and reply["id"] not in self.unrewarded and status == 201:
                self.unrewarded.append(reply["id"])


def request(task: tuple[Any, ...]) -> bytes:
    """A request as it is sent."""
    if task[0] == "decide":
        head, body = f"POST /v1/experiments/one/decisions HTTP/1.1\r\nidempotency-key: {task[1]}", b"{}"
    else:
        head = f"PUT /v1/experiments/one/decisions/{task[1]}/reward HTTP/1.1"
        body = json.dumps({"reward": task[2]}).encode()
    return f"{head}\r\nhost: localhost:1\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body


def whole(buffer: bytes) -> tuple[int, bytes] | None:
    """Status and body of an answer, when it is all there."""
    head, end, body = buffer.partition(b"\r\n\r\n")
    if not end:
        return None
    length = int(head.lower().split(b"content-length: ")[1].split(b"\r\n")[0])
    return (int(head[9:12]), body) if len(body) >= length else None


def load(client: Client, port: int, answers: int, kill: Any) -> None:
    """Ask on all connections, kill the server after so many answers, and hear what it still said."""
    with selectors.DefaultSelector() as selector:
        for _ in range(CONNECTIONS):
            ask(client, selector, socket.create_connection(("127.0.0.1", port)))
        ends, heard_before = time.monotonic() + MOST_SECONDS, client.heard
        while selector.get_map():
            for key, _ in selector.select(0.1):
                heard(client, selector, key, asks=kill is not None)
            if kill is not None and (client.heard - heard_before >= answers or time.monotonic() >= ends):
                time.sleep(client.dice.choice([0.0, 0.0005, 0.002]))  # at any point of a commit
                kill()
                kill = None


def ask(client: Client, selector: Any, link: socket.socket) -> None:
    """The next request on a connection."""
    task = client.next()
    selector.register(link, selectors.EVENT_READ, [task, b""])
    with suppress(OSError):  # it is dead: reading will say so
        link.sendall(request(task))


def heard(client: Client, selector: Any, key: Any, asks: bool) -> None:
    """Some bytes of an answer, or the end."""
    link, (task, buffer) = key.fileobj, key.data
    try:
        piece = link.recv(65536)
    except OSError:
        piece = b""
    if not piece:
        client.unknown.append(task)
        selector.unregister(link)
        link.close()
        return
    key.data[1] = buffer + piece
    reply = whole(key.data[1])
    if reply is not None:
        client.answered(task, *reply)
        selector.unregister(link)
        if asks:
            ask(client, selector, link)
        else:
            link.close()


def begun(url: str) -> tuple[int, int]:
    """A server of its own process, and its port."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.dup2(writing, 1)
            robandit(["serve", "--db", url, "--port", "0"])
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading) as said:
        line = said.readline()
    if "http://" not in line:
        raise SystemExit(f"the server said {line!r}")
    return child, int(line.split("http://127.0.0.1:")[1].split("/")[0])


def killed_once(client: Client, url: str, answers: int) -> None:
    """One life."""
    child, port = begun(url)
    load(client, port, answers, lambda: os.kill(child, signal.SIGKILL))
    _, status = os.waitpid(child, 0)
    if not os.WIFSIGNALED(status):
        raise SystemExit("the server ended by itself")


def compared(client: Client, path: Path) -> dict[str, int]:
    """What the database holds against what was answered."""
    store = SqliteStore(path / "db")
    (record,) = store.experiments()
    (_, first), *rest = store.lines(record.id)
    entries = [msgspec.json.decode(body) for _, body in rest]
    decisions = [entry for entry in entries if entry["entry"] == "decide"]
    rewards = [entry for entry in entries if entry["entry"] == "reward"]
    key, lost = store.meta("key", b""), 0
    for name, reply in client.decided.items():
        match = decisions[number] if (number := read_id(key, reply["id"]).number) < len(decisions) else {}  # type: ignore[union-attr]
        same = [match.get(part) for part in ("key", "arm", "chance")] == [name, reply["arm"], reply["probability"]]
        lost += not same
    values = {entry["id"]: entry["value"] for entry in rewards}
    for id, value in client.rewarded.items():
        lost += values.get(read_id(key, id).number) != value  # type: ignore[union-attr]
    twice = len(decisions) - len({entry["key"] for entry in decisions}) + len(rewards) - len(values)
    twice += [entry["id"] for entry in decisions] != list(range(len(decisions)))
    lived, again = (open_experiment(store, record, snapshots=snapshots) for snapshots in (True, False))
    file = write(path / "journal", read_terms(json.loads(first)), entries)
    by_columns = save_state(again.policy, fold_log(again.policy, read_columns(file), engine="plain"))
    differ = (lived.snapshot() != again.snapshot()) + (by_columns != again.fold.save_state())
    used = store.snapshot(record.id)
    store.close()
    acknowledged = len(client.decided) + len(client.rewarded)
    reply = {"acknowledged": acknowledged, "lost": lost, "twice": twice, "states that differ": differ}
    return {**reply, "wrong answers": len(client.wrong), "snapshot at line": used.line if used else 0}


def main(folder: Path, kills: int) -> dict[str, int]:
    """Kill, start again, ask again; compare at last."""
    experiment.EVERY, serve.SYNCS = SNAPSHOTS, 1
    store = SqliteStore(folder / "db")
    engine.Engine(store).create(msgspec.convert(NEW, engine.messages.NewExperiment))
    store.close()
    client = Client(kills)
    for _ in range(kills):
        killed_once(client, f"sqlite:///{folder / 'db'}", client.dice.randrange(ANSWERS))
    for text in client.wrong[:5]:
        print(text, file=sys.stderr)
    return {"kills": kills, **compared(client, folder)}


if __name__ == "__main__":
    print(json.dumps(main(Path(sys.argv[1]), int(sys.argv[2]))))
