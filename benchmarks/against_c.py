"""SAMBA's generic loop, plain, under a watching adversary and as a user's own policy, against hand-written C."""

import ctypes
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from timing import time_interleaved

import robandit as rb
from robandit.dice import seed_words
from robandit.lab.runner import prepare

ROUNDS, ARMS, RUNS = 1_000_000, 9, 4
LIMITS = {"samba": 1.2, "samba, leading adversary": 1.25, "a user's policy in a script": 1.3}
FLAGS = ["-O3", "-march=native", "-ffp-contract=off", "-shared", "-fPIC"]


def compile_c_loop(folder: Path) -> Any:
    """Compile the C loop; returns its function."""
    library = folder / "samba.so"
    subprocess.run(["cc", *FLAGS, str(Path(__file__).with_name("samba.c")), "-o", str(library)], check=True)
    function = ctypes.CDLL(str(library)).samba
    function.restype = ctypes.c_double
    return function


def play_c(function: Any, theta: float, budget: int) -> np.ndarray:
    """Play the C loop on the lab's own streams; returns its regrets."""
    means, words = np.arange(1, ARMS + 1) / (ARMS + 1), seed_words(1, range(RUNS))
    target, probabilities = np.where(np.arange(ARMS) == ARMS - 1, 0.0, 1.0), np.zeros(ARMS)
    real = np.ctypeslib.ndpointer(np.float64), np.ctypeslib.ndpointer(np.uint64)
    number = ctypes.c_double
    function.argtypes = [ctypes.c_int, ctypes.c_long, number, real[0], real[0], ctypes.c_int, number, ctypes.c_long]
    function.argtypes += [real[1], real[1], real[0]]
    return np.array(
        [
            function(
                ARMS,
                ROUNDS,
                0.05,
                means,
                target,
                ARMS - 1,
                theta,
                budget,
                words[run, 0].copy(),
                words[run, 1].copy(),
                probabilities,
            )
            for run in range(RUNS)
        ]
    )


def play_lab(policy: Any, adversary: Any) -> np.ndarray:
    """Play the lab in this thread alone; returns its regrets."""
    means = np.arange(1, ARMS + 1) / (ARMS + 1)
    runner = prepare(rb.Scenario(policy, means, adversary, horizon=ROUNDS, runs=RUNS), 200)
    runner.play_compiled(slice(0, RUNS), "full")
    return runner.buffers.regret[:, -1]


def main() -> bool:
    """Print ns per round and ratios; returns whether all of them hold."""
    sys.path.insert(0, str(Path(__file__).parent))
    from own_policy import MySamba

    leading = rb.attack("invert", schedule="leading:theta=0.2", budget=10_000, charge="rounds")
    with tempfile.TemporaryDirectory() as folder:
        function = compile_c_loop(Path(folder))
        pairs = {
            "samba": (lambda: play_lab(rb.Samba(), None), lambda: play_c(function, 2.0, 0)),
            "samba, leading adversary": (lambda: play_lab(rb.Samba(), leading), lambda: play_c(function, 0.2, 10_000)),
            "a user's policy in a script": (lambda: play_lab(MySamba(), None), lambda: play_c(function, 2.0, 0)),
        }
        calls = {
            f"{name} {kind}": call
            for name, pair in pairs.items()
            for kind, call in zip(("lab", "C"), pair, strict=True)
        }
        seconds = time_interleaved(calls, 15)
        holds = True
        print(f"{'ns a round, K=9, one thread':32} {'lab':>7} {'C':>7} {'ratio':>7}   limit   same regret")
        for name, (lab, c) in pairs.items():
            ours, theirs = (1e9 * seconds[f"{name} {kind}"] / (ROUNDS * RUNS) for kind in ("lab", "C"))
            is_same = bool((lab() == c()).all())
            holds &= is_same and ours / theirs <= LIMITS[name]
            words = f"{ours / theirs:7.2f}   <= {LIMITS[name]:4}  {'bit for bit' if is_same else 'NO'}"
            print(f"{name:32} {ours:7.1f} {theirs:7.1f} {words}")
    return holds


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
