"""Saved states: exact to the bit, and refused where anything does not fit."""

import json
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.state import save_values
from tests.support import stream

SETTING = rb.Setting(3, 100)


def some_state(policy: rb.Policy[Any]) -> Any:
    state, random = policy.start(SETTING), stream(5)
    for _ in range(50):
        choice = policy.choose(state, random)
        policy.learn(state, choice, random.uniform(), random)
    return state


def test_a_state_comes_back_to_the_bit() -> None:
    state = some_state(rb.policy("tsallis-inf-iw"))
    text = json.dumps(rb.save_state(rb.policy("tsallis-inf-iw"), state), allow_nan=False)
    back = rb.load_state(rb.policy("tsallis-inf-iw"), SETTING, json.loads(text))
    assert save_values(back) == save_values(state)
    assert back.probabilities.tobytes() == state.probabilities.tobytes()


def changed(**changes: Any) -> Any:
    told = json.loads(json.dumps(rb.save_state(rb.Ucb1(), some_state(rb.Ucb1()))))
    values = {**told["values"], **changes.pop("values", {})}
    return {**told, "values": values, **changes}


@pytest.mark.parametrize(
    ("told", "message"),
    [
        (changed(values={"pulls": [1.0]}), r"pulls must have the shape \(3,\), not \(1,\)"),
        (changed(values={"pulls": 1.0}), "pulls must have the shape"),
        (changed(values={"pulls": [1.0, [2.0], 3.0]}), "pulls must be a finite float64, not \\[2.0\\]"),
        (changed(values={"pulls": [1.0, float("inf"), 2.0]}), "pulls must be a finite float64, not inf"),
        (changed(values={"sums": [1.0, float("nan"), 2.0]}), "sums must be a finite float64, not nan"),
        (changed(values={"sums": [1.0, "2", 2.0]}), "sums must be a finite float64, not '2'"),
        (changed(values={"sums": [1.0, True, 2.0]}), "sums must be a finite float64, not True"),
        (changed(values={"rounds": 2.5}), "rounds must be a finite int64, not 2.5"),
        (changed(values={"rounds": 2**70}), "rounds must be a finite int64"),
        (changed(values={"more": 1}), "values must be probabilities, pulls"),
        (changed(format=99), "format must be 2 here, not 99"),
        (changed(policy="samba"), "policy must be 'ucb1' here, not 'samba'"),
        (changed(fields={}), "fields must be"),
        ([1.0], "a saved state must have the keys format, policy, fields and values, not list"),
        ({}, "not none"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(told: Any, message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        rb.load_state(rb.Ucb1(), SETTING, told)


def test_a_state_for_other_arms_or_with_no_numbers_is_refused() -> None:
    told = rb.save_state(rb.Samba(), some_state(rb.Samba()))
    with pytest.raises(rb.InputError, match="probabilities must have the shape"):
        rb.load_state(rb.Samba(), rb.Setting(4, 100), told)
    broken = some_state(rb.Samba())
    broken.probabilities[1] = np.nan
    with pytest.raises(rb.InputError, match="probabilities must be a finite float64, not nan"):
        rb.save_state(rb.Samba(), broken)
