"""`robandit service verify`: a service's database or a learner's journal, read again from its first line."""

import argparse
from pathlib import Path
from typing import Any

from robandit.cli.flags import json_flags, print_json
from robandit.cli.serve import with_service
from robandit.errors import InputError

WORDS = {True: "yes", False: "NO", None: "-"}


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "verify",
        parents=[json_flags()],
        help="rebuild every state from its journal and compare bit for bit",
        description="Recompute the chain of hashes, fold every journal anew, interpreted and compiled, compare with "
        "the last snapshot, and throw every decision's dice again. The exit code is 1 if anything differs.",
    )
    parser.add_argument("journal", metavar="DB|JOURNAL", help="sqlite:///FILE, postgresql://... or a learner's journal")
    parser.add_argument("--no-compiled", action="store_true", help="leave out the comparison with the compiled fold")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    """Verify, print."""
    if "://" in arguments.journal:
        with_service()
    found = list(verified(arguments.journal, not arguments.no_compiled))
    if arguments.json:
        from dataclasses import asdict

        print_json({"sound": all(one.sound for one in found), "journals": [asdict(one) for one in found]})
    else:
        for one in found:
            head = f", head {one.head}" if one.head else ""
            print(f"{one.name}: {one.lines:,} lines, {one.decisions:,} decisions{head}")
            for word, value in (("chain", one.chain), ("compiled", one.compiled), ("snapshot", one.snapshot)):
                print(f"  {word + ' agrees':<18} {WORDS[value]}")
            print(f"  {'dice agree':<18} {WORDS[one.dice]}")
            for note in one.notes:
                print(f"  {note}")
        if not found:
            print("there are no experiments")
    return 0 if all(one.sound for one in found) else 1


def verified(address: str, compiled: bool) -> Any:
    """What is found at an address."""
    if "://" not in address:
        if not Path(address).is_file():
            raise InputError(f"there is no journal {address!r}; a database is named sqlite:///FILE")
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
