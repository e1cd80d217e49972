"""A system clock that jumps: windows end and holds settle in their time, and somebody can see what happened."""

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from robandit.service import messages
from robandit.service.clock import SteadyClock
from robandit.service.engine import Engine
from robandit.service.stores.memory import MemoryStore
from robandit.service.stores.sqlite import SqliteStore
from robandit.service.verify import verify_store
from tests.serving import running
from tests.test_supervised import health, until

YEAR = 365 * 86_400.0
RULES = messages.ExperimentRules(window=60.0, default=0.0, hold=10.0)


class Wall:
    """A system clock, and a clock that nobody sets beside it."""

    def __init__(self) -> None:
        self.now, self.measured = 1e9, 50.0

    def go_on(self, seconds: float) -> None:
        self.now, self.measured = self.now + seconds, self.measured + seconds


def begin(store: Any, clock: Any) -> Engine:
    """An engine with an experiment that has a window and a hold."""
    engine = Engine(store, clock)
    if not engine.experiments:
        engine.create(messages.NewExperiment("one", ["x", "y"], "samba", seed=1, rules=RULES))
    return engine


def decide(engine: Engine) -> str:
    """A decision that is stored."""
    answer = engine.decide(engine.experiments[1], messages.DecisionRequest(), None)
    engine.store.commit(answer.rows)
    return str(answer.message.id)


def tick(engine: Engine) -> None:
    """What is due is stored."""
    engine.store.commit(engine.ticks())


def test_a_jump_of_the_system_clock_is_not_followed() -> None:
    wall = Wall()
    engine = begin(MemoryStore(), SteadyClock(lambda: wall.now, lambda: wall.measured))
    docket = engine.experiments[1].docket
    decide(engine)
    wall.now += YEAR
    wall.go_on(30)
    tick(engine)
    id = decide(engine)
    assert docket.expired == 0  # the window of the first is half over
    assert "jumped forward by 365 days" in engine.clock_problem()
    wall.go_on(31)
    tick(engine)
    assert docket.expired == 1
    engine.store.commit(engine.reward(engine.experiments[1], id, messages.Reward(1.0), "s").rows)
    wall.now -= YEAR  # and back
    assert docket.clock < 1e9 + 100
    wall.go_on(9.0)
    tick(engine)
    assert engine.experiments[1].fold.pending
    wall.go_on(1.5)
    tick(engine)
    assert not engine.experiments[1].fold.pending  # held for ten seconds, then learnt
    assert engine.clock_problem() == ""
    wall.now -= 0.5  # a small correction is followed
    assert engine.clock() == wall.now


@pytest.mark.parametrize("again", [False, True], ids=["in one life", "after a restart"])
def test_a_journal_that_is_ahead_goes_on_in_its_own_time(again: bool, tmp_path: Path) -> None:
    """A start with a wrong clock has written lines of next year; then the clock is put right."""
    wall, store = Wall(), SqliteStore(tmp_path / "db")
    engine = begin(store, lambda: wall.now)
    wall.now += YEAR
    late = decide(engine)
    wall.now -= YEAR
    if again:
        store.close()
        store = SqliteStore(tmp_path / "db")
        engine = begin(store, lambda: wall.now)
    wall.go_on(5)
    id = decide(engine)
    docket = engine.experiments[1].docket
    assert docket.clock >= 1e9 + YEAR
    for decision in (late, id):
        store.commit(engine.reward(engine.experiments[1], decision, messages.Reward(1.0), "s").rows)
    wall.go_on(9.5)
    tick(engine)
    assert len(engine.experiments[1].fold.pending) == 2
    wall.go_on(1)
    tick(engine)
    assert not engine.experiments[1].fold.pending
    decide(engine)
    wall.go_on(55)
    tick(engine)
    assert docket.expired == 0
    wall.go_on(7)
    tick(engine)
    assert docket.expired == 1
    assert "the last line was 364 days, 23:59:55 ahead of the clock" in engine.clock_problem()
    times = [entry["time"] for entry in map(decoded, store.lines(1, 1))]
    assert times == sorted(times)
    assert all(result.sound for result in verify_store(store, compiled=False))
    store.close()


def decoded(row: tuple[int, str]) -> Any:
    """A line's entry."""
    return json.loads(row[1])


def test_a_lead_shrinks_until_it_is_gone() -> None:
    wall = Wall()
    engine = begin(MemoryStore(), lambda: wall.now)
    wall.now += 2.0
    decide(engine)
    wall.now -= 2.0
    for _ in range(30):
        wall.go_on(10)
        decide(engine)
    one = engine.experiments[1]
    assert one.lead is None
    assert one.docket.clock == wall.now
    assert engine.clock_problem() == ""


def test_health_shows_a_jump(caplog: pytest.LogCaptureFixture) -> None:
    with running() as served:
        clock = served.service.engine.clock
        assert isinstance(clock, SteadyClock)
        clock.read = lambda: time.time() + 7200
        until(lambda: health(served)[1]["status"] == "degraded")
        assert "jumped forward by 2:00:00" in " ".join(health(served)[1]["notes"])
        clock.read = time.time
        until(lambda: health(served)[1]["status"] == "ok")
        made = httpx.post(f"{served.url}/v1/experiments", json={"name": "e", "arms": ["x"], "policy": "samba"})
        assert made.status_code == 201
    assert caplog.text.count("jumped forward by 2:00:00") == 1
