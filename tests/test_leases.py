"""One owner per experiment: leases, fences, and what a process does that has lost one."""

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from inspect import isawaitable
from typing import Any

import msgspec
import psycopg
import pytest

import robandit as rb
from robandit.service.experiment import open_experiment
from robandit.service.leases import Leases
from robandit.service.perform import perform, reach
from robandit.service.problems import Problem
from robandit.service.routes import ROUTES
from robandit.service.service import Service
from robandit.service.stores.address import open_store
from robandit.service.stores.base import Row, Snapshot, StoreRefusal, Unreachable, extend_chain
from robandit.service.stores.postgres import PostgresStore
from robandit.service.tokens import Tokens

ROUTE = {route.verb.__name__: route for route in ROUTES}
A, B = "http://a:1", "http://b:2"


@pytest.fixture
def store(database: str) -> Iterator[Callable[[], PostgresStore]]:
    """Stores on one database."""
    opened_stores = list[PostgresStore]()

    def another() -> PostgresStore:
        opened_stores.append(PostgresStore(database))
        return opened_stores[-1]

    yield another
    for one in opened_stores:
        one.close()


def row(experiment: int, line: int, settles: int | None = None, body: str = "{}") -> Row:
    """One line."""
    return Row(experiment, line, False, settles, body)


def run_out(database: str) -> None:
    """All leases have run out."""
    with psycopg.connect(database) as db:
        db.execute("UPDATE robandit.lease SET until = clock_timestamp() - interval '1 second'")


def test_a_commit_under_an_old_fence_is_refused_whole(store: Any, database: str) -> None:
    first, second = store(), store()
    for name in ("one", "two"):
        first.create(name, "{}", "{}")
    run_out(database)
    first.commit([row(1, 2)])  # nobody has taken it: the fence is still the present one
    (claim,) = second.claim(1)
    second.take(claim)
    assert (claim.record.id, claim.fence, claim.head) == (1, 2, first.head(1))
    with pytest.raises(StoreRefusal, match="belongs to another process now"):
        first.commit([row(2, 2), row(1, 3)])
    with pytest.raises(StoreRefusal, match="belongs to another process now"):
        first.commit([], [Snapshot(1, 2, "code", b"state")])
    with pytest.raises(StoreRefusal, match="experiment 2 does not belong to this process"):
        second.commit([row(1, 3), row(2, 2)])
    assert ([first.head(one).line for one in (1, 2)], first.snapshot(1)) == ([2, 1], None)
    second.commit([row(1, 3)])
    first.commit([row(2, 2)])


def test_a_lease_that_runs_is_nobody_elses(store: Any, database: str) -> None:
    first, second = store(), store()
    first.create("one", "{}", "{}")
    assert second.claim(9) == []
    with pytest.raises(StoreRefusal, match="the experiment 'one' is served at"):
        second.take_all()
    run_out(database)
    assert first.renew(dict(first.fences)) == []  # late, but nobody was quicker
    assert second.claim(9) == []
    run_out(database)
    second.take_all()
    assert first.renew(dict(first.fences)) == [1]
    second.close()  # lets go at once
    (claim,) = first.claim(9)
    assert claim.fence == 3


def test_two_that_claim_at_once_share(store: Any, database: str) -> None:
    stores = [store() for _ in range(3)]
    for number in range(30):
        stores[0].create(f"n{number}", "{}", "{}")
    run_out(database)
    claimed: list[list[int]] = [[], []]

    def claim(which: int) -> None:
        while claims := stores[1 + which].claim(4, but=claimed[which]):
            claimed[which] += [one.record.id for one in claims]

    threads = [threading.Thread(target=claim, args=(which,)) for which in (0, 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(claimed[0] + claimed[1]) == list(range(1, 31))
    assert min(map(len, claimed)) > 0


def test_nothing_lands_after_a_claim(store: Any, database: str) -> None:
    """While one store commits without a pause, others take over: the claim knows the last line that was committed."""
    new = store()
    new.create("one", "{}", "{}")
    for _ in range(12):
        old, new, committed = new, store(), [new.head(1).line]
        begun, over = threading.Event(), threading.Event()

        def write(
            old: PostgresStore = old, committed: list[int] = committed, begun: Any = begun, over: Any = over
        ) -> None:
            with suppress(StoreRefusal):
                while not over.is_set():
                    old.commit([row(1, committed[0] + 1)])
                    committed[0] += 1
                    begun.set()

        thread = threading.Thread(target=write)
        thread.start()
        assert begun.wait(10)
        run_out(database)
        ends = time.monotonic() + 20
        while not (claims := new.claim(1)):
            assert time.monotonic() < ends, "the lease has run out, and nobody may claim it"
        new.take(claims[0])
        thread.join(0.2)
        over.set()
        thread.join()
        assert claims[0].head.line == committed[0]
        old.fences.clear()


def test_renewing_does_not_wait_for_a_commit_under_way_and_claims_leave_it_alone(store: Any, database: str) -> None:
    first = store()
    first.create("one", "{}", "{}")
    first.hang_up()
    first.conninfo += " options='-c lock_timeout=3000'"  # who waits, fails
    head = first.head(1)
    with psycopg.connect(database) as db:
        heads = f'[[1, 1, 1, "{head.chain.hex()}", 2, "{extend_chain(head.chain, "{}").hex()}"]]'
        lines = '[[1, 2, false, null, "{}"]]'
        db.execute("SELECT robandit.commit_lines(%s, %s, '[]', '{}')", (heads, lines))
        assert first.renew({1: 1}) == []
        run_out(database)
        assert store().claim(9) == []
    (claim,) = store().claim(9)
    assert claim.head.line == 2


def test_a_commit_goes_on_from_the_very_journal_it_knows(store: Any, database: str) -> None:
    """After a restore in place an old process might find its fence again, but never its journal."""
    first = store()
    first.create("one", "{}", "{}")
    with psycopg.connect(database) as db:
        db.execute("UPDATE robandit.head SET chain = %s", (bytes(16),))
    with pytest.raises(StoreRefusal, match="does not end where this commit goes on"):
        first.commit([row(1, 2)])
    assert first.head(1).line == 1


def test_addresses_are_checked(postgres: Any, store: Any) -> None:
    with pytest.raises(rb.InputError, match=r"cannot be used: .*does not exist"):
        open_store(postgres.url("nobodys"))
    with pytest.raises(rb.InputError, match="holds no experiments"):
        open_store(postgres.url("postgres"), read_only=True)
    with pytest.raises(rb.InputError, match="no address of a PostgreSQL database"):
        open_store("postgresql://x?nonsense=1")
    for address in ("http://0.0.0.0:80", "ftp://a", "a:1", "http://a:1/path"):
        with pytest.raises(rb.InputError, match=r"an address like http://HOST:PORT \(--advertise\)"):
            Leases(store(), address, 5.0)
    with pytest.raises(rb.InputError, match=r"from 0\.5 to 3600 seconds, not 0\.1"):
        Leases(store(), A, 0.1)


def test_a_store_that_only_reads_changes_nothing(store: Any, database: str) -> None:
    store().create("one", "{}", "{}")
    reader = PostgresStore(database, read_only=True)
    assert [record.name for record in reader.experiments()] == ["one"]
    with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
        reader.create("two", "{}", "{}")
    reader.close()


# Services, without HTTP


@asynccontextmanager
async def serving(store: PostgresStore, address: str, seconds: float = 2.0) -> Any:
    """A service under leases."""
    service = Service(store, Tokens(None), ownership=Leases(store, address, seconds, balances=False))
    service.start()
    async with asyncio.timeout(20):
        while not service.ownership.fresh:
            await asyncio.sleep(0.01)
    yield service
    await service.stop()


async def send(service: Service, verb: str, body: bytes = b"{}", **params: str) -> Any:
    """A status and a message, as over HTTP."""
    try:
        answer, experiment = perform(service, ROUTE[verb], b"", params, body, None)
        answer = await service.commit(await reach(answer) if isawaitable(answer) else answer, experiment)
    except Problem as problem:
        return problem.status, problem.headers_at("/here").get("location", problem.detail)
    return answer.status, answer.message


async def until(service: Service, verb: str, status: int, **params: str) -> Any:
    """Ask until the answer has a status."""
    for _ in range(400):
        reply = await send(service, verb, **params)
        if reply[0] == status:
            return reply[1]
        await asyncio.sleep(0.02)
    raise AssertionError(reply)


def played(work: Callable[[], Awaitable[None]]) -> None:
    """Run something on a loop of its own."""

    async def whole() -> None:
        await asyncio.wait_for(work(), 60)

    asyncio.run(whole())


NEW = b'{"name": "e", "arms": ["x", "y"], "policy": "samba", "seed": 5}'


def test_requests_for_anothers_experiment_are_sent_there(store: Any) -> None:
    async def work() -> None:
        async with serving(store(), A) as a, serving(store(), B) as b:
            assert (await send(a, "create", NEW))[0] == 201
            for name in ("e", "1"):
                assert await send(b, "decide", experiment=name) == (307, f"{A}/here")
            assert (await send(b, "decide", experiment="f"))[0] == 404
            assert (await send(b, "decide", experiment="\0"))[0] == 404
            reply = (await send(b, "experiments", b""))[1]
            assert [(one.id, one.name, one.address) for one in reply.elsewhere] == [(1, "e", A)]
            assert (reply.experiments, (await send(a, "experiments", b""))[1].elsewhere) == ([], [])
            assert (await send(b, "create", NEW)) == (409, "an experiment has the name 'e' already")
            assert (await send(b, "create", NEW.replace(b'"e"', b'"\\u0000"')))[0] == 422

    played(work)


def test_an_owner_that_stops_hands_over_and_the_next_goes_on(store: Any) -> None:
    async def work() -> None:
        async with serving(store(), B) as b:
            async with serving(store(), A) as a:
                await send(a, "create", NEW)
                decided = (await send(a, "decide", experiment="e"))[1]
                await send(a, "decide", experiment="e")
            again = await until(b, "reward_known", 201, experiment="e", decision=decided.id)
            assert again.new
            assert (await until(b, "decide", 201, experiment="e")).id != decided.id
            assert b.engine.find("e").fold.decisions == 3

    reward = ROUTE["reward"]
    ROUTE["reward_known"] = reward._replace(
        verb=lambda call: reward.verb(msgspec.structs.replace(call, request=reward.request(1.0))), request=None
    )
    played(work)


def test_a_sleeper_that_still_believes_is_refused_and_comes_to_its_senses(
    store: Any, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its clock stands still, so it asks the database to commit: no 2xx, nothing recorded, not even of its own."""

    async def work() -> None:
        async with serving(store(), A) as a, serving(store(), B) as b:
            await send(a, "create", NEW)
            await send(a, "create", NEW.replace(b'"e"', b'"own"'))
            a_store, stale = a.store, a.engine.find("own")
            renew = a_store.renew
            a_store.renew = lambda held: []  # it sleeps through its renewals ...
            a.ownership.until = float("inf")  # ... and does not look at a clock
            with psycopg.connect(database, autocommit=True) as db:
                db.execute("UPDATE robandit.lease SET until = clock_timestamp() WHERE experiment = 1")
            await until(b, "decide", 201, experiment="e")
            lines = [a_store.head(one).line for one in (1, 2)]
            reply = await asyncio.gather(send(a, "decide", experiment="own"), send(a, "decide", experiment="e"))
            assert [status for status, _ in reply] == [503, 503]
            assert a.engine.get("own") is not stale  # it is ahead of its journal
            assert [a_store.head(one).line for one in (1, 2)] == lines
            a_store.renew = renew
            assert await until(a, "decide", 307, experiment="e") == f"{B}/here"
            assert (await until(a, "decide", 201, experiment="own")).arm in "xy"
            numbers = [body for _, body in a_store.lines(2) if '"decide"' in body]
            assert len(numbers) == 1

    played(work)


def test_who_cannot_renew_answers_for_nothing(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with serving(store(), A, 1.0) as a:
            await send(a, "create", NEW)
            await until(a, "decide", 201, experiment="e")

            def fails(held: Any) -> Any:
                raise Unreachable("no way")

            renew, a.store.renew = a.store.renew, fails
            await until(a, "about", 503, experiment="e")
            assert not a.ownership.fresh
            assert (await send(a, "decide", experiment="f"))[0] == 503  # not 404: it cannot know
            lines = a.store.head(1).line
            a.store.renew = renew
            await until(a, "decide", 201, experiment="e")
            assert a.store.head(1).line == lines + 1

    played(work)


def test_who_learns_that_a_lease_is_lost_forgets_that_experiment_only(store: Any, database: str) -> None:
    async def work() -> None:
        async with serving(store(), A, 1.0) as a:
            await send(a, "create", NEW)
            await send(a, "create", NEW.replace(b'"e"', b'"own"'))
            own = a.engine.find("own")
            with psycopg.connect(database, autocommit=True) as db:
                db.execute("UPDATE robandit.lease SET owner = 'b', fence = 2, address = %s WHERE experiment = 1", (B,))
            while 1 in a.engine.experiments:
                await asyncio.sleep(0.02)
            assert (await send(a, "decide", experiment="e"))[0] in (307, 503)
            assert a.engine.find("own") is own

    played(work)


def test_a_journal_that_cannot_be_read_does_not_hold_up_the_others(
    store: Any, database: str, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        async with serving(store(), A) as a:
            await send(a, "create", NEW)
            await send(a, "create", NEW.replace(b'"e"', b'"broken"'))
        with psycopg.connect(database) as db:
            db.execute("UPDATE robandit.line SET body = '{}' WHERE experiment = 2")
        async with serving(store(), B) as b:
            await until(b, "decide", 201, experiment="e")
            assert (await until(b, "decide", 503, experiment="broken")).endswith(
                "changing hands: ask again in a moment"
            )

    played(work)
    unreadable = [record for record in caplog.records if record.event == "journal_unreadable"]  # type: ignore[attr-defined]
    assert [record.fields for record in unreadable] == [{"experiment": 2}]  # type: ignore[attr-defined]


def test_refolding_and_snapshots_work_and_the_state_is_the_fold(store: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work() -> None:
        async with serving(store(), A) as a:
            await send(a, "create", NEW)
            for number in range(40):
                decided = (await send(a, "decide", experiment="e"))[1]
                body = b'{"reward": %s, "source": "%d"}' % (b"-0.0" if number % 2 else b"1", number % 4)
                assert (await send(a, "reward", body, experiment="e", decision=decided.id))[0] == 201
            refused = [await send(a, "reward", b'{"reward": %s}' % bad, experiment="e", decision=decided.id)
                       for bad in (b"NaN", b"1e999", b"-1", b'"1"', b"true")]  # fmt: skip
            assert {status for status, _ in refused} == {422}
            before = a.engine.find("e").fold.state.probabilities[:]
            assert (await send(a, "change_source", b'{"change": "quarantined"}', experiment="e", source="0"))[0] == 200
            while a.engine.find("e").learning_again:
                await asyncio.sleep(0.01)
            assert a.engine.find("e").fold.state.probabilities != before
            reply = (await send(a, "about", b"", experiment="e"))[1]
        b = store()
        (record,) = b.experiments()
        snapshot = b.snapshot(1)
        assert snapshot is not None
        assert snapshot.line == b.head(1).line == reply.lines
        for again in (open_experiment(b, record), open_experiment(b, record, snapshots=False)):
            assert a.engine.about(again).arms == reply.arms
        bodies = [body for _, body in b.lines(1)]
        assert not any("-0.0" in body or "nan" in body.lower() for body in bodies)

    played(work)
