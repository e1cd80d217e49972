"""`robandit page`: the lab as one page that a browser opens from the disk."""

import argparse
from typing import Any

from robandit.cli.flags import out_from
from robandit.cli.progress import progress


def add(commands: Any) -> None:
    """The command and its flags."""
    words = "the lab as a page that a browser opens from the disk, without a server or a network"
    command = commands.add_parser("page", help=words, description=words[0].upper() + words[1:] + ".")
    command.add_argument("--out", metavar="DIR", default="out/page", help="where the page goes (default out/page)")
    command.add_argument(
        "--policy", action="append", metavar="NAME", help="a policy on the page; repeat for several (default: twelve)"
    )
    command.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> None:
    """Compile the kernels for browsers, and write the page."""
    out = out_from(arguments)
    from robandit.page.build import write_page
    from robandit.page.kernels import POLICIES

    policies = tuple(dict.fromkeys(arguments.policy or POLICIES))
    with progress(1.0) as report:
        page = write_page(out, policies, progress=lambda share: report(share, "kernels"))
    print(f"page: {page} ({page.stat().st_size / 1e6:.2f} MB)")
