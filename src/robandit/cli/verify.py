"""`robandit service verify`: a service's database or a learner's journal, read again from its first line."""

import argparse
from pathlib import Path
from typing import Any

from robandit.cli.flags import json_flags, print_json
from robandit.errors import InputError

SQLITE = b"SQLite format 3\0"  # how such a file begins
WORDS = {True: "yes", False: "NO", None: "-"}


def add(commands: Any) -> None:
    """Add the command and its flags."""
    parser = commands.add_parser(
        "verify",
        parents=[json_flags()],
        help="rebuild every state from its journal and compare bit for bit",
        description="Recompute the chain of hashes, rebuild every state, interpreted and compiled, compare with "
        "the last snapshot, and draw every decision again. The exit code is 1 if anything differs.",
    )
    parser.add_argument(
        "journal", nargs="?", metavar="DB|JOURNAL", help="sqlite:///FILE, postgresql://... or a learner's journal"
    )
    parser.add_argument("--db", metavar="URL", help="the same, as other commands name a database")
    parser.add_argument("--no-compiled", action="store_true", help="leave out the comparison with the compiled replay")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Verify and print; returns the exit code."""
    address = arguments.journal or arguments.db
    if address is None:
        raise InputError("say what to verify: sqlite:///FILE, postgresql://... or a learner's journal")
    results = list(verify(address, not arguments.no_compiled))
    if arguments.json:
        from dataclasses import asdict

        print_json({"sound": all(one.sound for one in results), "journals": [asdict(one) for one in results]})
    else:
        for one in results:
            head = f", head {one.head}" if one.head else ""
            print(f"{one.name}: {one.lines:,} lines, {one.decisions:,} decisions{head}")
            for word, value in (("chain", one.chain), ("compiled", one.compiled), ("snapshot", one.snapshot)):
                print(f"  {word + ' agrees':<18} {WORDS[value]}")
            print(f"  {'draws agree':<18} {WORDS[one.dice]}")
            for note in one.notes:
                print(f"  {note}")
        if not results:
            print("there are no experiments")
    return 0 if all(one.sound for one in results) else 1


def verify(address: str, compiled: bool) -> Any:
    """Yields the verification of each journal at an address. Raises InputError."""
    if "://" not in address:
        if not Path(address).is_file():
            raise InputError(f"there is no journal {address!r}; a database is named sqlite:///FILE")
        with Path(address).open("rb") as file:
            if file.read(len(SQLITE)) == SQLITE:
                raise InputError(f"{address!r} is a database, not a journal: write sqlite:///{address}")
        from robandit.online.verify import verify_journal

        yield verify_journal(address, compiled=compiled)
        return
    from robandit.service.stores.address import open_store
    from robandit.service.verify import verify_store

    store = open_store(address, read_only=True)
    try:
        yield from verify_store(store, compiled=compiled)
    finally:
        store.close()
