"""The journal of a learner: one entry per line, each with a checksum of itself and of all lines before it.

A line is a JSON object, a tab and eight digits: the CRC-32 of the object, begun with that of the line before, so that
a line that was changed, dropped or moved is noticed. The first line holds the terms (terms.py); then come

    {"entry": "decide", "id": 0, "arm": "blue", "chance": 0.25, "note": 0, "eligible": null, "time": null}
    {"entry": "reward", "id": 0, "value": 1.0, "source": "user 17", "time": 1700000000.0}
    {"entry": "arm", "arm": "green", "change": "added"}        or paused, resumed, retired
    {"entry": "retract", "id": 0}                              or {"entry": "retract", "source": "user 17"}

Where features were declared, a decision also has its `context`, {"age": 31, "device": "phone"}, and an arm that is
added its `values`. A service's journal has the entries that docket.py lists besides. A decision's id is its number,
from 0. `chance` is the probability its arm had (the name is part of the format), null where the policy cannot compute
it. A retraction takes back what a decision or a source was rewarded *before* it; nothing is ever deleted. In a
simulation's journal a reward may carry its `truth`, and is `fake` where that differs from its value. A decision with
`"check": true` is one whose reward the policy wants to be verified; a reward with `"verified": true` is verified.

`read_into` is the only reader: a docket interprets the entries for a fold (fold.py) or for columns (columns.py).
"""

import json
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from itertools import takewhile
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from robandit.errors import InputError
from robandit.online.docket import Docket
from robandit.online.standing import ACTS, Entry, Standing
from robandit.online.target import DocketTarget
from robandit.online.terms import Terms, read_terms

AnyTarget = TypeVar("AnyTarget", bound=DocketTarget)
Numbered = TypeVar("Numbered", bound=tuple[Any, ...])
PARSE = json.JSONDecoder().raw_decode
ACT = re.compile(rb'"entry"\s*:\s*"(?:%b)"' % "|".join(ACTS).encode()).search


class JournalLine(NamedTuple):
    """One whole line: its number from 1, its text, the checksum up to it and where it ends in the file."""

    number: int
    body: bytes
    checksum: int
    end: int


def seal_line(body: bytes, before: int) -> tuple[bytes, int]:
    """Return a body as a whole line, and the checksum that the next line begins with."""
    checksum = zlib.crc32(body, before)
    return b"%b\t%08x\n" % (body, checksum), checksum


def write_line(entry: Entry, before: int) -> tuple[bytes, int]:
    """Return an entry as a line, and the checksum that the next one begins with."""
    return seal_line(json.dumps(entry, allow_nan=False, separators=(",", ":")).encode(), before)


def read_lines(path: Path | str) -> Iterator[JournalLine]:
    """Yield every whole line, checked; a last line without its end was torn off while it was written and is left out.

    Raises InputError if the file cannot be read, or names the first line that is not what was written.
    """
    checksum, end = 0, 0
    try:
        with open(path, "rb") as file:
            for number, text in enumerate(file, start=1):
                if not text.endswith(b"\n"):
                    return
                body = text[:-10]
                line, checksum = seal_line(body, checksum)
                if line != text:
                    raise InputError(f"{path}: line {number} is damaged, or one before it is missing")
                end += len(text)
                yield JournalLine(number, body, checksum, end)
    except OSError as error:
        raise InputError(f"the journal {str(path)!r} cannot be read: {error.strerror}") from error


def parse_line(line: JournalLine, path: Path | str) -> Entry:
    """Return the object of a line."""
    try:
        text = line.body.decode()
        entry, end = PARSE(text)
        if end == len(text) and isinstance(entry, dict):
            return entry
    except ValueError:
        pass
    raise InputError(f"{path}: line {line.number} cannot be read: it holds no JSON object")


def read_entries(path: Path | str) -> tuple[Terms, Iterator[tuple[int, Entry]]]:
    """Return a journal's terms and an iterator over its entries with their lines, in bounded memory."""
    lines = read_lines(path)
    first = next(lines, None)
    if first is None:
        raise InputError(f"{path}: this is no journal: it has no whole line")
    return read_terms(parse_line(first, path)), ((line.number, parse_line(line, path)) for line in lines)


def for_each(path: Path | str, entries: Iterable[tuple[int, Entry]], take: Callable[[int, Entry], object]) -> None:
    """Call `take` with every line's number and entry; an error it raises names the line."""
    for number, entry in entries:
        try:
            take(number, entry)
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
            reason = f"{error} is missing or unknown" if isinstance(error, KeyError) else error
            raise InputError(f"{path}: line {number} cannot be read: {reason}") from error


def read_standing(path: Path | str, before: int | None = None) -> Standing:
    """Return what the acts of a journal come to, up to a line; the other lines are not parsed."""
    standing = Standing()
    with open(path, "rb") as file:
        if not any(map(ACT, file)):  # most have none, and whoever reads the entries checks the lines anyway
            return standing
    acts = ((line.number, parse_line(line, path)) for line in until(before, read_lines(path)) if ACT(line.body))
    for_each(path, acts, standing.take)
    return standing


def read_into(path: Path | str, make_target: Callable[[Terms], AnyTarget], before: int | None = None) -> AnyTarget:
    """Read a journal, or what stands before a line of it, into a target made from its terms, and return the target."""
    terms, entries = read_entries(path)
    target = make_target(terms)
    docket = Docket(terms, read_standing(path, before), target)
    for_each(path, until(before, entries), docket.take)
    return target


def until(before: int | None, numbered: Iterator[Numbered]) -> Iterator[Numbered]:
    """Return the tuples whose first item, the number of a line, is below `before`; all of them if that is None."""
    return numbered if before is None else takewhile(lambda one: one[0] < before, numbered)
