"""The core needs NumPy alone: with every other library hidden it imports, plays, decides, and says what is missing."""

import subprocess
import sys
from pathlib import Path

import pytest

import robandit as rb
from robandit.extras import EXTRA_OF, MissingExtra, missing_extra, require

HIDE = f"""
import sys

HIDDEN = {sorted(EXTRA_OF)!r}

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden())
"""
CORE = """
import warnings
import robandit as rb

with rb.Learner("samba", arms=["red", "blue"], journal="buttons.journal") as learner:
    for _ in range(50):
        learner.learn(learner.decide().id, reward=1.0)
with rb.Learner.open("buttons.journal", read_only=True) as again:
    print(sum(again.probabilities().values()))
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    trace = rb.simulate("samba", [0.1, 0.9], rb.attack("flip", budget=5), horizon=300, runs=2)
print(trace.engine, trace.regret[:, -1].tolist(), len(said), "robandit[lab]" in str(said[0].message))
draw = lambda: trace.plot().save("x.png")
for lacking in (trace.to_arrow, draw, lambda: rb.run_study, lambda: rb.audit("a.csv")):
    try:
        lacking()
    except rb.MissingExtra as error:
        print(error)
print(sorted(name for name in HIDDEN if name in sys.modules))
"""


def run_hidden(folder: Path, code: str) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter in which no optional library can be imported."""
    return subprocess.run([sys.executable, "-c", HIDE + code], cwd=folder, capture_output=True, text=True, check=False)


def test_with_numpy_alone_one_can_play_and_decide(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("arm,reward\na,1\n")
    done = run_hidden(tmp_path, CORE)
    assert done.returncode == 0, done.stderr
    total, played, *sentences, loaded = done.stdout.splitlines()
    assert float(total) == pytest.approx(1.0)
    regret = rb.simulate("samba", [0.1, 0.9], rb.attack("flip", budget=5), horizon=300, runs=2).regret[:, -1]
    assert played == f"plain {regret.tolist()} 1 True"  # the bits of the compiled play
    assert [line.partition(",")[0] for line in sentences] == [
        "an Arrow table needs pyarrow",
        "a picture needs matplotlib",
        "robandit.run_study needs pyarrow",
        "a CSV file needs pyarrow",
    ]
    assert all("pip install 'robandit[lab]'" in line for line in sentences)
    assert loaded == "[]"


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (["play", "--horizon", "100", "--runs", "2"], 0),
        (["policies"], 0),
        (["paper", "claims"], 0),
        (["service", "verify", "buttons.journal"], 0),
        (["study", "run", "s.toml"], 2),
        (["serve", "--db", "sqlite:///shop.db"], 2),
        (["play", "--horizon", "100", "--plot", "x.png"], 2),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else str(value),
)
def test_a_command_works_or_says_in_one_sentence_what_to_install(tmp_path: Path, words: list[str], code: int) -> None:
    begin = "import robandit as rb\nrb.Learner('samba', arms=['a', 'b'], journal='buttons.journal').close()\n"
    done = run_hidden(tmp_path, f"{begin}from robandit.cli.main import main\nsys.exit(main({words!r}))")
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    if code:
        assert "pip install 'robandit[" in done.stderr.splitlines()[-1]
    else:
        assert done.stdout


def test_what_no_extra_brings_is_an_ordinary_error() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_library"):
        require("no_such_library")
    assert missing_extra(ModuleNotFoundError("x", name="no_such_library")) is None
    assert isinstance(missing_extra(ModuleNotFoundError("x", name="pyarrow.csv")), MissingExtra)
