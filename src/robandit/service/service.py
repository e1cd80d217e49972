"""The service without its HTTP: engine, writer and tokens together, what is due in time, and how it stops."""

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from robandit.online.standing import Standing
from robandit.service.engine import Answer, Engine
from robandit.service.experiment import Experiment, opened
from robandit.service.ownership import Ownership, Sole, stop_at_once
from robandit.service.problems import Problem
from robandit.service.stores.base import Snapshot, Store, Unreachable
from robandit.service.tokens import LOCAL, Token, Tokens
from robandit.service.watch import Watch
from robandit.service.writer import Writer

TICK = 0.5  # seconds between two looks at what is due
UNKNOWN = "the database failed: whether this was recorded is not known; ask again when the service is back"


class Service:
    """One process that serves."""

    def __init__(
        self,
        store: Store,
        tokens: Tokens,
        *,
        clock: Callable[[], float] = time.time,
        ownership: Ownership | None = None,
    ) -> None:
        self.store, self.tokens = store, tokens
        self.ownership = Sole() if ownership is None else ownership
        self.engine = Engine(store, clock, self.ownership.first(store))
        self.began, self.stopping = time.monotonic(), False
        self.sync_ms, self.notes = 0.0, list[str]()
        self.requests = Counter[tuple[str, int]]()  # by kind and status, for the metrics
        self.tasks: set[asyncio.Task[Any]] = set()
        self.watch = Watch(self)
        self.writer: Writer
        self.failed: Callable[[BaseException], None] = stop_at_once

    def start(self) -> None:
        """Begin, on the running loop."""
        self.begin_writing()
        self.background(self.ticking())
        if self.watch.every > 0:
            self.background(self.watch.run())
        self.ownership.begin(self)

    def begin_writing(self) -> None:
        """A writer, the first one or after one that failed."""
        self.writer = Writer(asyncio.get_running_loop(), self.store, lambda error: self.failed(error))

    def background(self, work: Any) -> None:
        """Do something beside the requests; what goes wrong there is said."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)

        def ended(task: asyncio.Task[Any]) -> None:
            self.tasks.discard(task)
            if not task.cancelled() and task.exception() is not None:
                print(f"robandit: {task.exception()!r}", file=sys.stderr, flush=True)

        task.add_done_callback(ended)

    async def ticking(self) -> None:
        """What is due though nobody comes: windows that end, rewards held long enough."""
        while True:
            await asyncio.sleep(TICK)
            self.tokens.refresh()
            rows = self.engine.ticks()
            if rows:
                self.writer.add(rows, ignored, None)

    def token(self, header: bytes) -> Token:
        """Who asks, by the Authorization header."""
        if self.tokens.open:
            return LOCAL
        found = self.tokens.find(header[7:]) if header[:7].lower() == b"bearer " else None
        if found is None:
            raise Problem(401, "a token is needed: Authorization: Bearer ...", {"www-authenticate": "Bearer"})
        return found

    def admit(self, token: Token, role: str) -> None:
        """Refuse who lacks a role, or asks too often."""
        if token is LOCAL:
            return
        if not token.may(role):
            raise Problem(403, f"this token lacks the role {role!r}")
        wait = token.wait()
        if wait > 0:
            raise Problem(429, f"this token may ask {token.rate:g} times a second", {"retry-after": "1"})

    def experiment(self, token: Token, id: str) -> Experiment:
        """An experiment this token may know of; others do not exist for it, and some are served elsewhere."""
        found = self.engine.known.get(id)
        if found is not None and self.ownership.holds(found.id):
            if token.experiments is None or token.sees(found.id, found.name):
                return found
        else:
            other = self.ownership.elsewhere(id)
            if other is not None and token.sees(other.id, other.name):
                raise other.problem()
        raise Problem(404, f"there is no experiment {id!r}")

    def after(self, answer: Answer, experiment: Experiment | None) -> Snapshot | None:
        """What an answer brings about: a snapshot now and then, and the journal folded anew after an operator's act."""
        if experiment is None or not answer.rows:
            return None
        if answer.rows[-1].act:  # an act comes alone
            self.learn_again(experiment)
        due = experiment.line >= experiment.snapshot_due and not experiment.learning_again
        return experiment.snapshot() if due else None

    async def committed(self, answer: Answer, experiment: Experiment | None) -> Answer:
        """The answer, once its lines are durable."""
        told = await self.writer.added(answer.rows, answer, self.after(answer, experiment))
        if isinstance(told, BaseException):
            raise Problem(503, UNKNOWN, {"retry-after": "5"})
        return answer

    def learn_again(self, experiment: Experiment) -> None:
        """Fold an experiment's journal anew beside the one that lives, and then put it in its place."""
        if not experiment.learning_again:
            experiment.learning_again, experiment.since = True, []
            self.background(self.folded_again(experiment))
        else:
            experiment.again = True

    async def folded_again(self, experiment: Experiment) -> None:
        """As often as acts came meanwhile."""
        while True:
            experiment.again = False
            await self.writer.added([])
            try:
                found = await asyncio.to_thread(self.read_again, experiment.id, deepcopy(experiment.standing))
            except Unreachable:
                experiment.again = True
                await asyncio.sleep(TICK)
            if self.engine.experiments.get(experiment.id) is not experiment:
                return  # it was opened anew meanwhile, or is another process's now
            if not experiment.again:
                break
        for line, entry in experiment.since:
            if line > found.line:
                found.apply(line, entry)
        experiment.taken_over(found)
        experiment.learning_again, experiment.since = False, []
        self.writer.add([], ignored, None, experiment.snapshot())

    def read_again(self, id: int, standing: Standing) -> Experiment:
        """The whole journal under what operators said last."""
        kept = next(one for one in self.store.experiments() if one.id == id)
        return opened(self.store, kept, snapshots=False, standing=standing)

    async def stop(self) -> None:
        """Commit what is under way, keep the states, let the database go."""
        self.stopping = True
        for task in list(self.tasks):
            task.cancel()
        for experiment in self.engine.experiments.values():
            if not experiment.learning_again:
                self.writer.add([], ignored, None, experiment.snapshot())
        await self.writer.added([])
        self.writer.close()
        self.ownership.release()
        self.store.close()


def ignored(told: Any) -> None:
    """Nobody waits for this."""
