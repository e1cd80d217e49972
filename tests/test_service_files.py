"""The files of a service: who may read them, whether they are still there, what a kill leaves, what is said of them."""

import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest

from robandit import Learner
from robandit.client import Client
from robandit.errors import InputError
from robandit.service import backup, serve, watch_folder
from robandit.service.backup import back_up, restore
from robandit.service.stores.sqlite import SqliteStore
from tests.serving import running, until

NOBODY = 65534


def mode(path: Path) -> int:
    """Who may do what with a file."""
    return stat.S_IMODE(path.stat().st_mode)


@pytest.fixture
def umask() -> Iterator[None]:
    """The usual one: others may read."""
    old = os.umask(0o022)
    yield
    os.umask(old)


@pytest.mark.usefixtures("umask")
def test_only_the_owner_reads_what_holds_the_seed(tmp_path: Path) -> None:
    """The database, its log while it is open, the lock, a backup, a restored database, a learner's files."""
    with running(SqliteStore(tmp_path / "s.db")) as served, Client(served.url) as client:
        client.create("e", ["a", "b"]).decide()
        back_up(tmp_path / "s.db", tmp_path / "backup.db")
        assert {path.name for path in tmp_path.iterdir()} == {"s.db", "s.db-wal", "s.db-shm", "backup.db"}
        assert {path.name: mode(path) for path in tmp_path.iterdir() if mode(path) != 0o600} == {}
        assert served.service.store.notes == []
    restore(tmp_path / "backup.db", tmp_path / "restored.db")
    with Learner("samba", ["a", "b"], journal=tmp_path / "j") as learner:
        learner.save(tmp_path / "saved.json")
    assert {path.name: mode(path) for path in tmp_path.iterdir() if mode(path) != 0o600} == {}


def test_an_open_file_is_noted(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "s.db").close()
    (tmp_path / "s.db").chmod(0o640)
    store = SqliteStore(tmp_path / "s.db")
    (note,) = store.notes
    store.close()
    assert "mode 640" in note
    assert "chmod 600" in note


@pytest.mark.parametrize("name", ["s.db", "s.db-wal"])
@pytest.mark.parametrize("replaced", [False, True])
def test_nothing_is_acknowledged_that_went_into_a_removed_file(tmp_path: Path, name: str, replaced: bool) -> None:
    with running(SqliteStore(tmp_path / "s.db")) as served, Client(served.url) as client:
        stopped: list[BaseException] = []
        served.service.on_failure = stopped.append
        client.create("e", ["a", "b"]).decide()
        (tmp_path / name).unlink()
        if replaced:
            (tmp_path / name).write_bytes(b"")
        assert httpx.post(f"{served.url}/v1/experiments/e/decisions", json={}).status_code == 503
        until(lambda: stopped)
        assert "was removed or replaced" in str(stopped[0])
        assert httpx.get(f"{served.url}/healthz").status_code == 503


def test_a_new_experiment_is_not_acknowledged_either(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "s.db")
    (tmp_path / "s.db").rename(tmp_path / "moved.db")
    with pytest.raises(FileNotFoundError, match="was removed or replaced"):
        store.create("e", "{}", "{}")
    store.close()


def test_a_backup_is_there_after_a_power_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder is synced after the name has changed."""
    SqliteStore(tmp_path / "s.db").close()
    events: list[str] = []
    replace, fsync = os.replace, os.fsync

    def note_replace(*names: Any) -> None:
        events.append("rename")
        replace(*names)

    def note_sync(file: int) -> None:
        events.append(Path(os.readlink(f"/proc/self/fd/{file}")).name)
        fsync(file)

    monkeypatch.setattr(backup.os, "replace", note_replace)
    monkeypatch.setattr(backup.os, "fsync", note_sync)
    back_up(tmp_path / "s.db", tmp_path / "copy.db")
    assert events == [f"copy.db.draft-{os.getpid()}", "rename", tmp_path.name]


@contextmanager
def unprivileged() -> Iterator[None]:
    """As a user that may write nowhere, if this one is root; whoever else must be kept out by modes."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_folder_that_cannot_be_written_is_said_in_a_sentence(robandit: Any) -> None:
    """A database that is there, a new one, a lock, a backup; and a folder that cannot even be looked into."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        SqliteStore(folder / "s.db").close()
        (folder / "s.db").chmod(0o666)
        folder.chmod(0o555)
        try:
            with unprivileged():
                for file in ("s.db", "new.db"):
                    code, _, err = robandit("serve", "--db", f"sqlite:///{folder}/{file}", "--port", "0")
                    assert (code, err.count("\n")) == (2, 1), err
                    assert "cannot be used" in err
                with pytest.raises(InputError, match="cannot be written"):
                    serve.Ownership(f"{folder}/x.lock")
                code, _, err = robandit("service", "backup", f"{folder}/b.db", "--db", f"sqlite:///{folder}/s.db")
                assert (code, err.count("\n")) == (2, 1), err
            folder.chmod(0o000)
            with unprivileged():
                code, _, err = robandit("serve", "--db", f"sqlite:///{folder}/s.db", "--port", "0")
                assert code == 2
                assert "Permission denied" in err
                assert err.count("\n") == 1
        finally:
            folder.chmod(0o755)


def test_a_backup_into_a_missing_folder_is_refused_in_a_sentence(tmp_path: Path, robandit: Any) -> None:
    SqliteStore(tmp_path / "s.db").close()
    code, _, err = robandit("service", "backup", str(tmp_path / "none" / "b.db"), "--db", f"sqlite:///{tmp_path}/s.db")
    assert code == 2
    assert err == f"robandit: there is no folder '{tmp_path / 'none'}'\n"
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="there is no folder"):
        back_up(tmp_path / "s.db", tmp_path / "file" / "b.db")


def test_what_killed_processes_left_is_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    left, young, foreign = (tmp_path / f"{watch_folder.PREFIX}{name}" for name in ("left", "young", "foreign"))
    for folder in (left, young):
        folder.mkdir()
        (folder / "1.journal").write_text("seed")
    foreign.symlink_to(tmp_path / "elsewhere")
    old = time.time() - 3600
    os.utime(left, (old, old))
    with watch_folder.watch_folder() as first:
        os.utime(first, (old, old))  # it lives as long, but its process holds it
        watch_folder.remove_left()
        with watch_folder.watch_folder() as second:
            assert mode(second) == 0o700
            assert {path.name for path in tmp_path.iterdir()} == {young.name, foreign.name, first.name, second.name}
    assert {path.name for path in tmp_path.iterdir()} == {young.name, foreign.name}


def test_pages_and_replies_are_not_stored_by_browsers(tmp_path: Path) -> None:
    with running(SqliteStore(tmp_path / "s.db")) as served, Client(served.url) as client:
        client.create("e", ["a", "b"]).decide()
        for path in (
            "/",
            "/experiments/1",
            "/login",
            "/metrics",
            "/healthz",
            "/v1/experiments",
            "/v1/experiments/e/export",
        ):
            assert httpx.get(served.url + path).headers["cache-control"] == "no-store", path
        for path in ("/v1/nothing", "/experiments/9"):
            assert httpx.get(served.url + path).headers["cache-control"] == "no-store", path
        assert "no-store" not in httpx.get(f"{served.url}/static/page.css").headers.get("cache-control", "")
