"""The audit against truth: rings of five in a thousand over many seeds, alarms on clean logs looked at row by row."""

import numpy as np
import pytest

import robandit as rb
from robandit.forensics.alarms import SHARED
from robandit.forensics.statistics import ALARMS, all_evidence
from tests.rings import RING, play

MEANS = (0.30, 0.45, 0.50)


@pytest.mark.parametrize("name", ["samba", "thompson", "ucb1", "epsilon-greedy"])
def test_rings_that_turned_the_leader(name: str) -> None:
    """In every log whose leader the ring changed (the honest rest leads elsewhere) the ring is named."""
    policy, logs, ranks, sizes, hits = rb.policy(name), 0, [], [], 0
    for seed in range(1, 11):
        log = play(policy, MEANS, 20_000, promoted=1, budget=600, first=12_000, seed=seed)
        wishes = [f"source={ring}" for ring in RING]
        audit = rb.audit(log.table, policy, price=False, without=wishes)
        assert audit.without is not None
        if audit.belief.leader != "arm-1" or audit.without.belief.leader == "arm-1":
            continue
        logs += 1
        names = [row["source"] for row in audit.sources()]
        ranks.append(max(names.index(ring) + 1 for ring in RING))
        assert audit.witness is not None
        sizes.append(len(audit.witness))
        hits += set(audit.flagged()) >= set(RING)
    print(f"{name}: {logs} of 10 logs turned; the last of the ring ranks {ranks}; witness sets of {sizes}; ", end="")
    print(f"all five flagged in {hits}")
    assert logs >= 1
    assert np.mean(np.array(ranks) <= 10) == 1.0


def test_alarms_on_two_hundred_clean_logs() -> None:
    """SAMBA's own logs, 300 rows by 30 sources, every alarm looked at after every row, at level .05 in all."""
    alarms = dict.fromkeys((*ALARMS, "any"), 0)
    for seed in range(200):
        table = play(rb.Samba(0.1), MEANS, 300, honest=30, ring=(), seed=1000 + seed).table
        evidence = all_evidence(table, table.codes, looks=table.rows)
        names = [one.name for one in evidence if one.name in ALARMS and one.alarm(SHARED) is not None]
        for name in names:
            alarms[name] += 1
        alarms["any"] += bool(names)
        assert {one.name for one in evidence} == {"rate", "selection", "level", "bursts"}
    print(f"of 200 clean logs: {alarms}")
    assert alarms["any"] <= 10
