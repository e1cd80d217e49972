"""The test for one mean over long plays: without forged rewards it rings as rarely as it says, whatever the policy."""

import pytest

import robandit as rb
from robandit.lab.watched import Watched

GRID = tuple(number / 10 for number in range(1, 10))


@pytest.mark.parametrize("means", [GRID, (0.02, 0.03, 0.05)], ids=["grid", "few arms"])
@pytest.mark.parametrize("policy", ["thompson", "ucb1", "samba", "uniform"])
def test_honest_plays_hardly_ring(policy: str, means: tuple[float, ...]) -> None:
    """500 runs of 10,000 rounds: at most 5 % may ring, so more than 47 have a probability below 1e-5."""
    watch = Watched(inner=rb.policy(policy), level=0.05)
    alarms = rb.simulate(watch, means, horizon=10_000, runs=500, seed=4).alarms
    assert alarms is not None
    count = int((alarms > 0).sum())
    print(f"{policy}: {count} of 500 rang")
    assert count <= 47
