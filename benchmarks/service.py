"""The decision service under load from this machine: durable decisions and rewards, waiting times, CPU a request.

Rates depend on what else the machine does, which is told; the CPU a request takes hardly does, and has the limit.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ARMS = [f"arm {number}" for number in range(1, 11)]
CONNECTIONS, SECONDS = 64, 5.0
CPU_LIMIT = 100.0  # microseconds of CPU a durable request
GOALS = {"decisions": (10_000, 20.0), "rewards": (8_000, 20.0)}  # a second and p99 in ms, on a machine that is idle
TICK = os.sysconf("SC_CLK_TCK")


def cpu_of(process: int) -> float:
    """Seconds of CPU a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Served:
    """`robandit serve` in a process of its own."""

    def __init__(self, db: str, *flags: str) -> None:
        words = [sys.executable, "-m", "robandit", "serve", "--db", db, "--port", "0", *flags]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise SystemExit(f"the service did not begin: {line!r}")
        self.url = line.split()[3].rstrip("/")
        self.port = int(self.url.rpartition(":")[2])

    def ask(self, path: str, body: Any = None) -> Any:
        """One request."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as answer:
            return json.loads(answer.read())

    def loaded(self, experiment: str, seconds: float, connections: int = CONNECTIONS) -> list[dict[str, Any]]:
        """What the load generator saw, with the CPU the service took a request."""
        before = cpu_of(self.process.pid)
        words = [
            sys.executable,
            str(HERE / "service_load.py"),
            str(self.port),
            experiment,
            str(seconds),
            str(connections),
        ]
        told: list[dict[str, Any]] = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
        spent = cpu_of(self.process.pid) - before
        for one in told:
            one["cpu_us"] = 1e6 * spent / sum(other["requests"] for other in told)
        return told

    def stop(self) -> None:
        """Let it end as a person would."""
        self.process.terminate()
        self.process.wait(timeout=60)
        assert self.process.stdout is not None
        self.process.stdout.close()


def loads(url: str, name: str) -> bool:
    """Decisions, then their rewards; answers whether the CPU limit holds and every answer was a success."""
    served = Served(url)
    try:
        served.ask("/v1/experiments", {"name": "bench", "arms": ARMS, "policy": "samba"})
        told = served.loaded("bench", SECONDS)
    finally:
        served.stop()
    load = os.getloadavg()[0]
    title = f"service, {name}, {CONNECTIONS} connections (load of the machine {load:.1f})"
    print(f"\n{title:58} {'a second':>9} {'p50 ms':>7} {'p99 ms':>7} {'CPU us':>7} {'limit':>6}")
    held = True
    for one in told:
        goal, wait = GOALS[one["kind"]]
        row = f"{one['kind'] + f', durable (idle: {goal:,}, p99 {wait:g})':58} {one['a_second']:9,}"
        print(f"{row} {one['ms']['p50']:7.1f} {one['ms']['p99']:7.1f} {one['cpu_us']:7.0f} {CPU_LIMIT:6.0f}")
        held &= one["cpu_us"] <= CPU_LIMIT and set(one["statuses"]) == {"201"}
    return held


def begins(folder: str, rows: int) -> None:
    """How long a start takes on a long journal, with a snapshot and without, and its verification."""
    from robandit.service.engine import Engine
    from robandit.service.messages import Ask, NewExperiment, Reward
    from robandit.service.stores.sqlite import SqliteStore
    from robandit.service.verify import verify_store

    store = SqliteStore(f"{folder}/long.db")
    engine = Engine(store)
    engine.create(NewExperiment("long", ARMS, "samba"))
    experiment, batch = engine.find("long"), []
    while experiment.line < rows:
        made = engine.decide(experiment, Ask(), None)
        batch += made.rows
        batch += engine.reward(experiment, made.message.id, Reward(float(experiment.line % 4 == 0)), "somebody").rows
        if len(batch) > 5000:
            store.commit(batch)
            batch = []
    store.commit(batch)

    def timed(name: str, work: Any) -> None:
        begun = time.process_time()
        work()
        print(f"{name:58} {time.process_time() - begun:9.2f} s")

    print(f"\n{f'a journal of {rows:,} lines':58} {'CPU':>9}")
    timed("start without a snapshot", lambda: Engine(store))
    store.commit([], [Engine(store).experiments[1].snapshot()])
    timed("start from a snapshot", lambda: Engine(store))
    timed("verify, everything", lambda: list(verify_store(store)))
    store.close()


def main(rows: int = 200_000) -> bool:
    """All; answers whether the limits hold."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        held = loads(f"sqlite:///{folder}/bench.db", "SQLite")
        begins(folder, rows)
    import service_postgres  # it uses what is above

    return service_postgres.loads() and held


if __name__ == "__main__":
    sys.exit(0 if main(*map(int, sys.argv[1:])) else 1)
