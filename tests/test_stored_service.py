"""Databases of the service in today's format open in every later version, and come to the same states.

`tests/stored/service` holds one database, as SQLite's file (`rules.db`) and as a dump of PostgreSQL (`rules.sql`): five
experiments that use every rule, change arms, quarantine and weight sources, retract a reward, trip the breaker and
begin an epoch. `rules.json` says what each comes to. These are of format 1; `second` holds the same in format 2, with
the old lines in an archive and the first experiment ended. A new format adds files; these stay as they are.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import psycopg
import pytest

import robandit as rb
from robandit.service import messages
from robandit.service.archive import set_folder
from robandit.service.engine import Engine
from robandit.service.experiment import open_experiment
from robandit.service.stores.address import open_store
from robandit.service.stores.base import ServiceStore
from robandit.service.verify import verify_store

FOLDER = Path(__file__).parent / "stored" / "service"
EXPECTED = json.loads((FOLDER / "rules.json").read_text())


def describe(store: ServiceStore, record: Any) -> dict[str, Any]:
    """Returns what is known of an experiment that is read from its first line."""
    experiment = open_experiment(store, record, snapshots=False)
    docket = experiment.docket
    return {
        "lines": experiment.line,
        "head": store.head(record.id).chain.hex(),
        "probabilities": experiment.fold.probabilities(),
        "decisions": experiment.fold.decisions,
        "state": json.loads(json.dumps(experiment.fold.save_state())),
        "pending": len(docket.cases),
        "left_out": docket.left_out,
        "expired": docket.expired,
    }


@pytest.fixture(params=["sqlite", "postgres"])
def address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of a copy."""
    if request.param == "sqlite":
        return f"sqlite:///{shutil.copy(FOLDER / 'rules.db', tmp_path / 'rules.db')}"
    url: str = request.getfixturevalue("database")
    with psycopg.connect(url) as db:
        db.execute((FOLDER / "rules.sql").read_bytes())
    return url


def test_a_database_of_today_comes_to_the_same_states_and_goes_on(address: str) -> None:
    store = open_store(address)
    store.take_all()
    assert {record.name: describe(store, record) for record in store.experiments()} == EXPECTED
    assert all(result.sound for result in verify_store(store))
    engine = Engine(store)
    for name in EXPECTED:
        answer = engine.decide(engine.find(name), messages.DecisionRequest(), None)
        store.commit(answer.rows)
    store.close()
    store = open_store(address, read_only=True)
    assert [result.lines for result in verify_store(store) if result.sound] == [
        one["lines"] + 1 for one in EXPECTED.values()
    ]
    store.close()


def test_a_database_of_a_newer_format_is_refused_and_stays_as_it_is(address: str) -> None:
    if address.startswith("postgresql"):
        with psycopg.connect(address) as db:
            db.execute("UPDATE robandit.meta SET value = '3' WHERE key = 'format'")
    else:
        import apsw

        apsw.Connection(address.removeprefix("sqlite:///")).execute("PRAGMA user_version=3")
    for read_only in (True, False):
        with pytest.raises(rb.InputError, match=r"has the format 3, (and )?2 is supported here"):
            open_store(address, read_only=read_only)


@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_database_with_an_archive_comes_to_the_same_states(
    kind: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    folder = FOLDER / "second"
    if kind == "sqlite":
        url = f"sqlite:///{shutil.copy(folder / 'archived.db', tmp_path / 'archived.db')}"
    else:
        url = request.getfixturevalue("database")
        with psycopg.connect(url) as db:
            db.execute((folder / "archived.sql").read_bytes())
    store: Any = open_store(url)
    set_folder(store, folder / "archive")
    assert store.upgraded_from == 2
    expected = json.loads((folder / "archived.json").read_text())
    assert {record.name: describe(store, record) for record in store.experiments()} == expected
    assert all(result.sound for result in verify_store(store))
    assert [open_experiment(store, record).ended for record in store.experiments()] == [True] + [False] * 4
    store.close()
