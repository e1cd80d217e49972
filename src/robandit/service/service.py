"""The service without its HTTP: engine, writer and tokens together, what falls due, and how it stops."""

import asyncio
import math
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from logging import ERROR, WARNING
from typing import TYPE_CHECKING, Any, NoReturn

import msgspec

from robandit.errors import InputError
from robandit.service.engine import FAULTS, Answer, Engine
from robandit.service.experiment import Experiment, open_experiment
from robandit.service.logs import log_event, log_fault
from robandit.service.ownership import Elsewhere, Ownership, stop_at_once
from robandit.service.problems import Problem
from robandit.service.reader_work import ReaderWork
from robandit.service.recent import Room
from robandit.service.stores.base import ExperimentRecord, ServiceStore, Snapshot, Unreachable
from robandit.service.supervisor import Supervisor, Work
from robandit.service.tokens import LOCAL, Token, Tokens
from robandit.service.watch import WATCH, Watch
from robandit.service.webhook import Webhook
from robandit.service.writer import GroupWriter

if TYPE_CHECKING:
    from robandit.service.forward import Forwarder

REPLAY = "the replay of experiment "
TICK = 0.5  # seconds between two checks of what is due
FAULT = "this is a fault of the service; nothing of this request is recorded, and the log says more"
UNKNOWN = "the database failed: whether this was recorded is not known; ask again when the service is back"


class Service:
    """One process that serves."""

    def __init__(
        self,
        store: ServiceStore,
        tokens: Tokens,
        *,
        clock: Callable[[], float] | None = None,
        ownership: Ownership | None = None,
        room: Room | None = None,
    ) -> None:
        self.store, self.tokens = store, tokens
        self.ownership = Ownership() if ownership is None else ownership
        self.engine = Engine(store, clock, self.ownership.first_records(store), room)
        self.stopping = self.leaving = False  # leaving: experiments are handed over, and requests still answered
        self.sync_ms, self.notes = 0.0, list[str]()
        self.requests = Counter[tuple[str, int]]()  # by kind and status, for the metrics
        self.sticky: dict[int, bool] = {}  # whether units keep their arms, of experiments that were not served here
        self.origins: tuple[str, ...] = ()  # of web pages elsewhere that may call the service with a token
        self.access_log = False  # whether every request is logged
        self.tasks: set[asyncio.Task[Any]] = set()
        self.supervisor = Supervisor()
        self.watch = Watch(self)
        self.replays, self.exports = ReaderWork("a what-if", "what-ifs"), ReaderWork("an export", "exports")
        self.webhook: Webhook | None = None
        self.forwarder: Forwarder | None = None  # to other processes; without it, clients get their addresses
        self.writer: GroupWriter
        self.on_failure: Callable[[BaseException], None] = stop_at_once
        self.engine.on_fault = self.set_aside
        for number, (_, why) in self.engine.aside.items():
            self.supervisor.note(f"experiment {number}", why)

    def start(self) -> None:
        """Begin, on the running loop."""
        self.begin_writing()
        self.keep("the clock", self.tick)
        if self.watch.every > 0:
            self.keep(WATCH, self.watch.run, reports=True)
        if self.webhook is not None:
            self.keep("the webhook", self.webhook.run)
        self.ownership.begin(self)

    def begin_writing(self) -> None:
        """Start a writer, the first one or after one that failed."""
        self.writer = GroupWriter(asyncio.get_running_loop(), self.store, lambda error: self.on_failure(error))

    def keep(self, name: str, work: Work, *, reports: bool = False) -> None:
        """Do something beside the requests that must go on: it is restarted when it fails."""
        self.background(self.supervisor.keep(name, work, reports=reports))

    def background(self, work: Any) -> None:
        """Do something beside the requests; errors there are printed."""
        task = asyncio.get_running_loop().create_task(work)
        self.tasks.add(task)

        def finish(task: asyncio.Task[Any]) -> None:
            self.tasks.discard(task)
            if not task.cancelled() and task.exception() is not None:
                log_event(ERROR, "task_failed", repr(task.exception()))

        task.add_done_callback(finish)

    async def tick(self) -> None:
        """Write what is due though no request comes: windows that end, rewards held long enough."""
        while True:
            await asyncio.sleep(TICK)
            self.refresh_tokens()
            rows = self.engine.ticks()
            self.supervisor.note("clocks", self.engine.clock_problem())
            if rows:
                self.writer.add(rows, ignore, None)

    def refresh_tokens(self) -> None:
        """Read the token file if it has changed; one that cannot be read leaves the tokens as they were."""
        try:
            self.tokens.refresh()
        except InputError as error:
            self.supervisor.note("tokens", f"the tokens stay as they were: {error}")
        else:
            locked = not self.tokens.open and not self.tokens.by_hash
            self.supervisor.note("tokens", "the token file holds no token, so everybody is refused" if locked else "")

    def token(self, header: bytes) -> Token:
        """Returns who asks, by the Authorization header. Raises a Problem where a token is needed."""
        if self.tokens.open:
            return LOCAL
        has_token = header[:7].lower() == b"bearer "
        token = self.tokens.find(header[7:]) if has_token else None
        if token is None:
            detail = "nobody has this token" if has_token else "a token is needed: Authorization: Bearer ..."
            raise Problem(401, detail, {"www-authenticate": "Bearer"})
        return token

    def admit(self, token: Token, role: str) -> None:
        """Raises a Problem for a token that lacks a role, or asks too often."""
        if token is LOCAL:
            return
        if not token.may(role):
            raise Problem(403, f"this token lacks the role {role!r}")
        wait = token.wait()
        if wait > 0:
            sentence = f"this token may ask for {token.rate:g} decisions or rewards per second"
            raise Problem(429, sentence, {"retry-after": f"{math.ceil(wait)}"})

    def experiment(self, token: Token, id: str) -> Experiment | None:
        """Returns an experiment that is served here now and that this token may see."""
        experiment = self.engine.by_name.get(id)
        if experiment is None or not self.ownership.holds(experiment.id):
            return None
        return experiment if token.experiments is None or token.sees(experiment.id, experiment.name) else None

    async def find(self, token: Token, id: str) -> Experiment:
        """Returns the same. Raises a Problem: 404, or where it is served."""
        experiment = self.experiment(token, id)
        return await self.refuse_absent(token, id) if experiment is None else experiment

    async def find_anywhere(self, token: Token, id: str) -> Experiment | Elsewhere:
        """Returns an experiment that this token may see, whoever serves it. Raises a Problem."""
        return self.experiment(token, id) or await self.locate(token, id)

    async def refuse_absent(self, token: Token, id: str) -> NoReturn:
        """Raises a Problem for an experiment that is not served here: 404, or where it is, or why it is not served."""
        raise (await self.locate(token, id)).problem()

    async def locate(self, token: Token, id: str) -> Elsewhere:
        """Returns where an experiment is served that is not served here. Raises a Problem: 404, or why nobody does."""
        aside = self.engine.find_aside(id)
        if aside is not None and token.sees(aside[0].id, aside[0].name):
            raise Problem(503, f"{aside[1]}; its journal is whole", {"retry-after": "5"})
        other = await self.ownership.elsewhere(id)
        if other is not None and token.sees(other.id, other.name):
            return other
        raise Problem(404, f"there is no experiment {id!r}")

    def is_sticky(self, experiment: int) -> bool:
        """Whether units keep their arms in an experiment that is not served here, by the first line of its journal."""
        if experiment not in self.sticky:
            _, first = next(iter(self.store.lines(experiment)))
            self.sticky[experiment] = bool((msgspec.json.decode(first).get("rules") or {}).get("sticky"))
        return self.sticky[experiment]

    def follow_up(self, answer: Answer, experiment: Experiment | None) -> Snapshot | None:
        """Returns a snapshot where one is due; begins to rebuild the state after an operator's act."""
        if experiment is None or not answer.rows:
            return None
        if answer.rows[-1].act:  # an act comes alone
            self.rebuild(experiment)
        due = experiment.line >= experiment.snapshot_due and not experiment.learning_again
        return self.snapshot(experiment) if due else None

    def snapshot(self, experiment: Experiment) -> Snapshot | None:
        """Returns a snapshot; None where a policy's numbers cannot be stored, as infinite ones: the journal can."""
        try:
            return experiment.snapshot()
        except FAULTS as error:
            experiment.snapshot_due = experiment.next_snapshot()
            log_event(WARNING, "no_snapshot", f"there is no snapshot: {error!r}", experiment=experiment.id)
            return None

    def attempt(self, verb: Callable[[Any], Any], call: Any) -> Any:
        """Returns the answer of a verb to a call. Raises a Problem, and then nothing is recorded.

        After a fault in the middle nobody knows whether the memory is what the journal comes to. If it is a fault of
        ours, the experiment is read again; if it is the database's, the service stops as when a commit fails.
        """
        try:
            return verb(call)
        except (Problem, Unreachable):
            raise
        except FAULTS as error:
            self.set_aside(call.experiment, error)
            raise Problem(500, FAULT) from error
        except Exception as error:
            self.writer.fail([], error)
            raise Problem(503, UNKNOWN, {"retry-after": "5"}) from error

    def set_aside(self, experiment: Experiment | None, error: Exception) -> None:
        """A request failed in the middle: stop serving its experiment until it is read again; the others go on."""
        log_fault(error)
        if experiment is None or self.engine.experiments.get(experiment.id) is not experiment:
            return
        self.engine.set_aside(experiment, error)
        self.supervisor.note(f"experiment {experiment.id}", self.engine.aside[experiment.id][1])
        self.background(self.open_again(experiment.record))

    async def open_again(self, record: ExperimentRecord) -> None:
        """Serve an experiment that was set aside, from its journal, if it can be read."""
        await self.writer.commit([])  # what was answered is in the journal
        try:
            experiment = await asyncio.to_thread(self.engine.read, record)
        except FAULTS as error:
            self.engine.aside[record.id] = (record, f"experiment {record.id} cannot be read: {error!r}")
            self.supervisor.note(f"experiment {record.id}", self.engine.aside[record.id][1])
        else:
            self.supervisor.note(f"experiment {record.id}", "")
            if record.id in self.engine.aside and self.ownership.holds(record.id):
                self.engine.adopt(experiment)

    def begin_commit(self, answer: Answer, experiment: Experiment | None) -> asyncio.Future[Any]:
        """Returns a future of the answer, or of the error.

        It must be called in the turn of the loop in which the answer's lines were made: later, others would be first.
        """
        return self.writer.begin_commit(answer.rows, answer, self.follow_up(answer, experiment))

    async def commit(self, answer: Answer, experiment: Experiment | None) -> Answer:
        """Returns the answer once its lines are durable. Raises a Problem if the database fails."""
        outcome = await self.begin_commit(answer, experiment)
        if isinstance(outcome, BaseException):
            raise Problem(503, UNKNOWN, {"retry-after": "5"})
        return answer

    def rebuild(self, experiment: Experiment) -> None:
        """Rebuild an experiment's state from its journal beside the one that serves, and then replace it."""
        if not experiment.learning_again:
            experiment.learning_again, experiment.since = True, []
            self.keep(replay_name(experiment.id), lambda: self.rebuild_beside(experiment))
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
        self.writer.add([], ignore, None, self.snapshot(experiment))

    def store_states(self, only: list[int] | None = None) -> None:
        """Begin to store a snapshot of every experiment, or of those that are served of some."""
        for experiment in self.engine.experiments.values():
            if not experiment.learning_again and (only is None or experiment.id in only):
                self.writer.add([], ignore, None, self.snapshot(experiment))

    async def stop(self) -> None:
        """Commit what is under way, write snapshots, close the database."""
        self.stopping = True
        self.replays.close()
        self.exports.close()
        if self.forwarder is not None:
            self.forwarder.close()
        for task in list(self.tasks):
            task.cancel()
        self.store_states()
        await self.writer.commit([])
        self.writer.close()
        self.ownership.release()
        self.store.close()


def replay_name(experiment: int) -> str:
    """Returns the name of the task that rebuilds an experiment."""
    return f"{REPLAY}{experiment}"


def ignore(outcome: Any) -> None:
    """Nobody waits for this."""
