"""The kernel cache: checksummed files by fingerprint, safe with many processes and threads at once, pruned."""

import hashlib
import os
import shutil
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from robandit.errors import InputError

MAGIC = b"robandit kernel 1\n"
KEPT = 1000  # entries on disk; the longest unused go first


def cache_folder() -> Path:
    """Where kernels are kept: ROBANDIT_CACHE, or the user's cache folder."""
    base = os.environ.get("ROBANDIT_CACHE")
    return Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "robandit"


def found(name: str) -> bytes | None:
    """What is kept under a name; None if it is not there or not whole."""
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


def keep(name: str, body: bytes) -> None:
    """Keep a file: it is there whole or not at all, whoever else writes it."""
    path = cache_folder() / name
    draft = path.with_name(f".{name}.{os.getpid()}.{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        draft.write_bytes(MAGIC + hashlib.sha256(body).digest() + body)
        draft.replace(path)
    except OSError as error:
        raise InputError(f"the kernel cache {path.parent} cannot be written; set ROBANDIT_CACHE to a folder") from error
    prune(path.parent)


def kept(name: str, make: Callable[[], bytes]) -> bytes:
    """What is kept under a name, made where it is not there."""
    body = found(name)
    if body is None:
        body = make()
        keep(name, body)
    return body


def prune(folder: Path) -> None:
    """Keep the cache from growing without end as parts are edited; another process may be doing the same."""
    with suppress(OSError):
        entries = list(os.scandir(folder))
        if len(entries) > KEPT:
            used = sorted(entries, key=lambda entry: entry.stat().st_mtime)
            for entry in used[: len(entries) - KEPT]:
                if entry.is_dir():  # a kernel of the other road
                    shutil.rmtree(entry.path, ignore_errors=True)
                else:
                    with suppress(OSError):
                        os.unlink(entry.path)
