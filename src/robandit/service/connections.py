"""All connections of a service, so that none holds up the others: how many there may be, how long one may be silent.

Nothing is done for a request: every second each connection is compared with what it was when it last changed. A client
that needs too long for a request is refused, an idle one is closed, and one that does not read its answer is cut off.
When there are too many, the one that has been silent for the longest makes room; first those that never asked anything.
"""

import asyncio
import resource
import time
from collections import deque
from typing import Any, NamedTuple, Protocol

MOST = 10_000
FEW = 1000  # connections that are ranked in no time
BEAT = 1.0  # seconds between two comparisons
NEW, ASKING, IDLE, ANSWERING, SENDING, CLOSING = "new", "asking", "idle", "answering", "sending", "closing"
PATIENCE = {NEW: 30.0, ASKING: 30.0, IDLE: 75.0, SENDING: 60.0, CLOSING: 10.0}  # seconds without a change
MAKES_ROOM = ((NEW, ASKING), (IDLE,))  # the first first; what is under way is never given up


class Connection(Protocol):
    """What must be known of a connection."""

    def stage(self) -> str:
        """Returns what it is doing."""

    def progress(self) -> tuple[Any, int]:
        """Returns an object that is another one for each request, and how many bytes wait until the client reads."""

    def give_up(self, stage: str) -> None:
        """Close it, because it has been at a stage for too long."""

    def abort(self) -> None:
        """End it at once."""


class Mark(NamedTuple):
    """A connection as it was, and since when."""

    stage: str
    request: Any
    bytes: int
    since: float

    def still_holds(self, connection: Connection) -> bool:
        """Whether nothing has changed."""
        request, bytes = connection.progress()
        return self.stage == connection.stage() and self.request is request and self.bytes == bytes


def most_connections() -> int:
    """Returns how many connections there may be: the database and audits need descriptors, too.

    The process may then have as many descriptors as the system allows it.
    """
    descriptors, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 2 * MOST if allowed == resource.RLIM_INFINITY else min(2 * MOST, allowed)
    if descriptors != resource.RLIM_INFINITY and descriptors < wanted:
        descriptors = wanted
        resource.setrlimit(resource.RLIMIT_NOFILE, (descriptors, allowed))
    if descriptors == resource.RLIM_INFINITY:
        return MOST
    return min(MOST, descriptors - min(200, descriptors // 2))


class Connections:
    """Those that are open."""

    def __init__(self) -> None:
        self.most = most_connections()
        self.marks: dict[Connection, Mark] = {}
        self.silent: deque[Connection] = deque()  # in the order in which they make room
        self.rank_again = 0.0  # when that order may be found again, at a tenth of the processor's time at most

    def add(self, connection: Connection) -> None:
        """A client connects; if there are too many, another one goes, or this one if all others are at work."""
        if len(self.marks) >= self.most and not self.make_room():
            connection.abort()
        else:
            self.marks[connection] = Mark(NEW, *connection.progress(), time.monotonic())

    def remove(self, connection: Connection) -> None:
        """A connection has ended."""
        self.marks.pop(connection, None)

    def make_room(self) -> bool:
        """End the connection that has been silent for the longest; returns whether there was one."""
        if not self.silent and (len(self.marks) < FEW or time.monotonic() > self.rank_again):
            began = time.thread_time()
            self.compare()
            unknown, known = ([one for one, mark in self.marks.items() if mark.stage in some] for some in MAKES_ROOM)
            self.silent = deque(sorted(unknown or known, key=lambda one: self.marks[one].since))
            self.rank_again = time.monotonic() + 9.0 * (time.thread_time() - began)
        while self.silent:
            connection = self.silent.popleft()
            mark = self.marks.get(connection)
            if mark is not None and (mark.still_holds(connection) or connection.stage() == ASKING):
                self.remove(connection)
                connection.abort()
                return True
        return False

    async def run(self) -> None:
        """Compare every connection with what it was, again and again."""
        while True:
            await asyncio.sleep(BEAT)
            self.compare()

    def compare(self) -> None:
        """Take note of what has changed, and give up what has not for too long."""
        now = time.monotonic()
        for connection, mark in list(self.marks.items()):
            if not mark.still_holds(connection):
                self.marks[connection] = Mark(connection.stage(), *connection.progress(), now)
            elif now - mark.since > PATIENCE.get(mark.stage, float("inf")):
                connection.give_up(mark.stage)
