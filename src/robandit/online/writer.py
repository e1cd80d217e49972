"""Appending to a journal: one writer, each line on the disk before it counts, a torn last line repaired."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from robandit.errors import InputError
from robandit.online.journal import read_lines, write_line
from robandit.online.standing import Entry
from robandit.online.terms import Terms

try:
    import fcntl
except ImportError:  # no POSIX system
    fcntl = None  # type: ignore[assignment]


class JournalWriter:
    """The one writer of a journal; with `sync` a line is on the disk before `append` returns, else with the system.

    Without `sync` a crash of the machine may lose the last lines, a crash of the process alone may not.
    """

    def __init__(self, path: Path | str, sync: bool = True) -> None:
        self.path, self.sync, self.broken = Path(path), sync, ""
        if fcntl is None:
            raise InputError("a journal cannot be locked on this system, which has no fcntl: use a learner without one")
        try:
            self.file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)  # it holds the seed
        except OSError as error:
            raise InputError(f"the journal {str(path)!r} cannot be opened: {error.strerror}") from error
        try:
            self.lock()
            self.checksum = self.end = self.lines = 0
            for line in read_lines(self.path):
                self.checksum, self.end, self.lines = line.checksum, line.end, line.number
            if os.fstat(self.file).st_size > self.end:  # a torn line: it was never acknowledged
                os.ftruncate(self.file, self.end)
                os.fsync(self.file)
        except BaseException:
            os.close(self.file)
            raise

    def lock(self) -> None:
        """Refuse a second writer; the lock goes with its process, whatever ends it."""
        try:
            fcntl.flock(self.file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise InputError(f"the journal {str(self.path)!r} is being written by another learner") from error

    def begin(self, terms: Terms) -> None:
        """Write the first line; the file's name is made durable too."""
        self.append(terms.header())
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def append(self, entry: Entry) -> None:
        """Write one more line, whole or not at all; raises InputError if it cannot be written."""
        if self.broken:
            raise InputError(f"the journal {str(self.path)!r} cannot be written: {self.broken}")
        try:
            text, checksum = write_line(entry, self.checksum)
        except (TypeError, ValueError) as error:
            raise InputError(f"this cannot be written into a journal: {error}") from error
        try:
            written = os.write(self.file, text)
            if written < len(text):
                raise OSError(0, "the disk is full")
            if self.sync:
                os.fsync(self.file)
        except OSError as error:
            self.take_back(error)
            raise InputError(f"the journal {str(self.path)!r} cannot be written: {error.strerror}") from error
        self.checksum, self.end, self.lines = checksum, self.end + len(text), self.lines + 1

    def take_back(self, error: OSError) -> None:
        """Remove what was written of a line that failed; if even that fails, write no more."""
        try:
            os.ftruncate(self.file, self.end)
            os.fsync(self.file)
        except OSError:
            self.broken = f"{error.strerror}, and the torn line could not be removed"

    def close(self) -> None:
        """Close the file, so that another writer can have it."""
        if self.file >= 0:
            os.close(self.file)
        self.file, self.broken = -1, "it was closed"


@contextmanager
def claim_journal(path: Path | str, sync: bool) -> Iterator[JournalWriter]:
    """Yield a writer, closed again if what it was opened for fails; a file without a line is removed too."""
    writer = JournalWriter(path, sync)
    try:
        yield writer
    except BaseException:
        if not writer.lines:
            writer.path.unlink(missing_ok=True)
        writer.close()
        raise
