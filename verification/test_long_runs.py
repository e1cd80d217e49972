"""Very long plays: p(t) stays a distribution to 1e-12 and no number becomes NaN."""

import numpy as np
import pytest

import robandit as rb
from robandit.lab.runner import prepare
from tests.support import MEANS9


@pytest.mark.parametrize(
    ("policy", "horizon"),
    [("samba", 10**9), ("tsallis-inf-iw", 10**8), ("tsallis-inf-rv", 10**8), ("ftrl-hybrid:b=1", 10**7)],
)
def test_simplex_after_many_rounds(policy: str, horizon: int) -> None:
    runner = prepare(rb.Scenario(policy, MEANS9, horizon=horizon, runs=1), 10)
    probabilities = runner.play_compiled(slice(0, 1)).parts.state.probabilities
    print(f"{policy}: |sum p - 1| = {abs(probabilities.sum() - 1.0):.1e} after {horizon:.0e} rounds")
    assert np.isfinite(probabilities).all()
    assert abs(probabilities.sum() - 1.0) <= 1e-12
