"""The laws of a store (service/stores/base.py), over every store there is."""

import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import Any

import apsw
import psycopg
import pytest

import robandit as rb
from robandit.service.stores.address import open_store
from robandit.service.stores.base import Head, Row, ServiceStore, Snapshot, StoreRefusal, Unreachable
from robandit.service.stores.memory import MemoryStore
from robandit.service.stores.sqlite import SqliteStore

Open = Callable[[], ServiceStore]
BODIES = [
    '{"entry":"decide","id":0}',
    '{"arm":"Grüße, 世界 \\u0000 🙂"}',
    '"' + "x" * 300_000 + '"',
    '{"line":"\\n\\r\\t\'\\"\u2028"}',
    " ",
]


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def open_database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Open]:
    """Opens one and the same database, again and again; a store in memory is the same one each time."""
    here, stores = MemoryStore(), list[ServiceStore]()
    url = request.getfixturevalue("database") if request.param == "postgres" else f"sqlite:///{tmp_path}/db"

    def opens() -> ServiceStore:
        stores.append(here if request.param == "memory" else open_store(url))
        with suppress(StoreRefusal):  # another one of these is the owner
            stores[-1].take_all()
        return stores[-1]

    yield opens
    for store in stores:
        store.close()


def row(experiment: int, line: int, settles: int | None = None, body: str = "{}", act: bool = False) -> Row:
    """One line."""
    return Row(experiment, line, act, settles, body)


def contents(store: ServiceStore) -> Any:
    """Everything a store tells."""
    return [
        (
            record,
            list(store.lines(record.id)),
            list(store.lines(record.id, acts=True)),
            [store.settled(record.id, number) for number in range(12)],
            store.head(record.id),
            store.snapshot(record.id),
        )
        for record in store.experiments()
    ]


def filled(store: ServiceStore) -> ServiceStore:
    """Two experiments with some lines, an act, rewards and a snapshot."""
    assert store.create("one", '{"shadow":[]}', '{"first":1}') == 1
    assert store.create("zwei ü", "{}", '{"first":2}') == 2
    store.commit([row(1, 2, body="a"), row(2, 2, body="b"), row(1, 3, 0, "c"), row(2, 3, 0, "d")])
    store.commit([row(1, 4, body="e", act=True), row(1, 5, 7, "f")], [Snapshot(1, 5, "code", b"\0\xff state")])
    return store


def test_what_was_committed_is_told_in_order(open_database: Open) -> None:
    store = filled(open_database())
    assert [(record.id, record.name, record.about) for record in store.experiments()] == [
        (1, "one", '{"shadow":[]}'),
        (2, "zwei ü", "{}"),
    ]
    assert list(store.lines(1)) == [(1, '{"first":1}'), (2, "a"), (3, "c"), (4, "e"), (5, "f")]
    assert list(store.lines(2)) == [(1, '{"first":2}'), (2, "b"), (3, "d")]
    assert list(store.lines(1, 3)) == [(4, "e"), (5, "f")]
    assert list(store.lines(1, 5)) == []
    assert list(store.lines(1, acts=True)) == [(4, "e")]
    assert list(store.lines(1, 4, acts=True)) == []
    assert [store.settled(1, number) for number in (0, 7, 8)] == ["c", "f", None]
    assert store.settled(2, 0) == "d"
    assert store.snapshot(1) == Snapshot(1, 5, "code", b"\0\xff state")
    assert store.snapshot(2) is None


def test_bodies_come_back_to_the_byte(open_database: Open) -> None:
    store = open_database()
    store.create("one", BODIES[1], BODIES[1])
    store.commit([row(1, 2 + place, place, body) for place, body in enumerate(BODIES)])
    again = open_database()
    assert [body for _, body in again.lines(1)] == [BODIES[1], *BODIES]
    assert [again.settled(1, place) for place in range(len(BODIES))] == BODIES
    assert again.experiments()[0].about == BODIES[1]


def test_the_encoding_that_the_surroundings_ask_for_changes_nothing(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")  # which has no 世
    store = open_store(database)
    store.create("one", BODIES[1], BODIES[1])
    assert [body for _, body in store.lines(1)] == [BODIES[1]]
    store.close()


def test_a_postgres_database_of_another_encoding_is_refused(postgres: Any) -> None:
    url = postgres.url("ascii")
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as db:
        db.execute("CREATE DATABASE ascii ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0")
    with pytest.raises(rb.InputError, match=r"the database 'ascii' at .* is encoded in SQL_ASCII, and UTF8 is needed"):
        open_store(url)


def test_a_new_database_is_not_upgraded(database: str, tmp_path: Path) -> None:
    for url in (database, f"sqlite:///{tmp_path}/db"):
        for found in (0, 2):
            store = open_store(url)
            assert (store.upgraded_from, store.format) == (found, 2)
            store.close()


def test_many_lines_are_read_in_pieces_without_a_seam(open_database: Open) -> None:
    store = open_database()
    store.create("one", "{}", "1")
    store.commit([row(1, line, body=str(line), act=line % 3 == 0) for line in range(2, 45_002)])
    assert list(store.lines(1)) == [(line, str(line)) for line in range(1, 45_002)]
    assert [line for line, _ in store.lines(1, 9, acts=True)] == list(range(12, 45_002, 3))


@pytest.mark.parametrize(
    "rows",
    [
        [row(1, 7)],  # a gap
        [row(1, 5)],  # again
        [row(1, 6), row(1, 6)],
        [row(1, 6), row(1, 8)],
        [row(1, 6), row(2, 4), row(2, 3)],  # the other experiment's line is wrong
        [row(1, 6, 7)],  # settled before
        [row(1, 6, 9), row(1, 7, 9)],  # settled twice in one go
        [row(1, 6, 8), row(2, 4, 0)],
        [row(1, 6), row(3, 2)],  # nobody's
    ],
)
def test_a_commit_that_breaks_a_law_leaves_nothing(open_database: Open, rows: list[Row]) -> None:
    store = filled(open_database())
    before = contents(store)
    with pytest.raises(StoreRefusal):
        store.commit(rows, [Snapshot(1, 6, "code", b"new")])
    assert contents(store) == before
    store.commit([row(1, 6, 8, "g"), row(2, 4, 7, "h")], [Snapshot(1, 6, "code", b"new")])  # as if nothing had been
    assert store.settled(1, 8) == "g"
    assert store.snapshot(1) == Snapshot(1, 6, "code", b"new")
    assert contents(open_database()) == contents(store)


def test_a_name_is_given_once(open_database: Open) -> None:
    store = filled(open_database())
    before = contents(store)
    with pytest.raises(StoreRefusal, match="the name 'one' already"):
        store.create("one", "{}", "{}")
    assert contents(store) == before
    assert store.create("One", "{}", "{}") == 3


def test_of_two_writers_one_goes_on(open_database: Open) -> None:
    """The second one's next line is taken by now."""
    first, second = filled(open_database()), open_database()
    first.commit([row(1, 6, 8, "g")])
    before = contents(first)
    with pytest.raises(StoreRefusal):
        second.commit([row(2, 4), row(1, 6, 9, "h")])
    assert contents(first) == before
    assert contents(open_database()) == before


def test_everything_is_there_after_opening_again(open_database: Open) -> None:
    store = filled(open_database())
    key, before = store.meta("key", b"\0first"), contents(store)
    store.close()
    again = open_database()
    assert contents(again) == before
    assert again.meta("key", b"second") == key == b"\0first"
    for value in (b"first", b"\0second"):
        again.replace_meta("place", value)
        assert again.meta("place", b"third") == value
    again.commit([row(1, 6, 8, "g")])
    assert again.head(1).line == 6


def test_the_head_is_the_hash_of_all_lines(open_database: Open) -> None:
    store = filled(open_database())
    for record in store.experiments():
        chain, count = bytes(16), 0
        for line, body in store.lines(record.id):
            chain, count = blake2b(chain + body.encode(), digest_size=16).digest(), line
        assert store.head(record.id) == Head(count, chain)


def test_the_last_snapshot_is_told(open_database: Open) -> None:
    store = filled(open_database())
    for line in range(6, 12):
        store.commit([row(1, line)], [Snapshot(1, line, "code", bytes([line]))])
    store.commit([], [Snapshot(2, 3, "other", b"s")])
    assert store.snapshot(1) == Snapshot(1, 11, "code", b"\x0b")
    assert store.snapshot(2) == Snapshot(2, 3, "other", b"s")
    assert open_database().snapshot(1) == Snapshot(1, 11, "code", b"\x0b")


def test_readers_see_whole_commits_while_others_are_made(open_database: Open) -> None:
    """Each commit has seven lines; a reader finds no part of one, and its head fits its lines."""
    store = open_database()
    store.create("one", "{}", "first")
    wrong, looks, done = list[Any](), [0], threading.Event()

    def look() -> None:
        while not done.is_set():
            head = store.head(1).line
            lines = [line for line, _ in store.lines(1)]
            looks[0] += 1
            if lines != list(range(1, len(lines) + 1)) or (len(lines) - 1) % 7 or (head - 1) % 7 or len(lines) < head:
                wrong.append((head, lines))

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    for commit in range(80):
        store.commit([row(1, 2 + 7 * commit + place, 7 * commit + place) for place in range(7)])
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert looks[0] > 2
    assert store.head(1).line == 1 + 7 * 80


def test_experiments_begin_while_others_are_written(open_database: Open) -> None:
    """Two threads: one commits line after line, the other makes experiments; neither is in the other's way."""
    store = open_database()
    store.create("first", "{}", "{}")
    failed = list[BaseException]()

    def write() -> None:
        try:
            for line in range(2, 152):
                store.commit([row(1, line)])
        except BaseException as error:
            failed.append(error)

    thread = threading.Thread(target=write)
    thread.start()
    for number in range(40):
        assert store.create(f"more {number}", "{}", "{}") == number + 2
    thread.join()
    assert failed == []
    assert (len(store.experiments()), store.head(1).line) == (41, 151)


def test_a_library_that_loses_commits_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apsw, "SQLITE_VERSION_NUMBER", 3_051_002)
    with pytest.raises(rb.InputError, match=r"can lose commits: 3\.51\.3 or newer"):
        SqliteStore(tmp_path / "db")
    assert not (tmp_path / "db").exists()


def test_another_format_and_no_database_are_refused(tmp_path: Path) -> None:
    SqliteStore(tmp_path / "db").close()
    apsw.Connection(str(tmp_path / "db")).execute("PRAGMA user_version=9")
    with pytest.raises(rb.InputError, match="has the format 9, and 2 is supported here"):
        SqliteStore(tmp_path / "db")
    (tmp_path / "text").write_text("no database, but long enough to be looked at" * 100)
    with pytest.raises(rb.InputError, match=r"cannot be used: .*not a database"):
        SqliteStore(tmp_path / "text")


def test_a_file_that_is_gone_is_out_of_reach_for_readers(tmp_path: Path) -> None:
    store = SqliteStore(tmp_path / "db")
    store.create("one", "{}", "{}")
    for file in tmp_path.iterdir():
        file.rename(tmp_path / f"away-{file.name}")
    for read in (lambda: store.head(1), lambda: list(store.lines(1)), store.experiments, lambda: store.snapshot(1)):
        with pytest.raises(Unreachable, match="cannot be read: unable to open"):
            read()
    store.close()


def test_the_log_of_sqlite_stays_short(tmp_path: Path) -> None:
    """The store folds it into the file by itself, though a reader has looked."""
    store = SqliteStore(tmp_path / "db")
    store.create("one", "{}", "{}")
    for line in range(2, 402):
        store.commit([row(1, line, body="x" * 20_000)])
        if line % 50 == 0:
            assert store.head(1).line == line
    size = (tmp_path / "db-wal").stat().st_size
    assert 1 < size / 4096 < 1500
    store.close()
    with suppress(FileNotFoundError):
        assert (tmp_path / "db-wal").stat().st_size == 0
    assert SqliteStore(tmp_path / "db", read_only=True).head(1).line == 401


def test_a_file_can_be_closed_while_another_thread_reads_it(tmp_path: Path) -> None:
    """A service that stops does not wait for a look or an export."""
    store = SqliteStore(tmp_path / "db")
    number = store.create("one", "{}", "first")
    store.commit([Row(number, line, False, None, "x") for line in range(2, 20_000)])
    reading, ended = threading.Event(), threading.Event()

    def read() -> None:
        store.reader.set_progress_handler(lambda: reading.set() or False, 1000)
        with suppress(apsw.InterruptError):
            store.reader.execute("SELECT count(*) FROM line a, line b WHERE a.line + b.line > 0").fetchall()
        ended.set()

    thread = threading.Thread(target=read)
    thread.start()
    assert reading.wait(10)
    store.close()
    assert not ended.is_set()
    store.open_readers[0].interrupt()
    thread.join(10)
    assert ended.is_set()
    store.open_readers[0].close()
