"""The decision service over PostgreSQL under load from this machine, from a server of the benchmark's own.

benchmarks/service.py calls `measure_loads()`; `python benchmarks/service_postgres.py` prints the same by itself.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # where tests/ has the server

from service import ARMS, CONNECTIONS, SECONDS, ServerProcess, read_cpu, start_bare_server

from tests.postgres_server import Server, children

GOAL, WAIT = 1_500, 80.0  # events per second and p99 in ms, on a machine that is idle
# CPU per request in the service, at most so many times that of a bare server on SQLite. That of the database is printed
# beside it.
TO_BARE = 7.0


def read_database_cpu(server: Server) -> float:
    """Returns the seconds of CPU that the server and its living processes have taken."""
    return sum(read_cpu(one) for one in (server.process.pid, *children(server.process.pid)))


def measure_loads(folder: str | None = None) -> bool:
    """Load with decisions, then their rewards; returns whether the ratio holds and every reply was a success."""
    with tempfile.TemporaryDirectory(dir=".") as place:
        other = start_bare_server(place)
        try:
            bare = other.load("bench", SECONDS)[0]["cpu_us"]
        finally:
            other.stop()
    server = Server(folder)
    try:
        service = ServerProcess(server.database(), "--watch", "0")
        try:
            service.ask("/v1/experiments", {"name": "bench", "arms": ARMS, "policy": "samba"})
            before = read_database_cpu(server)
            kinds = service.load("bench", SECONDS)
            database = 1e6 * (read_database_cpu(server) - before) / sum(one["requests"] for one in kinds)
        finally:
            service.stop()
    finally:
        server.close()
    load = os.getloadavg()[0]
    title = f"service, PostgreSQL, {CONNECTIONS} connections (load of the machine {load:.1f})"
    print(f"\n{title:58} {'per second':>10} {'p50 ms':>7} {'p99 ms':>7} {'CPU us':>7} {'database':>7}")
    holds = True
    for one in kinds:
        row = f"{one['kind'] + f', durable (idle: {GOAL:,}, p99 {WAIT:g})':58} {one['a_second']:10,}"
        times = f"{one['ms']['p50']:7.1f} {one['ms']['p99']:7.1f}"
        print(f"{row} {times} {one['cpu_us']:7.0f} {database:7.0f}")
        holds &= set(one["statuses"]) == {"201"}
    ratio = kinds[0]["cpu_us"] / bare
    print(f"{'CPU per request / that of a bare server on SQLite':58} {ratio:9.2f} (limit {TO_BARE:g})")
    return holds and ratio <= TO_BARE


if __name__ == "__main__":
    sys.exit(0 if measure_loads() else 1)
