"""Every part by name, from text such as `samba:learning_rate=0.1`; the folders of parts are walked to find them."""

import importlib
import inspect
import pkgutil
import warnings
from collections.abc import Collection, Container, Iterable, Iterator
from dataclasses import Field, InitVar, dataclass, fields, replace
from functools import cache
from types import ModuleType, NoneType
from typing import Any, get_origin

from robandit import adversaries, environments, policies
from robandit.adversaries.attacks import Attack
from robandit.adversaries.limited import Limited
from robandit.adversaries.scheduled import ScheduledAttack
from robandit.capability import ANYTHING, Capability
from robandit.errors import InputError, unknown
from robandit.game import Adversary, Can, Environment, Policy
from robandit.parts import Part, hints_of, members
from robandit.policies import linear, slates, teams
from robandit.schedule import Schedule
from robandit.sources import load_module

FOLDERS: dict[str, tuple[ModuleType, type]] = {
    "policy": (policies, Policy),
    "linear policy": (linear, Policy),  # for arms with features
    "team policy": (teams, Policy),  # for several agents
    "slate policy": (slates, Policy),  # for several items at once
    "environment": (environments, Environment),
    "attack": (adversaries, Attack),  # what the means become, ...
    "schedule": (adversaries, Schedule),  # ... and when
    "adversary": (adversaries, Adversary),  # both in one piece
}
GAMES = {
    "arms": "policy",
    "features": "linear policy",
    "agents": "team policy",
    "slates": "slate policy",
}  # the kind of policy for each game
POLICIES = tuple(GAMES.values())
MOST_NESTED = 20  # parts inside each other, in text
ENTRY_POINTS = "robandit.parts"  # the group under which other packages name modules or classes of parts


def is_part(cls: type, kind: str) -> bool:
    """Whether a class is a catalogued part of this kind."""
    if not issubclass(cls, FOLDERS[kind][1]) or "about" not in vars(cls):
        return False
    return not issubclass(cls, Policy) or GAMES[cls.plays] == kind


def parts_in(module: ModuleType, kind: str) -> Iterator[Any]:
    """The parts of a kind that a module, or one inside it, defines."""
    for _, cls in inspect.getmembers(module, inspect.isclass):
        if f"{cls.__module__}.".startswith(f"{module.__name__}.") and is_part(cls, kind):
            yield cls


@cache
def shipped(kind: str) -> dict[str, Any]:
    """The parts of a kind that come with the package, by name."""
    folder = FOLDERS[kind][0]
    modules = (
        importlib.import_module(f"{folder.__name__}.{item.name}") for item in pkgutil.iter_modules(folder.__path__)
    )
    classes = {cls.about.name: cls for module in modules for cls in parts_in(module, kind)}
    return dict(sorted(classes.items()))


@cache
def installed() -> dict[str, dict[str, Any]]:
    """The parts of other packages by kind and name: modules and classes that their entry points name.

    A package that cannot be loaded, that offers no part, or one by a name that is taken, is left out with a warning.
    """
    from importlib.metadata import entry_points

    parts: dict[str, dict[str, Any]] = {kind: {} for kind in FOLDERS}
    for entry in entry_points(group=ENTRY_POINTS):
        package = entry.dist.name if entry.dist else entry.value
        try:
            value = entry.load()
            classes = {
                kind: list(parts_in(value, kind)) if isinstance(value, ModuleType) else [value] * is_part(value, kind)
                for kind in FOLDERS
            }
        except Exception as error:
            warnings.warn(f"the parts of package {package!r} cannot be loaded: {error!r}", stacklevel=2)
            continue
        if not any(classes.values()):
            warnings.warn(f"package {package!r} offers no part in {entry.value!r}", stacklevel=2)
        for kind, cls in ((kind, cls) for kind, some in classes.items() for cls in some):
            name = cls.about.name
            if name in shipped(kind) or name in parts[kind]:
                warnings.warn(f"package {package!r} offers the {kind} {name!r}, a name that is taken", stacklevel=2)
            else:
                parts[kind][name] = cls
    return parts


@dataclass(frozen=True)
class Catalogue:
    """The parts that come with the package and those of a user's files; a value, so that no two users of it meet."""

    files: tuple[ModuleType, ...] = ()

    def with_file(self, path: str) -> "Catalogue":
        """A catalogue with the parts of one more Python file."""
        module = load_module(path)
        if module in self.files:
            return self
        for kind in FOLDERS:
            for cls in parts_in(module, kind):
                if cls.about.name in self.parts(kind):
                    whose = "that comes with robandit" if cls.about.name in shipped(kind) else "of another file"
                    raise InputError(f"{path}: {kind} {cls.about.name!r} is the name of one {whose}")
        return Catalogue((*self.files, module))

    def with_files(self, paths: Iterable[str]) -> "Catalogue":
        """A catalogue with the parts of some Python files."""
        catalogue = self
        for path in paths:
            catalogue = catalogue.with_file(path)
        return catalogue

    def parts(self, kind: str) -> dict[str, Any]:
        """All parts of a kind by name."""
        own = {cls.about.name: cls for module in self.files for cls in parts_in(module, kind)}
        return dict(sorted({**shipped(kind), **own}.items()))

    def policies(self) -> dict[str, Any]:
        """The policies of all games by name."""
        return {name: cls for kind in POLICIES for name, cls in self.parts(kind).items()}

    def all_parts(self, kind: str) -> dict[str, Any]:
        """All parts of a kind by name, those of other packages included."""
        return dict(sorted({**installed()[kind], **self.parts(kind)}.items()))

    def find(self, kind: str, text: str) -> Any:
        """The class of a part that text such as `name:parameter=value` names; raises InputError where there is none.

        A policy may be one of any game. Other packages are read only where the name is in none of ours: it takes time.
        """
        if not isinstance(text, str):
            raise InputError(f"{kind} must be text such as name:parameter=value, not {text!r}")
        name = text.strip().partition(":")[0]
        kinds = POLICIES if kind == "policy" else (kind,)
        for parts in (self.parts, self.all_parts):
            classes = {other: cls for one in kinds for other, cls in parts(one).items()}
            if name in classes:
                return classes[name]
        raise unknown(kind, name, classes)

    def make(self, kind: str, text: str, **values: Any) -> Any:
        """A part from its text `name:parameter=value,...`; `values` are parameters that are not text."""
        cls = self.find(kind, text)
        name, _, rest = text.strip().partition(":")
        hints = hints_of(cls)
        for key, value in settings_in(f"{kind} {name!r}", rest, parameters_of(cls), values).items():
            holds_policy = Policy in {get_origin(hint) or hint for hint in members(hints[key])}
            inner = value.removeprefix("(").removesuffix(")")
            values[key] = self.policy(inner) if holds_policy else convert_text(value, hints[key], f"{name}: {key}")
        return cls(**values)

    def policy(self, text: str) -> Policy[Any]:
        """A policy by catalogue name.

        Args:
            text: the name with its parameters, such as "barbar:scale=1".

        Returns:
            The policy.

        Raises:
            InputError: if the name is unknown or a parameter is not allowed.
        """
        policy: Policy[Any] = self.make("policy", text)
        return policy

    def environment(self, text: str, means: tuple[float, ...] | None = None) -> Environment[Any]:
        """An environment by catalogue name, with means where it takes them.

        Args:
            text: the name with its parameters, such as "bernoulli".
            means: what each arm pays on average; ignored by an environment that has its own.

        Returns:
            The environment.

        Raises:
            InputError: if the name is unknown or a parameter is not allowed.
        """
        cls = self.find("environment", text)
        takes_means = "means" in {item.name for item in fields(cls)}
        environment: Environment[Any] = self.make("environment", text, **({"means": means} if takes_means else {}))
        return environment

    def attack(
        self,
        name: str,
        *,
        schedule: str = "start",
        budget: float,
        size: str | float = "full",
        charge: str = "cost",
        capability: str | Capability = ANYTHING,
    ) -> Adversary[Any]:
        """An adversary within a budget: an attack on a schedule (threat model A), or one in one piece (A or B).

        Args:
            name: the attack, such as "flip" or "sink-shown" (`robandit adversaries` lists them).
            schedule: when it strikes, for attacks of model A, such as "start" or "middle".
            budget: the corruption it can pay, above 0 or infinite.
            size: how far it moves the means, for attacks of model A: "full", "efficient" or a number up to 1.
            charge: "cost" (what a change moves) or "rounds" (1 for each round that is changed).
            capability: what an attacker of model B can do, a `Capability` or its text, such as "add:share=0.05".

        Returns:
            The adversary, to be given to `rb.simulate` or a scenario.

        Raises:
            InputError: if a name is unknown, or the terms do not fit the attack.
        """
        can = read_capability(capability)
        adversary = self.unlimited(name, schedule=schedule, budget=budget, size=size, charge=charge)
        return Limited(inner=adversary, capability=can, budget=budget, charge=charge) if can.limited else adversary

    def unlimited(self, name: str, *, schedule: str, budget: float, size: str | float, charge: str) -> Adversary[Any]:
        """An adversary that can do whatever it wants within its budget."""
        if not isinstance(name, str):
            raise InputError(f"attack must be the name of one, not {name!r}")
        kinds = ("attack", "adversary")
        first = name.strip().partition(":")[0]
        parts = self.parts if any(first in self.parts(kind) for kind in kinds) else self.all_parts
        if first in parts("adversary"):
            if (schedule, size) != ("start", "full"):
                raise InputError(f"attack {name!r} decides itself when and how far: it takes no schedule and no size")
            adversary: Adversary[Any] = self.make("adversary", name, budget=budget, charge=charge)
            return adversary
        if first not in parts("attack"):
            raise unknown("attack", name, [other for kind in kinds for other in parts(kind)])
        target, times = self.make("attack", name), self.make("schedule", schedule)
        return ScheduledAttack(attack=target, schedule=times, size=str(size), budget=budget, charge=charge)


SHIPPED = Catalogue()
policy, environment, attack = SHIPPED.policy, SHIPPED.environment, SHIPPED.attack


def read_capability(text: str | Capability) -> Capability:
    """What an attacker can do, from text such as `both` or `add:share=0.05,every=3`."""
    if isinstance(text, Capability):
        return text
    if not isinstance(text, str):
        raise InputError(f"a capability must be text such as add:share=0.05, not {text!r}")
    name, _, rest = text.strip().partition(":")
    hints = hints_of(Capability)
    allowed = [item.name for item in fields(Capability) if item.name != "can"]
    if name not in (words := [str(word) for word in Can]):
        raise InputError(f"a capability is one of {', '.join(words)}, then perhaps a colon and settings; not {name!r}")
    settings = settings_in(f"capability {name!r}", rest, allowed)
    values = {key: convert_text(value, hints[key], f"{name}: {key}") for key, value in settings.items()}
    return Capability(can=name, **values)  # type: ignore[arg-type]  # a word becomes one of `Can`


def settings_in(part: str, text: str, allowed: Collection[str], taken: Container[str] = ()) -> dict[str, str]:
    """The parameters that `parameter=value,...` sets, as text; raises InputError for others, or one set twice."""
    settings: dict[str, str] = {}
    for item in split(text, ",") if text else []:
        key, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"{part}: {item!r} must read parameter=value")
        if key in settings or key in taken:
            raise InputError(f"{part}: parameter {key!r} is given twice")
        if key not in allowed:
            raise unknown(f"{part}: parameter", key, allowed)
        settings[key] = value
    return settings


def split(text: str, separator: str) -> list[str]:
    """Split text at separators that stand outside parentheses; raises InputError where those do not match."""
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if depth > MOST_NESTED:
            raise InputError(
                f"at most {MOST_NESTED} parts can stand inside each other, in {text[:40]!r}... there are more"
            )
        if letter == separator and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += letter
    if depth != 0:
        raise InputError(f"parentheses in {text!r} do not match")
    return pieces


def parameters_of(cls: type[Part]) -> dict[str, Field[Any]]:
    """The parameters a user may set as text."""
    hidden: set[str] = {"means", "samples"} if issubclass(cls, Environment) else set()
    hidden |= {"budget", "charge"} if issubclass(cls, Adversary) else set()
    names = {item.name for item in fields(cls)} | {
        name for name, hint in hints_of(cls).items() if isinstance(hint, InitVar)
    }
    declared: dict[str, Field[Any]] = cls.__dataclass_fields__
    return {name: item for name, item in declared.items() if name in names - hidden}


def convert_text(text: str, hint: Any, where: str) -> Any:
    """Return the text as a value of one of the annotated types; raises InputError where it is none."""
    allowed = members(hint.type if isinstance(hint, InitVar) else hint)
    if text.lower() == "none" and NoneType in allowed:
        return None
    if bool in allowed and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if int in allowed or float in allowed:
        try:
            number = float(text)
        except ValueError as error:
            if str in allowed:
                return text
            whole = "" if float in allowed else "whole "
            raise InputError(f"{where} must be a {whole}number, not {text!r}") from error
        return int(number) if int in allowed and number.is_integer() else number
    if bool in allowed:
        raise InputError(f"{where} must be true or false, not {text!r}")
    return text


def scaled(policy: Policy[Any]) -> Policy[Any]:
    """The policy with constants that let it learn within a usual horizon, where it declares some."""
    changes = {item.name: item.metadata["scaled"] for item in fields(policy) if item.metadata.get("scaled") is not None}
    inside = {item.name: getattr(policy, item.name) for item in fields(policy)}
    inner = {name: scaled(value) for name, value in inside.items() if isinstance(value, Policy)}
    return replace(policy, **changes, **inner)
