"""Which experiments this process serves. Of a database in one file, or in memory, all."""

import asyncio
import fcntl
import os
from logging import ERROR
from typing import TYPE_CHECKING, NamedTuple

from robandit.errors import InputError
from robandit.service.logs import log_event
from robandit.service.problems import Moved, Problem
from robandit.service.stores.base import ExperimentRecord, ServiceStore

if TYPE_CHECKING:
    from robandit.service.service import Service


class Elsewhere(NamedTuple):
    """An experiment that another process serves, or none just now."""

    id: int
    name: str
    address: str | None

    def problem(self) -> Problem:
        """Returns the answer to a request for it."""
        if self.address is not None:
            return Moved(self.name, self.address)
        detail = f"the experiment {self.name!r} is changing hands: ask again in a moment"
        return Problem(503, detail, {"retry-after": "1"})


class Ownership:
    """What the service must know of owners; here of the only process, whose own all experiments are.

    A lock beside the database keeps a second process out. Leases (leases.py) are for several processes.
    """

    def __init__(self, lock: str | None = None) -> None:
        self.file = None if lock is None else lock_file(lock)

    @property
    def fresh(self) -> bool:
        """Whether the list of owners holds now."""
        return True

    def first_records(self, store: ServiceStore) -> list[ExperimentRecord]:
        """Returns the experiments to read before the service begins."""
        return store.experiments()

    def begin(self, service: "Service") -> None:
        """The service has begun."""

    def describe(self, experiments: int) -> str:
        """Returns how much is served, in a few words."""
        return f"{experiments} experiments"

    def holds(self, experiment: int) -> bool:
        """Whether this process may answer for an experiment now."""
        return True

    async def elsewhere(self, id: str) -> Elsewhere | None:
        """Returns an experiment by id or name that is not served here."""
        return None

    def forget_place(self, id: str) -> None:
        """An experiment, by id or name, is not where `elsewhere` said."""

    async def all_places(self) -> list[Elsewhere]:
        """Returns where each experiment of several processes is served; the address of this one is empty."""
        return []

    async def others(self) -> list[Elsewhere]:
        """Returns all that are not served here."""
        return [one for one in await self.all_places() if one.address != ""]

    async def leave(self, service: "Service") -> None:
        """The service is about to stop, and still answers."""

    def release(self) -> None:
        """Release the lock when the service has ended; its file stays, for removing it would let two in."""
        if self.file is not None:
            os.close(self.file)
            self.file = None


def lock_holder(path: str) -> str:
    """Returns the process that has a lock, if one has; nothing is changed."""
    try:
        file = os.open(path, os.O_RDWR)
    except OSError:
        return ""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return os.read(file, 20).decode(errors="replace").strip() or "?"
    finally:
        os.close(file)
    return ""


def lock_file(path: str) -> int:
    """Returns a file locked until its process ends. Raises InputError if another process has it."""
    try:
        file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise InputError(f"the lock {path!r} cannot be written: {error.strerror}") from error
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        holder = os.read(file, 20).decode(errors="replace").strip()
        os.close(file)
        raise InputError(f"process {holder or '?'} serves this database already ({path} is locked)") from error
    os.ftruncate(file, 0)
    os.write(file, f"{os.getpid()}\n".encode())
    return file


def stop_at_once(error: BaseException) -> None:
    """The memory is ahead of the disk: end here, and let the next start read what is durable."""
    log_event(ERROR, "database_failed", f"the database failed, so the service stops: {error!r}")
    asyncio.get_running_loop().call_later(0.2, os._exit, 3)  # time for the answers to leave
