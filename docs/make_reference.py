"""Writes the reference of the site from the code: every public name, every command, every catalogue entry.

`python docs/make_reference.py FOLDER` writes Markdown; docs/make_site.py does it when the site is built.
"""

import inspect
import json
import os
import re
import shlex
import subprocess
import sys
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, Unpack, get_args, get_origin, get_type_hints

import robandit as rb
from robandit import PLACES
from robandit.catalogue import SHIPPED
from robandit.cli.examples import EXAMPLES
from robandit.cli.flags import every_command
from robandit.cli.main import build_parser
from robandit.report.catalogue import KINDS, describe_part

TITLES = {
    "policy": "Policies",
    "linear policy": "Policies for arms with features",
    "team policy": "Policies for several agents",
    "slate policy": "Policies for slates of several items",
    "attack": "Attacks (threat model A)",
    "schedule": "Schedules",
    "adversary": "Attacks that decide themselves when and how far",
    "environment": "Environments",
}
PRINTED = ("demo", "paper claims", "paper theory", "paper optimum")  # quick, and the same wherever they run
EXAMPLES_PAGE = Path(__file__).with_name("python-examples.md")
STORED = Path(__file__).parents[1] / "src" / "robandit" / "paper" / "reproduction.json"


def describe_commands() -> str:
    """Returns every command with its flags and examples, as its help prints them."""
    pages = ["# Commands\n", "A mistake is answered by one sentence that says what is allowed, and exit code 2.\n"]
    for name, parser in every_command(build_parser()).items():
        examples = "\n".join(f"# {words}\n{line}" for line, words in EXAMPLES.get(name, []))
        pages.append(f"## robandit {name}\n\n{parser.description}\n")
        pages.append(f"```sh\n{examples}\n```\n" if examples else "")
        pages.append(output_of(EXAMPLES[name][0][0]) if name in PRINTED else "")
        rows = [flag_row(action) for action in parser._actions if action.dest != "help"]
        pages.append("| flag | what it does |\n|---|---|\n" + "".join(rows) if rows else "")
    return "\n".join(pages)


def output_of(line: str) -> str:
    """Returns what a command prints, as a block."""
    words, environment = shlex.split(line)[1:], os.environ | {"COLUMNS": "100"}
    command = [sys.executable, "-m", "robandit", *words]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return f"The first prints:\n\n```text\n{done.stdout.rstrip()}\n```\n"


def flag_row(action: Any) -> str:
    """Returns the row of one flag or argument."""
    flag = ", ".join(action.option_strings) or str(action.metavar or action.dest)
    value = f" {action.metavar or action.dest.upper()}" if action.option_strings and action.nargs != 0 else ""
    return f"| `{(flag + value).replace('|', chr(92) + '|')}` | {escape(action.help or '')} |\n"


def escape(text: str) -> str:
    """Returns text that may stand in a cell of a table."""
    return " ".join(text.replace("|", "\\|").replace("*", "\\*").replace("%%", "%").split())


def describe_python() -> str:
    """Returns every public name: signature and docstring; parts by name lead to the catalogue."""
    pages = ["# Python\n", "`import robandit as rb`; names are fetched when first used.\n"]
    parts = {cls for kind in TITLES for cls in SHIPPED.parts(kind).values()}
    examples = dict(re.findall(r"^## (\w+)\n\n(.*?)(?=\n## |\Z)", EXAMPLES_PAGE.read_text(), re.MULTILINE | re.DOTALL))
    for name in sorted(PLACES, key=str.lower):
        thing = getattr(rb, name)
        if thing not in parts:
            pages.append(f"## {name}\n\n```python\n{signature(name, thing)}\n```\n\n{text_of(thing)}\n")
            pages.append(f"**Example**\n\n{examples[name]}\n")
            if inspect.isclass(thing):
                pages.append(describe_fields(thing))
                pages += [
                    describe_member(name, key, value) for key, value in vars(thing).items() if is_public(key, value)
                ]
    names = ", ".join(f"`rb.{name}`" for name in sorted(PLACES) if getattr(rb, name) in parts)
    pages.append(f"## Parts of the catalogue\n\n{names}: [policies](policies.md), [environments](environments.md).\n")
    return "\n".join(pages)


def describe_fields(cls: type) -> str:
    """Returns the fields of a class whose docstring has no arguments, where each says itself what it is."""
    if "Args:" in (cls.__doc__ or ""):
        return ""
    comments = dict(re.findall(r"^    (\w+): [^\n]*?  # ([^\n]+)$", inspect.getsource(cls), re.MULTILINE))
    if is_dataclass(cls):
        comments |= {item.name: item.metadata["description"] for item in fields(cls) if "description" in item.metadata}
    lines = "".join(f"- `{name}`: {escape(text)}\n" for name, text in comments.items())
    return f"**Fields**\n\n{lines}" if lines else ""


def is_public(name: str, value: Any) -> bool:
    """Returns whether a member of a class is documented."""
    return not name.startswith("_") and (inspect.isfunction(value) or isinstance(value, property | classmethod))


def describe_member(owner: str, name: str, value: Any) -> str:
    """Returns the line of a method or a property."""
    if isinstance(value, property):
        return f"- `{owner}.{name}`: {text_of(value.fget)}\n"
    function = value.__func__ if isinstance(value, classmethod) else value
    arguments = " ".join(shorten(inspect.signature(function)).split()).replace("( ", "(").replace(", )", ")")
    return f"- `{owner}.{name}{arguments}`: {text_of(function)}\n"


def signature(name: str, thing: Any) -> str:
    """Returns how a public name is called."""
    try:
        return f"rb.{name}{shorten(inspect.signature(thing))}"
    except (TypeError, ValueError):
        return f"rb.{name}"


def shorten(signature: inspect.Signature) -> str:
    """Returns a signature without modules, one parameter per line where it is long."""
    parameters = [one for name, one in signature.parameters.items() if name not in ("self", "cls")]
    parameters = [each for one in parameters for each in spell_out(one)]
    text = simplify(str(signature.replace(parameters=parameters)))
    if len(text) < 90:
        return text
    lines, star = list[str](), False
    for parameter in parameters:
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            lines, star = [*lines, "*"], True
        lines.append(simplify(str(parameter)))
    return "(\n" + "".join(f"    {line},\n" for line in lines) + ")" + text.rpartition(")")[2]


def spell_out(parameter: inspect.Parameter) -> list[inspect.Parameter]:
    """Returns the parameter, or each of those that `**terms` stands for."""
    if get_origin(parameter.annotation) is not Unpack:
        return [parameter]
    (terms,) = get_args(parameter.annotation)
    return [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=kind,
            default=inspect.Parameter.empty if name in terms.__required_keys__ else ...,
        )
        for name, kind in get_type_hints(terms).items()
    ]


def simplify(text: str) -> str:
    """Returns types as people say them; a default that is a function is left out."""
    text = re.sub(r"<(function .*? at 0x[0-9a-f]+|factory)>", "...", text).replace("Ellipsis", "...")
    text = re.sub(r"<(\w+\.\w+): [^>]*>", r"\1", text)
    text = re.sub(r"numpy\.ndarray\[tuple\[.*?\], numpy\.dtype\[(numpy\.)?(\w+)\]\]", r"array of \2", text)
    return re.sub(r"\b(robandit(\.\w+)*|typing|collections\.abc|pathlib(\._local)?|numpy)\.", "", text).replace("~", "")


def text_of(thing: Any) -> str:
    """Returns a docstring as Markdown: its sections become lists."""
    text = inspect.cleandoc(thing.__doc__ or "").replace("<", "&lt;")
    head, *sections = re.split(r"^(Args|Returns|Yields|Raises):\n", text, flags=re.MULTILINE)
    parts = [head.strip()]
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        entries, _, rest = inspect.cleandoc("\n" + body).partition("\n\n")
        items = re.sub(r"\n +", " ", entries).splitlines()
        if title in ("Args", "Raises"):
            items = [re.sub(r"^([*\w]+): ", r"- `\1`: ", item) for item in items]
            parts.append(f"**{'Arguments' if title == 'Args' else title}**\n\n" + "\n".join(items))
        else:
            parts.append(f"**{title}** " + " ".join(items))
        parts += [rest] if rest else []
    return "\n\n".join(parts)


def describe_catalogue(command: str) -> str:
    """Returns every entry of a list, with its parameters."""
    pages = [f"# {command.capitalize()}\n", f"The same as `robandit {command} --json`.\n"]
    level = "###" if len(KINDS[command]) > 1 else "##"
    for kind in KINDS[command]:
        pages.append(f"## {TITLES[kind]}\n" if len(KINDS[command]) > 1 else "")
        for cls in SHIPPED.parts(kind).values():
            entry = describe_part(kind, cls)
            pages.append(f"{level} {entry['name']}\n\n{escape(entry['summary'])}.\n")
            facts = [(key, entry.get(key)) for key in ("bound", "needs", "fidelity", "cost", "late", "sees", "threat")]
            facts += [("reference", entry["reference"]), ("label rests on", entry["basis"])]
            lines = [(key, ", ".join(value) if isinstance(value, list) else value) for key, value in facts if value]
            pages.append("".join(f"- {key}: {escape(value)}\n" for key, value in lines))
            if entry["parameters"]:
                rows = "".join(
                    f"| `{item['name']}` | {'' if item['default'] is None else item['default']} "
                    f"| {escape(item['description'])} |\n"
                    for item in entry["parameters"]
                )
                pages.append(f"| parameter | default | what it is |\n|---|---|---|\n{rows}")
    return "\n".join(pages)


def describe_reproduction() -> str:
    """Returns the stored verdicts of the whole reproduction, and its tables beside the paper's."""
    results = json.loads(STORED.read_text())
    for claim in results["claims"]:
        claim["verdict"] = claim["verdict"].replace("-", " ")
    verdicts = [claim["verdict"] for claim in results["claims"]]
    counts = ", ".join(f"{verdicts.count(name)} {name}" for name in dict.fromkeys(sorted(verdicts, reverse=True)))
    lines = [
        "# Is the paper true?\n",
        f"What `make reproduce` of version {results['version']} answered to {len(verdicts)} claims: {counts}. "
        "Nothing on this page was written by hand; it is made from src/robandit/paper/reproduction.json, which is the "
        "results.json that command leaves behind, and seven to nine minutes on two cores give it again.\n",
        "| verdict | claim | where |\n|---|---|---|\n"
        + "".join(
            f"| {c['verdict']} | [{escape(c['text'])}](#{c['id']}) | {c['where']} |\n" for c in results["claims"]
        ),
    ]
    for claim in results["claims"]:
        lines.append(f"({claim['id']})=\n## {claim['verdict']}: {claim['text']}\n\n{claim['where']}.\n")
        lines.append("".join(f"- {escape(line).replace('<', '&lt;')}\n" for line in claim["evidence"].splitlines()))
        lines.append(f"{escape(claim['note'])}\n" if claim["note"] else "")
    rows = "".join(
        f"| {policy} | {arms} | {row['mean']:,.0f} ± {row['half_width_95']:,.0f} "
        f"| {row['runs']} | {row['paper'] or '-'} |\n"
        for policy, by_arms in results["tables"]["k_sweep"].items()
        for arms, row in by_arms.items()
    )
    lines.append(f"## Regret by K\n\n| policy | K | ours, 95 % | runs | the paper |\n|---|---:|---:|---:|---:|\n{rows}")
    times = "".join(
        f"| {policy} | {row['seconds'] * 1e3:,.1f} | {row['ratio']:.2g} "
        f"| {min(row['ratios']):.2g} to {max(row['ratios']):.2g} |\n"
        for policy, row in results["tables"]["time"].items()
    )
    words = "Milliseconds of processor time of a run of 100,000 rounds, and times SAMBA's."
    head = "| policy | ms | times SAMBA's | single repeats |\n|---|---:|---:|---:|\n"
    lines.append(f"## What a run costs\n\n{words}\n\n{head}{times}")
    return "\n".join(lines)


def main(folder: Path) -> None:
    """Write all pages."""
    (folder / "reference").mkdir(parents=True, exist_ok=True)
    (folder / "reference" / "commands.md").write_text(describe_commands())
    (folder / "reference" / "python.md").write_text(describe_python())
    for command in KINDS:
        (folder / "reference" / f"{command}.md").write_text(describe_catalogue(command))
    sys.path.insert(0, str(Path(__file__).parent))
    from make_formats import describe_formats

    (folder / "reference" / "formats.md").write_text(describe_formats())
    (folder / "reproduction.md").write_text(describe_reproduction())


if __name__ == "__main__":
    main(Path(sys.argv[1]))
