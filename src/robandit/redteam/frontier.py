"""What a frontier is made of, from a TOML file: policies with values of their knobs, environments, attackers."""

import math
import tomllib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from robandit.capability import ANYTHING, Capability
from robandit.catalogue import SHIPPED, Catalogue, read_capability, scaled
from robandit.environments.means import check_means
from robandit.errors import InputError, unknown
from robandit.game import Environment, Policy
from robandit.lab.comparison import finite_or_none
from robandit.redteam.candidate import check_threat
from robandit.redteam.price import TOLERANCE

FRONTIER = Path(__file__).parents[1] / "studies" / "frontier.toml"
ASSUMED = 100.0  # the corruption that a policy assumes which needs to know it and is not given it
NUMBER, LIST = (int, float), list
TOP: dict[str, Any] = {"runs": int, "blocks": int, "tolerance": NUMBER}
TOP |= dict.fromkeys(("policies", "environments", "attackers"), LIST)
FIELDS: dict[str, dict[str, Any]] = {
    "policies": {"policy": str, "knob": str, "values": LIST, "name": str},
    "environments": {"name": str, "title": str, "means": LIST, "environment": str, "horizon": int},
    "attackers": {"name": str, "title": str, "threat": str, "can": str, "price": str, "budget": NUMBER},
}
NEEDED = {"policies": ("policy",), "environments": ("name", "horizon"), "attackers": ("name",)}
NOUNS = {str: "text", int: "a whole number", NUMBER: "a number", LIST: "a list"}


@dataclass(frozen=True)
class PolicyVariant:
    """A policy with its knob at one value; those of one line are joined in pictures."""

    policy: Policy[Any]
    line: str
    value: float | None = None


@dataclass(frozen=True)
class TitledEnvironment:
    """An environment with a name people recognise, and a horizon that suits it."""

    title: str
    environment: Environment[Any]
    horizon: int
    name: str = ""


@dataclass(frozen=True)
class Attacker:
    """Who attacks: a threat model, what it can do, and what its price is counted in."""

    title: str
    threat: str = "B"
    capability: Capability = ANYTHING
    unit: str = "reward"  # or "share": the price is a share of all rounds, within the budget
    budget: float = math.inf
    name: str = ""

    def to_json(self) -> dict[str, Any]:
        """Who attacks, under the names of the contract."""
        can = self.capability
        return {
            "name": self.name,
            "title": self.title,
            "threat": self.threat,
            "capability": {**can.parameters(), "words": can.words()} if self.threat == "B" else None,
            "unit": self.unit,
            "budget": finite_or_none(self.budget),
        }


@dataclass(frozen=True)
class FrontierSpec:
    """A checked file."""

    policies: tuple[PolicyVariant, ...]
    environments: tuple[TitledEnvironment, ...]
    attackers: tuple[Attacker, ...]
    runs: int = 12
    blocks: int = 3
    tolerance: float = TOLERANCE


def read_frontier(path: Path = FRONTIER, catalogue: Catalogue = SHIPPED) -> FrontierSpec:
    """Read a file; raises InputError for anything wrong in it, before anything is played."""
    try:
        content = tomllib.loads(path.read_text())
    except OSError as error:
        raise InputError(f"frontier {str(path)!r} cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name}: {error}") from error
    check_fields(path.name, content, TOP, ("policies", "environments", "attackers"))
    parts = dict[str, list[Any]]()
    for kind, read in (("policies", read_variants), ("environments", read_environment), ("attackers", read_attacker)):
        parts[kind] = []
        for number, entry in enumerate(content[kind], 1):
            where = f"{path.name}: {kind}, entry {number}"
            if not isinstance(entry, dict):
                raise InputError(f"{where} must be a table such as {{ {NEEDED[kind][0]} = ... }}, not {entry!r}")
            check_fields(where, entry, FIELDS[kind], NEEDED[kind])
            try:
                parts[kind] += read(entry, catalogue)
            except InputError as error:
                raise InputError(f"{where}: {error}") from error
        names = [str(one.policy) if kind == "policies" else one.name for one in parts[kind]]
        for number, name in enumerate(names):
            if name in names[:number]:
                raise InputError(f"{path.name}: {kind}: {name!r} is given twice")
        if not names:
            raise InputError(f"{path.name}: {kind} must have at least one entry, none was given")
    terms = {name: content[name] for name in ("runs", "blocks", "tolerance") if name in content}
    if not 1.0 < terms.get("tolerance", TOLERANCE) <= 2.0:
        raise InputError(f"{path.name}: tolerance must be above 1 and at most 2, not {terms['tolerance']!r}")
    return FrontierSpec(tuple(parts["policies"]), tuple(parts["environments"]), tuple(parts["attackers"]), **terms)


def check_fields(where: str, entry: dict[str, Any], fields: dict[str, Any], needed: tuple[str, ...]) -> None:
    """Raise InputError for a field that is unknown, missing or of another kind."""
    for name, value in entry.items():
        if name not in fields:
            raise InputError(f"{where}: {unknown('field', name, fields)}")
        if not isinstance(value, fields[name]) or isinstance(value, bool):
            raise InputError(f"{where}: {name} must be {NOUNS[fields[name]]}, not {value!r}")
    for name in needed:
        if name not in entry:
            raise InputError(f"{where}: {name} is missing")


def read_variants(entry: dict[str, Any], catalogue: Catalogue) -> list[PolicyVariant]:
    """One policy at each value of its knob, or once if it has none."""
    text, line = entry["policy"], entry.get("name", entry["policy"])
    if "knob" not in entry and "values" not in entry:
        return [PolicyVariant(catalogue.policy(text), line)]
    if "knob" not in entry or not entry.get("values"):
        raise InputError("knob and values go together, with at least one value")
    knob = f"{text}{',' if ':' in text else ':'}{entry['knob']}"
    return [PolicyVariant(catalogue.policy(f"{knob}={value}"), line, value) for value in entry["values"]]


def read_environment(entry: dict[str, Any], catalogue: Catalogue) -> list[TitledEnvironment]:
    """One environment."""
    means = check_means(entry["means"]) if "means" in entry else None
    environment = catalogue.environment(entry.get("environment", "bernoulli"), means)
    if max(environment.means) - min(environment.means) <= 1e-12:
        raise InputError("arms of equal mean leave nothing to learn")
    title, name = entry.get("title", entry["name"]), checked_name(entry["name"])
    return [TitledEnvironment(title, environment, entry["horizon"], name)]


def read_attacker(entry: dict[str, Any], _: Catalogue) -> list[Attacker]:
    """One attacker."""
    threat, unit = entry.get("threat", "B"), entry.get("price", "reward")
    check_threat(threat)
    if unit not in ("reward", "share"):
        raise InputError(f"price must be reward or share, not {unit!r}")
    if threat == "A" and ("can" in entry or unit == "share"):
        raise InputError("can and a share are said of threat model B, which sees the draw, not of A")
    if "budget" in entry and (unit != "share" or not entry["budget"] > 0):
        raise InputError("budget is a number above 0, and said where price is share: what may be spent in those rounds")
    can, budget = read_capability(entry.get("can", "both")), float(entry.get("budget", math.inf))
    return [Attacker(entry.get("title", entry["name"]), threat, can, unit, budget, checked_name(entry["name"]))]


def checked_name(name: str) -> str:
    """A name that files can be called by."""
    if not name.replace("-", "").isalnum():
        raise InputError(f"name must be letters, digits and hyphens, not {name!r}")
    return name


def with_title(environment: Environment[Any], horizon: int, usual: tuple[TitledEnvironment, ...]) -> TitledEnvironment:
    """The environment under its title among the usual ones, or under one that lists its means."""
    for one in usual:
        if one.environment == environment:
            return replace(one, horizon=horizon)
    means = ", ".join(f"{mean:g}" for mean in environment.means[:12])
    more = ", ..." if len(environment.means) > 12 else ""
    return TitledEnvironment(f"{environment.name}: means {means}{more}", environment, horizon)


def default_policies(catalogue: Catalogue = SHIPPED) -> list[PolicyVariant]:
    """The policies of the file that comes with the package, and those of the catalogue that it does not list."""
    listed = read_frontier().policies
    names = {variant.policy.name for variant in listed}
    others = [cls for name, cls in catalogue.parts("policy").items() if name not in names]
    return [*listed, *(PolicyVariant(with_assumed_corruption(scaled(cls())), cls.about.name) for cls in others)]


def with_assumed_corruption(policy: Policy[Any]) -> Policy[Any]:
    """The policy, with one assumed corruption throughout if it needs to know it and is not given it.

    It cannot know what the attacker has, so it assumes the same with and without an attack.
    """
    changes: dict[str, Any] = {"corruption": ASSUMED} if getattr(policy, "corruption", 0) is None else {}
    return replace(policy, **changes)
