"""`python -m tests.campaign FOLDER --seconds N --seed S`: the real service under load while things go wrong.

`robandit serve` runs on SQLite (or, with --postgres, twice on a PostgreSQL server of its own). Clients decide and
reward at a steady pace and ask again until they are answered, others read pages and exports, and backups are made.
Faults come at random times. At the end everything that was acknowledged is looked up in the journals, and `robandit
service verify` replays them and the last backup. FOLDER gets timeline.csv, timeline.png and outcome.json. The seed
fixes what is asked and which faults come when; how they meet is up to the machine. Ten seconds are a test, minutes are
part of `make statistics`, hours are run by hand.
"""

import argparse
import asyncio
import json
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

from tests.campaign.browser import OpenPage
from tests.campaign.clients import EXPERIMENTS, Client, Ledger
from tests.campaign.clock import COMPILER, MovableClock
from tests.campaign.faults import Harm
from tests.campaign.instance import Instance
from tests.campaign.judgement import judge, verify
from tests.campaign.sites import FileSite, PostgresSite
from tests.campaign.timeline import Stretch, draw_campaign, percentile_ms, write_csv
from tests.campaign.visitors import Visitors

BAD = ("lost", "twice", "recorded though refused", "recorded though nobody knows", "broken chains", "wrong answers")
BAD += ("faults of its own",)


class Campaign:
    """One run."""

    def __init__(self, folder: Path, arguments: argparse.Namespace) -> None:
        self.folder, self.arguments = folder, arguments
        self.clock = MovableClock(folder)
        self.site = PostgresSite(folder) if arguments.postgres else FileSite(folder)
        self.instances = [
            Instance(self.site.url, folder / f"server-{number}.log", self.clock.environment, arguments.remember)
            for number in range(self.site.instances)
        ]
        self.ledger, self.rows, self.faults = Ledger(), list[Stretch](), list[tuple[float, str]]()
        self.latencies: list[float] = []
        self.page: OpenPage | None = None
        addresses = [instance.address for instance in self.instances]
        self.visitors = Visitors(addresses[-1], self.site.url, folder)
        self.clients = [Client(one, arguments.seed, addresses, self.ledger) for one in range(arguments.clients)]

    async def run(self) -> dict[str, Any]:
        """Play the campaign; returns what came of it."""
        keepers = [asyncio.create_task(instance.keep()) for instance in self.instances]
        try:
            return await self.play(keepers)
        finally:
            if self.page is not None:
                self.page.chrome.close()
            for keeper in keepers:
                keeper.cancel()
            await asyncio.gather(*keepers, return_exceptions=True)

    async def play(self, keepers: list[asyncio.Task[None]]) -> dict[str, Any]:
        """Load and faults for their time; then all requests are answered, and the service is stopped."""
        for new in EXPERIMENTS:
            await self.clients[0].insist("POST", "/v1/experiments", new | {"seed": self.arguments.seed})
        if self.arguments.browser:
            self.page = OpenPage(self.folder / "profile", self.instances[0].address)
            await asyncio.to_thread(self.page.open)
        self.began = time.monotonic()
        pause = self.arguments.clients / self.arguments.rate
        playing = [asyncio.create_task(client.run(pause)) for client in self.clients]
        harm = Harm(self.site, self.instances, self.clock, self.arguments.seed)
        beside = [
            asyncio.create_task(harm.run(self.kinds(), self.arguments.every, self.note)),
            asyncio.create_task(self.measure()),
            asyncio.create_task(self.visitors.run(self.arguments.seconds)),
            *([] if self.page is None else [asyncio.create_task(self.page.watch())]),
        ]
        done, _ = await asyncio.wait(
            [*playing, *keepers, *beside], timeout=self.arguments.seconds, return_when=asyncio.FIRST_COMPLETED
        )
        for task in done:  # nothing of this ends before its time
            task.result()
        beside[0].cancel()
        with suppress(asyncio.CancelledError):
            await beside[0]  # what it did is undone
        for client in self.clients:
            client.is_over = True
        await asyncio.gather(*playing)
        for task in beside[1:]:
            task.cancel()
        await asyncio.wait(beside)
        if self.page is not None:
            decisions = (await self.clients[0].insist("GET", "/v1/experiments/1", {})).message["decisions"]
            await asyncio.to_thread(self.page.catch_up, decisions)
        exits = [await instance.end() for instance in self.instances]
        await asyncio.gather(*keepers)
        return await asyncio.to_thread(self.outcome, exits)

    def kinds(self) -> list[str]:
        """Returns the faults that can happen here."""
        names = self.arguments.faults.split(",") if self.arguments.faults else list(self.site.faults)
        return [name for name in names if name != "clock" or COMPILER is not None]

    def note(self, fault: str) -> None:
        """Remember when a fault began."""
        self.faults.append((round(time.monotonic() - self.began, 2), fault))

    async def measure(self) -> None:
        """A row per stretch."""
        length, before = min(max(self.arguments.seconds / 120, 0.5), 10.0), 0.0
        while True:
            await asyncio.sleep(length)
            now, ledger = time.monotonic() - self.began, self.ledger
            latencies, ledger.latencies = ledger.latencies, []
            longest, ledger.longest_wait = ledger.longest_wait, 0.0
            self.latencies += latencies
            self.rows.append(
                Stretch(
                    second=round(now, 1),
                    answers=len(latencies),
                    p50_ms=percentile_ms(latencies, 0.5),
                    p99_ms=percentile_ms(latencies, 0.99),
                    longest_wait_s=round(longest, 2),
                    memory_mb=round(max(instance.memory() for instance in self.instances), 1),
                    database_mb=round(self.site.size() / 1e6, 2),
                    starts=sum(instance.starts for instance in self.instances),
                    faults=" ".join(name.replace(" ", "-") for second, name in self.faults if before <= second < now),
                )
            )
            before = now

    def outcome(self, exits: list[int]) -> dict[str, Any]:
        """Returns all figures, after a look into the database."""
        is_true, text = verify(self.site.url)
        if self.visitors.backup.exists():
            is_copy_true, more = verify(f"sqlite:///{self.visitors.backup}")
            is_true, text = is_true and is_copy_true, text + more
        (self.folder / "verify.txt").write_text(text)
        return {
            "seconds": self.rows[-1].second,
            "seed": self.arguments.seed,
            "database": "PostgreSQL" if self.arguments.postgres else "SQLite",
            "own disk": isinstance(self.site, FileSite) and self.site.mounted,
            "faults": dict(sorted(Counter(name for _, name in self.faults).items())),
            "starts": sum(instance.starts for instance in self.instances),
            "failed starts": [how for instance in self.instances for how in instance.failed_starts],
            **self.visitors.counts,
            "acknowledged": self.ledger.acknowledged(),
            "refused as too late": len(self.ledger.refused),
            **judge(self.ledger, self.site.url),
            "wrong answers": len(self.ledger.wrong),
            "faults of its own": sum(instance.own_faults(self.arguments.postgres) for instance in self.instances),
            "verified": is_true,
            "exit codes": exits,
            "page": None if self.page is None else self.page.outcome(),
            "p50_ms": percentile_ms(self.latencies, 0.5),
            "p99_ms": percentile_ms(self.latencies, 0.99),
            "longest_wait_s": max(row.longest_wait_s for row in self.rows),
            "memory_mb": [min(memories := [row.memory_mb for row in self.rows if row.memory_mb]), max(memories)],
        }

    def write(self, outcome: dict[str, Any]) -> None:
        """Write the files of the folder."""
        (self.folder / "outcome.json").write_text(json.dumps(outcome, indent=2) + "\n")
        write_csv(self.folder / "timeline.csv", self.rows)
        bad = sum(outcome[name] for name in BAD)
        message = (
            f"{len(self.faults)} faults, {outcome['acknowledged']:,} acknowledged: {bad or 'nothing'} lost or twice"
        )
        rest = f"{outcome['database']}, {self.arguments.rate:g} requests per second, {outcome['starts']} starts\n"
        rest += f"p99 of all answers {outcome['p99_ms']:g} ms; seed {self.arguments.seed}"
        draw_campaign(self.rows, self.faults, message, rest).save(str(self.folder / "timeline.png"))


def is_good(outcome: dict[str, Any]) -> bool:
    """Whether nothing was lost, nothing is there twice, and every state follows from its journal."""
    page = outcome["page"] or {"live at the end": True, "errors": []}
    is_shown = page["live at the end"] and not page["errors"]
    return (
        is_shown and not any(outcome[name] for name in BAD) and outcome["verified"] and not any(outcome["exit codes"])
    )


def read_arguments() -> argparse.Namespace:
    """Returns the flags."""
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description=(__doc__ or "").split("\n\n")[1])
    parser.add_argument("folder", type=Path, help="an empty or new folder for the database and the figures")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two faults, on average; default 5")
    parser.add_argument("--rate", type=float, default=200.0, help="requests per second; default 200")
    parser.add_argument("--clients", type=int, default=16, help="connections; default 16")
    parser.add_argument("--remember", type=int, default=20_000, help="as of `robandit serve`; default 20000")
    parser.add_argument("--faults", default="", help="kinds, with commas between; default all that are possible")
    parser.add_argument("--postgres", action="store_true", help="two processes over a PostgreSQL server")
    parser.add_argument("--browser", action="store_true", help="Chromium with a page open that must stay live")
    return parser.parse_args()


async def main(arguments: argparse.Namespace) -> bool:
    """Run a campaign and print its outcome; returns whether it is good."""
    arguments.folder.mkdir(parents=True, exist_ok=True)
    campaign = Campaign(arguments.folder.resolve(), arguments)
    try:
        outcome = await campaign.run()
    finally:
        campaign.site.close()
    campaign.write(outcome)
    for sentence in campaign.ledger.wrong[:5]:
        print(sentence, file=sys.stderr)
    print(json.dumps(outcome))
    return is_good(outcome)


if __name__ == "__main__":
    sys.exit(0 if asyncio.run(main(read_arguments())) else 1)
