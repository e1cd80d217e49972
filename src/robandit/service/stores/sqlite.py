"""A store in one file: SQLite through APSW, which brings its own library.

SQLite 3.7.0 to 3.51.2 can lose acknowledged commits when one connection writes while another checkpoints, and the
library that Python links is usually one of these: such a one is refused.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import RLock, local
from typing import Any

import apsw

from robandit.errors import InputError
from robandit.service.stores.archive import FOLDER, Piece, folder_of, read_lines
from robandit.service.stores.base import (
    NO_HEAD,
    ExperimentRecord,
    Head,
    OneOwner,
    Rewrite,
    Row,
    Snapshot,
    StoreRefusal,
    Unreachable,
    advance_heads,
)

SAFE = 3_051_003
FORMAT = 2
SNAPSHOTS = 2  # of each experiment
PAGES = 1000  # of the log, after which it is moved into the file
SCHEMA = """
CREATE TABLE IF NOT EXISTS meta(key TEXT PRIMARY KEY, value BLOB NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS experiment(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, about TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS line(
  experiment INTEGER NOT NULL, line INTEGER NOT NULL, act INTEGER NOT NULL, settles INTEGER, body TEXT NOT NULL,
  PRIMARY KEY(experiment, line)) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS settled ON line(experiment, settles) WHERE settles IS NOT NULL;
CREATE INDEX IF NOT EXISTS acts ON line(experiment, line) WHERE act = 1;
CREATE TABLE IF NOT EXISTS head(experiment INTEGER PRIMARY KEY, line INTEGER NOT NULL, chain BLOB NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS snapshot(
  experiment INTEGER NOT NULL, line INTEGER NOT NULL, code TEXT NOT NULL, body BLOB NOT NULL,
  PRIMARY KEY(experiment, line)) STRICT, WITHOUT ROWID;
"""
ARCHIVE = """
CREATE TABLE archive(
  experiment INTEGER NOT NULL, first INTEGER NOT NULL, last INTEGER NOT NULL, before BLOB NOT NULL,
  after BLOB NOT NULL, name TEXT NOT NULL, digest BLOB NOT NULL, PRIMARY KEY(experiment, last)) STRICT, WITHOUT ROWID;
"""
UPGRADES = {0: SCHEMA, 1: ARCHIVE}  # from a format (0: an empty file) to the next one


class SqliteStore(OneOwner):
    """One connection that writes; a read-only one for each thread that reads."""

    newest_format = FORMAT

    def __init__(self, path: Path | str, *, vfs: str | None = None, read_only: bool = False) -> None:
        if apsw.SQLITE_VERSION_NUMBER < SAFE:
            raise InputError(f"SQLite {apsw.sqlite_lib_version()} can lose commits: 3.51.3 or newer is needed")
        self.path: str = str(path)
        self.vfs, self.readers = vfs, local()
        self.open_readers: list[Any] = []  # readers of all threads
        self.writing, self.pages = RLock(), 0
        flags = apsw.SQLITE_OPEN_READONLY if read_only else apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE
        try:
            if not read_only and vfs is None:
                create_private(self.path)
            self.db = apsw.Connection(self.path, flags=flags, vfs=vfs)
            try:
                self.begin(read_only)
            except BaseException:
                self.db.close()
                raise
        except (apsw.Error, OSError) as error:
            raise InputError(f"the database {self.path!r} cannot be used: {error}") from error
        self.files = {} if vfs is not None or read_only else {name: file_at(name) for name in self.names}
        self.notes = [] if vfs is not None else notes_on(self.path)

    @property
    def names(self) -> tuple[str, str]:
        """The file, and the log beside it."""
        return self.path, f"{self.path}-wal"

    def check_files(self) -> None:
        """Raises FileNotFoundError if what was just written is in a file that has no name any more, or another one."""
        for name, file in self.files.items():
            if file is not None and file_at(name) != file:
                raise FileNotFoundError(f"{name!r} was removed or replaced: what is written to it is lost")

    def begin(self, read_only: bool) -> None:
        """Settings, tables, and where each journal ends."""
        self.db.set_busy_timeout(5000)
        if not read_only:
            if self.db.execute("PRAGMA journal_mode=WAL").get != "wal":  # SQLite goes on with what it had
                raise InputError(
                    f"the database {self.path!r} cannot have a log beside it (WAL): its disk must be local"
                )
            self.db.execute("PRAGMA synchronous=FULL")
            self.db.execute("PRAGMA wal_autocheckpoint=0")  # `checkpoint` does it
            self.db.set_wal_hook(self.grown)
        self.check_format()
        if not read_only:
            self.upgrade()
        self.heads = {one: Head(line, chain) for one, line, chain in self.db.execute("SELECT * FROM head")}

    def check_format(self) -> None:
        """Refuse a database of a newer layout."""
        self.format: int = self.db.execute("PRAGMA user_version").get
        self.upgraded_from = self.format
        if self.format > FORMAT:
            raise InputError(f"the database {self.path!r} has the format {self.format}, and {FORMAT} is supported here")

    def upgrade(self) -> None:
        """Bring the tables to today's format, in one transaction; another process may do the same meanwhile."""
        if self.format < FORMAT:
            with self.transaction() as db:
                for version in range(db.execute("PRAGMA user_version").get, FORMAT):
                    db.execute(UPGRADES[version])
                db.execute(f"PRAGMA user_version={FORMAT}")
        self.format = FORMAT

    @property
    def reader(self) -> Any:
        """This thread's own read-only connection; it never checkpoints, and so never holds the writer up."""
        if not hasattr(self.readers, "db"):
            db = apsw.Connection(self.path, flags=apsw.SQLITE_OPEN_READONLY, vfs=self.vfs)
            db.set_busy_timeout(5000)
            db.execute("PRAGMA wal_autocheckpoint=0")
            self.readers.db = db
            self.open_readers.append(db)
        return self.readers.db

    def read(self, query: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """Returns the rows of a query. Raises Unreachable if the file cannot be read now."""
        try:
            rows: list[Any] = self.reader.execute(query, values).fetchall()
        except (apsw.CantOpenError, apsw.IOError, apsw.BusyError) as error:
            raise Unreachable(f"the database {self.path!r} cannot be read: {error}") from error
        return rows

    @contextmanager
    def transaction(self) -> Iterator[Any]:
        """All or nothing, and one at a time: a connection has one transaction, whoever's thread it is."""
        with self.writing:
            self.db.execute("BEGIN IMMEDIATE")
            try:
                yield self.db
                self.db.execute("COMMIT")
            except BaseException:
                if self.db.in_transaction:
                    self.db.execute("ROLLBACK")
                raise

    def grown(self, db: Any, name: str, pages: int) -> int:
        """SQLite reports how long the log is."""
        self.pages = pages
        return 0

    def checkpoint(self) -> None:
        """Move a long log into the file; SQLite would do so by itself, but report no error."""
        if self.pages >= PAGES:
            with self.writing, suppress(apsw.BusyError):  # another process does it
                self.db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_PASSIVE)

    def meta(self, key: str, value: bytes) -> bytes:
        with self.transaction() as db:
            db.execute("INSERT OR IGNORE INTO meta VALUES(?, ?)", (key, value))
            stored: bytes = db.execute("SELECT value FROM meta WHERE key = ?", (key,)).get
        return stored

    def replace_meta(self, key: str, value: bytes) -> None:
        with self.transaction() as db:
            db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))

    def experiments(self) -> list[ExperimentRecord]:
        return [ExperimentRecord(*row) for row in self.read("SELECT id, name, about FROM experiment ORDER BY id")]

    def create(self, name: str, about: str, first: str) -> int:
        try:
            with self.transaction() as db:
                db.execute("INSERT INTO experiment(name, about) VALUES(?, ?)", (name, about))
                number = int(db.last_insert_rowid())
                row = Row(number, 1, False, None, first)
                heads = advance_heads([row], {number: Head(0, NO_HEAD)})
                self.insert([row], heads)
        except apsw.ConstraintError as error:
            raise StoreRefusal(f"an experiment has the name {name!r} already") from error
        self.check_files()
        self.heads |= heads
        return number

    def commit(self, rows: list[Row], snapshots: Iterable[Snapshot] = ()) -> None:
        try:
            with self.transaction() as db:
                heads = advance_heads(rows, self.heads)
                self.insert(rows, heads)
                for snapshot in snapshots:
                    db.execute("INSERT OR REPLACE INTO snapshot VALUES(?, ?, ?, ?)", snapshot)
                    oldest = "SELECT line FROM snapshot WHERE experiment = ? ORDER BY line DESC LIMIT -1 OFFSET ?"
                    db.execute(
                        f"DELETE FROM snapshot WHERE experiment = ? AND line IN ({oldest})",
                        (snapshot.experiment, snapshot.experiment, SNAPSHOTS),
                    )
        except apsw.ConstraintError as error:
            raise StoreRefusal(f"a line or a decision is there already: {error}") from error
        self.check_files()
        self.heads |= heads
        self.checkpoint()

    def insert(self, rows: list[Row], heads: dict[int, Head]) -> None:
        """Insert lines and heads, inside a transaction."""
        self.db.executemany("INSERT INTO line VALUES(?, ?, ?, ?, ?)", rows)
        self.db.executemany(
            "INSERT OR REPLACE INTO head VALUES(?, ?, ?)", [(one, *head) for one, head in heads.items()]
        )

    def lines(self, experiment: int, after: int = 0, *, acts: bool = False) -> Iterator[tuple[int, str]]:
        # in pieces, for the log cannot be reset during a long transaction
        only = "AND act = 1" if acts else ""
        query = f"SELECT line, body FROM line WHERE experiment = ? AND line > ? {only} ORDER BY line LIMIT 4000"

        def read_stored(after: int) -> list[tuple[int, str]]:
            return self.read(query, (experiment, after))

        def find_piece(after: int) -> Piece | None:
            pieces = [] if acts else self.pieces(experiment)
            return next((one for one in pieces if one.first <= after + 1 <= one.last), None)

        return read_lines(after, read_stored, find_piece, self.archive_folder)

    def pieces(self, experiment: int) -> list[Piece]:
        if self.format < 2:  # a file that is only read
            return []
        query = "SELECT * FROM archive WHERE experiment = ? ORDER BY last"
        return [Piece(*row) for row in self.read(query, (experiment,))]

    def rows(self, experiment: int, after: int, most: int) -> list[Row]:
        query = "SELECT * FROM line WHERE experiment = ? AND line > ? ORDER BY line LIMIT ?"
        rows = self.read(query, (experiment, after, most))
        return [Row(experiment, line, bool(act), settles, body) for _, line, act, settles, body in rows]

    def archive_folder(self) -> Path:
        rows = self.read("SELECT value FROM meta WHERE key = ?", (FOLDER,))
        return folder_of(rows[0][0] if rows else b"")

    def archive(self, piece: Piece) -> None:
        with self.transaction() as db:
            db.execute("INSERT INTO archive VALUES(?, ?, ?, ?, ?, ?, ?)", piece)
            gone = "DELETE FROM line WHERE experiment = ? AND line BETWEEN ? AND ? AND act = 0 AND line > 1"
            db.execute(gone, piece[:3])
        self.checkpoint()

    def replace(self, rewrite: Rewrite) -> None:
        experiment, head = rewrite.experiment, rewrite.head
        with self.transaction() as db:
            if Head(*db.execute("SELECT line, chain FROM head WHERE experiment = ?", (experiment,)).get) != rewrite.old:
                raise StoreRefusal(f"experiment {experiment} has changed meanwhile")
            bodies = [(body, experiment, line) for line, body in rewrite.bodies]
            db.executemany("UPDATE line SET body = ? WHERE experiment = ? AND line = ?", bodies)
            db.execute("DELETE FROM snapshot WHERE experiment = ?", (experiment,))
            db.execute("DELETE FROM archive WHERE experiment = ?", (experiment,))
            db.executemany("INSERT INTO archive VALUES(?, ?, ?, ?, ?, ?, ?)", rewrite.pieces)
            self.insert([rewrite.last], {experiment: head})
        self.heads[experiment] = head
        self.db.execute("VACUUM")  # pages that are free, and the log, have the old lines too
        self.db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)

    def settled(self, experiment: int, number: int) -> str | None:
        query = "SELECT body FROM line WHERE experiment = ? AND settles = ?"
        rows = self.read(query, (experiment, number))
        return rows[0][0] if rows else None

    def head(self, experiment: int) -> Head:
        ((line, chain),) = self.read("SELECT line, chain FROM head WHERE experiment = ?", (experiment,))
        return Head(line, chain)

    def snapshot(self, experiment: int) -> Snapshot | None:
        query = "SELECT * FROM snapshot WHERE experiment = ? ORDER BY line DESC LIMIT 1"
        rows = self.read(query, (experiment,))
        return Snapshot(*rows[0]) if rows else None

    def backup(self, path: Path | str) -> None:
        """Copy the database as of now, while others write."""
        create_private(path)
        target = apsw.Connection(str(path))
        try:
            with target.backup("main", self.reader, "main") as copy:
                copy.step()
            target.execute("PRAGMA journal_mode=DELETE")  # one file
        finally:
            target.close()

    def close(self) -> None:
        for db in self.open_readers:
            with suppress(apsw.ThreadingViolationError):  # a thread is in the middle of reading, and ends with us
                db.close()
        self.db.close()  # moves the log into the file, unless somebody still reads: then the next start does


def create_private(path: Path | str) -> None:
    """Create a file that only its owner can read, unless it is there: it has the seeds and the key of all ids.

    SQLite gives its log the same mode.
    """
    with suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def file_at(name: str) -> tuple[int, int] | None:
    """Returns which file a name stands for; None if there is none."""
    try:
        status = os.stat(name)
    except FileNotFoundError:
        return None
    return status.st_dev, status.st_ino


def notes_on(path: str) -> list[str]:
    """Returns what an operator should know about the database's file."""
    mode = os.stat(path).st_mode & 0o777
    if not mode & 0o077:
        return []
    return [f"other users may use {path!r} (mode {mode:03o}), which has the seeds and the key of all ids: chmod 600"]


def open_at(url: str, read_only: bool) -> SqliteStore:
    """Returns the store at `sqlite:///FILE`. Raises InputError where there is no such folder or file."""
    rest = url.partition("://")[2]
    if not rest.startswith("/") or not rest.strip("/"):
        raise InputError(f"a database file must be sqlite:///FILE, not {url!r}")
    path = Path(rest.removeprefix("/"))
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r}")
    if read_only and not path.is_file():
        raise InputError(f"there is no database {str(path)!r}")
    return SqliteStore(path, read_only=read_only)
