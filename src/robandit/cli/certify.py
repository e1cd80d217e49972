"""`robandit paper certify`: a bound on SAMBA's regret under every attack, as a file anyone can check."""

import argparse
import os
from typing import Any

from robandit.cli.flags import json_flags, naming, number, numbers, print_json, whole
from robandit.errors import InputError
from robandit.version import __version__


def add(commands: Any) -> None:
    """Adds the command and its flags."""
    parser = commands.add_parser(
        "certify",
        parents=[json_flags()],
        help="a verified bound on SAMBA's regret under every attack, two arms",
        description="Find a bound const + log_coefficient ln(1 + alpha T/(2(1-alpha))) + b C on SAMBA's regret with "
        "two arms, verified by interval arithmetic for every state and attacker of threat model A; or check one.",
    )
    parser.add_argument("--means", type=numbers, default=(0.9, 0.8), help="the better arm first (default 0.9,0.8)")
    parser.add_argument("--learning-rate", type=number, default=0.05, help="SAMBA's step (default 0.05)")
    parser.add_argument(
        "--horizon", type=whole, metavar="T", help="with --budget: the smallest bound there (default: least b)"
    )
    parser.add_argument("--budget", type=number, metavar="C", help="corruption, in all")
    parser.add_argument("--out", metavar="FILE", help="write the certificate to this file")
    parser.add_argument("--check", metavar="FILE", help="check a certificate in place of making one")
    parser.add_argument("--runs", type=whole, default=200, help="plays of the attack beside it (default 200; 0: none)")
    parser.add_argument("--seed", type=whole, default=1, help="of those plays (default 1)")
    parser.set_defaults(run=certify)


def certify(arguments: argparse.Namespace) -> None:
    """Makes a certificate, or checks one."""
    if arguments.check is not None:
        check(arguments)
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads would only wait for each other
    from pathlib import Path

    from robandit.theory.sandwich import certify_and_play

    out = None if arguments.out is None else Path(arguments.out)
    if out is not None and (out.is_dir() or not out.absolute().parent.is_dir()):
        raise InputError(f"--out: {arguments.out!r} must be a file in a folder that exists")
    names = ("means", "learning_rate", "horizon", "budget", "runs", "seed")
    certificate = certify_and_play(**{name: getattr(arguments, name) for name in names})
    certificate = {"version": __version__, **certificate}
    if out is not None:
        import json

        from robandit.store.files import write_atomically

        with naming("--out"):
            write_atomically(out, (json.dumps(certificate, indent=1, allow_nan=False) + "\n").encode())
    if arguments.json:
        print_json(certificate)
    else:
        from robandit.theory.tables import describe_certificate

        print("\n".join(describe_certificate(certificate)))
        if arguments.out:
            print(f"written: {arguments.out}; check it with `robandit paper certify --check {arguments.out}`")


def check(arguments: argparse.Namespace) -> None:
    """Says whether a file is a proof. Raises InputError if it is not."""
    from pathlib import Path

    from robandit.theory.checker import describe, faults, ignored

    try:
        text = Path(arguments.check).read_text(encoding="utf-8")
        wrong = faults(text)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--check: {arguments.check!r} cannot be read") from error
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise InputError(f"--check: {arguments.check!r} is not a certificate ({error})") from error
    if arguments.json:
        claim = [] if wrong else describe(text)
        verdict = {"verified": not wrong, "faults": wrong, "claim": claim, "ignored": ignored(text)}
        print_json({"version": __version__, "file": arguments.check, **verdict})
    if wrong:
        raise InputError(f"--check: {arguments.check!r} proves nothing: {'; '.join(wrong)}")
    if not arguments.json:
        print(f"{arguments.check}: every inequality holds for every state. Verified:")
        print("\n".join(describe(text)))
        print(f"not read, so not verified: {', '.join(ignored(text)) or 'nothing'}")
