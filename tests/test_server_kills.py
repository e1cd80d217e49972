"""kill -9 of the real server under load: whatever was answered is there, once, and the state is the fold."""

import json
import subprocess
import sys
from pathlib import Path


def test_twenty_kills_of_the_server(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.server_kills", str(tmp_path), "20"]
    found = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
    assert found["kills"] == 20
    assert [found[what] for what in ("lost", "twice", "states that differ", "wrong answers")] == [0, 0, 0, 0]
    assert found["acknowledged"] > 500
    assert found["snapshot at line"] > 50
