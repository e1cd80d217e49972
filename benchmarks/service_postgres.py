"""The decision service over PostgreSQL under load from this machine, from a server of the benchmark's own.

`loads()` is what benchmarks/service.py calls; `python benchmarks/service_postgres.py` prints the same by itself.
"""

import os
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))  # where tests/ has the server

from service import ARMS, CONNECTIONS, SECONDS, Served, bare_server, cpu_of

from tests.postgres_server import Server, children

GOAL, WAIT = 1_500, 80.0  # events per second and p99 in ms, on a machine that is idle
TO_BARE = (
    7.0  # CPU per request in the service, at most so many times that of a bare server on SQLite; the database's own
)
# is printed beside it


def database_cpu(server: Server) -> float:
    """Seconds of CPU that the server and its living processes have taken."""
    return sum(cpu_of(one) for one in (server.process.pid, *children(server.process.pid)))


def loads(folder: str | None = None) -> bool:
    """Decisions, then their rewards; returns whether the ratio holds and every answer was a success."""
    with tempfile.TemporaryDirectory(dir=".") as place:
        other = bare_server(place)
        try:
            bare = other.loaded("bench", SECONDS)[0]["cpu_us"]
        finally:
            other.stop()
    server = Server(folder)
    try:
        served = Served(server.database(), "--watch", "0")
        try:
            served.ask("/v1/experiments", {"name": "bench", "arms": ARMS, "policy": "samba"})
            before = database_cpu(server)
            kinds = served.loaded("bench", SECONDS)
            spent = 1e6 * (database_cpu(server) - before) / sum(one["requests"] for one in kinds)
        finally:
            served.stop()
    finally:
        server.close()
    load = os.getloadavg()[0]
    title = f"service, PostgreSQL, {CONNECTIONS} connections (load of the machine {load:.1f})"
    print(f"\n{title:58} {'per second':>10} {'p50 ms':>7} {'p99 ms':>7} {'CPU us':>7} {'database':>7}")
    held = True
    for one in kinds:
        row = f"{one['kind'] + f', durable (idle: {GOAL:,}, p99 {WAIT:g})':58} {one['a_second']:10,}"
        times = f"{one['ms']['p50']:7.1f} {one['ms']['p99']:7.1f}"
        print(f"{row} {times} {one['cpu_us']:7.0f} {spent:7.0f}")
        held &= set(one["statuses"]) == {"201"}
    ratio = kinds[0]["cpu_us"] / bare
    print(f"{'CPU per request / that of a bare server on SQLite':58} {ratio:9.2f} (limit {TO_BARE:g})")
    return held and ratio <= TO_BARE


if __name__ == "__main__":
    sys.exit(0 if loads() else 1)
