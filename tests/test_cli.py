"""The command: keys of the contract, sentences for mistakes, pictures."""

import ast
import fcntl
import math
import os
import pty
import re
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

import robandit as rb
from robandit.environments.means import spread_means
from tests.support import OWN_ADVERSARY

SMALL = ("--horizon", "300", "--runs", "3")


def test_play_json_has_the_keys_of_the_contract(robandit: Any) -> None:
    terms = ("--attack", "flip", "--schedule", "middle", "--budget", "30", "--charge", "rounds")
    code, told, err = robandit("play", "--policy", "samba", "--policy", "ucb1:scale=2", *SMALL, *terms, "--json")
    assert (code, err) == (0, "")
    assert told.keys() >= {"version", "environment", "horizon", "runs", "seed", "adversary", "results"}
    assert told["environment"]["name"] == "bernoulli"
    assert told["environment"]["means"] == pytest.approx([i / 10 for i in range(1, 10)])
    adversary = {
        "threat": "A",
        "attack": "flip",
        "schedule": "middle",
        "size": "full",
        "charge": "rounds",
        "budget": 30,
    }
    assert told["adversary"] == adversary
    row = told["results"][1]
    assert row.keys() >= {
        "policy",
        "parameters",
        "engine",
        "regret",
        "corruption",
        "best_arm_share",
        "ns_per_round",
        "notes",
    }
    assert (row["policy"], row["parameters"], row["engine"]) == ("ucb1", {"scale": 2.0}, "rounds")
    assert row["regret"].keys() >= {"mean", "sd", "se", "median", "p05", "p95"}
    assert row["corruption"] == {"budget": 30, "paid_mean": pytest.approx(24), "rounds_mean": 30}


def test_the_share_of_the_best_arm_has_an_interval(robandit: Any) -> None:
    row = robandit("play", "--policy", "samba", "--means", "0.2,0.8", *SMALL, "--json")[1]["results"][0]
    pulls = rb.simulate(rb.Samba(), rb.Bernoulli([0.2, 0.8]), horizon=300, runs=3, seed=1).pulls
    shares = pulls[:, 1] / 300
    assert row["best_arm_share"] == pytest.approx(shares.mean())
    assert row["best_arm_half_width_95"] == pytest.approx(4.302652730 * shares.std(ddof=1) / 3**0.5)


def test_play_is_the_same_alone_and_in_a_list(robandit: Any) -> None:
    alone = robandit("play", "--policy", "ucb1", *SMALL, "--json")[1]["results"][0]
    listed = robandit("play", "--policy", "samba", "--policy", "ucb1", *SMALL, "--threads", "1", "--json")[1][
        "results"
    ][1]
    assert alone.pop("difference") is None
    assert listed.pop("difference").keys() == {"mean", "half_width_95"}
    assert {**alone, "ns_per_round": 0} == {**listed, "ns_per_round": 0}


def test_a_difference_is_of_the_runs_one_by_one(robandit: Any) -> None:
    first, second = robandit("play", "--policy", "samba", "--policy", "ucb1", *SMALL, "--json")[1]["results"]
    traces = [
        rb.simulate(rb.policy(name), rb.Bernoulli(spread_means(9)), horizon=300, runs=3) for name in ("samba", "ucb1")
    ]
    ours, theirs = (trace.regret[:, -1] for trace in traces)
    assert first["difference"] is None
    assert second["difference"]["mean"] == pytest.approx(float((theirs - ours).mean()))
    spread = 4.302652729911275 * float((theirs - ours).std(ddof=1)) / math.sqrt(3)  # Student with 2 degrees
    assert second["difference"]["half_width_95"] == pytest.approx(spread)
    counted = robandit("play", "--policy", "barbar", "--policy", "draa", "--horizon", "1e8", "--runs", "2", "--json")[1]
    assert [row["difference"] for row in counted["results"]] == [None, None]  # by counts: no luck is shared


def test_one_run_says_null_and_never_nan(robandit: Any) -> None:
    regret = robandit("play", "--runs", "1", "--horizon", "10", "--json")[1]["results"][0]["regret"]
    assert regret["sd"] is regret["se"] is None
    assert math.isfinite(regret["mean"])


def test_what_could_not_be_spent_is_said(robandit: Any) -> None:
    terms = ("--attack", "flip", "--schedule", "window:first=0,stop=10", "--budget", "30")
    _, told, _ = robandit("play", *SMALL, *terms, "--json")
    assert told["results"][0]["notes"] == ["22.0 of the budget 30 was not spent (mean over runs)"]
    assert "22.0 of the budget 30" in robandit("play", *SMALL, *terms)[1]


def test_a_watcher_of_an_implicit_policy_is_told_what_it_saw(robandit: Any) -> None:
    terms = ("--attack", "invert", "--schedule", "leading:theta=0.5", "--budget", "5")
    notes = robandit("play", "--policy", "thompson", *SMALL, *terms, "--json")[1]["results"][0]["notes"]
    assert any("64 trial choices, renewed every 16 rounds" in note for note in notes)


def test_an_adversary_of_ones_own_is_listed_and_refused_by_its_true_model(robandit: Any, tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN_ADVERSARY)
    load = ("--load", str(tmp_path / "own.py"))
    listed = {entry["name"]: entry for entry in robandit("adversaries", *load, "--json")[1]}
    assert (listed["before"]["threat"], listed["sink-shown"]["threat"]) == ("A", "B")
    assert {entry["kind"] for entry in listed.values()} == {"attack", "schedule", "adversary"}
    rows = [line.split() for line in robandit("adversaries", *load)[1].splitlines() if line.strip()]
    assert next(row for row in rows if row[0] == "before")[-2:] == ["A", "-"]
    err = robandit("play", *load, "--attack", "before", "--budget", "1", "--schedule", "middle")[2]
    assert "takes no schedule and no size" in err
    assert "sees the draw" not in err
    told = robandit("play", *load, *SMALL, "--attack", "before", "--budget", "5", "--json")[1]["adversary"]
    assert (told["threat"], told["attack"], told["schedule"], told["size"]) == ("A", "before", None, None)


def test_captions_say_nothing_of_a_schedule_where_there_is_none(robandit: Any, tmp_path: Path) -> None:
    terms = (*SMALL, "--attack", "sink-shown", "--budget", "5")
    told = robandit("play", *terms, "--json")[1]["adversary"]
    assert told.keys() == {"threat", "attack", "schedule", "size", "charge", "budget"}
    assert (told["threat"], told["schedule"], told["size"]) == ("B", None, None)
    out = " ".join(robandit("play", *terms, "--plot", str(tmp_path / "p.svg"))[1].split())
    assert "Threat model B: sink-shown, budget 5 charged by cost." in out
    assert ">threat model B: sink-shown, C = 5 by cost<" in (tmp_path / "p.svg").read_text()


def test_what_an_attacker_sees_is_not_what_a_policy_is_told(robandit: Any) -> None:
    listed = {entry["name"]: entry for entry in robandit("adversaries", "--json")[1]}
    assert listed["sink-shown"]["sees"] == ["arm", "reward"]
    assert listed["leading"]["sees"] == ["p(t)"]
    assert all(entry["needs"] == [] for entry in listed.values())
    assert all("sees" not in entry for entry in robandit("policies", "--json")[1])


@pytest.mark.parametrize("words", ["--arms 1", "--means 0.4", "--means 0.5,0.5,0.5", "--arms 1 --environment beta"])
def test_nothing_to_learn_is_refused(robandit: Any, words: str) -> None:
    code, out, err = robandit("play", *SMALL, *words.split())
    assert (code, out) == (2, "")
    assert "nothing to learn, every policy's regret is 0" in err
    assert err.count("\n") == 1


def test_a_step_samba_is_not_admitted_is_said(robandit: Any) -> None:
    words = ("--means", "0.5,0.6", "--policy", "samba", "--policy", "samba:learning_rate=0.2")
    words += ("--policy", "floor:share=0.1,inner=(samba:min_lift=0.5)", "--policy", "ucb1")
    told = robandit("play", *SMALL, *words, "--json")[1]
    said = [[note for note in row["notes"] if "admissible step" in note] for row in told["results"]]
    assert [len(notes) for notes in said] == [0, 1, 1, 0]
    assert said[1][0].startswith("learning_rate 0.2 is not below r*/r_2 - 1 = 0.2, the admissible step")
    assert "the bound on regret does not hold" in " ".join(robandit("play", *SMALL, *words)[1].split())


def test_help_does_not_wait_for_numpy_and_the_rooms_below_know_no_flags() -> None:
    program = "import sys\nfrom robandit.cli.main import build_parser\nbuild_parser()\n"
    heavy = "{'numpy', 'rich', 'matplotlib', 'numba', 'pyarrow'}"
    program += f"print({heavy} & sys.modules.keys())"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout == "set()\n"
    home = Path(__file__).parents[1] / "src" / "robandit"
    for file in home.rglob("*.py"):
        tree = ast.parse(file.read_text())
        texts = [
            node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)
        ]
        flags = [text for text in texts if re.search(r"(^|\s)--[a-z]", text) and not text.startswith("robandit: ")]
        assert file.is_relative_to(home / "cli") or not flags, (file, flags)


@pytest.mark.parametrize(
    "words", ["play", "play --attack flip --budget 3 --schedule middle", "policies", "adversaries"]
)
def test_tables_of_eighty_columns_lose_no_word(words: str) -> None:
    rows = shown_on_a_terminal(words.split() + ([*SMALL] if "play" in words else []), 80)
    assert max(map(len, rows)) <= 80
    assert "…" not in "".join(rows)
    assert ("samba" in "".join(rows)) == (words != "adversaries")


def shown_on_a_terminal(words: list[str], width: int) -> list[str]:
    """What the command writes to a terminal of so many columns, without colours and bars."""
    leader, follower = pty.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 50, width, 0, 0))
    environment = {**os.environ, "TERM": "dumb", "NO_COLOR": "1"}
    environment = {name: value for name, value in environment.items() if name not in ("COLUMNS", "LINES")}
    command = [sys.executable, "-m", "robandit", *words]
    with subprocess.Popen(command, stdout=follower, stderr=subprocess.DEVNULL, env=environment) as process:
        os.close(follower)
        content = b""
        while True:
            try:
                more = os.read(leader, 4096)
            except OSError:  # the other end has closed
                break
            content += more
            if not more:
                break
    os.close(leader)
    assert process.returncode == 0
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", content.decode())
    return [line.rstrip() for line in plain.splitlines()]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("play --policy sambo", "policy 'sambo' is unknown; did you mean 'samba'?"),
        ("play --policy samba:learning_rate=1", "learning_rate must be a number above 0 and below 1, not 1.0"),
        ("play --policy samba:learning_rate=nan", "learning_rate must be a number, not nan"),
        ("play --policy samba:learning_rate=x", "samba: learning_rate must be a number, not 'x'"),
        ("play --policy samba:rate=1", "parameter 'rate' is unknown (allowed: learning_rate, min_lift)"),
        ("play --policy samba:learning_rate", "must read parameter=value"),
        ("play --policy samba:inner=(a", "parentheses"),
        ("play --arms 0", "arms must be a whole number of at least 1, not 0"),
        ("play --arms 2.5", "--arms: must be a whole number, not '2.5'"),
        ("play --arms 3 --means 0.1,0.2", "--arms and --means cannot both be given"),
        ("play --means 0.1,1.2", "arm 2 was given 1.2"),
        ("play --means 0.1,nan", "--means: must be a number, not 'nan'"),
        ("play --means ,", "--means: must be a number, not ''"),
        ("play --horizon 0", "horizon must be a whole number of at least 1, not 0"),
        ("play --runs -4", "runs must be a whole number of at least 1, not -4"),
        ("play --seed -1", "seed must be a whole number of at least 0, not -1"),
        ("play --attack flip", "--attack flip needs a --budget"),
        ("play --budget 5", "--budget 5.0 was given without --attack"),
        ("play --attack flip --budget -1", "budget must be a number at least 0, not -1.0"),
        ("play --attack flip --budget nan", "--budget: must be a number, not 'nan'"),
        ("play --attack flip --budget 1 --charge gold", "charge must be one of cost, rounds, not 'gold'"),
        ("play --attack flip --budget 1 --size 2", "size must be full, efficient or a number"),
        ("play --attack invert --budget 1 --arms 1", "one arm leaves nothing to learn"),
        ("play --attack flip --budget 1 --schedule leading:theta=7", "theta must be a number at least 0 and at most 1"),
        ("play --attack flip --budget 1 --schedule periodic:step=1e300", "step must be a whole number"),
        ("play --schedule middle", "--schedule middle was given without --attack"),
        ("play --pol samba", "flag '--pol' is unknown; did you mean '--policy'?"),
        ("play --policy samba:learning_rate=0.05,min_lift=0.4", "give learning_rate or min_lift, not both"),
        ("play --policy samba:min_lift=3", "min_lift must be a number above 0 and below 2, not 3.0"),
        ("play --policy samba:learning_rate=0.1,learning_rate=0.2", "parameter 'learning_rate' is given twice"),
        ("play --policy ucb1:scale=inf", "scale must be a number above 0, not inf"),
        ("play --policy barbar:scale=inf", "scale must be a number above 0, not inf"),
        ("play --policy draa:agents=1e30", "agents must be a whole number"),
        ("play --horizon 1e300", "horizon must be at most"),
        ("play --runs 1e9", "runs must be at most"),
        ("play --runs 1e8", "do not fit into memory"),
        ("play --plot tests", "--plot: a picture must end in"),
        ("play --environment bern", "environment 'bern' is unknown; did you mean 'bernoulli'?"),
        ("play --environment beta:concentration=0", "concentration must be a number above 0"),
        ("play --environment samples:file=missing.csv", "cannot be read"),
        ("play --plot a.gif", "--plot: a picture must end in .png, .svg, .pdf, not 'a.gif'"),
        ("play --plot no/such/folder/a.png", "folder of 'no/such/folder/a.png' does not exist"),
        ("play --load nothing.py", "--load: must name a Python file"),
        ("play --load README.md", "'README.md' does not end in .py"),
        ("study run own.py", "a study is a TOML file, not Python: 'own.py'"),
        ("play --means 2%,3%", "--means: must be a number, not '2%'; 2 % is 0.02"),
        ("play --means 2,3", "arm 1 was given 2; 2 % is 0.02"),
        ("play --polcy samba", "flag '--polcy' is unknown; did you mean '--policy'?"),
        ("play extra", "argument 'extra' is unknown"),
        ("plya", "command 'plya' is unknown; did you mean 'play'?"),
    ],
)
def test_mistakes_get_one_sentence_and_exit_code_two(robandit: Any, words: str, message: str) -> None:
    code, out, err = robandit(*words.split())
    assert code == 2
    assert out == ""
    assert err.startswith("robandit: ")
    assert err.count("\n") == 1
    assert message in err


@pytest.mark.parametrize("kind", ["png", "svg", "pdf"])
def test_play_draws(robandit: Any, tmp_path: Path, kind: str) -> None:
    file = tmp_path / f"play.{kind}"
    terms = ("--attack", "flip", "--schedule", "middle", "--budget", "20")
    code, out, _ = robandit("play", "--policy", "samba", "--policy", "uniform", *SMALL, *terms, "--plot", str(file))
    assert code == 0
    assert "Threat model A: flip on schedule middle" in " ".join(out.split())
    head = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[kind]
    assert file.read_bytes().startswith(head)


def test_samples_from_a_file(robandit: Any, tmp_path: Path) -> None:
    file = tmp_path / "ratings.csv"
    file.write_text("old,new\n0.5,1\n0.25,0.75\n,1\n")
    told = robandit("play", "--environment", f"samples:file={file}", *SMALL, "--json")[1]
    assert told["environment"]["means"] == pytest.approx([0.375, 2.75 / 3])
    file.write_text("old,new\n0.5,three\n")
    assert (
        "ratings.csv, line 2: new must be a number, not 'three'"
        in robandit("play", "--environment", f"samples:file={file}")[2]
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\n0.1,0.5,0.9\n", "line 2: there must be at most 2 values, not 3"),
        ("0.1,0.5\n0.2,0.4\n", "line 1 must name the arms"),
        ("a,b\n0.1,1.5\n", "values must be numbers from 0 to 1; arm 2"),
        ("a,b\n", "must have a header row and at least one row"),
        ("a,b\n0.1,\n", "arm 2 has no values"),
    ],
)
def test_broken_sample_files(robandit: Any, tmp_path: Path, content: str, message: str) -> None:
    (tmp_path / "f.csv").write_text(content)
    code, _, err = robandit("play", "--environment", f"samples:file={tmp_path / 'f.csv'}")
    assert code == 2
    assert message in err


def test_an_unlimited_budget_is_null_in_json(robandit: Any) -> None:
    told = robandit("play", *SMALL, "--attack", "flip", "--budget", "inf", "--json")[1]
    assert told["adversary"]["budget"] is told["results"][0]["corruption"]["budget"] is None
    assert "budget unlimited" in " ".join(robandit("play", *SMALL, "--attack", "flip", "--budget", "inf")[1].split())


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("def broken(:", "SyntaxError"),
        ("import no_such_module_anywhere", "No module named"),
        ('import robandit as rb\nclass P(rb.Policy):\n    about = rb.About("samba", "mine")\n', "comes with robandit"),
    ],
)
def test_files_that_cannot_be_loaded(robandit: Any, tmp_path: Path, source: str, message: str) -> None:
    (tmp_path / "random.py").write_text(source)  # a name the standard library has too
    code, _, err = robandit("policies", "--load", str(tmp_path / "random.py"))
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_long_labels_never_cost_a_number(robandit: Any) -> None:
    inner = "floor:share=0.02,inner=(cbarbar:scale=1.5,delta=0.00123,band=upper)"
    out = robandit(
        "play", "--policy", f"floor:share=0.25,inner=({inner})", *SMALL, "--attack", "flip", "--budget", "3"
    )[1]
    assert "…" not in out


def test_close_labels_stay_apart(robandit: Any) -> None:
    rates = ("samba:learning_rate=0.1234567", "samba:learning_rate=0.1234568")
    told = robandit("play", "--policy", rates[0], "--policy", rates[1], *SMALL, "--json")[1]
    assert [row["label"] for row in told["results"]] == list(rates)


def test_own_policies_from_a_file(robandit: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    source = Path(__file__).parents[1] / "benchmarks" / "own_policy.py"
    about = '    about = rb.About("mine", "my own")\n    learning_rate'
    file.write_text(source.read_text().replace("    learning_rate", about, 1))
    told = robandit(
        "play", "--load", str(file), "--policy", "mine:learning_rate=0.05", "--policy", "samba", *SMALL, "--json"
    )[1]
    mine, samba = told["results"]
    assert mine["regret"] == samba["regret"]


@pytest.mark.parametrize("command", ["policies", "adversaries", "environments"])
def test_catalogues(robandit: Any, command: str) -> None:
    code, entries, _ = robandit(command, "--json")
    assert code == 0
    assert all(entry["summary"] and entry["name"] for entry in entries)
    text = robandit(command)[1]
    assert all(entry["name"] in text for entry in entries)


def test_policy_entries_are_complete(robandit: Any) -> None:
    entries = {entry["name"]: entry for entry in robandit("policies", "--json")[1]}
    for entry in entries.values():
        assert entry["fidelity"] in ("exact", "recalled", "reconstruction", "variant")
        assert entry["basis"]
        assert set(entry["needs"]) <= {"horizon", "corruption", "delta", "features", "agents", "slots", "family"}
        assert entry["late"] in ("exact", "weighted", "as the inner policy") or "slots" in entry["needs"]
        assert entry["bound"]
        for parameter in entry["parameters"]:
            assert parameter.keys() == {"name", "default", "published", "scaled", "description"}
            assert parameter["description"]
    assert entries["samba"]["parameters"][0]["published"] == 0.05


def test_the_module_is_the_command_and_names_agree_with_the_stub() -> None:
    done = subprocess.run([sys.executable, "-m", "robandit", "--version"], capture_output=True, text=True, check=True)
    import robandit as rb

    assert done.stdout == f"robandit {rb.__version__}\n"
    stub = Path(str(rb.__file__)).with_suffix(".pyi").read_text()
    assert {line.split()[-1] for line in stub.splitlines()} == set(rb.__all__)
    assert all(getattr(rb, name) for name in rb.__all__)
    assert set(dir(rb)) >= set(rb.__all__)
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = rb.nonsense  # type: ignore[attr-defined]
