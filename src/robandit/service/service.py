"""The service without its HTTP: engine, writer and tokens together, what falls due, and how it stops."""

import asyncio
import time
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from robandit.errors import InputError
from robandit.service.engine import Answer, Engine
from robandit.service.experiment import Experiment, open_experiment
from robandit.service.ownership import Ownership, stop_at_once
from robandit.service.problems import Problem, report
from robandit.service.stores.base import ServiceStore, Snapshot, Unreachable
from robandit.service.supervisor import Supervisor, Work
from robandit.service.tokens import LOCAL, Token, Tokens
from robandit.service.watch import Watch
from robandit.service.writer import GroupWriter

TICK = 0.5  # seconds between two checks of what is due
UNKNOWN = "the database failed: whether this was recorded is not known; ask again when the service is back"


class Service:
    """One process that serves."""

    def __init__(
        self,
        store: ServiceStore,
        tokens: Tokens,
        *,
        clock: Callable[[], float] = time.time,
        ownership: Ownership | None = None,
    ) -> None:
        self.store, self.tokens = store, tokens
        self.ownership = Ownership() if ownership is None else ownership
        self.engine = Engine(store, clock, self.ownership.first_records(store))
        self.stopping = False
        self.sync_ms, self.notes = 0.0, list[str]()
        self.requests = Counter[tuple[str, int]]()  # by kind and status, for the metrics
        self.tasks: set[asyncio.Task[Any]] = set()
        self.supervisor = Supervisor()
        self.watch = Watch(self)
        self.writer: GroupWriter
        self.on_failure: Callable[[BaseException], None] = stop_at_once

    def start(self) -> None:
        """Begin, on the running loop."""
        self.begin_writing()
        self.keep("the clock", self.tick)
        if self.watch.every > 0:
            self.keep("the watch", self.watch.run)
        self.ownership.begin(self)

    def begin_writing(self) -> None:
        """Start a writer, the first one or after one that failed."""
        self.writer = GroupWriter(asyncio.get_running_loop(), self.store, lambda error: self.on_failure(error))

    def keep(self, name: str, work: Work) -> None:
        """Do something beside the requests that must go on: it is restarted when it fails."""
        self.background(self.supervisor.keep(name, work))

    def background(self, work: Any) -> None:
        """Do something beside the requests; errors there are printed."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)

        def finish(task: asyncio.Task[Any]) -> None:
            self.tasks.discard(task)
            if not task.cancelled() and task.exception() is not None:
                report(repr(task.exception()))

        task.add_done_callback(finish)

    async def tick(self) -> None:
        """Write what is due though no request comes: windows that end, rewards held long enough."""
        while True:
            await asyncio.sleep(TICK)
            self.refresh_tokens()
            rows = self.engine.ticks()
            if rows:
                self.writer.add(rows, ignore, None)

    def refresh_tokens(self) -> None:
        """Read the token file if it has changed; one that cannot be read leaves the tokens as they were."""
        try:
            self.tokens.refresh()
        except InputError as error:
            self.supervisor.note("tokens", f"the tokens stay as they were: {error}")
        else:
            self.supervisor.note("tokens", "")

    def token(self, header: bytes) -> Token:
        """Returns who asks, by the Authorization header. Raises a Problem where a token is needed."""
        if self.tokens.open:
            return LOCAL
        token = self.tokens.find(header[7:]) if header[:7].lower() == b"bearer " else None
        if token is None:
            raise Problem(401, "a token is needed: Authorization: Bearer ...", {"www-authenticate": "Bearer"})
        return token

    def admit(self, token: Token, role: str) -> None:
        """Raises a Problem for a token that lacks a role, or asks too often."""
        if token is LOCAL:
            return
        if not token.may(role):
            raise Problem(403, f"this token lacks the role {role!r}")
        if token.wait() > 0:
            raise Problem(429, f"this token may ask {token.rate:g} times per second", {"retry-after": "1"})

    def experiment(self, token: Token, id: str) -> Experiment:
        """Returns an experiment that this token may see. Raises a Problem: 404, or where it is served."""
        experiment = self.engine.by_name.get(id)
        if experiment is not None and self.ownership.holds(experiment.id):
            if token.experiments is None or token.sees(experiment.id, experiment.name):
                return experiment
        else:
            other = self.ownership.elsewhere(id)
            if other is not None and token.sees(other.id, other.name):
                raise other.problem()
        raise Problem(404, f"there is no experiment {id!r}")

    def follow_up(self, answer: Answer, experiment: Experiment | None) -> Snapshot | None:
        """Returns a snapshot where one is due; begins to rebuild the state after an operator's act."""
        if experiment is None or not answer.rows:
            return None
        if answer.rows[-1].act:  # an act comes alone
            self.rebuild(experiment)
        due = experiment.line >= experiment.snapshot_due and not experiment.learning_again
        return experiment.snapshot() if due else None

    async def commit(self, answer: Answer, experiment: Experiment | None) -> Answer:
        """Returns the answer once its lines are durable. Raises a Problem if the database fails."""
        outcome = await self.writer.commit(answer.rows, answer, self.follow_up(answer, experiment))
        if isinstance(outcome, BaseException):
            raise Problem(503, UNKNOWN, {"retry-after": "5"})
        return answer

    def rebuild(self, experiment: Experiment) -> None:
        """Rebuild an experiment's state from its journal beside the one that serves, and then replace it."""
        if not experiment.learning_again:
            experiment.learning_again, experiment.since = True, []
            self.keep(f"the replay of experiment {experiment.id}", lambda: self.rebuild_beside(experiment))
        else:
            experiment.again = True

    async def rebuild_beside(self, experiment: Experiment) -> None:
        """Rebuild, as often as acts came meanwhile."""
        while True:
            experiment.again = False
            await self.writer.commit([])
            try:
                rebuilt = await asyncio.to_thread(
                    open_experiment,
                    self.store,
                    experiment.record,
                    snapshots=False,
                    standing=deepcopy(experiment.standing),
                )
            except Unreachable:
                experiment.again = True
                await asyncio.sleep(TICK)
            if self.engine.experiments.get(experiment.id) is not experiment:
                return  # it was opened again meanwhile, or is another process's now
            if not experiment.again:
                break
        for line, entry in experiment.since:
            if line > rebuilt.line:
                rebuilt.apply(line, entry)
        experiment.take_over(rebuilt)
        experiment.learning_again, experiment.since = False, []
        self.writer.add([], ignore, None, experiment.snapshot())

    async def stop(self) -> None:
        """Commit what is under way, write snapshots, close the database."""
        self.stopping = True
        for task in list(self.tasks):
            task.cancel()
        for experiment in self.engine.experiments.values():
            if not experiment.learning_again:
                self.writer.add([], ignore, None, experiment.snapshot())
        await self.writer.commit([])
        self.writer.close()
        self.ownership.release()
        self.store.close()


def ignore(outcome: Any) -> None:
    """Nobody waits for this."""
