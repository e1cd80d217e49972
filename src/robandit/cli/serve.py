"""`robandit serve`: the decision service."""

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from robandit.cli.flags import number, whole
from robandit.errors import InputError

if TYPE_CHECKING:  # `robandit --help` does not wait for uvicorn
    from robandit.service.serve import ServeSettings


def add(commands: Any) -> None:
    """Add the command and its flags."""
    parser = commands.add_parser(
        "serve",
        parents=[serve_flags()],
        help="the decision service, with its page",
        description="Serve decisions over HTTP. An answer leaves only after its line of the journal is on the disk.",
    )
    parser.set_defaults(run=run)


def serve_flags() -> argparse.ArgumentParser:
    """Returns the flags of the service, which `robandit service check` takes too."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument(
        "--db", required=True, metavar="URL", help="sqlite:///FILE, or postgresql://... for several processes"
    )
    parser.add_argument("--host", default="127.0.0.1", help="default 127.0.0.1; beyond it a token file is needed")
    parser.add_argument("--port", type=whole, default=8470, help="default 8470; 0 takes a free one")
    parser.add_argument("--token-file", metavar="FILE", help="who may do what; `robandit service token` writes it")
    parser.add_argument(
        "--watch",
        type=float,
        default=10.0,
        metavar="SECONDS",
        help="between two audits of the journals for signs of fraud, at least (default 10; 0: never)",
    )
    parser.add_argument(
        "--remember",
        type=whole,
        default=2_000_000,
        metavar="DECISIONS",
        help="whose keys and rewards stay in memory, about 0.7 kB each, shared by all experiments, at most 200,000 for "
        "one (default 2,000,000)",
    )
    parser.add_argument(
        "--advertise",
        metavar="URL",
        help="PostgreSQL only: the address at which other processes reach this one; default its own",
    )
    parser.add_argument(
        "--redirect",
        action="store_true",
        help="PostgreSQL only: send clients to the process that serves an experiment (307), forward nothing to it",
    )
    parser.add_argument(
        "--lease",
        type=number,
        default=10.0,
        metavar="SECONDS",
        help="PostgreSQL only: others take over so long after this process dies; default 10",
    )
    parser.add_argument(
        "--log-format", choices=("text", "json"), default="text", help="of the log, one line per event; default text"
    )
    parser.add_argument(
        "--log-level",
        choices=("debug", "info", "warning", "error"),
        default="warning",
        help="events below it are left out; default warning",
    )
    parser.add_argument("--access-log", action="store_true", help="log every request too; it implies --log-level info")
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="web pages of this origin, such as https://shop.example, may call it with a token; can be repeated",
    )
    parser.add_argument("--webhook", metavar="URL", help="send alarms, acts and a degraded service to this address")
    parser.add_argument("--webhook-secret-file", metavar="FILE", help="its content signs what the webhook sends")
    return parser


def run(arguments: argparse.Namespace) -> None:
    """Serve until a signal comes."""
    from robandit.service.serve import AddressTaken, serve

    try:
        serve(read_settings(arguments))
    except AddressTaken as error:
        raise InputError(f"{error}; --port takes another, --port 0 a free one") from error


def read_settings(arguments: argparse.Namespace) -> "ServeSettings":
    """Returns what a service is started with. Raises InputError."""
    if not 0 <= arguments.port <= 65535:
        raise InputError(f"--port must be from 0 to 65535, not {arguments.port}")
    if not 0 <= arguments.watch < float("inf"):
        raise InputError(f"--watch must be a number of seconds from 0 on, not {arguments.watch:g}")
    if arguments.remember < 1:
        raise InputError(f"--remember must be a whole number from 1 on, not {arguments.remember}")
    for origin in arguments.allow_origin:
        if not re.fullmatch(r"https?://[^/\s?#@]+", origin):
            raise InputError(f"--allow-origin must be an origin such as https://shop.example, not {origin!r}")
    if arguments.allow_origin and arguments.token_file is None:
        raise InputError("--allow-origin needs --token-file: without tokens only this machine's own pages are served")
    if (arguments.webhook is None) != (arguments.webhook_secret_file is None):
        raise InputError("--webhook and --webhook-secret-file need each other")
    from robandit.service.leases import check_lease
    from robandit.service.logs import LogSettings
    from robandit.service.serve import ServeSettings

    check_lease(arguments.lease)

    return ServeSettings(
        arguments.db,
        arguments.host,
        arguments.port,
        arguments.token_file,
        arguments.watch,
        arguments.advertise,
        arguments.lease,
        LogSettings(arguments.log_format, arguments.log_level, arguments.access_log),
        read_receiver(arguments),
        arguments.redirect,
        arguments.remember,
        tuple(arguments.allow_origin),
    )


def read_receiver(arguments: argparse.Namespace) -> Any:
    """Returns the program that gets the webhook's events, if there is one."""
    from robandit.service.webhook import Receiver

    if arguments.webhook is None:
        return None
    try:
        secret = Path(arguments.webhook_secret_file).read_bytes().strip()
    except OSError as error:
        sentence = f"--webhook-secret-file {arguments.webhook_secret_file!r} cannot be read: {error.strerror}"
        raise InputError(sentence) from error
    return Receiver(arguments.webhook, secret)
