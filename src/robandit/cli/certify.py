"""`robandit paper certify`: a bound on SAMBA's regret under every attack, as a file anyone can check."""

import argparse
import os
from typing import Any

from robandit.cli.flags import json_flags, naming, number, numbers, print_json, whole
from robandit.errors import InputError
from robandit.version import __version__


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "certify",
        parents=[json_flags()],
        help="a verified bound on SAMBA's regret under every attack, two arms",
        description="Find a bound const + log_coefficient ln(1 + alpha T/(2(1-alpha))) + b C on SAMBA's regret with "
        "two arms, verified by interval arithmetic for every state and adversary of threat model A; or check one.",
    )
    parser.add_argument("--means", type=numbers, default=(0.9, 0.8), help="the better arm first (default 0.9,0.8)")
    parser.add_argument("--learning-rate", type=number, default=0.05, help="SAMBA's step (default 0.05)")
    parser.add_argument(
        "--horizon", type=whole, metavar="T", help="with --budget: the bound is made for these (default: least b)"
    )
    parser.add_argument("--budget", type=number, metavar="C", help="corruption, in all")
    parser.add_argument("--out", metavar="FILE", help="write the certificate to this file")
    parser.add_argument("--check", metavar="FILE", help="check a certificate in place of making one")
    parser.add_argument("--runs", type=whole, default=200, help="plays of the attack beside it (default 200; 0: none)")
    parser.add_argument("--seed", type=whole, default=1, help="of those plays (default 1)")
    parser.set_defaults(run=certify)


def certify(arguments: argparse.Namespace) -> None:
    """Make a certificate, or check one."""
    if arguments.check is not None:
        check(arguments)
        return
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads would only wait for each other
    from pathlib import Path

    from robandit.theory.certificate import certify as certified
    from robandit.theory.games import two_arms
    from robandit.theory.sandwich import sandwich, whole_budget

    horizon, budget = arguments.horizon, arguments.budget
    if (horizon is None) != (budget is None):
        raise InputError("--horizon and --budget go together: give both, or neither for the least b")
    if horizon is not None and not 1 <= horizon <= 10**7:
        raise InputError(f"--horizon must be between 1 and 10,000,000, not {horizon:,}")
    if budget is not None and not 0 <= budget <= 10**7:
        raise InputError(f"--budget must be a number from 0 to 10,000,000, not {budget:g}")
    if arguments.runs < 0:
        raise InputError(f"--runs must be a whole number of at least 0, not {arguments.runs}")
    out = None if arguments.out is None else Path(arguments.out)
    if out is not None and (out.is_dir() or not out.absolute().parent.is_dir()):
        raise InputError(f"--out: {arguments.out!r} must be a file in a folder that exists")
    game = two_arms(arguments.means, arguments.learning_rate)
    found = certified(game, horizon, budget)
    told: dict[str, Any] = {"version": __version__, **found.as_json(), "sandwich": None}
    if arguments.runs:
        spent = whole_budget(game, 60.0 if budget is None else budget)
        sides = sandwich(found, horizon or 10_000, spent, arguments.runs, arguments.seed)
        told["sandwich"] = vars(sides)
    if out is not None:
        import json

        from robandit.store.files import write_atomically

        with naming("--out"):
            write_atomically(out, (json.dumps(told, indent=1, allow_nan=False) + "\n").encode())
    if arguments.json:
        print_json(told)
    else:
        print_words(told, arguments.out)


def check(arguments: argparse.Namespace) -> None:
    """Read a certificate and say whether it is a proof; what is not is refused."""
    from pathlib import Path

    from robandit.theory.checker import faults

    try:
        text = Path(arguments.check).read_text(encoding="utf-8")
        wrong = faults(text)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"--check: {arguments.check!r} cannot be read") from error
    except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, RecursionError) as error:
        raise InputError(f"--check: {arguments.check!r} is not a certificate ({error})") from error
    if arguments.json:
        print_json({"version": __version__, "file": arguments.check, "verified": not wrong, "faults": wrong})
    if wrong:
        raise InputError(f"--check: {arguments.check!r} proves nothing: {'; '.join(wrong)}")
    if not arguments.json:
        print(f"{arguments.check}: every inequality holds for every state; the certificate is a proof")


def print_words(told: dict[str, Any], out: str | None) -> None:
    """The bound, where its numbers come from, and the values it is above."""
    means = " and ".join(f"{mean:g}" for mean in told["means"])
    a, w, d = told["coefficients"]
    cells = sum(check["cells"] for check in told["checks"])
    print(f"samba (learning_rate={told['learning_rate']:g}) on means {means}, every adversary of threat model A:")
    print(f"  E[regret] <= {told['const']} + {told['log_coefficient']} ln(1 + alpha T/(2(1-alpha))) + {told['b']} C")
    print(f"  by V = (1/alpha)({a}/p + {w} ln q - {d} q); {len(told['checks'])} inequalities, {cells:,} cells")
    print(f"  the least b this form has is {told['programme_b']:.4g}; no bound has a b below {told['lower_b']}")
    if told["warning"]:
        print(f"  note: {told['warning']}")
    sides = told["sandwich"]
    if sides:
        played = sides["played"]
        half = "-" if played["half_width_95"] is None else f"{played['half_width_95']:,.1f}"
        print(f"at T = {sides['horizon']:,}, C = {sides['budget']:g}:")
        print(f"  certificate           {sides['certificate']:12,.1f}   (proved: no attack does more)")
        print(f"  worst attack          {sides['optimum']:12,.1f}   (exact up to the grid of `robandit paper optimum`)")
        print(f"  an attack, played     {played['mean']:12,.1f}   ± {half} (95 %; {sides['attack']})")
        print(f"  no attack             {sides['clean']:12,.1f}")
    if out:
        print(f"written: {out}; check it with `robandit paper certify --check {out}`")
