"""`robandit completion SHELL`: a script that completes commands, flags and names of the catalogue, made from both."""

import argparse
from typing import Any

from robandit.errors import unknown

NAMES = {  # flags whose values are names of the catalogue
    "--policy": ["policy"],
    "--shadow": ["policy"],
    "--attack": ["attack", "adversary"],
    "--schedule": ["schedule"],
    "--environment": ["environment"],
}
WORDS = {"--threat": ["A", "B"], "--charge": ["cost", "rounds"], "--can": ["add", "erase", "both"]}


def add(commands: Any) -> None:
    """The command and its flags."""
    parser = commands.add_parser(
        "completion",
        help="a script that completes commands in your shell",
        description="Print a script for bash, zsh or fish. bash: keep it where the example says. zsh: source it from "
        "~/.zshrc. fish: keep it as ~/.config/fish/completions/robandit.fish.",
    )
    parser.add_argument("shell", help="bash, zsh or fish")
    parser.set_defaults(run=completion)


def completion(arguments: argparse.Namespace) -> None:
    """Print the script."""
    from robandit.cli.main import build_parser

    scripts = {"bash": bash, "zsh": zsh, "fish": fish}
    if arguments.shell not in scripts:
        raise unknown("shell", arguments.shell, scripts)
    print(scripts[arguments.shell](flags_of(build_parser()), values()))


def flags_of(parser: Any) -> dict[str, list[str]]:
    """The flags of each command."""
    from robandit.cli.flags import commands_of

    return {
        name: [flag for action in command._actions for flag in action.option_strings if flag.startswith("--")]
        for name, command in commands_of(parser).choices.items()
    }


def values() -> dict[str, list[str]]:
    """What may follow a flag, where that is a list of names."""
    from robandit.catalogue import SHIPPED

    named = {flag: [name for kind in kinds for name in SHIPPED.parts(kind)] for flag, kinds in NAMES.items()}
    return {**named, **WORDS}


def bash(flags: dict[str, list[str]], values: dict[str, list[str]]) -> str:
    """A function for `complete -F`."""
    after = "\n".join(f"    {flag}) words='{' '.join(names)}' ;;" for flag, names in values.items())
    known = "\n".join(f"      {name}) words='{' '.join(many)}' ;;" for name, many in flags.items())
    return f"""_robandit() {{
  local now=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=''
  case $before in
{after}
    *) if [ "$COMP_CWORD" -eq 1 ]; then words='{" ".join(flags)} --help --version'; else
      case ${{COMP_WORDS[1]}} in
{known}
      esac; fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$now"))
  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "$now"))
}}
complete -o filenames -F _robandit robandit"""


def zsh(flags: dict[str, list[str]], values: dict[str, list[str]]) -> str:
    """The same through zsh's own bridge."""
    return f"autoload -U +X bashcompinit && bashcompinit\n{bash(flags, values)}"


def fish(flags: dict[str, list[str]], values: dict[str, list[str]]) -> str:
    """One line a command and flag."""
    lines = [f"complete -c robandit -n __fish_use_subcommand -a '{' '.join(flags)}'"]
    for name, many in flags.items():
        for flag in many:
            names = f" -xa '{' '.join(values[flag])}'" if flag in values else ""
            lines.append(f"complete -c robandit -n '__fish_seen_subcommand_from {name}' -l {flag[2:]}{names}")
    return "\n".join(lines)
