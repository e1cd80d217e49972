"""Group commit: a thread commits what gathered while the last commit ran; an answer leaves when its lines are durable.

Only the event loop touches the queue. The next batch is handed over first, then the answers of the last one are
written, so that disk and processor work at the same time. If a commit fails, nobody knows what the disk holds and the
memory is ahead of it: whoever waits gets the error, and the service stops.
"""

import asyncio
import queue
import threading
import time
from bisect import bisect_left
from collections.abc import Callable
from typing import Any

from robandit.service.stores.base import Row, ServiceStore, Snapshot

Reply = Callable[[Any], None]  # called with the answer, or with the error
Item = tuple[list[Row], Reply, Any, Snapshot | None]  # lines to commit, and what to answer then


class GroupWriter:
    """The one that commits."""

    BOUNDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)  # seconds, of the metrics

    def __init__(
        self, loop: asyncio.AbstractEventLoop, store: ServiceStore, on_failure: Callable[[BaseException], None]
    ) -> None:
        self.loop, self.store, self.on_failure = loop, store, on_failure
        self.queue: list[Item] = []
        self.batch: list[Item] = []  # that the thread commits
        self.batches: queue.SimpleQueue[list[Item] | None] = queue.SimpleQueue()
        self.busy = False
        self.error: BaseException | None = None
        self.commits = self.lines = 0
        self.counts, self.total_seconds = [0] * (len(self.BOUNDS) + 1), 0.0  # of commits, by their time
        self.seconds, self.longest = 0.0, 0.0  # a running mean of a commit's time, and its peak
        self.thread = threading.Thread(target=self.run, name="writer", daemon=True)
        self.thread.start()

    def add(self, rows: list[Row], reply: Reply, answer: Any, snapshot: Snapshot | None = None) -> None:
        """Call `reply` with the answer when these lines, and all that came before, are durable."""
        if self.error is not None:
            reply(self.error)
            return
        self.queue.append((rows, reply, answer, snapshot))
        if not self.busy:
            self.busy = True
            self.loop.call_soon(self.hand_over)

    def hand_over(self) -> None:
        """What gathered is the next batch."""
        self.batch, self.queue = self.queue, []
        self.batches.put(self.batch)

    def run(self) -> None:
        """The thread: commit, notify the loop, repeat."""
        while (batch := self.batches.get()) is not None:
            rows, snapshots = gather(batch)
            began = time.perf_counter()
            try:
                if rows or snapshots:
                    self.store.commit(rows, snapshots)
            except BaseException as error:  # whatever it is, it must reach those who wait
                self.loop.call_soon_threadsafe(self.fail, batch, error)
                return
            self.loop.call_soon_threadsafe(self.answer_batch, batch, len(rows), time.perf_counter() - began)

    def answer_batch(self, batch: list[Item], lines: int, seconds: float) -> None:
        """On the loop, after a commit: the next batch goes first, then the answers."""
        if batch is not self.batch:
            return  # it was given up
        if self.queue:
            self.hand_over()
        else:
            self.busy, self.batch = False, []
        self.commits, self.lines = self.commits + 1, self.lines + lines
        self.seconds += 0.05 * (seconds - self.seconds)
        self.counts[bisect_left(self.BOUNDS, seconds)] += 1
        self.total_seconds += seconds
        self.longest = max(0.999 * self.longest, seconds)
        for _, reply, answer, _ in batch:
            reply(answer)

    def fail(self, batch: list[Item], error: BaseException) -> None:
        """On the loop: nothing is committed any more; a batch that is under way may still be, if it is not this one."""
        if batch and batch is not self.batch:
            return  # it was given up
        first, self.error = self.error is None, error
        waiting, self.queue = [*batch, *self.queue], []
        if batch:
            self.batch = []
        for _, reply, _, _ in waiting:
            reply(error)
        if first:
            self.on_failure(error)

    def give_up(self, error: BaseException) -> None:
        """On the loop: wait no longer for a commit that hangs; nobody knows what becomes of it."""
        self.batches.put(None)
        self.fail(self.batch, error)

    def begin_commit(
        self, rows: list[Row], answer: Any = None, snapshot: Snapshot | None = None
    ) -> asyncio.Future[Any]:
        """Returns a future of the answer, or of the error, for when these lines and all before them are durable."""
        done: asyncio.Future[Any] = self.loop.create_future()

        def reply(outcome: Any) -> None:
            if not done.done():
                done.set_result(outcome)

        self.add(rows, reply, answer, snapshot)
        return done

    async def commit(self, rows: list[Row], answer: Any = None, snapshot: Snapshot | None = None) -> Any:
        """Returns the answer, or the error, once these lines and all that came before are durable."""
        return await self.begin_commit(rows, answer, snapshot)

    def close(self) -> None:
        """Let the thread end."""
        self.batches.put(None)
        self.thread.join(timeout=30)


def gather(batch: list[Item]) -> tuple[list[Row], list[Snapshot]]:
    """Returns the lines and the snapshots of a batch."""
    rows = [row for lines, _, _, _ in batch for row in lines]
    return rows, [snapshot for _, _, _, snapshot in batch if snapshot is not None]
