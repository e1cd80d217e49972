"""The journal: torn lines are mended, damage is named, one writer writes, and columns say what the lines say."""

import io
import json
import subprocess
import sys
import tracemalloc
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.online.columns import read_columns
from robandit.online.journal import read_entries
from robandit.online.verify import verify_journal
from robandit.online.warm import fold_log

ARMS = ["a", "b", "c"]


def told(path: Path, **terms: Any) -> rb.Learner:
    """A learner with some history in its journal, still open."""
    learner = rb.Learner("samba", ARMS, seed=3, journal=path, sync=False, **terms)
    for number in range(30):
        assert learner.decide(time=float(number)).id == number
        if number % 3:
            learner.learn(number - number % 2, number % 5 / 4, f"user {number % 4}", time=number + 0.5)
    return learner


def test_a_line_is_json_and_the_checksum_of_all_before(tmp_path: Path) -> None:
    told(tmp_path / "j").close()
    sum_before = 0
    for text in (tmp_path / "j").read_bytes().splitlines():
        body, digits = text.split(b"\t")
        sum_before = zlib.crc32(body, sum_before)
        assert int(digits, 16) == sum_before
        assert isinstance(json.loads(body), dict)


def test_a_torn_last_line_is_ignored_by_readers_and_mended_by_writers(tmp_path: Path) -> None:
    """At every byte: of a decision's line, and of the first line of all."""
    path = tmp_path / "j"
    learner = told(path)
    before = path.read_bytes()
    whole, ahead = learner.save(), learner.decide()
    learner.close()
    after = path.read_bytes()
    for cut in range(len(before), len(after)):
        path.write_bytes(after[:cut])
        assert rb.Learner.open(path, read_only=True).save() == whole
        assert path.read_bytes() == after[:cut]
        with rb.Learner("samba", ARMS, journal=path, sync=False) as again:
            assert path.read_bytes() == before
            assert again.decide() == ahead
        assert path.read_bytes() == after
    for cut in range(before.index(b"\n")):
        path.write_bytes(before[:cut])
        with pytest.raises(rb.InputError, match="no whole line"):
            read_entries(path)
    with rb.Learner("samba", ARMS, seed=3, journal=path) as again:
        assert again.decisions == 0
    assert path.read_bytes() == before[: before.index(b"\n") + 1]


@pytest.mark.parametrize("line", [1, 2, 17, 46])
def test_damage_is_refused_with_its_line(tmp_path: Path, line: int) -> None:
    path = tmp_path / "j"
    told(path).close()
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 46
    wrong = bytearray(lines[line - 1])
    wrong[len(wrong) // 2] ^= 1
    harmed = {"changed": [*lines[: line - 1], bytes(wrong), *lines[line:]]}
    if 1 < line < len(lines):
        harmed["dropped"] = [*lines[: line - 1], *lines[line:]]
        harmed["swapped"] = [*lines[: line - 1], lines[line], lines[line - 1], *lines[line + 1 :]]
    for what, given in harmed.items():
        path.write_bytes(b"".join(given))
        for reader in (read_columns, rb.Learner.open, lambda path: rb.Learner("samba", ARMS, journal=path)):
            with pytest.raises(rb.InputError, match=f"line {line} is damaged"):
                reader(path)
        assert path.read_bytes() == b"".join(given), what


def test_columns_say_what_the_lines_say(tmp_path: Path) -> None:
    path = tmp_path / "j"
    told(path, reward_range=(-1.0, 3.0)).close()
    log = read_columns(path)
    row, choices = 0, {}
    for text in path.read_text().splitlines()[1:]:
        entry = json.loads(text.split("\t")[0])
        choices.setdefault(entry["id"], entry)
        chosen, rewarded = choices[entry["id"]], entry["entry"] == "reward"
        assert (log.names[log.arms[row]], log.probabilities[row], log.numbers[row]) == tuple(
            chosen[key] for key in ("arm", "chance", "id")
        )
        assert log.rewarded[row] == rewarded
        assert log.times[row] == entry["time"]
        if rewarded:
            assert log.rewards[row] == (entry["value"] + 1.0) / 4.0
            assert log.source_names[log.sources[row]] == entry["source"]
        else:
            assert log.sources[row] == -1
        row += 1
    assert row == len(log.arms) == len(log.notes) == len(log.truth)
    assert np.isnan(log.truth).all()
    with rb.Learner.open(path) as learner:
        assert learner.retract(source="user 1") == 3
    left = read_columns(path)
    gone = log.sources == log.source_names.index("user 1")
    assert gone.sum() == 3
    assert np.array_equal(left.rewards, log.rewards[~gone])
    assert np.array_equal(left.numbers, log.numbers[~gone])


def test_reading_takes_bounded_memory(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with rb.Learner("uniform", ARMS, seed=1, journal=path, sync=False, patience=10) as learner:
        for _ in range(10_000):
            learner.decide()
    tracemalloc.start()
    count = sum(1 for _ in read_entries(path)[1])
    rb.Learner.open(path, read_only=True)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 10_000
    assert path.stat().st_size > 900_000
    assert (
        peak < 200_000 + 2 * io.DEFAULT_BUFFER_SIZE
    )  # the file is open twice, and from Python 3.14 on buffers are large


def test_one_writer_writes(tmp_path: Path) -> None:
    path = tmp_path / "j"
    with told(path):
        with pytest.raises(rb.InputError, match="is being written by another learner"):
            rb.Learner.open(path)
        code = f"import robandit as rb; rb.Learner('samba', {ARMS}, journal={str(path)!r})"
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        assert "is being written by another learner" in done.stderr
        assert rb.Learner.open(path, read_only=True).decisions == 30
    with rb.Learner.open(path) as again:
        assert again.decide().id == 30
    with pytest.raises(rb.InputError, match="it was closed"):
        again.decide()
    assert again.decisions == 31


FULL = """
import resource, signal, sys
import robandit as rb
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
learner = rb.Learner("samba", ["a", "b"], seed=3, journal=sys.argv[1])
resource.setrlimit(resource.RLIMIT_FSIZE, (2000, resource.RLIM_INFINITY))
try:
    while True:
        whole = learner.save()
        learner.decide()
except rb.InputError as error:
    print(error)
assert learner.save() == whole
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
assert learner.decide().id == whole["decisions"]
assert rb.Learner.open(sys.argv[1], read_only=True).save() == learner.save()
"""


def test_a_full_disk_is_a_sentence_and_changes_nothing(tmp_path: Path) -> None:
    """A real one as far as the process can tell: the system lets the file grow no further, in the middle of a line."""
    done = subprocess.run([sys.executable, "-c", FULL, str(tmp_path / "j")], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "cannot be written: " in done.stdout


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (
            {"entry": "decide", "id": 5, "arm": "a", "chance": 0.5, "note": 0},
            "line 2 .*decision 0 must come next, not 5",
        ),
        ({"entry": "decide", "id": 0, "arm": "x", "chance": 0.5, "note": 0}, "line 2 .*'x' is missing or unknown"),
        ({"entry": "decide", "id": 0, "arm": "a"}, "line 2 .*'chance' is missing"),
        ({"entry": "reward", "id": 0, "value": 1.0, "source": None}, "line 2 .*decision 0 does not wait"),
        ({"entry": "tea"}, "line 2 .*kind 'tea' is unknown"),
        (["decide"], "line 2 cannot be read"),
    ],
)
def test_whole_lines_that_make_no_sense_are_named(tmp_path: Path, entry: Any, message: str) -> None:
    path = tmp_path / "j"
    rb.Learner("samba", ARMS, seed=3, journal=path).close()
    first, body = path.read_bytes(), json.dumps(entry).encode()
    path.write_bytes(first + b"%b\t%08x\n" % (body, zlib.crc32(body, int(first.split(b"\t")[1], 16))))
    for reader in (read_columns, rb.Learner.open):
        with pytest.raises(rb.InputError, match=message):
            reader(path)


def test_files_that_are_no_journals_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "j"
    for body, message in (
        (b"[1]", "no JSON object"),
        (b"{}", "no journal"),
        (b'{"robandit":"journal","format":9}', "format must be 1 here"),
    ):
        path.write_bytes(b"%b\t%08x\n" % (body, zlib.crc32(body)))
        with pytest.raises(rb.InputError, match=message):
            rb.Learner.open(path)
    path.write_text("arm,reward\n1,0\n")
    with pytest.raises(rb.InputError, match="line 1 is damaged"):
        rb.Learner("samba", ARMS, journal=path)
    assert path.read_text() == "arm,reward\n1,0\n"
    for wrong in (tmp_path, tmp_path / "no" / "j"):
        with pytest.raises(rb.InputError, match="cannot be opened"):
            rb.Learner("samba", ARMS, journal=wrong)
    with pytest.raises(rb.InputError, match="cannot be read: No such file"):
        rb.Learner.open(tmp_path / "none")


BLOCKED = """
import sys
for name in sys.argv[2].split():
    sys.modules[name] = None
from robandit.cli.main import main
sys.exit(main(["service", "verify", sys.argv[1], "--json"]))
"""


@pytest.mark.parametrize(
    ("blocked", "compiled"),
    [("apsw msgspec starlette uvicorn psycopg httptools", True), ("apsw msgspec starlette numba llvmlite", None)],
)
def test_a_journal_is_verified_without_what_only_a_service_needs(
    tmp_path: Path, blocked: str, compiled: bool | None
) -> None:
    told(tmp_path / "j").close()
    command = [sys.executable, "-c", BLOCKED, str(tmp_path / "j"), blocked]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    (result,) = json.loads(done.stdout)["journals"]
    assert (result["decisions"], result["chain"], result["compiled"], result["dice"]) == (30, True, compiled, True)


def test_a_forged_decision_is_named(tmp_path: Path) -> None:
    """A line whose checksum is right, but which the policy would not have drawn."""
    path = tmp_path / "j"
    told(path).close()
    lines, checksum = path.read_bytes().splitlines(), 0
    for place, text in enumerate(lines):
        body = text.split(b"\t")[0]
        if body.startswith(b'{"entry":"decide","id":20,'):
            body = body.replace(b'"note":0', b'"note":1')
        checksum = zlib.crc32(body, checksum)
        lines[place] = b"%b\t%08x\n" % (body, checksum)
    path.write_bytes(b"".join(lines))
    result = verify_journal(str(path), compiled=False)
    assert (result.chain, result.dice, result.sound) == (True, False, False)
    assert result.notes == ["decision 20 is not what its random stream gives"]


def test_without_locks_a_learner_works_but_for_its_journal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code = (
        "import sys; sys.modules['fcntl'] = None; import robandit as rb; print(rb.Learner('samba', ['a']).decide().arm)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "a\n"
    monkeypatch.setattr("robandit.online.writer.fcntl", None)
    with pytest.raises(rb.InputError, match="cannot be locked on this system"):
        rb.Learner("samba", ARMS, journal=tmp_path / "j")
    assert not (tmp_path / "j").exists()


def test_twenty_kills_lose_nothing_acknowledged(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-m", "tests.kills", str(tmp_path), "20"], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["kills"] == 20
    assert found["acknowledged"] > 20
    assert (found["lost"], found["unreadable"]) == (0, 0)


def test_a_simulation_leaves_a_journal_with_sources_and_truth(robandit: Any, tmp_path: Path) -> None:
    """UCB1 throws no dice, so its journalled run must be the lab's own, regret and bill."""
    path = tmp_path / "j"
    words = ["--policy", "ucb1", "--attack", "sink-shown", "--budget", "20", "--horizon", "2000", "--seed", "4"]
    code, out, err = robandit("play", *words, "--log", str(path), "--sources", "50", "--ring", "3", "--json")
    assert code == 0, err
    lab = robandit("play", *words, "--runs", "1", "--json")[1]
    for key in ("regret", "corruption", "best_arm_share"):
        assert out["results"][0][key] == lab["results"][0][key]
    log = read_columns(path)
    changed = log.rewards != log.truth
    assert np.array_equal(log.fake, changed & log.rewarded)
    assert log.fake.sum() == lab["results"][0]["corruption"]["rounds_mean"] > 10
    ring = {log.source_names[source] for source in log.sources[log.fake]}
    assert len(ring) == 3
    assert {f"source {number}" for number in range(1, 51)} >= set(log.source_names) > ring
    policy = rb.policy("ucb1")
    told = rb.Learner.open(path, read_only=True).save_state()
    assert rb.save_state(policy, fold_log(policy, log)) == told


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--ring", "3"], "--ring 3 was given without --log"),
        (["--log", "{path}", "--runs", "5"], "leave out --runs"),
        (["--log", "{path}", "--policy", "ucb1", "--policy", "samba"], "one --policy"),
        (["--log", "{path}", "--sources", "3", "--ring", "4"], "the ring must be 1 to 3 of the sources, not 4"),
        (["--log", "{here}"], "is there already"),
    ],
)
def test_what_play_cannot_log_is_refused(robandit: Any, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "here").touch()
    given = [word.format(path=tmp_path / "j", here=tmp_path / "here") for word in words]
    code, _, err = robandit("play", "--horizon", "10", *given)
    assert code == 2
    assert message in err
    assert not (tmp_path / "j").exists()


def test_a_watching_adversary_changes_no_decision(tmp_path: Path) -> None:
    """Trial choices of an implicit policy are no decisions: as many entries as rounds."""
    from robandit.online.simulated import record

    adversary = rb.attack("invert", schedule="leading:theta=0.2", budget=5)
    scenario = rb.Scenario("thompson:probabilities=drawn", [0.2, 0.8], adversary, horizon=300)
    trace = record(tmp_path / "j", scenario, ring=1, sources=1)
    log = read_columns(tmp_path / "j")
    assert trace.pulls.sum() == (~log.rewarded).sum() == log.rewarded.sum() == 300
    assert 0 < log.fake.sum() <= trace.rounds_changed[0]
