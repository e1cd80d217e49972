"""Start-up, cache hits in a second process, and memory against the horizon, each in processes of its own."""

import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

PLAY = ["play", "--policy", "samba", "--runs", "10", "--horizon", "10000", "--json"]
HITS = """
import robandit as rb
from robandit.lab.compile.kernel import built
rb.simulate(rb.Samba(), rb.Bernoulli([.1, .9]), horizon=10, runs=1)
print(built()[1])
"""


def seconds(words: list[str], cache: str, repeats: int) -> float:
    """The median wall time of a command."""
    spent = []
    for _ in range(repeats):
        begun = time.perf_counter()
        subprocess.run(
            [sys.executable, *words], env=os.environ | {"ROBANDIT_CACHE": cache}, stdout=subprocess.DEVNULL, check=True
        )
        spent.append(time.perf_counter() - begun)
    return statistics.median(spent)


def peak_megabytes(horizon: str, cache: str) -> float:
    """The largest resident size of one play."""
    code = "import sys; from robandit.cli.main import main; main(sys.argv[1:]); "
    code += "print(open('/proc/self/status').read())"  # getrusage would count the memory of this process too
    words = [sys.executable, "-c", code, "play", "--runs", "2", "--horizon", horizon]
    done = subprocess.run(words, env=os.environ | {"ROBANDIT_CACHE": cache}, capture_output=True, text=True, check=True)
    return int(re.findall(r"VmHWM:\s+(\d+)", done.stdout)[0]) / 1024


def main() -> bool:
    """Print each figure beside its limit; answer whether all hold."""
    with tempfile.TemporaryDirectory() as cache:
        cold = seconds(["-m", "robandit", *PLAY], cache, 1)
        rows = [
            ("robandit --help, seconds", seconds(["-m", "robandit", "--help"], cache, 5), 0.3),
            ("second process to a first result, seconds", seconds(["-m", "robandit", *PLAY], cache, 5), 1.5),
            ("peak memory at T = 1e5, MB", peak_megabytes("1e5", cache), 300),
            ("peak memory at T = 1e8, MB", peak_megabytes("1e8", cache), 300),
        ]
        environment = os.environ | {"ROBANDIT_CACHE": cache}
        words = [sys.executable, "-c", HITS]
        hits = subprocess.run(words, env=environment, capture_output=True, text=True, check=True).stdout.strip()
    print(f"{'first process, compiling, seconds':44} {cold:8.2f}")
    print(f"{'kernels from the cache in a second process':44} {hits:>8}   of 1")
    for name, value, limit in rows:
        print(f"{name:44} {value:8.2f}   <= {limit:g}")
    return hits == "1" and all(value <= limit for _, value, limit in rows)


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
