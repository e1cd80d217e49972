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
    request = messages.NewExperiment("one", ["a", "b", "c"], "exp3", seed=7)
    request.rules = messages.ExperimentRules(**rules)
    engine.create(request)
    return engine, engine.find("one"), clock


def commit(engine: Engine, answer: Any) -> Any:
    """Returns the message of an answer, with its lines committed."""
    engine.store.commit(answer.rows)
    return answer.message


def test_a_unit_keeps_its_decision_for_its_window_and_while_its_arm_may_be_chosen() -> None:
    engine, one, clock = begun(sticky=True, window=10.0)
    ask = messages.DecisionRequest(unit="u")
    first = commit(engine, engine.decide(one, ask, None))
    commit(engine, engine.reward(one, first.id, messages.Reward(1.0), None))
    clock[0] += 9.9
    assert engine.decide(one, ask, None).message == first  # though it was rewarded
    others = [arm for arm in "abc" if arm != first.arm]
    second = commit(engine, engine.decide(one, messages.DecisionRequest(others, "u"), None))
    assert second.arm in others
    assert engine.decide(one, ask, None).message == second
    commit(engine, engine.change_arm(one, second.arm, "paused", "op"))
    third = commit(engine, engine.decide(one, ask, None))
    assert third.arm != second.arm
    clock[0] += 10.0
    assert engine.decide(one, ask, None).status == 201


def test_keys_and_acts_outlast_a_snapshot() -> None:
    """A new process begins with a snapshot, but not after an operator's later word; keys it reads again."""
    engine, one, _ = begun()
    first = commit(engine, engine.decide(one, messages.DecisionRequest(), "key"))
    commit(engine, engine.reward(one, first.id, messages.Reward(1.0), "bot"))
    engine.store.commit([], [one.snapshot()])
    again = Engine(engine.store)
    answer = again.decide(again.find("one"), messages.DecisionRequest(), "key")
    assert (answer.status, answer.message, answer.rows) == (200, first, [])
    bulk = commit(again, again.decide(again.find("one"), messages.DecisionRequest(count=2), "key"))
    assert first.id not in {decision.id for decision in bulk.decisions}  # a bulk's keys are not anybody's single one
    before = again.find("one").fold.save_state()
    commit(again, again.act(again.find("one"), {"entry": "source", "source": "bot", "change": "quarantined"}, "op"))
    third = Engine(engine.store).find("one")
    assert third.fold.save_state() != before
    assert third.snapshot() == open_experiment(engine.store, engine.store.experiments()[0], snapshots=False).snapshot()
