"""A long run of the service: writers, readers, backups and a page in a browser; memory, log, waiting times stay flat.

`python verification/soak.py MINUTES` starts `robandit serve` on a database of its own, loads it on loopback at a steady
pace, and prints a row a minute and a verdict. Not part of any test suite: it takes as long as it is asked to.
"""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
import service_load
from service import Served

from tests.chrome import CHROMIUM, Chrome

CONNECTIONS, PAUSE = 16, 0.05  # about 300 requests a second
MOST_MINUTES = 90.0
# The last 100,000 to 200,000 keys and rewards of an experiment are remembered, about 0.25 kB each: at this pace that
# fills up for half an hour. Here it is a twentieth, so that what else may grow can be seen in ten minutes.
SERVING = (
    "import sys; from robandit.service import experiment; experiment.REMEMBERED = 10_000; "
    "from robandit.cli.main import main; sys.exit(main(sys.argv[1:]))"
)


def memory_of(process: int) -> float:
    """Resident megabytes."""
    for line in Path(f"/proc/{process}/status").read_text().splitlines():
        if line.startswith("VmRSS"):
            return int(line.split()[1]) / 1024
    return 0.0


async def writing(port: int, minutes: float, waits: list[float]) -> dict[str, int]:
    """Decisions and their rewards, in turns of a few seconds, until the time is up."""
    ends, statuses = time.perf_counter() + 60 * minutes, dict[str, int]()
    while time.perf_counter() < ends:
        load = service_load.Load(port, "soak", "decisions", 5.0)
        for kind in ("decisions", "rewards"):
            load.kind, load.ends, load.times, load.statuses = kind, time.perf_counter() + 5.0, [], {}
            load.pause = PAUSE
            await service_load.played(load, port, CONNECTIONS)
            waits += load.times
            for status, count in load.statuses.items():
                statuses[status] = statuses.get(status, 0) + count
    return statuses


async def reading(served: Served, minutes: float) -> int:
    """Pages, exports and an event stream, now and then."""
    ends, count = time.perf_counter() + 60 * minutes, 0

    def look() -> None:
        for path in ("/", "/v1/experiments/soak", "/metrics", "/v1/experiments/soak/export?format=csv"):
            with urllib.request.urlopen(served.url + path) as answer:
                while answer.read(1 << 20):
                    pass

    while time.perf_counter() < ends:
        await asyncio.to_thread(look)
        count += 1
        await asyncio.sleep(10)
    return count


async def copying(db: Path, minutes: float) -> int:
    """A backup every two minutes."""
    ends, count = time.perf_counter() + 60 * minutes, 0
    while time.perf_counter() < ends:
        await asyncio.sleep(min(120, 60 * minutes / 2))
        target = db.with_name("backup.db")
        target.unlink(missing_ok=True)
        words = [sys.executable, "-m", "robandit", "service", "backup", str(target), "--db", f"sqlite:///{db}"]
        await asyncio.to_thread(subprocess.run, words, check=True, capture_output=True)
        count += 1
    return count


async def told(served: Served, db: Path, minutes: float, waits: list[float]) -> list[dict[str, float]]:
    """A row a minute."""
    rows, began = [], time.perf_counter()
    log = db.with_name(db.name + "-wal")
    while time.perf_counter() - began < 60 * minutes - 1:
        await asyncio.sleep(min(60, 60 * minutes / 4))
        times = sorted(waits) or [0.0]
        waits.clear()
        row = {
            "minute": round((time.perf_counter() - began) / 60, 1),
            "memory_mb": round(memory_of(served.process.pid), 1),
            "log_mb": round(log.stat().st_size / 1e6, 2) if log.exists() else 0.0,
            "database_mb": round(db.stat().st_size / 1e6, 1),
            "p99_ms": round(1000 * times[int(0.99 * len(times))], 1),
            "requests": len(times),
            "load": os.getloadavg()[0],
        }
        print(json.dumps(row), flush=True)
        rows.append(row)
    return rows


async def looking(served: Served, minutes: float, heaps: list[float]) -> int:
    """The experiment's page open in a real browser all the time; its memory, and how often it was seen to move."""
    if CHROMIUM is None:
        return 0
    ends, moved, before = time.perf_counter() + 60 * minutes, 0, ""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:  # its processes may still write
        chrome = Chrome(Path(profile))
        try:
            await asyncio.to_thread(chrome.open, f"{served.url}/experiments/1")
            while time.perf_counter() < ends:
                await asyncio.sleep(5)
                now = await asyncio.to_thread(chrome.run, "document.body.innerText")
                moved, before = moved + (now != before), now
                heap = await asyncio.to_thread(chrome.call, "Runtime.getHeapUsage")
                heaps.append(heap["usedSize"] / 1e6)
        finally:
            chrome.close()
    return moved


async def soak(minutes: float) -> bool:
    """All together; answers whether all stayed flat."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "soak.db"
        words = ["-c", SERVING, "serve", "--db", f"sqlite:///{db}", "--port", "0"]
        served = Served("", words=words)
        try:
            rules = {"window": 30, "default": 0.0}
            asked = {"name": "soak", "arms": list("abcdefghij"), "policy": "samba", "rules": rules}
            served.ask("/v1/experiments", asked)
            waits, heaps = list[float](), list[float]()
            work = writing(served.port, minutes, waits), told(served, db, minutes, waits)
            more = reading(served, minutes), copying(db, minutes), looking(served, minutes, heaps)
            statuses, rows, looks, copies, moved = await asyncio.gather(*work, *more)
        finally:
            served.stop()
        sound = (
            subprocess.run([sys.executable, "-m", "robandit", "service", "verify", f"sqlite:///{db}"]).returncode == 0
        )
    half = rows[len(rows) // 2 :]
    grown = half[-1]["memory_mb"] - half[0]["memory_mb"]
    flat = grown < 0.1 * half[0]["memory_mb"] and max(row["log_mb"] for row in rows) < 64
    found = {"statuses": statuses, "looks": looks, "backups": copies, "grown_mb_in_second_half": round(grown, 1)}
    found |= {"page_moved": moved, "page_heap_mb": [round(max(one), 1) for one in halves(heaps) if one]}
    print(json.dumps({**found, "flat": flat, "verified": sound}))
    return flat and sound and set(statuses) <= {"200", "201"}


def halves(values: list[float]) -> tuple[list[float], list[float]]:
    """The first half and the second."""
    return values[: len(values) // 2], values[len(values) // 2 :]


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(soak(min(float(sys.argv[1]), MOST_MINUTES))) else 1)
