"""Thompson sampling with a prior and a cap: what it is without both, what a full arm does, and what is refused."""

import math
import re

import numpy as np
import pytest

import robandit as rb
from robandit.game import Choice
from robandit.policies import CappedThompson
from tests.support import stream


def test_without_a_cap_and_with_the_flat_prior_it_is_thompson() -> None:
    plain, capped = (
        rb.simulate(policy, [0.8, 0.6, 0.3], horizon=2000, runs=3, seed=4)
        for policy in (rb.policy("thompson"), CappedThompson(2.0, math.inf))
    )
    assert np.array_equal(plain.regret, capped.regret)


def test_a_full_arm_learns_no_more() -> None:
    policy, random = CappedThompson(prior=4.0, cap=7.0, mean=0.25), stream(1)
    state = policy.start(rb.Setting(2, 100))
    for reward in (1.0, 0.0, 1.0, 0.0, 0.0):  # two rewards too many
        policy.learn(state, Choice(0, math.nan, 0), reward, random)
    assert (state.wins.tolist(), state.losses.tolist()) == ([3.0, 1.0], [4.0, 3.0])
    policy.restart(state)
    assert (state.wins.tolist(), state.losses.tolist()) == ([1.0, 1.0], [3.0, 3.0])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("capped-thompson:prior=1", "prior must be a number at least 2"),
        ("capped-thompson:prior=10,mean=0.95", "must be at least 1, not 9.5 and 0.5"),
        ("capped-thompson:cap=10", "cap must be at least prior + 1, or nothing is ever learnt, not 10"),
        ("window:inner=capped-thompson", "a full arm drops rewards, and nobody takes note which"),
    ],
)
def test_what_cannot_be_is_refused(text: str, words: str) -> None:
    with pytest.raises(rb.InputError, match="capped-thompson.*" + re.escape(words)):
        rb.policy(text)
