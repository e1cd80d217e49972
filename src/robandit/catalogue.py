"""Every part by name: found by walking the folders, made from text such as `samba:learning_rate=0.1`."""

import hashlib
import importlib
import importlib.util
import inspect
import pkgutil
import sys
from collections.abc import Iterator
from dataclasses import Field, InitVar, fields, replace
from functools import cache
from pathlib import Path
from types import ModuleType, NoneType
from typing import Any, get_origin

from robandit import adversaries, environments, policies
from robandit.adversaries.attacks import Attack
from robandit.adversaries.band import Band, BandAttack
from robandit.adversaries.epochs import EpochAttack, InEpoch
from robandit.adversaries.schedules import Leading, Schedule
from robandit.adversaries.timed import Budgeted, LeadingAttack, TimedAttack
from robandit.errors import InputError, unknown
from robandit.game import Adversary, Environment, Policy
from robandit.parts import Part, hints_of, members

FOLDERS = {
    "policy": (policies, Policy),
    "environment": (environments, Environment),
    "attack": (adversaries, Attack),
    "schedule": (adversaries, Schedule),
    "reward attack": (adversaries, Adversary),
}
WATCHING: dict[type[Schedule], Any] = {Leading: LeadingAttack, InEpoch: EpochAttack, Band: BandAttack}
_LOADED: dict[str, ModuleType] = {}


def parts_in(module: ModuleType, base: type) -> Iterator[Any]:
    """The catalogued classes a module defines."""
    for _, cls in inspect.getmembers(module, inspect.isclass):
        named = issubclass(cls, base) and cls.__module__ == module.__name__ and "about" in vars(cls)
        if named and cls is not Budgeted:
            yield cls


@cache
def shipped(kind: str) -> dict[str, Any]:
    """The parts of a kind that come with the package."""
    folder, base = FOLDERS[kind]
    modules = (
        importlib.import_module(f"{folder.__name__}.{item.name}") for item in pkgutil.iter_modules(folder.__path__)
    )
    return {cls.about.name: cls for module in modules for cls in parts_in(module, base)}


def catalogue(kind: str) -> dict[str, Any]:
    """All parts of a kind by name, those of loaded files included."""
    own = {cls.about.name: cls for module in _LOADED.values() for cls in parts_in(module, FOLDERS[kind][1])}
    return dict(sorted({**shipped(kind), **own}.items()))


def load_file(path: str) -> None:
    """Add the parts of a Python file to the catalogue for this process."""
    file = Path(path).resolve()
    name = f"robandit_loaded_{hashlib.sha256(str(file).encode()).hexdigest()[:8]}_{file.stem}"
    spec = importlib.util.spec_from_file_location(name, file) if file.is_file() else None
    if spec is None or spec.loader is None:
        raise InputError(f"--load must name a Python file, not {path!r}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise InputError(f"--load {path}: {type(error).__name__}: {error}") from error
    for kind, (_, base) in FOLDERS.items():
        for cls in parts_in(module, base):
            if cls.about.name in shipped(kind):
                raise InputError(
                    f"--load {path}: {kind} {cls.about.name!r} is the name of one that comes with robandit"
                )
    _LOADED[name] = module


def split(text: str, separator: str) -> list[str]:
    """Split at separators that stand outside parentheses."""
    pieces, depth = [""], 0
    for letter in text:
        depth += (letter == "(") - (letter == ")")
        if letter == separator and depth == 0:
            pieces.append("")
        else:
            pieces[-1] += letter
    if depth != 0:
        raise InputError(f"parentheses in {text!r} do not match")
    return pieces


def make(kind: str, text: str, **given: Any) -> Any:
    """A part from its text `name:parameter=value,...`; `given` adds parameters that are not text."""
    if not isinstance(text, str):
        raise InputError(f"{kind} must be text such as name:parameter=value, not {text!r}")
    name, _, rest = text.strip().partition(":")
    known = catalogue(kind)
    if name not in known:
        raise unknown(kind, name, known)
    cls = known[name]
    settable, hints = parameters_of(cls), hints_of(cls)
    for item in split(rest, ",") if rest else []:
        key, equals, value = item.partition("=")
        if not equals:
            raise InputError(f"{kind} {name!r}: {item!r} must read parameter=value")
        if key in given:
            raise InputError(f"{kind} {name!r}: parameter {key!r} is given twice")
        if key not in settable:
            raise unknown(f"{kind} {name!r}: parameter", key, settable)
        given[key] = converted(value, hints[key], f"{name}: {key}")
    return cls(**given)


def parameters_of(cls: type[Part]) -> dict[str, Field[Any]]:
    """The parameters a user may set as text."""
    hidden: set[str] = {"means", "samples"} if issubclass(cls, Environment) else set()
    hidden |= {"budget", "charge"} if issubclass(cls, Adversary) else set()
    names = {item.name for item in fields(cls)} | {
        name for name, hint in hints_of(cls).items() if isinstance(hint, InitVar)
    }
    known: dict[str, Field[Any]] = cls.__dataclass_fields__
    return {name: item for name, item in known.items() if name in names - hidden}


def converted(text: str, hint: Any, where: str) -> Any:
    """The text as a value of one of the annotated types."""
    allowed = members(hint.type if isinstance(hint, InitVar) else hint)
    if Policy in {get_origin(kind) or kind for kind in allowed}:
        return policy(text.removeprefix("(").removesuffix(")"))
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


def policy(text: str) -> Policy[Any]:
    """A policy by catalogue name, such as `barbar:scale=1`."""
    made: Policy[Any] = make("policy", text)
    return made


def scaled(given: Policy[Any]) -> Policy[Any]:
    """The policy with constants that let it learn within a usual horizon, where it declares some."""
    changes = {item.name: item.metadata["scaled"] for item in fields(given) if item.metadata.get("scaled") is not None}
    inside = {item.name: getattr(given, item.name) for item in fields(given)}
    inner = {name: scaled(value) for name, value in inside.items() if isinstance(value, Policy)}
    return replace(given, **changes, **inner)


def environment(text: str, means: tuple[float, ...] | None = None) -> Environment[Any]:
    """An environment by catalogue name, with means where it takes them."""
    known = catalogue("environment").get(str(text).partition(":")[0])
    takes_means = known is not None and "means" in {item.name for item in fields(known)}
    made: Environment[Any] = make("environment", text, **({"means": means} if takes_means else {}))
    return made


def attack(
    name: str, *, schedule: str = "start", budget: float, size: str | float = "full", charge: str = "cost"
) -> Adversary[Any]:
    """An adversary within a budget: an attack on a schedule (threat model A), or one that sees the draw (model B)."""
    if not isinstance(name, str):
        raise InputError(f"attack must be the name of one, not {name!r}")
    shown = catalogue("reward attack")
    if name.partition(":")[0] in shown:
        if (schedule, size) != ("start", "full"):
            raise InputError(f"attack {name!r} sees the draw (threat model B): it takes no schedule and no size")
        seeing: Adversary[Any] = make("reward attack", name, budget=budget, charge=charge)
        return seeing
    if name.partition(":")[0] not in catalogue("attack"):
        raise unknown("attack", name, [*catalogue("attack"), *shown])
    when: Schedule = make("schedule", schedule)
    kind = next((cls for rule, cls in WATCHING.items() if isinstance(when, rule)), TimedAttack)
    return kind(attack=make("attack", name), schedule=when, size=str(size), budget=budget, charge=charge)
