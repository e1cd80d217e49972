"""What an operator needs beside the service: `robandit service check`, `token`, `backup`, `archive` and others."""

import argparse
from pathlib import Path
from typing import Any

from robandit.cli.flags import number, whole
from robandit.cli.serve import read_settings, serve_flags
from robandit.errors import InputError


def add(commands: Any) -> None:
    """Add the commands and their flags."""
    check = commands.add_parser(
        "check",
        parents=[serve_flags()],
        help="what is wrong with a set-up, before it goes live",
        description="Check disk, database, clock, tokens, permissions and address, with the flags that `robandit "
        "serve` will get. The exit code is 1 if one is wrong.",
    )
    check.set_defaults(run=run_check)
    token = commands.add_parser(
        "token",
        help="a new token for the service, printed once",
        description="Create a token and add its hash to a file. The token itself is printed here and stored nowhere.",
    )
    token.add_argument("name", help="who it is for; it stands before the sources that this token reports")
    token.add_argument(
        "--roles", default="decide,reward", help="of decide, reward, verify, read, admin (default decide,reward)"
    )
    token.add_argument("--experiments", default="", metavar="A,B", help="only these, by name or id (default: all)")
    token.add_argument("--rate", type=number, metavar="N", help="requests, decisions and rewards per second, at most")
    token.add_argument("--token-file", required=True, metavar="FILE", help="the file that `robandit serve` reads")
    token.set_defaults(run=run_token)
    backup = commands.add_parser("backup", help="a copy of a service's database, while it serves")
    backup.add_argument("file", metavar="FILE", help="where the copy goes; it must not exist")
    backup.add_argument("--db", required=True, metavar="URL", help="sqlite:///FILE")
    backup.set_defaults(run=run_backup)
    restore = commands.add_parser(
        "restore",
        help="a database from a backup, with a new epoch of ids",
        description="Create a database from a backup. Ids issued after the backup are refused from then on.",
    )
    restore.add_argument(
        "file", metavar="FILE", nargs="?", help="the backup; leave it out for PostgreSQL, after pg_restore"
    )
    restore.add_argument(
        "--db", required=True, metavar="URL", help="sqlite:///FILE that does not exist, or postgresql://..."
    )
    restore.set_defaults(run=run_restore)
    archive = commands.add_parser(
        "archive",
        help="old lines out of the database, into Parquet files",
        description="Move old lines of every experiment into files, while it serves; `serve` and `verify` read both.",
    )
    archive.add_argument("folder", metavar="FOLDER", help="where the files are; every process must reach it")
    archive.add_argument("--db", required=True, metavar="URL", help="as for `robandit serve`")
    archive.add_argument(
        "--keep", type=whole, default=200_000, metavar="N", help="lines of an experiment that stay (default 200,000)"
    )
    archive.add_argument(
        "--lines", type=whole, default=100_000, metavar="N", help="lines in a file (default 100,000); fewer stay"
    )
    archive.set_defaults(run=run_archive)
    forget = commands.add_parser(
        "forget",
        help="the name of a source out of a journal",
        description="Replace the name of a source by a random one in every line, old files included. "
        "The state stays the same to the bit. The experiment must not be served meanwhile.",
    )
    forget.add_argument("experiment", metavar="EXPERIMENT", help="its name or its number")
    forget.add_argument("source", metavar="SOURCE", help="as the page and exports name it: TOKEN/LABEL, or LABEL")
    forget.add_argument("--db", required=True, metavar="URL", help="as for `robandit serve`")
    forget.set_defaults(run=run_forget)
    upgrade = commands.add_parser(
        "upgrade",
        help="a database of an older format brought to today's",
        description="Upgrade a database in one transaction. `robandit serve` does the same when it starts.",
    )
    upgrade.add_argument("--db", required=True, metavar="URL", help="as for `robandit serve`")
    upgrade.set_defaults(run=run_upgrade)


def run_check(arguments: argparse.Namespace) -> int:
    """Print what each check found."""
    from robandit.service.check import Setup, check_setup

    settings = read_settings(arguments)
    findings = check_setup(Setup(settings.url, settings.host, settings.port, settings.token_file))
    for finding in findings:
        print(f"{finding.level:8} {finding.subject:12} {finding.sentence}")
    return int(any(finding.level == "wrong" for finding in findings))


def run_token(arguments: argparse.Namespace) -> None:
    """Print a new token."""
    from robandit.service.tokens import new_token

    if arguments.rate is not None and not arguments.rate > 0:
        raise InputError(f"--rate must be above 0, not {arguments.rate:g}")
    try:
        secret = new_token(arguments.token_file, arguments.name, arguments.roles, arguments.experiments, arguments.rate)
    except OSError as error:
        raise InputError(f"--token-file {arguments.token_file!r} cannot be written: {error.strerror}") from error
    print(secret)


def sqlite_path(url: str) -> Path:
    """Returns the file behind an address. Raises InputError."""
    if not url.startswith("sqlite:///"):
        raise InputError(f"--db must be sqlite:///FILE here, not {url!r} (PostgreSQL has pg_dump)")
    return Path(url.removeprefix("sqlite:///"))


def run_backup(arguments: argparse.Namespace) -> None:
    """Copy a database."""
    from robandit.service.backup import back_up

    path = sqlite_path(arguments.db)
    if not path.is_file():
        raise InputError(f"--db: there is no database {str(path)!r}")
    print(f"{arguments.file}: {back_up(path, Path(arguments.file)):,} lines")


def run_restore(arguments: argparse.Namespace) -> None:
    """Create a database from a copy."""
    from robandit.service.backup import begin_epoch, restore

    if arguments.file is None:
        if arguments.db.startswith("sqlite"):
            raise InputError("restore needs the backup's file")
        from robandit.service.stores.address import open_store

        store = open_store(arguments.db)
        try:
            print(f"epoch {begin_epoch(store)}")
        finally:
            store.close()
        return
    print(f"epoch {restore(Path(arguments.file), sqlite_path(arguments.db))}")


def run_archive(arguments: argparse.Namespace) -> None:
    """Move old lines into files."""
    from robandit.service.archive import archive_lines, set_folder

    if arguments.lines < 1 or arguments.keep < 0:
        raise InputError("--lines must be at least 1 and --keep at least 0")
    store = open_present(arguments.db)
    try:
        set_folder(store, Path(arguments.folder))
        for record in store.experiments():
            pieces = archive_lines(store, record, arguments.keep, arguments.lines)
            last = pieces[-1].last if pieces else max((one.last for one in store.pieces(record.id)), default=0)
            print(f"{record.name}: {len(pieces)} new files, {last:,} of {store.head(record.id).line:,} lines archived")
    finally:
        store.close()


def run_forget(arguments: argparse.Namespace) -> None:
    """Take a name out of a journal."""
    from robandit.service.archive import forget_source
    from robandit.service.ownership import Ownership
    from robandit.service.stores.base import StoreRefusal

    store = open_present(arguments.db)
    ownership = None
    try:
        record = next((one for one in store.experiments() if arguments.experiment in (one.name, str(one.id))), None)
        if record is None:
            raise InputError(f"there is no experiment {arguments.experiment!r}")
        ownership = Ownership(None if store.path is None else f"{store.path}.lock")
        store.take_all()
        name, count = forget_source(store, record, arguments.source)
        print(f"{record.name}: {count:,} lines name {name} now; head {store.head(record.id).chain.hex()}")
    except StoreRefusal as error:
        raise InputError(str(error)) from error
    finally:
        if ownership is not None:
            ownership.release()
        store.close()


def run_upgrade(arguments: argparse.Namespace) -> None:
    """Upgrade a database."""
    store = open_present(arguments.db)
    try:
        old, new = store.upgraded_from, store.format
        changes = {0: f"a new database of format {new}", new: f"format {new}, as before"}
        print(changes.get(old, f"upgraded from format {old} to format {new}"))
    finally:
        store.close()


def open_present(url: str) -> Any:
    """Returns a database that is there, open for writing. Raises InputError."""
    from robandit.service.stores.address import open_store

    if url.startswith("sqlite:///") and not sqlite_path(url).is_file():
        raise InputError(f"--db: there is no database {str(sqlite_path(url))!r}")
    return open_store(url)
