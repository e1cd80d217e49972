"""`robandit completion SHELL`: a script that completes commands, flags and names of the catalogue, made from both."""

import argparse
from typing import Any

from robandit.cli.flags import commands_of, every_command, flags_of
from robandit.errors import unknown

NAMES = {  # flags whose values are names of the catalogue
    "--policy": ["policy"],
    "--shadow": ["policy"],
    "--attack": ["attack", "adversary"],
    "--schedule": ["schedule"],
    "--environment": ["environment"],
}
WORDS = {"--threat": ["A", "B"], "--charge": ["cost", "rounds"], "--can": ["add", "erase", "both"]}
Words = dict[str, list[str]]


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
    parser = build_parser()
    flags = {name: flags_of(command) for name, command in every_command(parser).items()}
    groups = {name: list(commands_of(command)) for name, command in commands_of(parser).items() if commands_of(command)}
    print(scripts[arguments.shell](flags, groups, values()))


def values() -> Words:
    """What may follow a flag, where that is a list of names."""
    from robandit.catalogue import SHIPPED

    named = {flag: [name for kind in kinds for name in SHIPPED.parts(kind)] for flag, kinds in NAMES.items()}
    return {**named, **WORDS}


def first_words(flags: Words) -> str:
    """What a command may begin with."""
    return " ".join(dict.fromkeys(name.partition(" ")[0] for name in flags))


def bash(flags: Words, groups: Words, values: Words) -> str:
    """A function for `complete -F`."""
    after = "\n".join(f"    {flag}) words='{' '.join(names)}' ;;" for flag, names in values.items())
    cases = [(f"'{name}'" if " " in name else f"'{name} '*", words) for name, words in flags.items()]
    cases += [(f"'{group} '*", words) for group, words in groups.items()]
    commands = "\n".join(f"      {pattern}) words='{' '.join(words)}' ;;" for pattern, words in cases)
    return f"""_robandit() {{
  local now=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=''
  case $before in
{after}
    *) if [ "$COMP_CWORD" -eq 1 ]; then words='{first_words(flags)} --help --version'; else
      case "${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" in
{commands}
      esac; fi ;;
  esac
  COMPREPLY=($(compgen -W "$words" -- "$now"))
  [ ${{#COMPREPLY[@]}} -gt 0 ] || COMPREPLY=($(compgen -f -- "$now"))
}}
complete -o filenames -F _robandit robandit"""


def zsh(flags: Words, groups: Words, values: Words) -> str:
    """The same through zsh's own bridge."""
    return f"autoload -U +X bashcompinit && bashcompinit\n{bash(flags, groups, values)}"


def fish(flags: Words, groups: Words, values: Words) -> str:
    """One line per command and flag."""
    lines = [f"complete -c robandit -n __fish_use_subcommand -a '{first_words(flags)}'"]
    lines += [
        f"complete -c robandit -n '__fish_seen_subcommand_from {group}' -a '{' '.join(words)}'"
        for group, words in groups.items()
    ]
    for name, own in flags.items():
        when = "; and ".join(f"__fish_seen_subcommand_from {word}" for word in name.split())
        for flag in own:
            names = f" -xa '{' '.join(values[flag])}'" if flag in values else ""
            lines.append(f"complete -c robandit -n '{when}' -l {flag[2:]}{names}")
    return "\n".join(lines)
