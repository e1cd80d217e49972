"""Tries an installed wheel for `make release`, by the Python of an otherwise empty environment.

Without the service's libraries `serve` names them; with them a served experiment decides and is rewarded, and a table
goes to pandas, row for row. `python try_wheel.py bare` and `python try_wheel.py whole`.
"""

import json
import re
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path
from typing import Any

COMMAND = str(Path(sys.executable).parent / "robandit")


def try_bare() -> None:
    """Check that `serve` without its libraries prints one sentence, exit code 2."""
    process = subprocess.run([COMMAND, "serve", "--db", "sqlite:///shop.db"], capture_output=True, text=True)
    assert process.returncode == 2, process
    assert "pip install 'robandit[service]'" in process.stderr, process.stderr
    assert "Traceback" not in process.stderr, process.stderr
    print(process.stderr.strip())


def send(url: str, message: Any, verb: str = "POST") -> Any:
    """Send a message to the service; returns its reply."""
    request = urllib.request.Request(
        url, json.dumps(message).encode(), {"content-type": "application/json"}, method=verb
    )
    with urllib.request.urlopen(request, timeout=30) as reply:
        return json.loads(reply.read())


def try_service(folder: str) -> None:
    """Ask for a decision and reward it, over a socket."""
    words = [COMMAND, "serve", "--db", f"sqlite:///{folder}/shop.db", "--port", "0"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert server.stdout is not None
    try:
        output = ""
        while not (match := re.search(r"http://127\.0\.0\.1:\d+", output)):
            line = server.stdout.readline()
            assert line, f"the service ended: {output}"
            output += line
        url = f"{match[0]}/v1/experiments"
        send(url, {"name": "offers", "arms": ["red", "green"], "policy": {"name": "samba"}})
        decision = send(f"{url}/offers/decisions", {})
        assert decision["arm"] in ("red", "green"), decision
        assert abs(decision["probability"] - 0.5) < 1e-12, decision
        send(f"{url}/offers/decisions/{decision['id']}/reward", {"reward": 1, "source": "visitor 17"}, "PUT")
        print("served:", decision["arm"], decision["probability"])
    finally:
        server.terminate()
        server.wait(30)


def try_table() -> None:
    """Check the arrays of a trace as a frame of pandas."""
    import numpy as np
    import pandas

    import robandit as rb

    trace = rb.simulate("samba", [0.1, 0.9], horizon=1000, runs=3, seed=1)
    frame = trace.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert list(frame.columns) == ["run", "round", "regret", "corruption_paid"], frame.columns
    assert np.array_equal(frame["regret"].to_numpy().reshape(trace.regret.shape), trace.regret)
    print(f"pandas {pandas.__version__}: {len(frame)} rows")


if __name__ == "__main__":
    if sys.argv[1] == "bare":
        try_bare()
    else:
        with tempfile.TemporaryDirectory() as folder:
            try_service(folder)
        try_table()
