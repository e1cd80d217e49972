"""What goes wrong: each fault happens to the real thing, for a random while, and ends."""

import asyncio
import random
import signal
from collections.abc import Awaitable, Callable

from tests.campaign.clock import MovableClock
from tests.campaign.instance import Instance
from tests.campaign.sites import FileSite, PostgresSite


class Harm:
    """The faults of a campaign, drawn from a deck, so that each kind comes as often as any other."""

    def __init__(
        self, site: FileSite | PostgresSite, instances: list[Instance], clock: MovableClock, seed: int
    ) -> None:
        self.site, self.instances, self.clock, self.dice = site, instances, clock, random.Random(f"faults {seed}")
        self.deck: list[str] = []
        self.kinds: dict[str, Callable[[], Awaitable[None]]] = {
            "kill": self.kill,
            "stop": self.stop,
            "quit": self.quit,
            "full disk": self.fill_disk,
            "lost database": self.lose_database,
            "frozen database": self.freeze_database,
            "clock": self.set_clock,
        }

    async def run(self, names: list[str], every: float, note: Callable[[str], None]) -> None:
        """One fault after the other, about `every` seconds apart; four in five wait until the service is back."""
        while True:
            if self.dice.random() < 0.8:
                await self.until_back()
            await asyncio.sleep(self.dice.uniform(0.5, 1.5) * every)
            if not self.deck:
                self.deck = self.dice.sample(names, len(names))
            name = self.deck.pop()
            note(name)
            await self.kinds[name]()

    async def until_back(self) -> None:
        """Wait until every process serves."""
        while any(instance.is_starting or not instance.pid for instance in self.instances):
            await asyncio.sleep(0.02)

    async def kill(self) -> None:
        """kill -9."""
        self.dice.choice(self.instances).signal(signal.SIGKILL)

    async def quit(self) -> None:
        """A signal to stop, as a new version's roll-out sends it."""
        self.dice.choice(self.instances).signal(signal.SIGTERM)

    async def stop(self) -> None:
        """A process that stands still, and goes on as if nothing had been."""
        instance = self.dice.choice(self.instances)
        instance.signal(signal.SIGSTOP)
        try:
            await asyncio.sleep(self.dice.uniform(0.1, 3.0))
        finally:
            instance.signal(signal.SIGCONT)

    async def fill_disk(self) -> None:
        """A disk without room, at any point of a write."""
        assert isinstance(self.site, FileSite)
        self.site.fill(self.instances, self.dice.randrange(200_000))
        try:
            await asyncio.sleep(self.dice.uniform(0.5, 3.0))
        finally:
            self.site.make_room(self.instances)

    async def lose_database(self) -> None:
        """The database goes away and comes back as it was.

        A file's service ends when it sees that, and is not started before the file is back: it would make a new one.
        """
        is_file = isinstance(self.site, FileSite)
        if is_file:
            await self.hold_starts()
        self.site.lose()
        try:
            await asyncio.sleep(self.dice.uniform(0.5, 3.0))
        finally:
            if is_file:
                await self.end_all()  # one that wrote nothing meanwhile saw nothing
            await asyncio.to_thread(self.site.bring_back)
            for instance in self.instances:
                instance.may_start.set()

    async def hold_starts(self) -> None:
        """Let nothing start from now on, and wait for what is starting."""
        for instance in self.instances:
            instance.may_start.clear()
        while any(instance.is_starting for instance in self.instances):
            await asyncio.sleep(0.01)

    async def end_all(self) -> None:
        """Kill what runs, and wait until nothing does."""
        for instance in self.instances:
            instance.signal(signal.SIGKILL)
            await instance.until_down()

    async def freeze_database(self) -> None:
        """A database that takes connections and answers nothing."""
        assert isinstance(self.site, PostgresSite)
        self.site.signal(signal.SIGSTOP)
        try:
            await asyncio.sleep(self.dice.uniform(0.1, 4.0))
        finally:
            self.site.signal(signal.SIGCONT)

    async def set_clock(self) -> None:
        """The time of day jumps by a second to eleven days, ahead or back, or becomes true again."""
        seconds = self.dice.choice([-1, 1]) * 10 ** self.dice.uniform(0.0, 6.0)
        self.clock.move(0 if self.dice.random() < 0.3 else round(seconds))
