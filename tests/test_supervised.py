"""Background work of the service: whatever ends it, it begins again, and while it is down somebody can see it."""

import asyncio
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest

from robandit.service import messages, supervisor
from robandit.service import service as module
from robandit.service import watch as watching
from robandit.service.leases import Leases
from robandit.service.service import Service
from robandit.service.stores.base import Unreachable
from robandit.service.stores.memory import MemoryStore
from robandit.service.stores.postgres import PostgresStore
from robandit.service.supervisor import Supervisor
from robandit.service.tokens import Tokens
from robandit.service.watch import JournalAudit, JournalCopy
from robandit.service.webhook import Receiver, Webhook
from tests.serving import Running, running, until

OFFERS = {"name": "offers", "arms": ["red", "green"], "policy": {"name": "samba"}}


def health(served: Running) -> tuple[int, dict[str, Any]]:
    """What /healthz says."""
    answer = httpx.get(f"{served.url}/healthz")
    return answer.status_code, answer.json()


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(supervisor, "FIRST", 0.2)
    monkeypatch.setattr(supervisor, "CALM", 0.6)


def test_the_clock_begins_again_and_windows_close(monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as served:
        httpx.post(f"{served.url}/v1/experiments", json={**OFFERS, "rules": {"window": 0.2, "default": 0.0}})
        engine, ticks = served.service.engine, served.service.engine.ticks
        monkeypatch.setattr(engine, "ticks", lambda: 1 / 0)
        until(lambda: health(served)[1]["status"] == "degraded")
        code, said = health(served)
        assert code == 200
        assert any("the clock failed" in note and "division by zero" in note for note in said["notes"])
        assert 'robandit_background_up{task="the clock"} 0' in httpx.get(f"{served.url}/metrics").text
        assert "the clock failed" in httpx.get(served.url, follow_redirects=True).text
        monkeypatch.setattr(engine, "ticks", ticks)
        until(lambda: health(served)[1]["status"] == "ok")
        metrics = httpx.get(f"{served.url}/metrics").text
        assert 'robandit_background_up{task="the clock"} 1' in metrics
        assert 'robandit_background_restarts_total{task="the clock"} 0' not in metrics
        url = f"{served.url}/v1/experiments/offers"
        httpx.post(f"{url}/decisions", json={})
        until(lambda: served.service.engine.experiments[1].docket.expired == 1)


def test_a_typo_in_the_token_file_leaves_the_tokens_and_the_clock(tmp_path: Path) -> None:
    with running(folder=tmp_path, boss="admin") as served:
        file = tmp_path / "tokens"
        good = file.read_text()
        file.write_text(good + "a line that is none\n")
        until(lambda: health(served)[1]["status"] == "degraded")
        assert "tokens, line 2" in " ".join(health(served)[1]["notes"])
        made = httpx.post(f"{served.url}/v1/experiments", json=OFFERS, headers=served.bearer("boss"))
        assert made.status_code == 201
        file.unlink()
        until(lambda: any("cannot be read" in note for note in health(served)[1]["notes"]))
        file.write_text("# nobody\n")  # whoever takes all tokens away means it, and is told
        until(lambda: any("holds no token" in note for note in health(served)[1]["notes"]))
        refused = httpx.post(f"{served.url}/v1/experiments", json=OFFERS, headers=served.bearer("boss"))
        assert (refused.status_code, refused.json()["detail"]) == (401, "nobody has this token")
        file.write_text(good)
        until(lambda: health(served)[1]["status"] == "ok")
        assert "a token is needed" in httpx.get(f"{served.url}/v1/experiments").json()["detail"]
        assert served.service.supervisor.duties["the clock"].restarts == 0


def test_what_is_over_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    supervisor = Supervisor()
    with caplog.at_level("INFO"):
        for problem in ("", "a mistake", "a mistake", "", ""):
            supervisor.note("tokens", problem)
    assert [record.message for record in caplog.records] == ["a mistake", "this is over: a mistake"]


def begin() -> Service:
    """A service with one experiment that has a reward."""
    service = Service(MemoryStore(), Tokens(None))
    service.engine.create(messages.NewExperiment("one", ["x", "y"], "samba", seed=1))
    experiment = service.engine.experiments[1]
    decided = service.engine.decide(experiment, messages.DecisionRequest(), None)
    service.store.commit(decided.rows)
    service.store.commit(service.engine.reward(experiment, decided.message.id, messages.Reward(1.0), "s").rows)
    return service


def test_the_watch_forgets_who_moved_away_and_survives_a_lost_database(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    service = begin()
    watch = service.watch
    watch.requested = {1, 7}  # experiment 7 is served elsewhere by now
    experiment = watch.next()
    assert experiment is not None
    assert watch.requested == {1}
    watch.audits[1] = JournalAudit(1, time.time(), 1.0, {"alarms": {"rate": 10}, "flagged": ["s"]})

    def lost(*_: Any) -> None:
        raise Unreachable("the database does not answer")

    monkeypatch.setattr(JournalCopy, "grow", lost)
    look = asyncio.run(watch.audit(experiment, tmp_path))
    assert look.problem == "the database does not answer"
    assert (look.alarms, look.flagged) == (["rate"], ["s"])  # what rang goes on ringing


def test_a_watch_that_dies_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    service, lives = begin(), 0

    async def broken(*_: Any) -> JournalAudit:
        nonlocal lives
        lives += 1
        raise RuntimeError("out of luck")

    monkeypatch.setattr(watching.Watch, "audit", broken)
    monkeypatch.setattr(watching, "BEAT", 0.01)
    service.watch.every = 0.01

    async def watch_for_a_while() -> None:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(service.supervisor.keep("the watch", service.watch.run), 2.0)

    asyncio.run(watch_for_a_while())
    assert lives >= 3
    assert service.supervisor.duties["the watch"].restarts == lives
    assert service.supervisor.problems == ["the watch failed and is being restarted: RuntimeError: out of luck"]


def test_a_watch_that_was_started_again_audits_and_stops_learning(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it could not do after an audit is done after the next one, though no line came since."""
    trip, failures, audited = watching.Watch.trip, iter([RuntimeError("no memory")]), list[int]()

    async def sometimes(watch: Any, experiment: Any, audit: JournalAudit) -> None:
        for error in failures:
            raise error
        audited.append(audit.line)
        assert audit.problem == ""
        await trip(watch, experiment, audit)

    monkeypatch.setattr(watching.Watch, "trip", sometimes)
    with running(prepare=lambda service: setattr(service.watch, "every", 0.1)) as served:
        httpx.post(f"{served.url}/v1/experiments", json=OFFERS)
        url = f"{served.url}/v1/experiments/1"
        for _ in range(2):
            made = httpx.post(f"{url}/decisions", json={}).json()
            httpx.put(f"{url}/decisions/{made['id']}/reward", json={"reward": 1, "source": "s"})
            until(lambda: audited and audited[-1] == served.service.engine.experiments[1].line)
        assert served.service.supervisor.duties["the watch"].restarts == 1
        until(lambda: health(served)[1]["status"] == "ok")


@pytest.mark.parametrize("kind", ["memory", "postgres"])
def test_each_background_task_that_is_killed_begins_again(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Whatever runs beside the requests, each in turn, in the middle of its work."""
    keep, deaths = Supervisor.keep, dict[str, asyncio.Event]()

    async def keep_mortal(self: Supervisor, name: str, work: Any, **more: Any) -> None:
        death = deaths[name] = asyncio.Event()

        async def mortal() -> None:
            task, end = asyncio.ensure_future(work()), asyncio.ensure_future(death.wait())
            try:
                await asyncio.wait({task, end}, return_when=asyncio.FIRST_COMPLETED)
                if death.is_set():
                    death.clear()
                    raise RuntimeError("killed")
                await task
            finally:
                task.cancel()
                end.cancel()

        await keep(self, name, mortal, **more)

    def prepare(service: Service) -> None:
        service.watch.every = 0.1
        service.webhook = Webhook(service, Receiver("http://127.0.0.1:9/", 16 * b"s"))
        if kind == "postgres":
            service.ownership = Leases(service.store, "http://127.0.0.1:1", 1.0)

    monkeypatch.setattr(Supervisor, "keep", keep_mortal)
    store = MemoryStore() if kind == "memory" else PostgresStore(request.getfixturevalue("database"))
    with running(store, tmp_path, prepare=prepare, boss="admin") as served:
        duties, loop = served.service.supervisor.duties, served.service.writer.loop
        wanted = {"the clock", "the watch", "the webhook", "the closing of silent connections"}
        if kind == "postgres":
            wanted |= {"the renewal of leases", "the end of leases", "the search for free experiments"}
            wanted |= {"the balance of experiments", "the list of ended sessions"}
        until(lambda: wanted <= duties.keys())
        assert wanted == set(duties)
        for name in sorted(wanted):
            loop.call_soon_threadsafe(deaths[name].set)
            until(lambda name=name: f"{name} failed and is being restarted: RuntimeError: killed" in notes(served))
            until(lambda name=name: duties[name].restarts == 1 and not duties[name].problem)
        boss = served.bearer("boss")
        assert httpx.post(f"{served.url}/v1/experiments", json=OFFERS, headers=boss).status_code == 201
        assert httpx.post(f"{served.url}/v1/experiments/1/decisions", json={}, headers=boss).status_code == 201


def notes(served: Running) -> list[str]:
    """What /healthz says is wrong."""
    said: list[str] = health(served)[1]["notes"]
    return said


def test_work_that_reports_counts_as_down_until_it_has_succeeded() -> None:
    async def story() -> Supervisor:
        supervisor = Supervisor()

        async def fail_late() -> None:
            await asyncio.sleep(0.7)  # longer than the time after which other work counts as up
            raise ValueError("again")

        task = asyncio.ensure_future(supervisor.keep("it", fail_late, reports=True))
        await asyncio.sleep(1.0)
        for _ in range(12):
            assert supervisor.problems
            await asyncio.sleep(0.1)
        assert supervisor.duties["it"].pause == 0.8
        supervisor.recover("it")
        assert (supervisor.problems, supervisor.duties["it"].pause) == ([], 0.2)
        task.cancel()
        return supervisor

    assert asyncio.run(story()).duties["it"].restarts == 2


def test_a_replay_that_fails_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    with running() as served:
        httpx.post(f"{served.url}/v1/experiments", json={**OFFERS, "name": 'the "best"'})
        url = f"{served.url}/v1/experiments/1"
        made = httpx.post(f"{url}/decisions", json={}).json()
        httpx.put(f"{url}/decisions/{made['id']}/reward", json={"reward": 1, "source": "liar"})
        opened, failures = module.open_experiment, iter([RuntimeError("no memory"), KeyError("x")])

        def sometimes(*words: Any, **named: Any) -> Any:
            for error in failures:
                raise error
            return opened(*words, **named)

        monkeypatch.setattr(module, "open_experiment", sometimes)
        answer = httpx.post(f"{url}/sources/liar", json={"change": "quarantined"})
        assert answer.status_code == 200, answer.text
        experiment = served.service.engine.experiments[1]
        until(lambda: not experiment.learning_again)
        assert experiment.since == []
        assert served.service.supervisor.duties["the replay of experiment 1"].restarts == 2
        metrics = httpx.get(f"{served.url}/metrics").text
        assert 'robandit_background_restarts_total{task="the replay of experiment 1"} 2' in metrics
        assert 'name="the \\"best\\""' in metrics  # a name cannot end the label it stands in


def test_pauses_grow_and_a_cancelled_task_ends() -> None:
    async def story() -> tuple[list[float], Supervisor]:
        kept, times = Supervisor(), list[float]()

        async def fails() -> None:
            times.append(time.monotonic())
            raise ValueError("again")

        task = asyncio.ensure_future(kept.keep("it", fails))
        await asyncio.sleep(1.8)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return times, kept

    times, kept = asyncio.run(story())
    gaps = [later - sooner for sooner, later in pairwise(times)]
    assert len(gaps) >= 2
    assert gaps[0] >= 0.19
    assert gaps[1] >= 0.39
    assert kept.duties["it"].restarts == len(times)
