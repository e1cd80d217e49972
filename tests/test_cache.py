"""The kernel cache among processes that start together: one makes what all need, and none waits for ever."""

import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from robandit.lab.compile import cache


def test_one_makes_it_and_the_others_wait(kernel_cache: Path) -> None:
    waits = threading.Event()

    def second() -> bytes:
        waits.set()
        return cache.read_or_make("piece.bc", lambda: b"made twice")

    with ThreadPoolExecutor() as pool:
        with cache.alone("piece.bc"):
            told = pool.submit(second)
            waits.wait()
            with open(kernel_cache / ".piece.bc.lock") as lock:
                assert not cache.locked(lock)
            cache.write_entry("piece.bc", b"made once")
        assert told.result() == b"made once"
    assert [path.name for path in kernel_cache.iterdir()] == ["piece.bc"]


def test_one_that_was_stopped_is_not_waited_for(kernel_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "PATIENCE", 0.05)
    with cache.alone("piece.bc"):
        assert cache.read_or_make("piece.bc", lambda: b"made beside it") == b"made beside it"
    assert cache.read_entry("piece.bc") == b"made beside it"
