"""The engine keeps its promises, and all stores tell the same: verification/ plays it longer."""

from typing import Any

from robandit.service import messages
from robandit.service.engine import Engine
from robandit.service.experiment import open_experiment
from robandit.service.stores.memory import MemoryStore


def test_the_engine_keeps_its_promises() -> None:
    from hypothesis import settings
    from hypothesis.stateful import run_state_machine_as_test

    from tests.machine import Machine

    few = settings(max_examples=25, stateful_step_count=40, deadline=None, derandomize=True, database=None)
    run_state_machine_as_test(Machine, settings=few)


def begun(**rules: Any) -> tuple[Engine, Any, list[float]]:
    """An experiment, and a clock to be set."""
    clock = [100.0]
    engine = Engine(MemoryStore(), lambda: clock[0])
    asked = messages.NewExperiment("one", ["a", "b", "c"], "exp3", seed=7)
    asked.rules = messages.ExperimentRules(**rules)
    engine.create(asked)
    return engine, engine.find("one"), clock


def kept(engine: Engine, answer: Any) -> Any:
    """What was told, with its lines committed."""
    engine.store.commit(answer.rows)
    return answer.message


def test_a_unit_keeps_its_decision_for_its_window_and_while_its_arm_may_be_chosen() -> None:
    engine, one, clock = begun(sticky=True, window=10.0)
    ask = messages.DecisionRequest(unit="u")
    first = kept(engine, engine.decide(one, ask, None))
    kept(engine, engine.reward(one, first.id, messages.Reward(1.0), None))
    clock[0] += 9.9
    assert engine.decide(one, ask, None).message == first  # though it was rewarded
    others = [arm for arm in "abc" if arm != first.arm]
    second = kept(engine, engine.decide(one, messages.DecisionRequest(others, "u"), None))
    assert second.arm in others
    assert engine.decide(one, ask, None).message == second
    kept(engine, engine.change_arm(one, second.arm, "paused", "op"))
    third = kept(engine, engine.decide(one, ask, None))
    assert third.arm != second.arm
    clock[0] += 10.0
    assert engine.decide(one, ask, None).status == 201


def test_keys_and_acts_outlast_a_snapshot() -> None:
    """A new process begins with a state that was kept, but not after an operator's later word; keys it reads again."""
    engine, one, _ = begun()
    first = kept(engine, engine.decide(one, messages.DecisionRequest(), "key"))
    kept(engine, engine.reward(one, first.id, messages.Reward(1.0), "bot"))
    engine.store.commit([], [one.snapshot()])
    again = Engine(engine.store)
    told = again.decide(again.find("one"), messages.DecisionRequest(), "key")
    assert (told.status, told.message, told.rows) == (200, first, [])
    bulk = kept(again, again.decide(again.find("one"), messages.DecisionRequest(count=2), "key"))
    assert [made.id for made in bulk.decisions].count(first.id) == 0  # a bulk's keys are not anybody's single one
    before = again.find("one").fold.save_state()
    kept(again, again.act(again.find("one"), {"entry": "source", "source": "bot", "change": "quarantined"}, "op"))
    third = Engine(engine.store).find("one")
    assert third.fold.save_state() != before
    assert third.snapshot() == open_experiment(engine.store, engine.store.experiments()[0], snapshots=False).snapshot()
