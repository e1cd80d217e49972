"""A store in PostgreSQL, for several processes on several machines: each experiment has one of them as its owner.

Every commit names the fences it relies on; if one is not the present one, all of it is refused. So safety rests on the
database alone, and clocks say only when a lease may be taken: there is one clock, the server's.
"""

import math
import secrets
import time
from collections.abc import Generator, Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from robandit.errors import InputError
from robandit.service.stores import postgres_schema as sql
from robandit.service.stores.archive import FOLDER, Piece, folder_of, read_lines
from robandit.service.stores.base import (
    NO_HEAD,
    ExperimentRecord,
    Head,
    Lease,
    LeasedStore,
    Rewrite,
    Row,
    Snapshot,
    StoreRefusal,
    TakenLease,
    Unreachable,
    advance_heads,
    extend_chain,
)

LEASE = 10.0  # seconds, by default
PIECE = 20_000  # lines read at once
LONGEST = 30.0  # seconds that a statement may take; those that a lease depends on, half a lease
PATIENCE: dict[str, str | int | None] = {  # with a server that has vanished; what the address says itself goes first
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "application_name": "robandit",
}
# classes of SQLSTATE: the server took the statement for wrong. With any other error it cannot do it now, and may later
REFUSALS = ("0A", "22", "23", "42", "P0")
READ_ONLY = "25006"
SETTINGS = f"""SELECT set_config(name, value, false)
FROM (VALUES ('synchronous_commit', 'on', ARRAY['off', 'local']),
  ('statement_timeout', '{LONGEST:.0f}s', ARRAY['0'])) AS wanted(name, value, instead)
WHERE current_setting(name) = ANY(instead)"""


class ImpatientConnection(psycopg.Connection[Any]):
    """A connection on which no statement takes longer than it may: a server that hangs keeps the network alive."""

    seconds = LONGEST

    def wait(self, gen: Any, *more: Any, **options: Any) -> Any:
        return super().wait(end_after(self.seconds, gen), *more, **options)


def end_after(seconds: float, steps: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """Yields what psycopg waits for, which is asked now and then. Raises Unreachable when it took too long."""
    ends, wanted = time.monotonic() + seconds, next(steps)
    while True:
        ready = yield wanted
        if not ready and time.monotonic() > ends:
            raise Unreachable(f"the database did not answer for {seconds:g} seconds")
        try:
            wanted = steps.send(ready)
        except StopIteration as end:
            return end.value


def is_refusal(error: psycopg.Error) -> bool:
    """Whether a statement is wrong, so that trying it again is in vain."""
    if error.sqlstate is None:
        return not isinstance(error, psycopg.OperationalError | psycopg.InterfaceError)
    return error.sqlstate.startswith(REFUSALS)


class PostgresStore(LeasedStore):
    """A few connections, each lent to one statement at a time; every statement is a transaction of its own."""

    newest_format = sql.FORMAT

    path: str | None = None

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        try:
            settings = conninfo_to_dict(url)
        except psycopg.ProgrammingError as error:
            raise InputError(f"this is no address of a PostgreSQL database: {str(error).strip()}") from error
        usual = PATIENCE | {"target_session_attrs": "any" if read_only else "read-write"}
        usual = {name: value for name, value in usual.items() if name not in settings}
        self.conninfo = make_conninfo(url, **usual, client_encoding="utf8")  # whatever the surroundings ask for
        self.where = f"{settings.get('dbname', '')!r} at {settings.get('host', 'this machine')}"
        self.read_only, self.idle, self.closed = read_only, list[ImpatientConnection](), False
        self.owner, self.address, self.seconds = secrets.token_hex(8), "", LEASE
        self.wants = True  # its share of the experiments
        self.fences: dict[int, int] = {}  # of the experiments that this store owns
        self.heads: dict[int, Head] = {}
        try:
            self.check_database()
        except InputError:
            self.close()
            raise
        except (Unreachable, psycopg.Error) as error:
            self.close()
            raise InputError(f"the database {self.where} cannot be used: {str(error).strip()}") from error

    def check_database(self) -> None:
        """Create the tables where there are none. Raises InputError for a database of another layout."""
        ((encoding, fsync, pages, there, whole),) = self.ask(
            "SELECT current_setting('server_encoding'), current_setting('fsync'), current_setting('full_page_writes'),"
            " to_regclass('robandit.meta') IS NOT NULL,"
            " to_regclass('robandit.instance') IS NOT NULL"
        )
        if encoding != "UTF8":
            raise InputError(f"the database {self.where} is encoded in {encoding}, and UTF8 is needed")
        if not there and self.read_only:
            raise InputError(f"the database {self.where} holds no experiments")
        if not there:  # one transaction, so that nobody meets a new database of an old format
            self.connect_and(lambda db: db.execute(sql.SCHEMA + "".join(sql.UPGRADES.values())))
        elif not whole and not self.read_only:  # an older version knew fewer tables, and needs no other
            self.connect_and(lambda db: db.execute(sql.SCHEMA))
        self.format = self.read_format()
        self.upgraded_from = self.format if there else 0
        if self.format > sql.FORMAT:
            raise InputError(f"the database {self.where} has the format {self.format}, {sql.FORMAT} is supported here")
        while not self.read_only and self.format < sql.FORMAT:
            upgrade = sql.UPGRADES[self.format]
            self.connect_and(lambda db, upgrade=upgrade: db.execute(upgrade))
            self.format = self.read_format()
        off = [name for name, value in (("fsync", fsync), ("full_page_writes", pages)) if value != "on"]
        self.notes = [f"PostgreSQL runs with {name}=off: a power cut loses data" for name in off]

    def read_format(self) -> int:
        """Returns the format of the tables."""
        ((version,),) = self.ask("SELECT value FROM robandit.meta WHERE key = 'format'")
        return int(version)

    def connect_and(self, work: Any, seconds: float = LONGEST) -> Any:
        """Returns what some work on an idle connection returns, or on a new one. Raises Unreachable."""
        try:
            db = self.lend(seconds)
            try:
                result = work(db)
            except BaseException as error:
                if isinstance(error, psycopg.Error) and self.is_final(error) and not db.closed:
                    self.idle.append(db)  # it said no, and goes on
                else:
                    db.close()
                raise
        except psycopg.Error as error:
            if self.is_final(error):
                raise
            raise Unreachable(str(error).strip().partition("\n")[0]) from error
        self.idle.append(db)
        if self.closed:  # by another thread, meanwhile
            self.hang_up()
        return result

    def is_final(self, error: psycopg.Error) -> bool:
        """Whether an error says that a statement is wrong here, not that the server cannot do it now."""
        return is_refusal(error) or (self.read_only and error.sqlstate == READ_ONLY)

    def lend(self, seconds: float) -> ImpatientConnection:
        """Returns an idle connection, or a new one, on which a commit is durable when it returns."""
        try:
            db = self.idle.pop()
            db.seconds = seconds
        except IndexError:
            db = ImpatientConnection.connect(self.conninfo, autocommit=True)
            db.seconds = seconds
            try:
                db.execute("SET default_transaction_read_only = on" if self.read_only else SETTINGS)
            except BaseException:
                db.close()
                raise
        return db

    def ask(self, query: str, values: Any = (), *, again: bool = True, seconds: float = LONGEST) -> list[Any]:
        """Returns the rows of a query, run `again` on a new connection if the server has hung up on the old ones."""
        began = time.monotonic()
        try:
            rows: list[Any] = self.connect_and(lambda db: db.execute(query, values).fetchall(), seconds)
        except Unreachable:
            self.hang_up()
            if not again or time.monotonic() - began > seconds:
                raise
            rows = self.ask(query, values, again=False, seconds=seconds)
        return rows

    @property
    def brief(self) -> float:
        """Returns the seconds that a statement may take on which a lease or a reply depends."""
        return self.seconds / 2

    @property
    def leased(self) -> LeasedStore:
        return self

    def meta(self, key: str, value: bytes) -> bytes:
        if not self.read_only:
            self.ask("INSERT INTO robandit.meta VALUES(%s, %s) ON CONFLICT DO NOTHING RETURNING key", (key, value))
        rows = self.ask("SELECT value FROM robandit.meta WHERE key = %s", (key,))
        return rows[0][0] if rows else value

    def replace_meta(self, key: str, value: bytes) -> None:
        replace = "INSERT INTO robandit.meta VALUES(%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
        self.ask(f"{replace} RETURNING key", (key, value))

    def experiments(self) -> list[ExperimentRecord]:
        rows = self.ask("SELECT id, name, about FROM robandit.experiment ORDER BY id")
        return [ExperimentRecord(*row) for row in rows]

    def create(self, name: str, about: str, first: str) -> int:
        head = Head(1, extend_chain(NO_HEAD, first))
        query = "SELECT robandit.create_experiment(%s, %s, %s, %s, %s, %s, %s)"
        try:
            ((number,),) = self.ask(
                query,
                (name, about, first, head.chain, self.owner, self.seconds, self.address),
                again=False,
                seconds=self.brief,
            )
        except psycopg.errors.UniqueViolation as error:
            raise StoreRefusal(f"an experiment has the name {name!r} already") from error
        except psycopg.DataError as error:
            raise StoreRefusal(f"this cannot be stored: {error}") from error
        self.heads[number], self.fences[number] = head, 1
        return int(number)

    def commit(self, rows: list[Row], snapshots: Iterable[Snapshot] = ()) -> None:
        snapshots = list(snapshots)
        touched = {row.experiment for row in rows} | {one.experiment for one in snapshots}
        for experiment in touched - self.fences.keys():
            raise StoreRefusal(f"experiment {experiment} does not belong to this process")
        heads = {experiment: self.heads[experiment] for experiment in touched}
        after = heads | advance_heads(rows, self.heads)
        fences = {one: self.fences[one] for one in touched}
        changes = [
            [one, fences[one], heads[one].line, heads[one].chain.hex(), line, chain.hex()]
            for one, (line, chain) in sorted(after.items())
        ]
        values = [msgspec.json.encode(part).decode() for part in (changes, rows, [one[:3] for one in snapshots])]
        try:
            self.ask(
                "SELECT robandit.commit_lines(%s, %s, %s, %s::bytea[])",
                (*values, [one.body for one in snapshots]),
                again=False,
                seconds=self.seconds,
            )
        except (psycopg.errors.RaiseException, psycopg.IntegrityError, psycopg.DataError) as error:
            raise StoreRefusal(str(error.diag.message_primary or error)) from error
        # a commit that ends when nobody waits for it any more leaves alone what was taken again since
        self.heads |= {one: after[one] for one, fence in fences.items() if self.fences.get(one) == fence}

    def lines(self, experiment: int, after: int = 0, *, acts: bool = False) -> Iterator[tuple[int, str]]:
        only = "AND act" if acts else ""
        query = (
            f"SELECT line, body FROM robandit.line WHERE experiment = %s AND line > %s {only} ORDER BY line LIMIT %s"
        )

        def read_stored(after: int) -> list[tuple[int, str]]:
            return self.ask(query, (experiment, after, PIECE))

        def find_piece(after: int) -> Piece | None:
            pieces = [] if acts else self.pieces(experiment)
            return next((one for one in pieces if one.first <= after + 1 <= one.last), None)

        return read_lines(after, read_stored, find_piece, self.archive_folder)

    def pieces(self, experiment: int) -> list[Piece]:
        if self.format < 2:
            return []
        rows = self.ask("SELECT * FROM robandit.archive WHERE experiment = %s ORDER BY last", (experiment,))
        return [Piece(*row) for row in rows]

    def rows(self, experiment: int, after: int, most: int) -> list[Row]:
        query = "SELECT * FROM robandit.line WHERE experiment = %s AND line > %s ORDER BY line LIMIT %s"
        return [Row(*row) for row in self.ask(query, (experiment, after, most))]

    def archive_folder(self) -> Path:
        rows = self.ask("SELECT value FROM robandit.meta WHERE key = %s", (FOLDER,))
        return folder_of(rows[0][0] if rows else b"")

    def archive(self, piece: Piece) -> None:
        gone = (
            "WITH gone AS (DELETE FROM robandit.line"
            " WHERE experiment = %s AND line BETWEEN %s AND %s AND NOT act AND line > 1)"
        )
        new = "INSERT INTO robandit.archive VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING last"
        self.ask(f"{gone} {new}", (*piece[:3], *piece), again=False)

    def replace(self, rewrite: Rewrite) -> None:
        one, old, last = rewrite.experiment, rewrite.old, rewrite.last
        if one not in self.fences:
            raise StoreRefusal(f"experiment {one} does not belong to this process")
        pieces = [[value.hex() if isinstance(value, bytes) else value for value in piece] for piece in rewrite.pieces]
        texts = [msgspec.json.encode(part).decode() for part in (rewrite.bodies, pieces, [last.act, last.body])]
        try:
            self.ask(
                "SELECT robandit.replace_lines(%s, %s, %s, %s, %s, %s, %s, %s)",
                (one, self.fences[one], *old, rewrite.head.chain, *texts),
                again=False,
            )
        except (psycopg.errors.RaiseException, psycopg.IntegrityError, psycopg.DataError) as error:
            raise StoreRefusal(str(error.diag.message_primary or error)) from error
        self.heads[one] = rewrite.head

    def settled(self, experiment: int, number: int) -> str | None:
        query = "SELECT body FROM robandit.line WHERE experiment = %s AND settles = %s"
        rows = self.ask(query, (experiment, number), seconds=self.brief)
        return rows[0][0] if rows else None

    def head(self, experiment: int) -> Head:
        query = "SELECT line, chain FROM robandit.head WHERE experiment = %s"
        return Head(*self.ask(query, (experiment,), seconds=self.brief)[0])

    def snapshot(self, experiment: int) -> Snapshot | None:
        query = "SELECT * FROM robandit.snapshot WHERE experiment = %s ORDER BY line DESC LIMIT 1"
        rows = self.ask(query, (experiment,))
        return Snapshot(*rows[0]) if rows else None

    def share(self) -> int:
        ((experiments, processes),) = self.ask(sql.SHARE, (self.owner,), seconds=self.brief)
        return math.ceil(int(experiments) / int(processes))

    def resign(self) -> None:
        self.wants = False
        self.ask("DELETE FROM robandit.instance WHERE owner = %s RETURNING owner", (self.owner,), seconds=self.brief)

    def claim(
        self, most: int, again: Iterable[int] = (), but: Iterable[int] = (), spare: float = 0.0
    ) -> list[TakenLease]:
        values = {"owner": self.owner, "address": self.address, "seconds": self.seconds, "most": most}
        values |= {"again": list(again), "but": list(but), "spare": spare}
        fences = dict(self.ask(sql.CLAIM, values, seconds=self.brief))
        rows = self.ask(
            "SELECT id, name, about, line, chain FROM robandit.experiment JOIN robandit.head ON experiment = id"
            " WHERE id = ANY(%s::int[]) ORDER BY id",
            (list(fences),),
        )
        return [TakenLease(ExperimentRecord(*row[:3]), fences[row[0]], Head(*row[3:])) for row in rows]

    def take(self, lease: TakenLease) -> None:
        self.heads[lease.record.id], self.fences[lease.record.id] = lease.head, lease.fence

    def take_all(self) -> None:
        for taken in self.claim(2**31 - 1, but=self.fences):
            self.take(taken)
        for lease in self.all_leases():
            if lease.id not in self.fences:
                raise StoreRefusal(f"the experiment {lease.name!r} is served at {lease.address or 'another process'}")

    def renew(self, held: dict[int, int]) -> list[int]:
        values = {"owner": self.owner, "seconds": self.seconds, "held": list(held), "wants": self.wants}
        renewed = dict(self.ask(sql.RENEW, values, seconds=self.brief))
        return [one for one, fence in held.items() if renewed.get(one) != fence]

    def release(self, experiments: Iterable[int]) -> None:
        self.ask(sql.RELEASE, (self.owner, list(experiments)), seconds=self.brief)

    def find_lease(self, id: str) -> Lease | None:
        by = "id = %s::bigint" if id.isascii() and id.isdigit() and len(id) < 12 else "name = %s"
        rows = self.ask(f"{sql.LEASES} WHERE {by}", (id,), seconds=self.brief) if "\0" not in id else []
        return Lease(*rows[0]) if rows else None

    def all_leases(self) -> list[Lease]:
        return [Lease(*row) for row in self.ask(f"{sql.LEASES} ORDER BY id", seconds=self.brief)]

    def ended_sessions(self, ended: dict[str, float]) -> list[str]:
        return [name for (name,) in self.ask(sql.ENDED, (list(ended), list(ended.values())))]

    def close(self) -> None:
        with suppress(Unreachable):  # then they wait until the leases have run out
            if self.fences:
                self.release(self.fences)
        self.fences.clear()
        self.closed = True
        self.hang_up()

    def hang_up(self) -> None:
        """Close the connections that nobody uses."""
        while self.idle:
            self.idle.pop().close()


def open_at(url: str, read_only: bool) -> PostgresStore:
    """Returns the store at `postgresql://...`."""
    return PostgresStore(url, read_only=read_only)
