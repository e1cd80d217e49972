"""Kernels are found again by a later process, and never when anything that their code reads has changed."""

import json
import subprocess
import sys
from pathlib import Path

POLICY = """
from dataclasses import dataclass
import numpy as np
import robandit as rb
import consts
from helper import step

@dataclass
class State:
    probabilities: np.ndarray
    pulls: int = 0

@dataclass(frozen=True)
class Greedy(rb.Policy[State]):
    rate: float = 0.1

    def start(self, setting):
        return State(np.full(setting.arms, 1 / setting.arms))

    def first(self):
        return consts.FIRST

    def learn(self, state, choice, reward, random):
        state.pulls += 1
        for arm in range(len(state.probabilities)):
            wanted = 1.0 if arm == choice.arm else 0.0
            rate = consts.SECOND * self.first() * step(self.rate)
            state.probabilities[arm] += rate * reward * (wanted - state.probabilities[arm])
"""
EDITS = """
import json, sys
sys.dont_write_bytecode = True  # its files go by the clock, and edits come faster
sys.path.insert(0, ".")
from pathlib import Path
import robandit as rb
from robandit.lab.compile.kernel import built

told = []
for helper, consts in json.loads(sys.argv[1]):
    Path("helper.py").write_text(helper)
    Path("consts.py").write_text(consts)
    for name in ("policy", "helper", "consts"):
        sys.modules.pop(name, None)
    from policy import Greedy
    before = built()
    trace = rb.simulate(Greedy(), rb.Bernoulli([0.2, 0.8]), horizon=5000, runs=4, threads=1)
    told.append((trace.regret[:, -1].mean(), [after - old for after, old in zip(built(), before)]))
print(json.dumps(told))
"""
PLAIN = "def step(rate):\n    return rate\n"
SHARED = "SHARE = {0}\ndef step(rate):\n    return SHARE * rate\n"
COMPILED = "import numba\nSHARE = {0}\n@numba.njit\ndef step(rate):\n    return rate / SHARE\n"
ONES = "FIRST = 1.0\nSECOND = 1.0\n"
EDITIONS = [
    (PLAIN, ONES),
    (SHARED.format(0.25), ONES),  # other code, which reads a constant
    (SHARED.format(0.75), ONES),  # the same code and another constant
    (COMPILED.format(3), ONES),
    (COMPILED.format(7), ONES),
    (PLAIN, "FIRST = 1.0\nSECOND = 0.4\n"),  # two methods read one module, by different names
    (PLAIN, "FIRST = 0.6\nSECOND = 1.0\n"),
]


def test_cached_across_processes_and_never_stale(tmp_path: Path, pieces: Path) -> None:
    (tmp_path / "policy.py").write_text(POLICY)
    env = {"ROBANDIT_CACHE": str(pieces), "PATH": ""}
    told = []
    for editions in (EDITIONS, EDITIONS[::-1]):
        words = [sys.executable, "-c", EDITS, json.dumps(editions)]
        done = subprocess.run(words, env=env, cwd=tmp_path, capture_output=True, text=True, check=True)
        told.append(json.loads(done.stdout))
    first, again = told[0], told[1][::-1]
    assert [made for _, made in first] == [[1, 0]] * len(EDITIONS)
    assert [made for _, made in again] == [[0, 1]] * len(EDITIONS)
    regrets = [regret for regret, _ in first]
    assert regrets == [regret for regret, _ in again]
    assert len(set(regrets)) == len(EDITIONS)
