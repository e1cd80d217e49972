"""A copy of a live database, and back from it: a restored service gives its ids a new epoch.

What was decided after the backup is gone, and the same numbers will be used again: the epoch keeps a reward that is
still under way from reaching another decision of the same number.
"""

import os
import secrets
import time
from pathlib import Path

import apsw

from robandit.errors import InputError
from robandit.service.experiment import open_experiment
from robandit.service.stores.base import ServiceStore, StoreRefusal
from robandit.service.stores.sqlite import SqliteStore


def back_up(source: Path, target: Path) -> int:
    """Copy a database that may be in use; returns how many lines the copy has."""
    if target.exists():
        raise InputError(f"{str(target)!r} exists, and a backup does not write over it")
    if not target.parent.is_dir():
        raise InputError(f"there is no folder {str(target.parent)!r}")
    draft = target.with_name(target.name + f".draft-{os.getpid()}")
    store = SqliteStore(source, read_only=True)
    try:
        store.backup(draft)
        lines = sum(head.line for head in SqliteStore(draft, read_only=True).heads.values())
        sync(draft)
        os.replace(draft, target)
        sync(target.parent)  # else the name may be gone after a power cut
    except (apsw.Error, OSError) as error:
        raise InputError(f"{str(target)!r} cannot be written: {error}") from error
    finally:
        draft.unlink(missing_ok=True)
        store.close()
    return lines


def sync(path: Path) -> None:
    """Return when a file, or the names in a folder, are on the disk."""
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def restore(backup: Path, target: Path) -> int:
    """Create a database from a backup, ready to serve; returns its epoch."""
    if target.exists():
        raise InputError(f"{str(target)!r} exists, and a restore does not write over it")
    if not backup.is_file():
        raise InputError(f"there is no backup {str(backup)!r}")
    back_up(backup, target)
    store = SqliteStore(target)
    try:
        return begin_epoch(store)
    finally:
        store.close()


def begin_epoch(store: ServiceStore) -> int:
    """Begin a new epoch in every experiment, none of which may be served meanwhile; returns it."""
    try:
        store.take_all()
    except StoreRefusal as error:
        raise InputError(str(error)) from error
    epoch = secrets.randbits(32)
    for record in store.experiments():
        experiment = open_experiment(store, record)
        row = experiment.begin_epoch(time.time(), epoch)
        store.commit([row], [experiment.snapshot()])
    return epoch
