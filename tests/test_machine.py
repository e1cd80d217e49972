"""The engine keeps its promises, and all stores tell the same: verification/ plays it longer."""

from hypothesis import settings
from hypothesis.stateful import run_state_machine_as_test

from tests.machine import Machine

FEW = settings(max_examples=30, stateful_step_count=40, deadline=None, derandomize=True, database=None)


def test_the_engine_keeps_its_promises() -> None:
    run_state_machine_as_test(Machine, settings=FEW)
