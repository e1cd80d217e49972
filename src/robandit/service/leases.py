"""One of several processes on one database: it serves the experiments whose leases it holds.

Leases are renewed four times in their length, by a thread that does nothing else. A process that could not renew in
time refuses requests until it can, also those that wait for a commit: its memory may be behind another owner's by then.
A commit that fails leaves the memory ahead of the database, so all is forgotten and read again under new fences, which
no commit still under way survives.

Free experiments are taken a few at a time, and the next few when these have been read: so several processes share what
a dead one leaves. None takes more than its share, while others do; one that has more, because another process has
joined, hands the surplus over.
"""

import asyncio
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from logging import ERROR, WARNING
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import urlsplit

from robandit.errors import InputError
from robandit.service.clock import measure as now
from robandit.service.logs import log_event
from robandit.service.ownership import Elsewhere, Ownership
from robandit.service.problems import Problem
from robandit.service.stores.base import ExperimentRecord, Lease, LeasedStore, ServiceStore, TakenLease, Unreachable

if TYPE_CHECKING:
    from robandit.service.service import Service

FEW = 8
SOON = 0.25  # seconds until a released lease is seen, at most
HOLD = 4.0  # seconds that a request waits for an experiment that changes hands
STEP = 0.05  # seconds between two looks at who has it
LINGER = 3.0  # seconds that a process which leaves waits for others to take what it had
GRACE = 1.0  # seconds that it then sends on those who were sent to it before
SURE = 0.5  # seconds that the place of an experiment holds; less than a process that leaves goes on to answer
MOST_PLACES = 10_000
BALANCE = 1.0  # seconds between two looks for a surplus
PATIENCE = 2.0  # seconds after which a process takes more than its share: whoever should take it does not
EVERYWHERE = ("", "0.0.0.0", "::")
Result = TypeVar("Result")


class Leases(Ownership):
    """The leases of one process."""

    def __init__(self, store: LeasedStore, address: str, seconds: float, *, balances: bool = True) -> None:
        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or parts.hostname in (None, *EVERYWHERE) or parts.path.strip("/"):
            raise InputError(f"other processes need an address like http://HOST:PORT (--advertise), not {address!r}")
        check_lease(seconds)
        super().__init__()
        self.store, self.until = store, 0.0
        store.address, store.seconds = address.rstrip("/"), seconds
        self.again: set[int] = set()  # its own, to be read again
        self.unreadable: set[int] = set()
        self.served: Mapping[int, object] = {}  # by id
        self.warned = self.leaving = False
        self.balances = balances  # whether it keeps no more than its share
        self.places: dict[str, tuple[Elsewhere, float]] = {}  # by id or name; how long it holds
        self.searches: dict[str, asyncio.Task[Lease | None]] = {}  # under way, by what is searched for
        self.renewing, self.taking = ThreadPoolExecutor(1, "renewal"), ThreadPoolExecutor(1, "taking")

    @property
    def fresh(self) -> bool:
        """Whether the leases still run, by a clock that was read before they were renewed."""
        return now() < self.until

    def first_records(self, store: ServiceStore) -> list[ExperimentRecord]:
        return []  # leases are renewed while journals are read

    def begin(self, service: "Service") -> None:
        """Renew, and take what is free."""
        self.served = service.engine.experiments
        service.on_failure = lambda error: self.recover(service, error)
        service.keep("the renewal of leases", lambda: self.renew(service))
        service.keep("the end of leases", lambda: self.refuse_when_over(service))
        service.keep("the search for free experiments", lambda: self.take(service))
        if self.balances:
            service.keep("the balance of experiments", lambda: self.balance(service))

    def describe(self, experiments: int) -> str:
        return "as one of several processes"

    def holds(self, experiment: int) -> bool:
        return experiment in self.store.fences and now() < self.until

    async def elsewhere(self, id: str) -> Elsewhere | None:
        place, until = self.places.get(id, (None, 0.0))
        if now() < min(until, self.until):
            return place
        ends = now() + HOLD
        while True:
            self.check_fresh()
            lease = await self.search(id)
            if lease is None:
                return None
            where = self.locate(lease)
            if where.address:
                self.remember_place(id, where)
            if where.address is not None or now() > ends:
                return where
            await asyncio.sleep(STEP)

    def remember_place(self, id: str, where: Elsewhere) -> None:
        """Remember for a moment where another process serves an experiment: the database is not asked every time."""
        if len(self.places) >= MOST_PLACES:
            self.places.clear()
        self.places[id] = (where, now() + SURE)

    def forget_place(self, id: str) -> None:
        self.places.pop(id, None)

    async def search(self, id: str) -> Lease | None:
        """Returns a lease by the id or the name of its experiment; those who ask at the same time share the answer."""
        if id not in self.searches:
            task = asyncio.ensure_future(asyncio.to_thread(self.store.find_lease, id))
            self.searches[id] = task
            task.add_done_callback(lambda _: self.searches.pop(id))
        return await asyncio.shield(self.searches[id])

    async def all_places(self) -> list[Elsewhere]:
        self.check_fresh()
        return [self.locate(lease) for lease in await asyncio.to_thread(self.store.all_leases)]

    def check_fresh(self) -> None:
        """Raises a Problem if the leases have run out."""
        if not self.fresh:
            raise Problem(503, "the database does not answer: ask again in a moment", {"retry-after": "1"})

    def locate(self, lease: Lease) -> Elsewhere:
        """Returns which process serves an experiment, if one does; the address of this one is empty."""
        own = lease.owner == self.store.owner
        serves = lease.id in self.served and self.holds(lease.id) if own else lease.runs
        return Elsewhere(lease.id, lease.name, ("" if own else lease.address) if serves else None)

    async def renew(self, service: "Service") -> None:
        """Renew the leases; forget the experiments that were lost."""
        store = self.store
        while True:
            began, held = now(), dict(store.fences)
            try:
                lost = await run_in(self.renewing, partial(store.renew, held))
            except Unreachable as error:
                if not self.warned:
                    log_event(WARNING, "leases_not_renewed", f"leases cannot be renewed: {error}")
                self.warned = True
                await asyncio.sleep(store.seconds / 20)  # time is short
            else:
                self.until, self.warned = began + store.seconds, False
                for one in lost:
                    if store.fences.get(one) == held[one]:
                        del store.fences[one]
                        service.engine.forget(one)
                        log_event(WARNING, "lease_lost", "an experiment belongs to another process now", experiment=one)
                await asyncio.sleep(store.seconds / 4)

    async def refuse_when_over(self, service: "Service") -> None:
        """When the leases have run out, stop waiting for a commit that is under way: the database hangs."""
        while True:
            await asyncio.sleep(max(self.until - now(), self.store.seconds / 20))
            if not self.fresh and service.writer.busy:
                service.writer.give_up(Unreachable("the leases have run out"))

    async def take(self, service: "Service") -> None:
        """Take what is free and read it, a few at a time."""
        store = self.store
        while not self.leaving:
            try:
                leases = await run_in(self.taking, self.claim)
            except Unreachable:
                leases = []
            if self.leaving:
                await run_in(self.taking, partial(store.release, [lease.record.id for lease in leases]))
                return
            for lease in leases:
                store.take(lease)
                self.again.discard(lease.record.id)
            for lease in leases:
                await self.read(service, lease)
            if not leases:
                await asyncio.sleep(min(store.seconds / 4, SOON))

    def claim(self) -> list[TakenLease]:
        """Returns a few leases that were free: up to the share of this process, then those that nobody takes."""
        store = self.store
        held, again = list(store.fences), list(self.again)
        room = max(store.share() - len(held), len(again)) if self.balances else FEW
        spare = 0.0 if room > 0 else PATIENCE
        return store.claim(min(max(room, 1), FEW), again, [*held, *self.unreadable], spare)

    async def balance(self, service: "Service") -> None:
        """Hand over what exceeds the share of this process, a few at a time: others have joined, or it creates many."""
        store = self.store
        while not self.leaving:
            await asyncio.sleep(BALANCE)
            try:
                surplus = len(store.fences) - await asyncio.to_thread(store.share)
            except Unreachable:
                continue
            experiments = service.engine.experiments
            idle = [one for one in store.fences if one in experiments and not experiments[one].learning_again]
            if surplus > 0 and idle and not self.leaving:
                await self.hand_over(service, idle[: min(surplus, FEW)])  # those that it has had for the longest

    async def hand_over(self, service: "Service", experiments: list[int]) -> None:
        """Let others take some experiments: from here on requests for them wait until one has."""
        fences = {one: self.store.fences[one] for one in experiments}
        service.store_states(experiments)
        for one in experiments:
            service.engine.forget(one)  # nothing more is recorded here ...
        await service.writer.commit([])  # ... and all that was is durable
        held = [one for one, fence in fences.items() if self.store.fences.get(one) == fence]
        for one in held:
            del self.store.fences[one]
        await run_in(self.renewing, partial(self.store.release, held))  # after a renewal that is under way

    async def read(self, service: "Service", lease: TakenLease) -> None:
        """Read a journal and serve it, if it is still ours then; one that cannot be read is left to others."""
        store, one = self.store, lease.record.id
        try:
            experiment = await run_in(self.taking, partial(service.engine.read, lease.record))
        except Unreachable:
            store.fences.pop(one, None)
            self.again.add(one)
        except Exception as error:  # whatever is wrong with this one, the others are served
            log_event(ERROR, "journal_unreadable", f"a journal cannot be read: {error!r}", experiment=one)
            self.unreadable.add(one)
            store.fences.pop(one, None)
            await run_in(self.taking, partial(store.release, [one]))
        else:
            if store.fences.get(one) == lease.fence:
                service.engine.adopt(experiment)

    def recover(self, service: "Service", error: BaseException) -> None:
        """A commit failed: forget everything, and read it again under new fences."""
        log_event(ERROR, "commit_failed", f"a commit failed, so all journals are read again: {error}")
        self.again |= self.store.fences.keys()
        self.store.fences.clear()
        service.engine.forget_all()
        service.begin_writing()

    async def leave(self, service: "Service") -> None:
        """Hand all experiments over while requests are still answered, and send clients to those who take them."""
        self.leaving, store = True, self.store
        await run_in(self.renewing, store.resign)  # before it hands over: its share is the others'
        held = list(store.fences)
        await self.hand_over(service, held)
        ends = now() + LINGER
        while now() < ends:
            leases = await asyncio.to_thread(store.all_leases)
            if all(lease.runs for lease in leases if lease.id in held):
                break
            await asyncio.sleep(STEP)
        await asyncio.sleep(GRACE if held else 0.0)

    def release(self) -> None:
        """Let the threads end."""
        self.renewing.shutdown(wait=False, cancel_futures=True)
        self.taking.shutdown(wait=False, cancel_futures=True)


def check_lease(seconds: float) -> None:
    """Raises InputError unless a lease may last so long."""
    if not 0.5 <= seconds <= 3600:
        raise InputError(f"a lease must last from 0.5 to 3600 seconds, not {seconds:g}")


async def run_in(pool: ThreadPoolExecutor, work: Callable[[], Result]) -> Result:
    """Returns what some work returns, done by a thread of a pool."""
    return await asyncio.get_running_loop().run_in_executor(pool, work)
