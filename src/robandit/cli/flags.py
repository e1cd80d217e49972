"""Flags that several commands share, and the parts they name."""

import argparse
import math
import os
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, NoReturn

from robandit.errors import InputError, unknown

if TYPE_CHECKING:  # `robandit --help` loads next to nothing
    from pathlib import Path

    from robandit.lab.scenario import Scenario

SHAPE = ("agents", "slate")  # flags of the game that are terms of a scenario, beside horizon, runs and seed
OWN_MEANS = {
    "samples": "the file",
    "linear": "its own parameters",
    "paths": "its own parameters",
    "contexts": "its own parameters",
    "season": "its own parameters",
}  # environments that --arms says nothing to


class Help(argparse.HelpFormatter):
    """Help in which lines that were set stay as they were."""

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are one sentence, and that takes no flag by half its name."""

    def __init__(self, **options: Any) -> None:
        super().__init__(**{"allow_abbrev": False, "formatter_class": Help, **options})

    def error(self, message: str) -> NoReturn:
        raise InputError(message.replace("argument ", "", 1))

    def parse_known(self, words: list[str]) -> argparse.Namespace:
        """Parse, and name the nearest command or flag where one is unknown."""
        parser: argparse.ArgumentParser = self
        names: list[str] = []
        for word in words:
            choices = commands_of(parser)
            if not choices or word.startswith("-"):
                break
            if word not in choices:
                raise unknown(" ".join([*names, "command"]), word, choices)
            parser, names = choices[word], [*names, word]
        arguments, rest = self.parse_known_args(words)
        if rest:
            kind = "flag" if rest[0].startswith("-") else "argument"
            raise unknown(f"{' '.join(names)}: {kind}", rest[0].partition("=")[0], flags_of(parser))
        return arguments


def commands_of(parser: argparse.ArgumentParser) -> dict[str, Any]:
    """The commands of a parser by name, none where it takes flags only."""
    actions = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(actions[0].choices) if actions else {}


def every_command(parser: argparse.ArgumentParser) -> dict[str, Any]:
    """All commands by the words that call them, such as "play" or "paper theory"."""
    commands: dict[str, Any] = {}
    for name, command in commands_of(parser).items():
        inner = commands_of(command)
        commands |= {f"{name} {word}": one for word, one in inner.items()} if inner else {name: command}
    return commands


def flags_of(parser: argparse.ArgumentParser) -> list[str]:
    """The long flags of one command."""
    return [flag for action in parser._actions for flag in action.option_strings if flag.startswith("--")]


def whole(text: str) -> int:
    """A whole number; 1e6 is one too."""
    try:
        value = float(text)
        if math.isfinite(value) and value == int(value):
            return int(text) if text.lstrip("+-").isdigit() else int(value)
    except ValueError:
        pass
    raise argparse.ArgumentTypeError(f"must be a whole number, not {text!r}")


def number(text: str) -> float:
    """A number that is one."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        hint = "; 2 % is 0.02" if text.endswith("%") else ""
        raise argparse.ArgumentTypeError(f"must be a number, not {text!r}{hint}")
    return value


def numbers(text: str) -> tuple[float, ...]:
    """Numbers with commas between them."""
    if not text.strip():
        raise argparse.ArgumentTypeError("must name at least one arm, none was given")
    return tuple(number(piece) for piece in text.split(","))


def load_flags() -> Parser:
    """The flag that adds a user's own parts."""
    flags = Parser(add_help=False)
    flags.add_argument(
        "--load", action="append", default=[], metavar="FILE.py", help="a Python file with parts of your own"
    )
    return flags


def catalogue_from(arguments: argparse.Namespace) -> Any:
    """The catalogue with the parts of the files named."""
    from robandit.catalogue import SHIPPED

    catalogue = SHIPPED
    for path in arguments.load:
        with naming("--load"):
            catalogue = catalogue.with_file(path)
    return catalogue


@contextmanager
def naming(flag: str) -> Iterator[None]:
    """Name the flag that an error is about; the packages below this one do not know the flags."""
    try:
        yield
    except InputError as error:
        raise InputError(f"{flag}: {error}") from error


def plot_flags(text: str) -> Parser:
    """The flag of a command that can draw."""
    flags = Parser(add_help=False)
    flags.add_argument("--plot", metavar="FILE", help=f"{text} (.png, .svg or .pdf)")
    return flags


def plot_from(arguments: argparse.Namespace) -> "Path | None":
    """Where the picture goes, checked before anything is played."""
    if arguments.plot is None:
        return None
    from robandit.pictures.style import KINDS

    return file_from(arguments, "plot", "a picture", KINDS)


def file_from(arguments: argparse.Namespace, flag: str, kind: str, endings: tuple[str, ...]) -> "Path | None":
    """Where a file goes that a flag may name, checked before anything is played."""
    name = getattr(arguments, flag.replace("-", "_"))
    if name is None:
        return None
    from pathlib import Path

    from robandit.pictures.style import check_file

    with naming(f"--{flag}"):
        check_file(Path(name), kind, endings)
    return Path(name)


def json_flags() -> Parser:
    """The flags of every command that prints a table."""
    flags = Parser(add_help=False)
    how = flags.add_mutually_exclusive_group()
    how.add_argument("--json", action="store_true", help="print JSON in place of a table")
    how.add_argument("--wide", action="store_true", help="every column, one line per row, however wide (as in a pipe)")
    return flags


def print_json(record: Any) -> None:
    """Print what a program reads; a number that is none is an error."""
    import json

    print(json.dumps(record, indent=2, allow_nan=False))


def game_flags(policies: str = "samba", arms: str = "9", runs: int = 100) -> Parser:
    """The flags that say what is played, with the defaults of a command."""
    flags = Parser(add_help=False)
    game = flags.add_argument_group("the game")
    game.add_argument(
        "--policy",
        action="append",
        metavar="NAME[:parameter=value,...]",
        help=f"a policy; repeat for several (default {policies})",
    )
    game.add_argument("--arms", type=whole, metavar="K", help=f"K arms with means i/(K+1) (default {arms})")
    game.add_argument("--means", type=numbers, metavar="0.1,0.2,...", help="the arms' means, in place of --arms")
    game.add_argument(
        "--environment",
        default="bernoulli",
        metavar="NAME[:...]",
        help="bernoulli, beta:concentration=10, samples:file=F.csv, linear:arms=30,dimension=5, contexts:arms=5; "
        "worlds that change: shifts:every=10000, drift:step=0.001, season:period=10000",
    )
    game.add_argument("--horizon", type=whole, default=100_000, metavar="T", help="rounds in a run (default 100000)")
    game.add_argument(
        "--agents", type=whole, default=1, metavar="V", help="agents on the same arms; T counts the rounds of each"
    )
    game.add_argument(
        "--slate", type=whole, default=1, metavar="M", help="items shown at once, each paid; T counts slates"
    )
    game.add_argument("--runs", type=whole, help=f"replications (default {runs})")
    game.add_argument("--seed", type=whole, default=1, help="the same seed gives the same numbers (default 1)")
    game.add_argument("--threads", type=whole, help="default: all cores; the numbers do not depend on it")
    flags.set_defaults(usual_runs=runs)
    return flags


def attack_flags() -> Parser:
    """The flags that say how the rewards are corrupted."""
    flags = Parser(add_help=False)
    attack = flags.add_argument_group("the adversary (threat model A moves the means before the draw; B sees the draw)")
    attack.add_argument(
        "--attack", metavar="NAME", help="what the means become; see `robandit adversaries` (default: no attack)"
    )
    attack.add_argument(
        "--schedule",
        metavar="NAME[:...]",
        help="when, such as middle or leading:theta=0.3 (default start)",
    )
    attack.add_argument("--size", help="full, efficient, or the most a mean may move (default full)")
    attack.add_argument("--budget", type=number, metavar="C", help="total corruption the adversary may spend")
    attack.add_argument("--charge", help="cost (the definition) or rounds (each changed round costs 1)")
    capability_flags(attack)
    return flags


def capability_flags(group: Any, priced: bool = False) -> None:
    """The flags that say what an attacker who sees the draw can do."""
    group.add_argument(
        "--can",
        metavar="add|erase|both[:...]",
        help="threat model B: which way rewards may be moved (default both); after a colon every=V (one agent of V), "
        "first=, stop= (rounds), arms=1+4, sources=N,each=M (at most M from each of N), blind=true (rewards are not "
        "seen), wrong_arm=true (another arm's reward is recorded)",
    )
    words = "without a number: the price is a share of rounds, within --budget" if priced else "a ring's share of users"
    group.add_argument(
        "--share",
        type=number,
        metavar="S",
        help=f"threat model B: the share of rounds that are the attacker's; {words}",
        **({"nargs": "?", "const": True} if priced else {}),
    )


def undetected_flag(group: Any) -> None:
    """The flag that asks for attacks which a homogeneity test does not notice."""
    group.add_argument(
        "--undetected",
        nargs="?",
        type=number,
        const=0.05,
        metavar="LEVEL",
        help="a run counts only if no arm's rewards ever fail a test for one mean, of this level (default 0.05)",
    )


def capability_from(arguments: argparse.Namespace) -> Any:
    """What the attacker can do; a --share without a number says only what is priced."""
    from dataclasses import replace

    from robandit.catalogue import read_capability

    with naming("--can"):
        capability = read_capability(arguments.can or "both")
    if arguments.share is None or arguments.share is True:
        return capability
    if capability.share != 1.0:
        raise InputError("--share and a share in --can cannot both be given")
    with naming("--share"):
        return replace(capability, share=arguments.share)


def cluster_flags() -> Parser:
    """The flag of a command whose plays a cluster can do."""
    flags = Parser(add_help=False)
    flags.add_argument("--scheduler", metavar="ADDRESS", help="a Dask cluster, such as tcp://host:8786")
    return flags


def naming_scheduler(arguments: argparse.Namespace) -> Any:
    """Name the flag in errors about the cluster, where one is given."""
    return naming("--scheduler") if arguments.scheduler else nullcontext()


def study_flags() -> Parser:
    """The flags of commands that play many cells."""
    flags = Parser(add_help=False, parents=[cluster_flags()])
    flags.add_argument("--out", metavar="DIR", help="where results go (default out/NAME)")
    flags.add_argument("--threads", type=whole, help="cells at a time (default: all cores)")
    return flags


def out_from(arguments: argparse.Namespace) -> "Path":
    """Where results are kept; refused before anything is played if they could not be."""
    from pathlib import Path

    out = Path(arguments.out)
    there = next(folder for folder in (out, *out.absolute().parents) if folder.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise InputError(f"--out: the folder {str(out)!r} cannot be written")
    return out


def policies_from(arguments: argparse.Namespace, catalogue: Any) -> list[Any]:
    """The policies named, in the order given."""
    return [catalogue.policy(text) for text in arguments.policy or ["samba"]]


def terms_from(arguments: argparse.Namespace, catalogue: Any) -> dict[str, Any]:
    """What every scenario of a command has in common besides its parts and its horizon."""
    runs = arguments.usual_runs if arguments.runs is None else arguments.runs
    terms = {name: getattr(arguments, name) for name in ("seed", *SHAPE)}
    return {**terms, "runs": runs, "catalogue": catalogue}


def scenarios_from(arguments: argparse.Namespace, adversary_of: Any = None, **more: Any) -> "list[Scenario]":
    """One scenario per policy named; `more` are terms that the command has its own flags for."""
    from robandit.lab.scenario import Scenario

    catalogue = catalogue_from(arguments)
    policies, environment = policies_from(arguments, catalogue), environment_from(arguments, catalogue)
    adversary = adversary_of(arguments, catalogue) if adversary_of else None
    terms = {**terms_from(arguments, catalogue), "horizon": arguments.horizon, **more}
    return [Scenario(policy, environment, adversary, **terms) for policy in policies]


def environment_from(arguments: argparse.Namespace, catalogue: Any) -> Any:
    """The environment named, on the means or the number of arms given; raises InputError if nothing can be learnt."""
    from robandit.environments.means import spread_means

    if arguments.means is not None and arguments.arms is not None:
        raise InputError("--arms and --means cannot both be given")
    own = arguments.environment.partition(":")[0]
    if own in OWN_MEANS and (arguments.means or arguments.arms):
        raise InputError(f"--environment {own} takes its means from {OWN_MEANS[own]}: leave out --arms and --means")
    arms = 9 if arguments.arms is None else arguments.arms
    environment = catalogue.environment(
        arguments.environment, spread_means(arms) if arguments.means is None else arguments.means
    )
    if max(environment.means) - min(environment.means) <= 1e-12:
        which = "one arm" if len(environment.means) == 1 else f"{len(environment.means)} arms of equal mean"
        raise InputError(
            f"{which} leave{'s' * (which == 'one arm')} nothing to learn, every policy's regret is 0: "
            "give --means that differ, or --arms of at least 2"
        )
    return environment


def adversary_from(arguments: argparse.Namespace, catalogue: Any) -> Any:
    """The adversary named, or None."""
    terms = {name: getattr(arguments, name) for name in ("schedule", "size", "charge", "budget")}
    terms = {name: value for name, value in terms.items() if value is not None}
    if arguments.attack is None:
        for name, value in {**terms, "can": arguments.can, "share": arguments.share}.items():
            if value is not None:
                raise InputError(f"--{name} {value} was given without --attack: name an attack too")
        return None
    capability = capability_from(arguments)
    if arguments.budget is None and not capability.limited:
        raise InputError(f"--attack {arguments.attack} needs a --budget")
    return catalogue.attack(arguments.attack, **{"budget": math.inf, **terms}, capability=capability)
