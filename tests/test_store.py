"""The store: whole files or none, damage found and put aside, keys that follow the code."""

import json
import os
import socket
from dataclasses import asdict, replace
from pathlib import Path

import numpy as np
import pytest

import robandit as rb
from robandit.store.cells import ResultStore
from robandit.store.files import sweep, write_atomically
from robandit.store.journal import Journal
from robandit.store.parquet import Damaged, checksum, from_bytes
from robandit.study.cell import Cell, play_cell

CELL = Cell("samba", "bernoulli", (0.2, 0.8), "flip", "start", "full", "cost", 5.0, 300, 4, 1, 3)


@pytest.fixture(scope="module")
def content() -> bytes:
    return play_cell(CELL, 1)[0]


def test_a_file_holds_the_trace_and_only_what_is_determined(content: bytes) -> None:
    trace, provenance = from_bytes(content)
    again = rb.simulate(CELL.scenario(), checkpoints=3)
    for name in ("rounds", "regret", "corruption_paid", "pulls", "rounds_changed", "gaps"):
        assert np.array_equal(getattr(trace, name), getattr(again, name)), name
    assert provenance["cell"]["policy"] == "samba"
    assert set(provenance) == {"key", "cell", "code", "versions"}
    assert play_cell(CELL, 2)[0] == content


def test_everything_that_determines_a_cell_is_in_its_key() -> None:
    others = {"policy": "ucb1", "environment": "beta", "means": (0.2, 0.7), "attack": "sink", "schedule": "even"}
    others |= {"size": "0.5", "charge": "rounds", "budget": 6.0, "horizon": 301, "runs": 5, "seed": 2, "checkpoints": 4}
    others |= {"agents": 2, "slate": 2}
    slates = replace(CELL, policy="slate-samba")  # which alone can fill one of two
    seen = {"can": "add", "share": 0.5}  # of an attacker who sees the draw
    assert {*others, *seen} == set(asdict(CELL))
    sees = replace(CELL, attack="promote")
    keys = {
        replace(slates if name == "slate" else CELL, **{name: value}).key()  # type: ignore[arg-type]
        for name, value in others.items()
    }
    keys |= {replace(sees, **{name: value}).key() for name, value in seen.items()}  # type: ignore[arg-type]
    assert len(keys | {CELL.key(), slates.key(), sees.key()}) == len(others) + len(seen) + 3


def test_every_kind_of_damage_is_found(content: bytes, tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    for cut in (0, 1, 10, len(content) // 2, len(content) - 1):
        with pytest.raises(Damaged):
            from_bytes(content[:cut])
    whole, told = from_bytes(content)
    store, key = ResultStore(tmp_path), CELL.key()
    for place in random.choice(len(content), 300, replace=False):
        broken = bytearray(content)
        broken[place] ^= 1 << int(random.integers(8))
        store.save(key, content, {})
        store.result(key).write_bytes(bytes(broken))
        assert store.load(key) is None, f"bit flipped in byte {place}"
        try:
            trace, provenance = from_bytes(bytes(broken))
        except Damaged:
            continue
        assert provenance == told  # a bit that carries nothing, such as an unused name in the footer
        for name in ("rounds", "regret", "corruption_paid", "pulls", "rounds_changed", "gaps"):
            assert np.array_equal(getattr(trace, name), getattr(whole, name)), name


@pytest.mark.parametrize("name", ["regret", "corruption_paid", "pulls", "rounds_changed"])
def test_the_checksum_covers_every_number(content: bytes, name: str) -> None:
    trace, _ = from_bytes(content)
    before = checksum(trace, {})
    array = getattr(trace, name).copy()
    array.flat[-1] += 1
    assert checksum(replace(trace, **{name: array}), {}) != before
    assert checksum(trace, {"told": 1}) != before


def test_a_damaged_file_is_put_aside_and_never_used(tmp_path: Path, content: bytes) -> None:
    store, key = ResultStore(tmp_path), CELL.key()
    assert store.state(key) == "waiting"
    store.save(key, content, {"seconds": 1.0})
    assert store.state(key) == "done"
    store.result(key).write_bytes(content[:-40])
    assert store.load(key) is None
    assert not store.result(key).exists()
    assert len(store.damaged()) == 1
    assert "is not the file that was written" in store.damaged()[0].with_suffix(".reason.txt").read_text()


def test_a_file_under_another_name_is_not_believed(tmp_path: Path, content: bytes) -> None:
    store = ResultStore(tmp_path)
    store.save("0" * 32, content, {"seconds": 1.0})
    assert store.load("0" * 32) is None
    assert "belongs to another cell" in store.damaged()[0].with_suffix(".reason.txt").read_text()


def test_states(tmp_path: Path, content: bytes) -> None:
    store, key = ResultStore(tmp_path), CELL.key()
    store.begin(key)
    assert store.state(key) == "running"
    flight = json.loads(store.beside(key, "flight").read_bytes())
    store.beside(key, "flight").write_text(json.dumps({**flight, "process": 2**22 + 12345}))
    assert store.state(key) == "interrupted"
    store.fail(key, "ValueError: no")
    assert store.state(key) == "failed"
    store.save(key, content, {})
    assert store.state(key) == "done"
    assert [
        path.name for path in (tmp_path / "cells").iterdir() if "failed" in path.name or "flight" in path.name
    ] == []


def test_atomic_writes_leave_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deep" / "file"
    write_atomically(path, b"one")

    def fails(*_: object) -> None:
        raise OSError("disk full")

    monkeypatch.setattr(os, "fsync", fails)
    with pytest.raises(OSError, match="disk full"):
        write_atomically(path, b"two")
    assert path.read_bytes() == b"one"
    assert [item.name for item in path.parent.iterdir()] == ["file"]


def test_until_the_new_file_is_whole_the_old_one_stands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, usual, seen = tmp_path / "file", Path.replace, []
    write_atomically(path, b"one")

    def watched(draft: Path, target: Path) -> Path:
        seen.append((draft.read_bytes(), target.read_bytes()))
        return usual(draft, target)

    monkeypatch.setattr(Path, "replace", watched)
    write_atomically(path, b"another")
    assert seen == [(b"another", b"one")]
    assert path.read_bytes() == b"another"


def test_drafts_of_dead_processes_are_swept_and_those_of_living_ones_kept(tmp_path: Path) -> None:
    here, dead = socket.gethostname(), 2**22 + 12345
    kept = [f".a.parquet.{os.getpid()}.1.{here}", f".b.parquet.{dead}.1.elsewhere", "c.parquet"]
    for name in [*kept, f".d.parquet.{dead}.1.{here}", ".old.parquet.1.1.elsewhere"]:
        (tmp_path / name).write_bytes(b"")
    os.utime(tmp_path / ".old.parquet.1.1.elsewhere", (1, 1))
    sweep(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(kept)


def test_a_journal_keeps_whole_lines_and_drops_torn_and_damaged_ones(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "journal.jsonl"
    journal = Journal(path)
    for number in range(4):
        journal.put(f"key{number}", {"regret": [0.1 * number, 1e-300]})
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[0] + lines[1].replace(b"0.1", b"0.7") + lines[2] + lines[3][:-9])
    after = Journal(path)
    assert set(after.values) == {"key0", "key2"}
    after.put("key3", 5)
    again = Journal(path)
    assert set(again.values) == {"key0", "key2", "key3"}
    assert again.get("key2") == {"regret": [0.2, 1e-300]}
    assert again.get("key1") is None


def test_a_journal_without_a_path_remembers_and_writes_nothing(tmp_path: Path) -> None:
    journal = Journal(None)
    journal.put("key", 1)
    assert journal.get("key") == 1
    assert not list(tmp_path.iterdir())
