"""The entry point: one parser, one error sentence, exit codes."""

import argparse
import os
import re
import sys
import warnings
from importlib import import_module
from typing import Any

from robandit.cli.examples import EXAMPLES, FIRST, example_lines
from robandit.cli.flags import Parser, commands_of, every_command, flags_of
from robandit.errors import InputError, Refused
from robandit.extras import missing_extra
from robandit.version import __version__

PURPOSES = {  # what people come for, and the modules here that serve it, in the order of help
    "simulate": ("demo", "play", "replay", "study", "suite", "page"),
    "attack": ("redteam", "price", "forgetting", "advise"),
    "live": ("audit", "serve"),
    "the paper": ("reproduce",),
    "lists": ("lists", "completion"),
}
GROUPS = {  # commands of two words: the first word, what it is about, the purpose it is listed under, its modules
    "service": ("run and look after the decision service", "live", ("serve", "verify", "operate")),
    "paper": ("the paper again, and its theory", "the paper", ("reproduce", "claims", "theory", "certify", "optimum")),
}
UNKNOWN = re.compile("(policy|attack|environment|schedule) '.*' is unknown").match
EVERYDAY = ("serve", "reproduce")  # commands of a group that one word is enough for


class RootParser(Parser):
    """The parser of the program, whose help lists commands by purpose."""

    purposes: dict[str, list[argparse.Action]]

    def format_help(self) -> str:
        formatter = self._get_formatter()
        formatter.add_usage(self.usage, self._actions, [])
        formatter.add_text(self.description)
        options = [action for action in self._actions if action.option_strings]
        for title, actions in {**self.purposes, "options": options}.items():
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text(self.epilog)
        return formatter.format_help()

    def parse_known(self, words: list[str]) -> argparse.Namespace:
        """Parse; name the new spelling of a command that has moved into a group, or the nearest command or flag."""
        for group in GROUPS:
            if words[:1] and words[0] in commands_of(commands_of(self)[group]) and words[0] not in EVERYDAY:
                raise InputError(f"command {words[0]!r} is now `robandit {group} {words[0]}`")
        return super().parse_known(words)


def build_parser() -> RootParser:
    """All commands, each with the flags its own module gives it."""
    parser = RootParser(
        prog="robandit",
        description="Bandits whose rewards cannot be trusted: simulate, compare, attack, deploy.",
        epilog=example_lines(FIRST) + "\n\n`robandit COMMAND --help` has more.",
    )
    parser.add_argument("--version", action="version", version=f"robandit {__version__}")
    commands: Any = parser.add_subparsers(dest="command", metavar="COMMAND", required=True, parser_class=Parser)
    parser.purposes = {}
    for purpose, modules in PURPOSES.items():
        before = len(commands._choices_actions)
        add_commands(commands, modules)
        parser.purposes[purpose] = commands._choices_actions[before:]
    for group, (text, purpose, modules) in GROUPS.items():
        inner = commands.add_parser(group, help=text, description=f"{text.capitalize()}.")
        nested = inner.add_subparsers(dest="subcommand", metavar="COMMAND", required=True, title="commands")
        add_commands(nested, modules)
        parser.purposes[purpose] = parser.purposes[purpose] + [
            argparse.Action([], "command", metavar=f"{group} {listed.metavar}", help=listed.help)
            for listed in nested._choices_actions
            if listed.metavar not in EVERYDAY
        ]
    for name, command in every_command(parser).items():
        command.epilog = example_lines(EXAMPLES.get(name, []))
    return parser


def add_commands(commands: Any, modules: tuple[str, ...]) -> None:
    """Have each module add its commands."""
    for name in modules:
        import_module(f"robandit.cli.{name}").add(commands)


def main(words: list[str] | None = None) -> int:
    """Run the command line; 0 when done, 1 where a check failed, 2 for bad input, 130 after Ctrl-C."""
    try:
        words = sys.argv[1:] if words is None else words
        arguments = build_parser().parse_known(words or ["--help"])
        with warnings.catch_warnings():
            warnings.showwarning = print_warning  # type: ignore[assignment]  # it needs the message alone
            return arguments.run(arguments) or 0
    except Refused as error:
        print(f"robandit: {error}{hint_of_load(str(error), words or [])}", file=sys.stderr)
        return 2
    except ModuleNotFoundError as error:
        missing = missing_extra(error)
        if missing is None:
            raise
        print(f"robandit: {missing}", file=sys.stderr)
        return 2
    except MemoryError:
        print("robandit: this does not fit into memory: fewer runs, arms or threads", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of a pipe has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:  # a file that is not ours, a disk that is full: the sentence says it all
        print(f"robandit: {error.filename or 'the system'}: {error.strerror or error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("robandit: stopped", file=sys.stderr)
        return 130


def hint_of_load(error: str, words: list[str]) -> str:
    """Returns where a part of one's own comes from, for an error about an unknown one."""
    if not UNKNOWN(error) or any(word.startswith("--load") for word in words):
        return ""
    command = commands_of(build_parser()).get(words[0])
    takes_files = command is not None and "--load" in flags_of(command)
    return "; a part of your own is in a file that --load names" if takes_files else ""


def print_warning(message: Warning | str, *_: Any) -> None:
    """A warning as a sentence; the line of code it came from helps nobody here."""
    print(f"note: {message}", file=sys.stderr)
