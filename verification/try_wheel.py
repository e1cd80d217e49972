"""What `make release` asks of an installed wheel, by the Python of an otherwise empty environment.

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


def bare() -> None:
    """One sentence, exit code 2."""
    done = subprocess.run([COMMAND, "serve", "--db", "sqlite:///shop.db"], capture_output=True, text=True)
    assert done.returncode == 2, done
    assert "pip install 'robandit[service]'" in done.stderr, done.stderr
    assert "Traceback" not in done.stderr, done.stderr
    print(done.stderr.strip())


def asked(url: str, told: Any, verb: str = "POST") -> Any:
    """What the service answers."""
    request = urllib.request.Request(url, json.dumps(told).encode(), {"content-type": "application/json"}, method=verb)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.loads(answer.read())


def served(folder: str) -> None:
    """A decision and its reward, over a socket."""
    words = [COMMAND, "serve", "--db", f"sqlite:///{folder}/shop.db", "--port", "0"]
    server = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    assert server.stdout is not None
    try:
        said = ""
        while not (found := re.search(r"http://127\.0\.0\.1:\d+", said)):
            line = server.stdout.readline()
            assert line, f"the service ended: {said}"
            said += line
        url = f"{found[0]}/v1/experiments"
        asked(url, {"name": "offers", "arms": ["red", "green"], "policy": {"name": "samba"}})
        decision = asked(f"{url}/offers/decisions", {})
        assert decision["arm"] in ("red", "green"), decision
        assert abs(decision["probability"] - 0.5) < 1e-12, decision
        asked(f"{url}/offers/decisions/{decision['id']}/reward", {"reward": 1, "source": "visitor 17"}, "PUT")
        print("served:", decision["arm"], decision["probability"])
    finally:
        server.terminate()
        server.wait(30)


def tabled() -> None:
    """The arrays of a trace as a frame of pandas."""
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
        bare()
    else:
        with tempfile.TemporaryDirectory() as folder:
            served(folder)
        tabled()
