"""What else happens to a service that lives long: people look at it, Prometheus reads it, cron makes backups."""

import asyncio
import subprocess
import sys
from collections import Counter
from pathlib import Path

import httpx

PATHS = ("/", "/metrics", "/v1/experiments/plain", "/v1/experiments/plain/export?format=csv")
PAUSE = 10.0  # seconds between two rounds of visits, at most
BACKUPS = 120.0  # seconds between two backups, at most


class Visitors:
    """Reads and backups beside the clients; what fails while a fault lasts is counted, no more."""

    def __init__(self, address: str, url: str, folder: Path) -> None:
        self.address, self.url = address, url
        self.new, self.backup = folder / "new.db", folder / "backup.db"
        self.counts = Counter[str]()

    async def run(self, seconds: float) -> None:
        """Visit again and again, and make some backups, in a campaign of so many seconds."""
        work = [self.visit(min(PAUSE, seconds / 4))]
        if self.url.startswith("sqlite"):
            work.append(self.copy(min(BACKUPS, seconds / 4)))
        await asyncio.gather(*work)

    async def visit(self, pause: float) -> None:
        """Read pages, metrics and an export."""
        async with httpx.AsyncClient(base_url=self.address, timeout=20.0) as client:
            while True:
                await asyncio.sleep(pause)
                for path in PATHS:
                    try:
                        is_good = (await client.get(path)).is_success
                    except httpx.HTTPError:
                        is_good = False
                    self.counts["visits" if is_good else "failed visits"] += 1

    async def copy(self, pause: float) -> None:
        """Make backups; the last one that succeeded stays."""
        words = [sys.executable, "-m", "robandit", "service", "backup", str(self.new), "--db", self.url]
        while True:
            await asyncio.sleep(pause)
            outcome = await asyncio.to_thread(subprocess.run, words, capture_output=True)
            if outcome.returncode == 0:
                self.new.replace(self.backup)
            self.counts["failed backups" if outcome.returncode else "backups"] += 1
