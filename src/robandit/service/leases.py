"""One of several processes on one database: it serves the experiments whose leases it holds.

Leases are renewed four times in their length. A process that could not renew in time refuses requests until it can: its
memory may be behind another owner's by then. A commit that fails leaves the memory ahead of the database, so all is
forgotten and read again under new fences, which no commit still under way survives.

Free experiments are taken a few at a time, and the next few when these have been read: so several processes share what
a dead one leaves.
"""

import asyncio
import time
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from robandit.errors import InputError
from robandit.service.experiment import open_experiment
from robandit.service.ownership import Elsewhere, Ownership
from robandit.service.problems import Problem, report
from robandit.service.stores.base import ExperimentRecord, Lease, LeasedStore, ServiceStore, TakenLease, Unreachable

if TYPE_CHECKING:
    from robandit.service.service import Service

FEW = 8
EVERYWHERE = ("", "0.0.0.0", "::")
CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # goes on while the machine sleeps


def now() -> float:
    """Returns seconds on a clock that nobody sets."""
    return time.clock_gettime(CLOCK)


class Leases(Ownership):
    """The leases of one process."""

    def __init__(self, store: LeasedStore, address: str, seconds: float) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or parts.hostname in (None, *EVERYWHERE) or parts.path.strip("/"):
            raise InputError(f"other processes need an address like http://HOST:PORT (--advertise), not {address!r}")
        if not 0.5 <= seconds <= 3600:
            raise InputError(f"a lease must last from 0.5 to 3600 seconds, not {seconds:g}")
        super().__init__()
        self.store, self.until = store, 0.0
        store.address, store.seconds = address.rstrip("/"), seconds
        self.again: set[int] = set()  # its own, to be read again
        self.unreadable: set[int] = set()
        self.warned = False

    @property
    def fresh(self) -> bool:
        """Whether the leases still run, by a clock that was read before they were renewed."""
        return now() < self.until

    def first_records(self, store: ServiceStore) -> list[ExperimentRecord]:
        return []  # leases are renewed while journals are read

    def begin(self, service: "Service") -> None:
        """Renew, and take what is free."""
        service.on_failure = lambda error: self.recover(service, error)
        service.keep("the renewal of leases", lambda: self.renew(service))
        service.keep("the search for free experiments", lambda: self.take(service))

    def describe(self, experiments: int) -> str:
        return "as one of several processes"

    def holds(self, experiment: int) -> bool:
        return experiment in self.store.fences and now() < self.until

    def elsewhere(self, id: str) -> Elsewhere | None:
        if not self.fresh:
            raise Problem(503, "the database does not answer: ask again in a moment", {"retry-after": "1"})
        lease = self.store.find_lease(id)
        return None if lease is None else self.locate(lease)

    def others(self) -> list[Elsewhere]:
        return [self.locate(lease) for lease in self.store.all_leases() if lease.owner != self.store.owner]

    def locate(self, lease: Lease) -> Elsewhere:
        """Returns where another process serves an experiment, if one does."""
        there = lease.runs and lease.owner != self.store.owner
        return Elsewhere(lease.id, lease.name, lease.address if there else None)

    async def renew(self, service: "Service") -> None:
        """Renew the leases; forget the experiments that were lost."""
        store = self.store
        while True:
            began, held = now(), dict(store.fences)
            try:
                lost = await asyncio.to_thread(store.renew, held)
            except Unreachable as error:
                if not self.warned:
                    report(f"leases cannot be renewed: {error}")
                self.warned = True
            else:
                self.until, self.warned = began + store.seconds, False
                for one in lost:
                    if store.fences.get(one) == held[one]:
                        del store.fences[one]
                        service.engine.forget(one)
                        report(f"experiment {one} belongs to another process now")
            await asyncio.sleep(store.seconds / 4)

    async def take(self, service: "Service") -> None:
        """Take what is free and read it, a few at a time."""
        store = self.store
        while True:
            but = [*store.fences, *self.unreadable]
            try:
                leases = await asyncio.to_thread(store.claim, FEW, list(self.again), but)
            except Unreachable:
                leases = []
            for lease in leases:
                store.take(lease)
                self.again.discard(lease.record.id)
            for lease in leases:
                await self.read(service, lease)
            if not leases:
                await asyncio.sleep(store.seconds / 4)

    async def read(self, service: "Service", lease: TakenLease) -> None:
        """Read a journal and serve it, if it is still ours then; one that cannot be read is left to others."""
        store, one = self.store, lease.record.id
        try:
            experiment = await asyncio.to_thread(open_experiment, store, lease.record, service.engine.key)
        except Unreachable:
            store.fences.pop(one, None)
            self.again.add(one)
        except Exception as error:  # whatever is wrong with this one, the others are served
            report(f"the journal of {lease.record.name!r} cannot be read: {error!r}")
            self.unreadable.add(one)
            store.fences.pop(one, None)
            await asyncio.to_thread(store.release, [one])
        else:
            if store.fences.get(one) == lease.fence:
                service.engine.adopt(experiment)

    def recover(self, service: "Service", error: BaseException) -> None:
        """A commit failed: forget everything, and read it again under new fences."""
        report(f"a commit failed, so all journals are read again: {error}")
        self.again |= self.store.fences.keys()
        self.store.fences.clear()
        service.engine.forget_all()
        service.begin_writing()
