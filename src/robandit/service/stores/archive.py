"""Old lines of a journal in Parquet files beside the database, with the chain of hashes that leads through them.

A database of the format 2 knows which lines are in which file, and the digest of each file. What is in a file is no
longer in the database, but for the first line and the acts of operators, which are read apart from the others.
"""

import os
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

from robandit.errors import InputError
from robandit.service.stores.base import Row, extend_chain

FOLDER = "archive"  # the key of the folder's name in the database
GROUP = 10_000  # lines of a row group: as many are in memory at once


class Piece(NamedTuple):
    """Some lines of an experiment in a file: from the first to the last, and the chain before and after them."""

    experiment: int
    first: int
    last: int
    before: bytes
    after: bytes
    name: str
    digest: bytes


def write_piece(folder: Path, experiment: int, rows: Iterable[Row], before: bytes) -> Piece:
    """Write lines that follow each other into a new file; it is on the disk when this returns.

    Raises InputError where the folder cannot be written.
    """
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = list(rows)
    first, last, after = rows[0].line, rows[-1].line, before
    for row in rows:
        after = extend_chain(after, row.body)
    kinds = [("line", pa.int64()), ("act", pa.bool_()), ("settles", pa.int64()), ("body", pa.string())]
    about = {"robandit": "archive", "format": "1", "experiment": str(experiment)}
    schema = pa.schema(kinds).with_metadata(about | {"before": before.hex(), "after": after.hex()})
    columns = zip(*(row[1:] for row in rows), strict=True)
    table = pa.table([pa.array(one, kind) for one, (_, kind) in zip(columns, kinds, strict=True)], schema=schema)
    name = f"{experiment}-{first}-{last}-{after.hex()[:8]}.parquet"
    draft = folder / f"{name}.draft-{os.getpid()}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        file = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with open(file, "wb") as out:
            pq.write_table(table, out, compression="zstd", row_group_size=GROUP)
            out.flush()
            os.fsync(out.fileno())
        os.replace(draft, folder / name)
        names = os.open(folder, os.O_RDONLY)  # else the name may be gone after a power cut
        try:
            os.fsync(names)
        finally:
            os.close(names)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise InputError(f"the archive {str(folder)!r} cannot be written: {error.strerror}") from error
    return Piece(experiment, first, last, before, after, name, digest_of(folder / name))


def read_piece(folder: Path, piece: Piece, after: int = 0) -> Iterator[Row]:
    """Yields the lines of a file after one, in order. Raises InputError if it is not the file that was written."""
    import pyarrow.parquet as pq

    path = folder / piece.name
    where = f"lines {piece.first:,} to {piece.last:,} of experiment {piece.experiment} are in {str(path)!r}"
    try:
        if digest_of(path) != piece.digest:
            raise InputError(f"{where}, which is not the file that was written")
        with pq.ParquetFile(path) as file:
            for group in file.iter_batches(GROUP):
                columns = [column.to_pylist() for column in group.columns]
                for line, act, settles, body in zip(*columns, strict=True):
                    if line > after:
                        yield Row(piece.experiment, line, act, settles, body)
    except OSError as error:
        raise InputError(f"{where}, which cannot be read: {error.strerror}") from error


def digest_of(path: Path) -> bytes:
    """Returns the hash of a file."""
    digest = sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.digest()


def read_lines(
    after: int,
    read_stored: Callable[[int], list[tuple[int, str]]],
    find_piece: Callable[[int], Piece | None],
    folder: Callable[[], Path],
) -> Iterator[tuple[int, str]]:
    """Yields lines after one, from files and from the database, in order.

    Args:
        after: the line before the first.
        read_stored: returns the next lines after one that the database holds, some at a time.
        find_piece: returns the file with the line after one, if there is one.
        folder: returns where the files are.
    """
    if after == 0:  # the first line stays in the database
        first = read_stored(0)[:1]
        yield from first
        after = first[0][0] if first else 0
    while True:
        piece = find_piece(after)
        if piece is None:
            stored = read_stored(after)
            if not stored:
                return
            has_gap = stored[-1][0] - after != len(stored)
            piece = find_piece(after) if has_gap else None  # they were archived since
            if piece is None:
                yield from stored
                after = stored[-1][0]
                continue
        for row in read_piece(folder(), piece, after):
            yield row.line, row.body
        after = piece.last


def folder_of(value: bytes) -> Path:
    """Returns the folder that a database names. Raises InputError if it names none."""
    if not value:
        raise InputError("the database names no folder of its archive")
    return Path(value.decode())
