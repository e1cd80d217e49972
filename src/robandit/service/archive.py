"""Old lines moved into files, and the name of a source taken out of a journal whose state stays what it was.

Both leave the chain of hashes whole: `robandit service verify` reads files and database as one journal.
"""

import secrets
import time
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import msgspec

from robandit.errors import InputError
from robandit.online.standing import Entry
from robandit.service.experiment import Experiment, open_experiment
from robandit.service.stores.archive import FOLDER, Piece, read_piece, write_piece
from robandit.service.stores.base import (
    NO_HEAD,
    ArchivingStore,
    ExperimentRecord,
    Head,
    Rewrite,
    Row,
    StoreRefusal,
    extend_chain,
)

PIECE = 100_000  # lines of a file
KEPT = 200_000  # lines that stay in the database: a start looks at them for the keys and values of repeated requests


def archive_lines(store: ArchivingStore, record: ExperimentRecord, kept: int = KEPT, size: int = PIECE) -> list[Piece]:
    """Move the old lines of an experiment into files of `size` lines; returns the new files.

    It may be served meanwhile: each file is read again before its lines leave the database. Lines after the last
    snapshot stay, so that a start needs no file, and so do the last `kept` ones. Raises InputError.
    """
    snapshot = store.snapshot(record.id)
    limit = min(0 if snapshot is None else snapshot.line, store.head(record.id).line - kept)
    folder, pieces, made = store.archive_folder(), store.pieces(record.id), list[Piece]()
    last, chain = (pieces[-1].last, pieces[-1].after) if pieces else (1, first_link(store, record.id))
    while last + size <= limit:
        rows = list(islice(read_rows(store, record.id, last), size))
        if [row.line for row in rows] != list(range(last + 1, last + size + 1)):
            raise InputError(f"experiment {record.id}: lines are missing after line {last:,}, so nothing is archived")
        piece = write_piece(folder, record.id, rows, chain)
        if list(read_piece(folder, piece)) != rows:
            raise InputError(f"the file {piece.name!r} does not hold what was written: the lines stay in the database")
        store.archive(piece)
        made.append(piece)
        last, chain = piece.last, piece.after
    return made


def first_link(store: ArchivingStore, experiment: int) -> bytes:
    """Returns the chain after the first line."""
    return extend_chain(NO_HEAD, store.rows(experiment, 0, 1)[0].body)


def read_rows(store: ArchivingStore, experiment: int, after: int) -> Any:
    """Yields the lines that the database holds after one."""
    while rows := store.rows(experiment, after, 4000):
        yield from rows
        after = rows[-1].line


def set_folder(store: ArchivingStore, folder: Path) -> None:
    """From now on the files are in this folder. Raises InputError if it lacks one, or cannot be written."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise InputError(f"the folder {str(folder)!r} cannot be written: {error.strerror}") from error
    for record in store.experiments():
        for piece in store.pieces(record.id):
            if not (folder / piece.name).is_file():
                raise InputError(f"{str(folder)!r} lacks {piece.name!r}: copy the files there first")
    store.replace_meta(FOLDER, str(folder.resolve()).encode())


def forget_source(store: ArchivingStore, record: ExperimentRecord, source: str) -> tuple[str, int]:
    """Replace the name of a source by a random one in every line; returns that and how many lines had the name.

    The experiment must not be served meanwhile. Every line is read, files included, and the state is rebuilt from the
    new ones: where it is not the same to the bit but for the name, nothing is changed. One more line says that names
    were replaced, and where the journal ended before. Raises InputError.
    """
    label = "forgotten-" + secrets.token_hex(8)
    token, slash, _ = source.partition("/")
    new, old = f"{token}/{label}" if slash else label, store.head(record.id)
    before = open_experiment(store, record, snapshots=False)
    after = Experiment(record, before.terms, renamed_standing(before, source, new))
    bodies, pieces, chain, count = list[tuple[int, str]](), list[Piece](), NO_HEAD, 0

    def renew(row: Row) -> Row:
        """Returns a line without the name; the chain goes on over it."""
        nonlocal chain, count
        body = row.body
        if row.line > 1:
            entry = msgspec.json.decode(body)
            changes = renamed(entry, source, new)
            if changes:
                if "unit" in changes and before.rules.holdout > 0.0:
                    raise InputError("the unit of the same name says who is held out, so it cannot be replaced")
                entry, count = entry | changes, count + 1
                body = msgspec.json.encode(entry).decode()
                bodies.append((row.line, body))
            after.apply(row.line, entry)
        chain = extend_chain(chain, body)
        return row._replace(body=body)

    renew(store.rows(record.id, 0, 1)[0])
    last, old_pieces = 1, store.pieces(record.id)
    for piece in old_pieces:
        link, already = chain, count
        rows = [renew(row) for row in read_piece(store.archive_folder(), piece)]
        is_same = link == piece.before and count == already
        pieces.append(piece if is_same else write_piece(store.archive_folder(), record.id, rows, link))
        last = piece.last
    for row in read_rows(store, record.id, last):
        renew(row)
    if not count:
        raise InputError(f"no line of {record.name!r} names the source {source!r}")
    if named(before.snapshot().body, source, new) != named(after.snapshot().body, source, new):
        raise InputError("without this name the state would be another one, so nothing is changed")
    entry: Entry = {"entry": "forget", "lines": count, "before": old.chain.hex(), "time": before.moment(time.time())}
    added = Row(record.id, old.line + 1, False, None, msgspec.json.encode(entry).decode())
    head = Head(added.line, extend_chain(chain, added.body))
    try:
        store.replace(Rewrite(record.id, bodies, pieces, added, old, head))
    except StoreRefusal as error:
        raise InputError(str(error)) from error
    for piece in set(old_pieces) - set(pieces):
        (store.archive_folder() / piece.name).unlink(missing_ok=True)
    return new, count


def renamed(entry: Entry, source: str, new: str) -> Entry:
    """Returns what changes in an entry: the source, the unit of the same name, and the sources of an alarm."""
    unit, why = entry.get("unit"), entry.get("why") or {}
    changes: Entry = {"source": new} if entry.get("source") == source else {}
    if source in why.get("sources", []):
        changes["why"] = why | {"sources": [new if name == source else name for name in why["sources"]]}
    if unit is not None and source in (unit, f"{entry.get('by')}/{unit}"):
        changes["unit"] = new.rpartition("/")[2]
    return changes


def renamed_standing(experiment: Experiment, source: str, new: str) -> Any:
    """Returns an experiment's standing with another name for a source."""
    standing = experiment.standing
    sources = {new if name == source else name: verdict for name, verdict in standing.sources.items()}
    retracted = {
        (kind, new if (kind, which) == ("source", source) else which): line
        for (kind, which), line in standing.retracted.items()
    }
    return type(standing)(sources, retracted, standing.frozen)


def named(body: bytes, source: str, new: str) -> Any:
    """Returns a snapshot in which both names are one."""

    def rename(value: Any) -> Any:
        if isinstance(value, dict):
            return {rename(key): rename(inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [rename(inner) for inner in value]
        return new if value == source else value

    return rename(msgspec.json.decode(body))
