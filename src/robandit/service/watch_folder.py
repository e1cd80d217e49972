"""A folder for the copies of journals that audits read: gone with its process, even if that was killed.

Its process holds a lock on it. Another process that begins removes those whose process is gone.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PREFIX = "robandit-journals-"
YOUNG = 60.0  # seconds in which a folder may not have its lock yet


@contextmanager
def watch_folder() -> Iterator[Path]:
    """Yields a new folder that only this user can read, for a journal has the seed."""
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(lock)


def remove_left() -> None:
    """Remove folders of this user whose process was killed."""
    for folder in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            status = folder.lstat()
            if status.st_uid != os.getuid() or time.time() - status.st_mtime < YOUNG:
                continue
            lock = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
        except OSError:  # it went just now, or is none
            continue
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:  # its process lives
            pass
        finally:
            os.close(lock)
