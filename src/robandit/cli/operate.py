"""`robandit service check`, `token`, `backup` and `restore`: what an operator of the service needs beside it."""

import argparse
from pathlib import Path
from typing import Any

from robandit.cli.flags import number, whole
from robandit.errors import InputError


def add(commands: Any) -> None:
    """Add the commands and their flags."""
    check = commands.add_parser(
        "check",
        help="what is wrong with a set-up, before it goes live",
        description="Check disk, database, clock, tokens, permissions and address. The exit code is 1 if one is wrong.",
    )
    check.add_argument("--db", required=True, metavar="URL", help="as for `robandit serve`")
    check.add_argument("--host", default="127.0.0.1", help="default 127.0.0.1")
    check.add_argument("--port", type=whole, default=8470, help="default 8470")
    check.add_argument("--token-file", metavar="FILE", help="as for `robandit serve`")
    check.set_defaults(run=run_check)
    token = commands.add_parser(
        "token",
        help="a new token for the service, printed once",
        description="Create a token and add its hash to a file. The token itself is printed here and stored nowhere.",
    )
    token.add_argument("name", help="who it is for; it stands before the sources that this token reports")
    token.add_argument(
        "--roles", default="decide,reward", help="of decide, reward, read, admin (default decide,reward)"
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


def run_check(arguments: argparse.Namespace) -> int:
    """Print what each check found."""
    from robandit.service.check import Setup, check_setup

    findings = check_setup(Setup(arguments.db, arguments.host, arguments.port, arguments.token_file))
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
