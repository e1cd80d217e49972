"""The decision service under load from this machine: durable decisions and rewards, waiting times, CPU per request.

Rates depend on what else the machine does, which is printed beside the figures that the service is to reach on an idle
machine of two cores. What must hold is a ratio of CPU within this run: to a bare server that commits rows of the same
length and does nothing else (service_bare.py), and to the same requests through ASGI.
"""

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ARMS = [f"arm {number}" for number in range(1, 11)]
CONNECTIONS, SECONDS, ROUNDS = 64, 2.0, 3
GOALS = {"decisions": (10_000, 20.0), "rewards": (8_000, 20.0)}  # per second and p99 in ms, on a machine that is idle
CPU_GOAL = 70.0  # microseconds of CPU per durable request, on a machine that is idle
TO_BARE, TO_ASGI = 5.5, 0.7  # CPU per request, at most so many times that of the other
START_GOAL, SNAPSHOT_GOAL, VERIFY_GOAL = 3.0, 2.0, 5.0  # seconds for a million lines, on a machine that is idle
START_LIMIT, VERIFY_LIMIT = 6.0, 9.0  # CPU, in times of reading and parsing the same lines
TO_SINGLE = 0.95  # CPU of one loop over a plain journal, at most so many times that of its lines one by one
GROWTH = 3.0  # CPU per decision with the most experiments or open decisions, at most so many times that with the fewest
TICK = os.sysconf("SC_CLK_TCK")


def read_cpu(process: int) -> float:
    """Returns the seconds of CPU that a process has taken."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class ServerProcess:
    """A server in a process of its own: `robandit serve`, or the one that `words` start."""

    def __init__(self, db: str, *flags: str, words: list[str] | None = None) -> None:
        usual = ["-m", "robandit", "serve", "--db", db, "--port", "0", *flags]
        self.process = subprocess.Popen([sys.executable, *(words or usual)], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        if "http://" not in line:
            raise SystemExit(f"the service did not begin: {line!r}")
        self.url = "http://" + line.partition("http://")[2].split("/")[0]
        self.port = int(self.url.rpartition(":")[2])

    def ask(self, path: str, body: Any = None) -> Any:
        """Send one request; returns its message."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read())

    def load(self, experiment: str, seconds: float, query: str = "") -> list[dict[str, Any]]:
        """Run the load generator; returns its figures, with the CPU that the service took per request."""
        before = read_cpu(self.process.pid)
        words = [str(HERE / "service_load.py"), str(self.port), experiment, str(seconds), str(CONNECTIONS), "", query]
        kinds: list[dict[str, Any]] = json.loads(
            subprocess.run([sys.executable, *words], check=True, capture_output=True).stdout
        )
        cpu = read_cpu(self.process.pid) - before
        for one in kinds:
            one["cpu_us"] = 1e6 * cpu / sum(other["requests"] for other in kinds)
        return kinds

    def stop(self) -> None:
        """End it as a person would."""
        self.process.terminate()
        self.process.wait(timeout=60)
        assert self.process.stdout is not None
        self.process.stdout.close()


def start_bare_server(folder: str) -> ServerProcess:
    """Start a server that does the least for a durable request."""
    return ServerProcess("", words=[str(HERE / "service_bare.py"), f"{folder}/bare.db"])


def measure_loads(folder: str) -> bool:
    """Load all candidates in turn with decisions, then their rewards; returns whether the ratios hold."""
    queries = {"robandit serve": "", "the same through ASGI": "?x", "a bare server": ""}
    ours, other = ServerProcess(f"sqlite:///{folder}/bench.db", "--watch", "0"), start_bare_server(folder)
    figures: dict[str, list[list[dict[str, Any]]]] = {name: [] for name in queries}
    try:
        ours.ask("/v1/experiments", {"name": "bench", "arms": ARMS, "policy": "samba"})
        for _ in range(ROUNDS):
            for name, query in queries.items():
                server = other if name == "a bare server" else ours
                figures[name].append(server.load("bench", SECONDS, query))
        health = ours.ask("/healthz")
    finally:
        ours.stop()
        other.stop()
    cpu = {name: statistics.median(run[0]["cpu_us"] for run in runs) for name, runs in figures.items()}
    print_loads(figures, cpu, health)
    to_bare, to_asgi = (cpu["robandit serve"] / cpu[name] for name in ("a bare server", "the same through ASGI"))
    print(f"\n{'CPU per request, ratios within this run':58} {'ratio':>9} {'limit':>7}")
    print(f"{'robandit serve / a bare server':58} {to_bare:9.2f} {TO_BARE:7.1f}")
    print(f"{'robandit serve / the same through ASGI':58} {to_asgi:9.2f} {TO_ASGI:7.1f}")
    is_good = all(set(one["statuses"]) == {"201"} for runs in figures.values() for run in runs for one in run)
    return is_good and to_bare <= TO_BARE and to_asgi <= TO_ASGI


def print_loads(figures: dict[str, list[list[dict[str, Any]]]], cpu: dict[str, float], health: dict[str, Any]) -> None:
    """Print the best of the rounds, and how far it is from what an idle machine is to reach."""
    load, own = os.getloadavg()[0], figures["robandit serve"][0][0]["own_us"]
    print(f"\nservice, SQLite, {CONNECTIONS} connections, best of {ROUNDS} rounds of {SECONDS:g} s; no audits")
    print(f"the machine's load is {load:.1f}; the generator takes {own} us of CPU per request beside it")
    print(
        f"a sync of the disk took {health['sync_ms']:.1f} ms at the start, a commit {health['commit_ms']:.1f} ms lately"
    )
    print(f"{'':58} {'per second':>10} {'p50 ms':>7} {'p99 ms':>7} {'CPU us':>7}")
    for name, runs in figures.items():
        for place, kind in enumerate(GOALS):
            best = max((run[place] for run in runs), key=lambda one: one["a_second"])
            times = f"{best['ms']['p50']:7.1f} {best['ms']['p99']:7.1f}"
            print(f"{name + ', ' + kind:58} {best['a_second']:10,} {times} {cpu[name]:7.0f}")
    for place, (kind, (rate, wait)) in enumerate(GOALS.items()):
        best = max((run[place] for run in figures["robandit serve"]), key=lambda one: one["a_second"])
        goals = {f"{rate:,} per second": best["a_second"] >= rate, f"p99 {wait:g} ms": best["ms"]["p99"] <= wait}
        goals[f"CPU {CPU_GOAL:g} us"] = cpu["robandit serve"] <= CPU_GOAL
        words = ", ".join(f"{goal} {'reached' if is_met else 'MISSED'}" for goal, is_met in goals.items())
        print(f"{kind}, what the design asks of an idle machine: {words}")


def measure_starts(folder: str, rows: int) -> bool:
    """Print how long a start takes on a long journal, with a snapshot and without, and its verification."""
    import msgspec

    from robandit.service.engine import Engine
    from robandit.service.messages import DecisionRequest, NewExperiment, Reward
    from robandit.service.stores.sqlite import SqliteStore
    from robandit.service.verify import verify_store

    store = SqliteStore(f"{folder}/long.db")
    engine = Engine(store)
    engine.create(NewExperiment("long", ARMS, "samba"))
    experiment, batch = engine.find("long"), []
    while experiment.line < rows:
        answer = engine.decide(experiment, DecisionRequest(), None)
        batch += answer.rows
        batch += engine.reward(experiment, answer.message.id, Reward(float(experiment.line % 4 == 0)), "somebody").rows
        if len(batch) > 5000:
            store.commit(batch)
            batch = []
    store.commit(batch)

    def time_cpu(work: Any) -> float:
        since = time.process_time()
        work()
        return time.process_time() - since

    def read() -> None:
        for _, body in store.lines(1):
            msgspec.json.decode(body)

    list(verify_store(store))  # compiles, and fills the machine's memory
    bare = time_cpu(read)
    start = time_cpu(lambda: Engine(store))
    single = time_cpu(lambda: read_singly(store))
    store.commit([], [Engine(store).experiments[1].snapshot()])
    snapshot, verify = time_cpu(lambda: Engine(store)), time_cpu(lambda: list(verify_store(store)))
    store.close()
    heading = f"{'CPU s':>6} {'for a million':>13} {'(goal)':>7} {'ratio':>6} {'limit':>6}"
    print(f"\n{f'a journal of {rows:,} lines':44} {heading}")
    print(f"{'its lines read and parsed':44} {bare:6.2f} {1e6 * bare / rows:13.1f}")
    for name, seconds, goal, limit in (
        ("start without a snapshot", start, START_GOAL, START_LIMIT),
        ("the same state line by line", single, START_GOAL, START_LIMIT),
        ("start from a snapshot", snapshot, SNAPSHOT_GOAL, START_LIMIT),
        ("verify, everything, interpreted and compiled", verify, VERIFY_GOAL, VERIFY_LIMIT),
    ):
        goals = f"{1e6 * seconds / rows:13.1f} {goal:7.0f}"
        print(f"{name:44} {seconds:6.2f} {goals} {seconds / bare:6.1f} {limit:6.1f}")
    print(f"{'start / line by line':44} {start / single:6.2f} {'':21} limit {TO_SINGLE:g}")
    is_quick = start <= TO_SINGLE * single and max(start, snapshot) <= START_LIMIT * bare
    return is_quick and verify <= VERIFY_LIMIT * bare


def measure_growth() -> bool:
    """Print CPU per decision, at the start and of a tick, by the number of experiments and of open decisions."""
    from robandit.service.engine import Engine
    from robandit.service.messages import DecisionRequest, NewExperiment
    from robandit.service.stores.memory import MemoryStore

    def decide(engine: Any, count: int) -> float:
        names, since = list(engine.experiments.values()), time.process_time()
        for number in range(count):
            engine.store.commit(engine.decide(names[number % len(names)], DecisionRequest(), None).rows)
        return (time.process_time() - since) / count

    print(f"\n{'growth, in memory':44} {'us per decision':>15} {'start, s':>9} {'tick, ms':>9} {'MB':>6}")
    costs: dict[str, list[float]] = {"experiments": [], "open": []}
    for experiments in (1, 100, 10_000):
        store = MemoryStore()
        engine = Engine(store)
        for number in range(experiments):
            engine.create(NewExperiment(f"number {number}.", ARMS[:3], "samba"))
        decide(engine, 20_000)
        costs["experiments"].append(min(decide(engine, 10_000) for _ in range(3)))
        since = time.process_time()
        Engine(store)
        start, since = time.process_time() - since, time.process_time()
        engine.ticks()
        figures = f"{1e6 * costs['experiments'][-1]:15.1f} {start:9.2f} {1e3 * (time.process_time() - since):9.2f}"
        print(f"{f'{experiments:,} experiments':44} {figures} {read_memory():6.0f}")
    engine = Engine(MemoryStore())
    engine.create(NewExperiment("open", ARMS[:3], "samba", patience=10**6))
    for open_decisions in (0, 10_000, 100_000):
        decide(engine, max(open_decisions - engine.experiments[1].fold.decisions, 1))
        costs["open"].append(min(decide(engine, 5_000) for _ in range(3)))
        print(f"{f'{open_decisions:,} open decisions':44} {1e6 * costs['open'][-1]:15.1f} {'':19} {read_memory():6.0f}")
    ratios = {name: values[-1] / values[0] for name, values in costs.items()}
    print(f"most / fewest: experiments {ratios['experiments']:.2f}, open {ratios['open']:.2f}; limit {GROWTH:g}")
    return max(ratios.values()) <= GROWTH


def read_memory() -> float:
    """Returns the resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def read_singly(store: Any) -> None:
    """Read the long journal as one with other rules is read: line by line."""
    import msgspec

    from robandit.online.standing import Standing
    from robandit.online.terms import read_terms
    from robandit.service.experiment import Experiment

    lines = store.lines(1)
    experiment = Experiment(store.experiments()[0], read_terms(msgspec.json.decode(next(lines)[1])), Standing())
    for line, body in lines:
        experiment.apply(line, msgspec.json.decode(body))


def main(rows: int = 200_000) -> bool:
    """Run all; returns whether the limits hold."""
    with tempfile.TemporaryDirectory(dir=".") as folder:
        holds = measure_loads(folder)
        holds &= measure_starts(folder, rows)
    holds &= measure_growth()
    import service_postgres  # it uses what is above

    return service_postgres.measure_loads() and holds


if __name__ == "__main__":
    sys.exit(0 if main(*map(int, sys.argv[1:])) else 1)
