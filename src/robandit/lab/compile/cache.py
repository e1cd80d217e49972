"""The kernel cache: checksummed files by fingerprint, safe with many processes and threads at once, pruned."""

import hashlib
import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import IO

from robandit.errors import InputError

MAGIC = b"robandit kernel 1\n"
PATIENCE = 10.0  # seconds to wait for another process, which may have been stopped
MOST_ENTRIES = 1000  # entries on disk; the longest unused go first


def cache_folder() -> Path:
    """The folder of the kernels: ROBANDIT_CACHE, or the user's cache folder."""
    base = os.environ.get("ROBANDIT_CACHE")
    return Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "robandit"


def read_entry(name: str) -> bytes | None:
    """The entry of a name; None if it is not there or not whole."""
    path = cache_folder() / name
    try:
        content = path.read_bytes()
    except OSError:
        return None
    head, body = content[: len(MAGIC) + 32], content[len(MAGIC) + 32 :]
    if head != MAGIC + hashlib.sha256(body).digest():
        return None
    with suppress(OSError):
        os.utime(path)
    return body


def write_entry(name: str, body: bytes) -> None:
    """Write an entry: it is there whole or not at all, whoever else writes it."""
    path = cache_folder() / name
    draft = path.with_name(f".{name}.{os.getpid()}.{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(MAGIC + hashlib.sha256(body).digest() + body)
        draft.replace(path)
    except OSError as error:
        raise InputError(f"the kernel cache {path.parent} cannot be written; set ROBANDIT_CACHE to a folder") from error
    prune(path.parent)


def read_or_make(name: str, make: Callable[[], bytes]) -> bytes:
    """The entry of a name, written by `make` if it is not there; of processes that start together, one does."""
    body = read_entry(name)
    if body is None:
        with alone(name):
            body = read_entry(name)
            if body is None:
                body = make()
                write_entry(name, body)
    return body


@contextmanager
def alone(name: str) -> Iterator[None]:
    """While no other process makes what a name stands for; who has waited long enough makes it beside the other."""
    place = cache_folder() / f".{name}.lock"
    with ExitStack() as stack:
        with suppress(OSError):  # write_entry() says what is wrong with the folder
            place.parent.mkdir(parents=True, exist_ok=True)
            lock = stack.enter_context(open(place, "w"))
            stack.callback(place.unlink, missing_ok=True)
            until = time.monotonic() + PATIENCE
            while not locked(lock) and time.monotonic() < until:
                time.sleep(0.02)
        yield


def locked(file: IO[str]) -> bool:
    """Lock a file, or say that another process has; the system frees what a process leaves behind."""
    try:
        import fcntl
    except ImportError:  # on Windows each process makes its own
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True


def prune(folder: Path) -> None:
    """Keep the cache from growing without end as parts are edited; another process may be doing the same."""
    with suppress(OSError):
        entries = list(os.scandir(folder))
        if len(entries) > MOST_ENTRIES:
            used = sorted(entries, key=lambda entry: entry.stat().st_mtime)
            for entry in used[: len(entries) - MOST_ENTRIES]:
                if entry.is_dir():  # a kernel of the other road
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    with suppress(OSError):
                        os.unlink(entry.path)
