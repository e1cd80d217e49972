"""A store in PostgreSQL, for several processes on several machines: each experiment has one of them as its owner.

Every commit names the fences it relies on; if one is not the present one, all of it is refused. So safety rests on the
database alone, and clocks say only when a lease may be taken: there is one clock, the server's.
"""

import secrets
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import msgspec
import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from robandit.errors import InputError
from robandit.service.stores.base import (
    NO_HEAD,
    ExperimentRecord,
    Head,
    Lease,
    LeasedStore,
    Row,
    Snapshot,
    StoreRefusal,
    TakenLease,
    Unreachable,
    advance_heads,
    extend_chain,
)
from robandit.service.stores.postgres_schema import FORMAT, SCHEMA

LEASE = 10.0  # seconds, by default
PIECE = 20_000  # lines read at once
PATIENCE: dict[str, str | int | None] = {  # with a server that has vanished; what the address says itself goes first
    "connect_timeout": 5,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
    "application_name": "robandit",
}
DURABLE = """SELECT set_config('synchronous_commit', 'on', false)
WHERE current_setting('synchronous_commit') IN ('off', 'local')"""
CLAIM = """WITH free AS MATERIALIZED (
  SELECT experiment FROM robandit.lease
  WHERE (until < clock_timestamp() OR (owner = %(owner)s AND experiment = ANY(%(again)s::int[])))
    AND experiment <> ALL(%(but)s::int[])
  ORDER BY experiment LIMIT %(most)s FOR UPDATE SKIP LOCKED)
UPDATE robandit.lease SET owner = %(owner)s, fence = fence + 1, address = %(address)s,
  until = clock_timestamp() + make_interval(secs => %(seconds)s)
FROM free WHERE lease.experiment = free.experiment RETURNING lease.experiment, lease.fence"""
RENEW = """UPDATE robandit.lease SET until = clock_timestamp() + make_interval(secs => %s)
WHERE owner = %s AND experiment = ANY(%s::int[]) RETURNING experiment, fence"""
RELEASE = """UPDATE robandit.lease SET until = clock_timestamp() - interval '1 second'
WHERE owner = %s AND experiment = ANY(%s::int[]) RETURNING experiment"""
LEASES = """SELECT id, name, owner, address, until > clock_timestamp()
FROM robandit.experiment JOIN robandit.lease ON lease.experiment = experiment.id"""


class PostgresStore(LeasedStore):
    """A few connections, each lent to one statement at a time; every statement is a transaction of its own."""

    path: str | None = None

    def __init__(self, url: str, *, read_only: bool = False) -> None:
        try:
            settings = conninfo_to_dict(url)
        except psycopg.ProgrammingError as error:
            raise InputError(f"this is no address of a PostgreSQL database: {str(error).strip()}") from error
        self.conninfo = make_conninfo(url, **{name: value for name, value in PATIENCE.items() if name not in settings})
        self.where = f"{settings.get('dbname', '')!r} at {settings.get('host', 'this machine')}"
        self.read_only, self.idle, self.closed = read_only, list[psycopg.Connection[Any]](), False
        self.owner, self.address, self.seconds = secrets.token_hex(8), "", LEASE
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
        ((encoding, fsync, pages, there),) = self.ask(
            "SELECT current_setting('server_encoding'), current_setting('fsync'), current_setting('full_page_writes'),"
            " to_regclass('robandit.meta') IS NOT NULL"
        )
        if encoding != "UTF8":
            raise InputError(f"the database {self.where} is encoded in {encoding}, and UTF8 is needed")
        if not there and self.read_only:
            raise InputError(f"the database {self.where} holds no experiments")
        if not there:
            self.connect_and(lambda db: db.execute(SCHEMA))
        ((version,),) = self.ask("SELECT value FROM robandit.meta WHERE key = 'format'")
        if version != FORMAT:
            raise InputError(
                f"the database {self.where} has the format {version.decode()}, {FORMAT.decode()} is supported here"
            )
        off = [name for name, value in (("fsync", fsync), ("full_page_writes", pages)) if value != "on"]
        self.notes = [f"PostgreSQL runs with {name}=off: a power cut loses data" for name in off]

    def connect_and(self, work: Any) -> Any:
        """Returns what some work on an idle connection returns, or on a new one. Raises Unreachable."""
        try:
            db = self.idle.pop() if self.idle else self.connect()
            try:
                result = work(db)
            except BaseException as error:
                if isinstance(error, psycopg.Error) and not db.closed:
                    self.idle.append(db)  # it said no, and goes on
                else:
                    db.close()
                raise
        except (psycopg.OperationalError, psycopg.InterfaceError) as error:
            raise Unreachable(str(error).strip().partition("\n")[0]) from error
        self.idle.append(db)
        if self.closed:  # by another thread, meanwhile
            self.hang_up()
        return result

    def connect(self) -> psycopg.Connection[Any]:
        """Returns a new connection, on which a commit is durable when it returns."""
        db = psycopg.connect(self.conninfo, autocommit=True)
        db.execute("SET default_transaction_read_only = on" if self.read_only else DURABLE)
        return db

    def ask(self, query: str, values: Any = (), *, again: bool = True) -> list[Any]:
        """Returns the rows of a query, run `again` on a new connection if the server has hung up on the old ones."""
        try:
            rows: list[Any] = self.connect_and(lambda db: db.execute(query, values).fetchall())
        except Unreachable:
            self.hang_up()
            if not again:
                raise
            rows = self.ask(query, values, again=False)
        return rows

    @property
    def leased(self) -> LeasedStore:
        return self

    def meta(self, key: str, value: bytes) -> bytes:
        if not self.read_only:
            self.ask("INSERT INTO robandit.meta VALUES(%s, %s) ON CONFLICT DO NOTHING RETURNING key", (key, value))
        rows = self.ask("SELECT value FROM robandit.meta WHERE key = %s", (key,))
        return rows[0][0] if rows else value

    def experiments(self) -> list[ExperimentRecord]:
        rows = self.ask("SELECT id, name, about FROM robandit.experiment ORDER BY id")
        return [ExperimentRecord(*row) for row in rows]

    def create(self, name: str, about: str, first: str) -> int:
        head = Head(1, extend_chain(NO_HEAD, first))
        query = "SELECT robandit.create_experiment(%s, %s, %s, %s, %s, %s, %s)"
        try:
            ((number,),) = self.ask(
                query, (name, about, first, head.chain, self.owner, self.seconds, self.address), again=False
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
        changes = [
            [one, self.fences[one], heads[one].line, heads[one].chain.hex(), line, chain.hex()]
            for one, (line, chain) in sorted(after.items())
        ]
        values = [msgspec.json.encode(part).decode() for part in (changes, rows, [one[:3] for one in snapshots])]
        try:
            self.ask(
                "SELECT robandit.commit_lines(%s, %s, %s, %s::bytea[])",
                (*values, [one.body for one in snapshots]),
                again=False,
            )
        except (psycopg.errors.RaiseException, psycopg.IntegrityError, psycopg.DataError) as error:
            raise StoreRefusal(str(error.diag.message_primary or error)) from error
        self.heads |= after

    def lines(self, experiment: int, after: int = 0, *, acts: bool = False) -> Iterator[tuple[int, str]]:
        only = "AND act" if acts else ""
        query = (
            f"SELECT line, body FROM robandit.line WHERE experiment = %s AND line > %s {only} ORDER BY line LIMIT %s"
        )
        while piece := self.ask(query, (experiment, after, PIECE)):
            yield from piece
            after = piece[-1][0]

    def settled(self, experiment: int, number: int) -> str | None:
        rows = self.ask("SELECT body FROM robandit.line WHERE experiment = %s AND settles = %s", (experiment, number))
        return rows[0][0] if rows else None

    def head(self, experiment: int) -> Head:
        return Head(*self.ask("SELECT line, chain FROM robandit.head WHERE experiment = %s", (experiment,))[0])

    def snapshot(self, experiment: int) -> Snapshot | None:
        query = "SELECT * FROM robandit.snapshot WHERE experiment = %s ORDER BY line DESC LIMIT 1"
        rows = self.ask(query, (experiment,))
        return Snapshot(*rows[0]) if rows else None

    def claim(self, most: int, again: Iterable[int] = (), but: Iterable[int] = ()) -> list[TakenLease]:
        values = {"owner": self.owner, "address": self.address, "seconds": self.seconds, "most": most}
        fences = dict(self.ask(CLAIM, values | {"again": list(again), "but": list(but)}))
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
        renewed = dict(self.ask(RENEW, (self.seconds, self.owner, list(held))))
        return [one for one, fence in held.items() if renewed.get(one) != fence]

    def release(self, experiments: Iterable[int]) -> None:
        self.ask(RELEASE, (self.owner, list(experiments)))

    def find_lease(self, id: str) -> Lease | None:
        by = "id = %s::bigint" if id.isascii() and id.isdigit() and len(id) < 12 else "name = %s"
        rows = self.ask(f"{LEASES} WHERE {by}", (id,)) if "\0" not in id else []
        return Lease(*rows[0]) if rows else None

    def all_leases(self) -> list[Lease]:
        return [Lease(*row) for row in self.ask(f"{LEASES} ORDER BY id")]

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
