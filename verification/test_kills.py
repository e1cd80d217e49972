"""Twenty random kill -9 during the quick reproduction: every file comes out as if nothing had happened."""

import random
import signal
import subprocess
import sys
import time
from pathlib import Path


def read_results(folder: Path) -> dict[str, bytes]:
    """Returns all files but the notes about time and machine."""
    files = [path for path in folder.rglob("*") if path.is_file() and not path.name.endswith(".run.json")]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def test_twenty_kills(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "robandit", "reproduce", "--quick", "--no-timings", "--out"]
    subprocess.run([*words, str(tmp_path / "whole")], check=True, capture_output=True)
    stream, kills = random.Random(20), 0
    while kills < 20:
        process = subprocess.Popen(
            [*words, str(tmp_path / "killed")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(stream.uniform(0.5, 4.0))
        process.send_signal(signal.SIGKILL)
        if process.wait() == 0:
            break  # it was done before the kill: nothing is left to interrupt
        kills += 1
    subprocess.run([*words, str(tmp_path / "killed")], check=True, capture_output=True)
    print(f"{kills} kills")
    whole, other = read_results(tmp_path / "whole"), read_results(tmp_path / "killed")
    assert whole.keys() == other.keys()
    assert [name for name in whole if whole[name] != other[name]] == []
    assert kills >= 10
