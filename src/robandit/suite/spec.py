"""A suite as a TOML file: environments, attackers, what they have, the standard attack, seeds. Read and checked."""

import hashlib
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robandit.catalogue import SHIPPED, Catalogue, read_capability
from robandit.environments.means import check_means
from robandit.errors import InputError
from robandit.game import Environment
from robandit.redteam.candidate import Candidate, check_threat
from robandit.redteam.frontier import LIST, NUMBER, check_fields, checked_name

SUITE = Path(__file__).parents[1] / "studies" / "suite-v1.toml"
LEVELS = ("budgets", "shares", "rows")  # what an attacker may have more or less of
TOP: dict[str, Any] = {"name": str, "runs": int, "seed": int, "history": int, "standard_attack": int}
TOP |= dict.fromkeys(("race", "sees_draw", "before_draw", "environments", "attackers"), LIST)
PLACE: dict[str, Any] = {"name": str, "title": str, "means": LIST, "environment": str, "slate": int, "horizon": int}
PLACE |= dict.fromkeys((*LEVELS, "attacks"), LIST)
WHO: dict[str, Any] = {"name": str, "title": str, "threat": str, "can": str, "has": str}


@dataclass(frozen=True)
class SuiteEnvironment:
    """Where policies play, and what attackers have there, by the kind of thing they have."""

    name: str
    title: str
    text: str
    means: tuple[float, ...]
    slate: int
    horizon: int
    levels: dict[str, tuple[float, ...]]
    attacks: tuple[str, ...]  # that suit this environment alone

    def make(self, catalogue: Catalogue = SHIPPED) -> Environment[Any]:
        """The environment itself."""
        return catalogue.environment(self.text, self.means or None)


@dataclass(frozen=True)
class SuiteAttacker:
    """Who attacks: a threat model, what they can do, and what they have more or less of; nobody has nothing."""

    name: str
    title: str
    threat: str
    can: str
    has: str


@dataclass(frozen=True)
class Suite:
    """A checked file."""

    name: str
    runs: int
    seed: int
    history: int
    standard_attack: int
    race: tuple[tuple[int, float], ...]
    sees_draw: tuple[Candidate, ...]
    before_draw: tuple[Candidate, ...]
    environments: tuple[SuiteEnvironment, ...]
    attackers: tuple[SuiteAttacker, ...]

    def levels(self, environment: SuiteEnvironment, attacker: SuiteAttacker) -> tuple[float, ...]:
        """What an attacker has in an environment: one level per row, 0 for nobody, none where it does not attack."""
        return environment.levels.get(attacker.has, ()) if attacker.has else (0.0,)

    def attacks(self, environment: SuiteEnvironment, attacker: SuiteAttacker) -> tuple[Candidate, ...]:
        """The attacks of the standard attack that an attacker may try here, as the file lists them."""
        if attacker.has in ("", "rows"):
            return ()
        if attacker.threat == "A":
            return self.before_draw
        return (*self.sees_draw, *map(Candidate, environment.attacks))

    def seed_of(self, environment: SuiteEnvironment) -> int:
        """The seed of the reported runs: one per environment, so that its rows share their draws."""
        digest = hashlib.sha256(f"{self.seed} {environment.name}".encode()).digest()
        return int.from_bytes(digest[:8], "big")


def read_suite(path: Path = SUITE) -> Suite:
    """Read a file; raises InputError for anything wrong in it, before anything is played."""
    try:
        content = tomllib.loads(path.read_text())
    except OSError as error:
        raise InputError(f"suite {str(path)!r} cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name}: {error}") from error
    check_fields(path.name, content, TOP, tuple(TOP))
    for name, least in (("runs", 2), ("seed", 0), ("history", 0), ("standard_attack", 1)):
        if content[name] < least:
            raise InputError(f"{path.name}: {name} must be at least {least}, not {content[name]}")
    environments = read_entries(path.name, "environments", content, PLACE, ("name", "horizon"), read_environment)
    attackers = read_entries(path.name, "attackers", content, WHO, ("name",), read_attacker)
    sees, before = (read_attacks(path.name, name, content[name]) for name in ("sees_draw", "before_draw"))
    numbers = {name: content[name] for name in ("runs", "seed", "history", "standard_attack")}
    race = read_race(path.name, content["race"])
    return Suite(checked_name(content["name"]), **numbers, race=race, sees_draw=sees, before_draw=before,
                 environments=tuple(environments), attackers=tuple(attackers))  # fmt: skip


def read_entries(
    file: str, kind: str, content: dict[str, Any], fields: dict[str, Any], needed: tuple[str, ...], read: Any
) -> list[Any]:
    """The tables of one kind, each checked; names must differ."""
    entries = []
    for number, entry in enumerate(content[kind], 1):
        where = f"{file}: {kind}, entry {number}"
        if not isinstance(entry, dict):
            raise InputError(f"{where} must be a table such as {{ name = ... }}, not {entry!r}")
        check_fields(where, entry, fields, needed)
        try:
            entries.append(read(entry))
        except InputError as error:
            raise InputError(f"{where}: {error}") from error
        if entries[-1].name in [one.name for one in entries[:-1]]:
            raise InputError(f"{where}: {entries[-1].name!r} is given twice")
    if not entries:
        raise InputError(f"{file}: {kind} must have at least one entry, none was given")
    return entries


def read_environment(entry: dict[str, Any]) -> SuiteEnvironment:
    """One environment, made once to see that it can be."""
    levels = {}
    for name in LEVELS:
        values = entry.get(name, [])
        if not all(isinstance(value, NUMBER) and not isinstance(value, bool) and value > 0 for value in values):
            raise InputError(f"{name} must be numbers above 0, not {values!r}")
        if name in entry:
            levels[name] = tuple(float(value) for value in values)
    place = SuiteEnvironment(
        checked_name(entry["name"]),
        entry.get("title", entry["name"]),
        entry.get("environment", "bernoulli"),
        tuple(check_means(entry["means"])) if "means" in entry else (),
        entry.get("slate", 1),
        entry["horizon"],
        levels,
        tuple(entry.get("attacks", ())),
    )
    place.make()
    for text in place.attacks:
        Candidate(text).adversary(1.0)
    return place


def read_attacker(entry: dict[str, Any]) -> SuiteAttacker:
    """One attacker."""
    threat, has = entry.get("threat", "B"), entry.get("has", "")
    check_threat(threat)
    if has and has not in LEVELS:
        raise InputError(f"has must be one of {', '.join(LEVELS)}, not {has!r}")
    if "can" in entry and (threat == "A" or has not in ("budgets", "shares")):
        raise InputError("can is said of an attacker who sees the draw and has budgets or shares")
    if threat == "A" and has != "budgets":
        raise InputError("an attacker of threat model A has budgets")
    read_capability(entry.get("can", "both"))
    name = checked_name(entry["name"])
    return SuiteAttacker(name, entry.get("title", name), threat, entry.get("can", "both"), has)


def read_attacks(file: str, kind: str, texts: list[Any]) -> tuple[Candidate, ...]:
    """Attacks as text, or as [attack, schedule, size], each made once to see that it is one."""
    attacks = []
    for entry in texts:
        words = [entry] if isinstance(entry, str) else entry
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words) or not 1 <= len(words) <= 3:
            raise InputError(f"{file}: {kind}: an attack is text or [attack, schedule, size], not {entry!r}")
        candidate = Candidate(*words)
        try:
            sees_draw = candidate.adversary(1.0).sees_draw
        except InputError as error:
            raise InputError(f"{file}: {kind}: {error}") from error
        if sees_draw != (kind == "sees_draw"):
            raise InputError(f"{file}: {kind}: {candidate.attack} is of threat model {'B' if sees_draw else 'A'}")
        attacks.append(candidate)
    return tuple(attacks)


def read_race(file: str, stages: list[Any]) -> tuple[tuple[int, float], ...]:
    """The stages of the race: blocks played by then, and the share of attacks that go on."""
    for stage in stages:
        if not isinstance(stage, list) or len(stage) != 2 or not stage[0] >= 1 or not 0 < stage[1] <= 1:
            raise InputError(f"{file}: race: a stage is [blocks, share of attacks that go on], not {stage!r}")
    if not stages:
        raise InputError(f"{file}: race must have at least one stage, none was given")
    return tuple((int(blocks), float(share)) for blocks, share in stages)
