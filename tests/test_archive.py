"""Upgrades, archives and forgotten names: the database changes its shape, and every state stays what it was."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import httpx
import msgspec
import psycopg
import pytest

import robandit as rb
from robandit.service import messages
from robandit.service.archive import archive_lines, forget_source, set_folder
from robandit.service.backup import back_up, restore
from robandit.service.engine import Engine
from robandit.service.experiment import open_experiment
from robandit.service.export import export_experiment
from robandit.service.problems import Problem
from robandit.service.stores import postgres_schema, sqlite
from robandit.service.stores.address import open_store
from robandit.service.stores.sqlite import SqliteStore
from robandit.service.verify import verify_store
from tests.serving import running
from tests.test_stored_service import EXPECTED, FOLDER, describe

FORMATS = ("journal", "csv")


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a copy of the stored database, of format 1."""
    if request.param == "sqlite":
        return f"sqlite:///{shutil.copy(FOLDER / 'rules.db', tmp_path / 'rules.db')}"
    url: str = request.getfixturevalue("database")
    with psycopg.connect(url) as db:
        db.execute((FOLDER / "rules.sql").read_bytes())
    return url


@pytest.fixture
def store(address: str) -> Iterator[Any]:
    """The same, open, with a snapshot of each experiment as a service writes it."""
    store: Any = open_store(address)
    store.take_all()
    for record in store.experiments():
        store.commit([], [open_experiment(store, record).snapshot()])
    yield store
    store.close()


def format_of(address: str) -> int:
    """The format that the file or the tables name."""
    if address.startswith("postgresql"):
        with psycopg.connect(address) as db:
            return int(db.execute("SELECT value FROM robandit.meta WHERE key = 'format'").fetchone()[0])
    return int(apsw.Connection(address.removeprefix("sqlite:///")).execute("PRAGMA user_version").get)


def read_out(store: Any) -> Any:
    """All lines, acts and exports of a store."""
    ids = [record.id for record in store.experiments()]
    lines = [(list(store.lines(one)), list(store.lines(one, 30)), list(store.lines(one, acts=True))) for one in ids]
    return lines, [b"".join(export_experiment(store, one, format)) for one in ids for format in FORMATS]


def archive_all(store: Any, folder: Path, size: int = 20) -> None:
    """Move every line that can go."""
    set_folder(store, folder)
    for record in store.experiments():
        assert archive_lines(store, record, kept=5, size=size)


def test_an_upgrade_is_said_and_done_once(address: str, robandit: Any) -> None:
    assert format_of(address) == 1
    reader: Any = open_store(address, read_only=True)  # reading needs no upgrade, and makes none
    assert all(result.sound for result in verify_store(reader))
    reader.close()
    assert format_of(address) == 1
    assert robandit("service", "upgrade", "--db", address)[:2] == (0, "upgraded from format 1 to format 2\n")
    assert robandit("service", "upgrade", "--db", address)[:2] == (0, "format 2, as before\n")
    assert format_of(address) == 2


def test_an_upgrade_that_fails_leaves_the_old_format(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (sqlite, postgres_schema):
        upgrades: Any = module.UPGRADES
        monkeypatch.setitem(upgrades, 1, upgrades[1] + "; SELECT * FROM nowhere;")
    with pytest.raises(rb.InputError, match="cannot be used"):
        open_store(address)
    assert format_of(address) == 1
    monkeypatch.undo()
    store = open_store(address)
    assert {record.name: describe(store, record) for record in store.experiments()} == EXPECTED
    store.close()


def test_archived_lines_are_read_as_if_they_were_there(store: Any, address: str, tmp_path: Path, robandit: Any) -> None:
    before = read_out(store)
    archive_all(store, tmp_path / "archive")
    assert all(
        len(store.rows(record.id, 0, 9999)) < EXPECTED[record.name]["lines"] / 2 for record in store.experiments()
    )
    assert read_out(store) == before
    assert {record.name: describe(store, record) for record in store.experiments()} == EXPECTED
    assert all(result.sound for result in verify_store(store))
    assert archive_lines(store, store.experiments()[0], kept=5, size=20) == []  # nothing is left to do
    engine = Engine(store)
    for name in EXPECTED:
        store.commit(engine.decide(engine.find(name), messages.DecisionRequest(), None).rows)
    store.close()
    code, printed, _ = robandit("service", "verify", address)
    assert (code, printed.count("chain agrees       yes")) == (0, len(EXPECTED))


def test_a_file_that_is_changed_or_gone_is_named(store: Any, tmp_path: Path) -> None:
    archive_all(store, tmp_path / "archive")
    path = min((tmp_path / "archive").iterdir())
    whole = path.read_bytes()
    path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    results = list(verify_store(store))
    assert [result.sound for result in results].count(False) == 1
    assert any("which is not the file that was written" in note for result in results for note in result.notes)
    path.unlink()
    assert any("which cannot be read" in note for result in verify_store(store) for note in result.notes)
    with pytest.raises(rb.InputError, match="lacks"):
        set_folder(store, tmp_path)
    path.write_bytes(whole)
    (tmp_path / "archive").rename(tmp_path / "moved")
    set_folder(store, tmp_path / "moved")
    assert all(result.sound for result in verify_store(store))


def test_whoever_reads_while_lines_are_archived_misses_none(store: Any, tmp_path: Path) -> None:
    number = store.experiments()[0].id
    whole = list(store.lines(number))
    reading = store.lines(number)
    read = [next(reading)]
    archive_all(store, tmp_path / "archive")
    assert read + list(reading) == whole


def test_lines_that_are_archived_between_two_questions_are_found(
    store: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A reader asks for files, is told that there are none, and then finds the lines gone."""
    number = store.experiments()[0].id
    whole, find_pieces, answers = list(store.lines(number)), store.pieces, list[Any]()

    def find_none_first(experiment: int) -> Any:
        if not answers and experiment == number:
            answers.append(find_pieces(number))
            archive_all(store, tmp_path / "archive")
            return answers[0]
        return find_pieces(experiment)

    monkeypatch.setattr(store, "pieces", find_none_first)
    assert list(store.lines(number)) == whole
    assert answers == [[]]
    assert find_pieces(number)


def test_a_backup_with_its_archive_is_restored(tmp_path: Path) -> None:
    path = Path(shutil.copy(FOLDER / "rules.db", tmp_path / "rules.db"))
    store: Any = open_store(f"sqlite:///{path}")
    for record in store.experiments():
        store.commit([], [open_experiment(store, record).snapshot()])
    archive_all(store, tmp_path / "archive")
    store.close()
    assert back_up(path, tmp_path / "kept.db") == sum(one["lines"] for one in EXPECTED.values())
    restore(tmp_path / "kept.db", tmp_path / "new.db")
    again = open_store(f"sqlite:///{tmp_path}/new.db", read_only=True)
    assert [result.lines for result in verify_store(again) if result.sound] == [
        one["lines"] + 1 for one in EXPECTED.values()
    ]
    again.close()


def sources_in(store: Any, number: int) -> list[str]:
    """The sources that rewards of an experiment name."""
    entries = [msgspec.json.decode(body) for _, body in store.lines(number, 1)]
    return sorted({entry["source"] for entry in entries if entry.get("source")})


@pytest.mark.parametrize("archived", [False, True])
def test_a_forgotten_name_is_nowhere_and_the_state_stays(store: Any, tmp_path: Path, archived: bool) -> None:
    if archived:
        archive_all(store, tmp_path / "archive")
    heads, forgotten = {}, 0
    for record in store.experiments():
        for source in sources_in(store, record.id)[:2]:
            heads[record.id] = store.head(record.id)
            new, count = forget_source(store, record, source)
            lines = list(store.lines(record.id))
            assert sum(msgspec.json.decode(body).get("source") == new for _, body in lines) == count > 0
            assert not any(msgspec.json.decode(body).get("source") == source for _, body in lines)
            said = msgspec.json.decode(lines[-1][1])
            assert (said["entry"], said["before"]) == ("forget", heads[record.id].chain.hex())
            forgotten += 1
        now, then = describe(store, record), EXPECTED[record.name]
        assert all(now[key] == then[key] for key in ("probabilities", "decisions", "state", "left_out", "expired"))
    assert forgotten > 4
    assert all(result.sound for result in verify_store(store))


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path, robandit: Any) -> None:
    path = tmp_path / "one.db"
    store: Any = open_store(f"sqlite:///{path}")
    Engine(store).create(messages.NewExperiment("one", ["a", "b"], "samba"))
    (tmp_path / "file").touch()
    for folder in ("/dev/null/x", str(tmp_path / "file")):
        code, _, errors = robandit("service", "archive", folder, "--db", f"sqlite:///{path}")
        assert code == 2
        assert f"{folder!r} cannot be written" in errors
    assert store.meta("archive", b"none") == b"none"
    store.close()


def test_a_forgotten_name_leaves_the_files(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    store: Any = open_store(f"sqlite:///{path}")
    engine = Engine(store)
    engine.create(messages.NewExperiment("one", ["a", "b"], "samba"))
    experiment = engine.find("one")
    for number in range(60):
        answer = engine.decide(experiment, messages.DecisionRequest(), None)
        source = "web/jane.doe@example.org" if number % 9 == 0 else "web/other"
        store.commit(answer.rows + engine.reward(experiment, answer.message.id, messages.Reward(1.0), source).rows)
        if number == 5:  # the watch names whom it found
            why = {"alarms": ["rate"], "sources": ["web/other", "web/jane.doe@example.org"]}
            entry = {"entry": "breaker", "change": "tripped", "since": experiment.line, "why": why}
            store.commit(engine.act(experiment, entry, "watch").rows)
            store.commit(engine.act(experiment, {"entry": "breaker", "change": "released"}, "me").rows)
        if number == 9:  # an act among lines that are archived
            entry = {"entry": "source", "source": "web/jane.doe@example.org", "change": "quarantined"}
            store.commit(engine.act(experiment, entry, "me").rows)
            engine = Engine(store)
            experiment = engine.find("one")
    store.commit([], [experiment.snapshot()])
    acts = list(store.lines(1, acts=True))
    archive_all(store, tmp_path / "archive")
    assert list(store.lines(1, acts=True)) == acts
    assert len(acts) == 3
    assert all(file.stat().st_mode & 0o077 == 0 for file in (tmp_path / "archive").iterdir())
    assert acts[-1][0] < store.pieces(1)[-1].last
    name, record = b"jane.doe", store.experiments()[0]
    with pytest.raises(rb.InputError, match="no line of 'one' names the source 'jane'"):
        forget_source(store, record, "jane")
    assert name in path.read_bytes() + (tmp_path / "one.db-wal").read_bytes()
    before = open_experiment(store, record, snapshots=False)
    new, count = forget_source(store, record, "web/jane.doe@example.org")
    assert count == 9  # seven rewards, the quarantine, and why learning was stopped
    after = open_experiment(store, record, snapshots=False)
    assert (after.fold.save_state(), after.docket.left_out) == (before.fold.save_state(), 7)
    assert after.standing.verdict(new).quarantined
    store.close()
    files = [path, *path.parent.glob("one.db-*"), *(tmp_path / "archive").iterdir()]
    assert not any(name in file.read_bytes() for file in files if file.suffix != ".parquet")
    again = open_store(f"sqlite:///{path}", read_only=True)
    assert not any("jane" in body for _, body in again.lines(1))
    assert [result.sound for result in verify_store(again)] == [True]
    again.close()


def test_a_unit_of_the_same_name_is_forgotten_too(tmp_path: Path) -> None:
    store: Any = open_store(f"sqlite:///{tmp_path / 'units.db'}")
    engine = Engine(store)
    engine.create(messages.NewExperiment("one", ["a", "b"], "samba"))
    experiment = engine.find("one")
    for number in range(20):
        unit = "jane" if number % 4 == 0 else "john"
        answer = engine.decide(experiment, messages.DecisionRequest(unit=unit), None, "web")
        reward = engine.reward(experiment, answer.message.id, messages.Reward(1.0), f"web/{unit}")
        store.commit(answer.rows + reward.rows)
    _, count = forget_source(store, store.experiments()[0], "web/jane")
    assert count == 10  # five decisions that name a unit, and their rewards
    assert not any("jane" in body for _, body in store.lines(1))
    assert sum('"unit":"john"' in body for _, body in store.lines(1)) == 15
    assert [result.sound for result in verify_store(store)] == [True]
    store.close()


def test_no_name_is_forgotten_while_the_service_runs(tmp_path: Path, robandit: Any) -> None:
    from robandit.service.ownership import Ownership

    path = shutil.copy(FOLDER / "rules.db", tmp_path / "rules.db")
    lock = Ownership(f"{path}.lock")
    code, _, errors = robandit("service", "forget", "shop", "nobody", "--db", f"sqlite:///{path}")
    assert (code, "serves this database already" in errors) == (2, True), errors
    lock.release()
    code, _, errors = robandit("service", "forget", "shop", "nobody", "--db", f"sqlite:///{path}")
    assert (code, "no line of 'shop' names the source 'nobody'" in errors) == (2, True)


def test_an_ended_experiment_decides_no_more_and_takes_its_rewards(store: Any) -> None:
    engine = Engine(store)
    experiment = engine.find("plain")
    answer = engine.decide(experiment, messages.DecisionRequest(), "key")
    store.commit(answer.rows)
    ended = engine.end(experiment, "me")
    store.commit(ended.rows)
    assert (ended.message.new, engine.end(experiment, "me").rows) == (True, [])
    for one in (engine, Engine(store)):  # the one that ended it, and one that reads its journal
        again = one.find("plain")
        assert one.about(again).ended
        with pytest.raises(Problem, match="this experiment has ended"):
            one.decide(again, messages.DecisionRequest(), None)
        assert one.decide(again, messages.DecisionRequest(), "key").message == answer.message
    store.commit(engine.reward(experiment, answer.message.id, messages.Reward(1.0), None).rows)
    store.commit([], [experiment.snapshot()])
    assert Engine(store).find("plain").ended  # from a snapshot too
    assert all(result.sound for result in verify_store(store))


def test_an_experiment_is_ended_over_http(tmp_path: Path) -> None:
    with running(SqliteStore(tmp_path / "db")) as served:
        one = f"{served.url}/v1/experiments/shop"
        httpx.post(f"{served.url}/v1/experiments", json={"name": "shop", "arms": ["a", "b"], "policy": "samba"})
        decision = httpx.post(f"{one}/decisions", json={}).json()["id"]
        assert [httpx.post(f"{one}/end").json() for _ in range(2)] == [{"new": True}, {"new": False}]
        assert httpx.post(f"{one}/decisions", json={}).status_code == 410
        flag = httpx.post(f"{served.url}/ofrep/v1/evaluate/flags/shop", json={})
        assert (flag.status_code, flag.json()["errorCode"]) == (404, "FLAG_NOT_FOUND")
        assert httpx.put(f"{one}/decisions/{decision}/reward", json={"reward": 1}).status_code == 201
        page = httpx.get(f"{served.url}/experiments/1").text
        assert "<b>Ended.</b>" in page
        assert "the experiment ended" in page
        assert "do=end" not in page


def test_an_experiment_is_ended_on_its_page(tmp_path: Path) -> None:
    with running(SqliteStore(tmp_path / "db")) as served, httpx.Client(base_url=served.url) as browser:
        browser.post("/v1/experiments", json={"name": "shop", "arms": ["a", "b"], "policy": "samba"})
        assert "do=end" in browser.get("/experiments/1").text
        confirm = browser.get("/experiments/1/act?do=end&on=").text
        assert "This cannot be undone." in confirm
        secret = re.findall('name="secret" value="([0-9a-f]+)"', confirm)[0]
        form = {"secret": secret, "do": "end", "on": "", "value": ""}
        assert browser.post("/experiments/1/act", data=form, headers={"origin": served.url}).status_code == 303
        assert browser.post("/v1/experiments/1/decisions", json={}).status_code == 410
