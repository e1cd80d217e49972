"""A study as a TOML file: grids of policies, environments, adversaries, budgets and horizons, checked line by line."""

import math
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from robandit import errors
from robandit.adversaries.attacks import check_size
from robandit.adversaries.nobody import Nobody
from robandit.catalogue import SHIPPED, Catalogue, read_capability
from robandit.environments.means import check_means, spread_means
from robandit.errors import InputError, unknown
from robandit.lab.scenario import check_contexts, slots_of
from robandit.study.cell import Cell
from robandit.study.claims import Claim, read_claim
from robandit.study.lines import Lines


@dataclass(frozen=True)
class Grid:
    """One question within a study: the product of its axes."""

    id: str
    title: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Study:
    """A checked spec."""

    name: str
    question: str
    grids: tuple[Grid, ...]
    load: tuple[str, ...] = ()
    catalogue: Catalogue = SHIPPED
    claims: tuple[Claim, ...] = ()

    def cells(self) -> dict[str, Cell]:
        """Every distinct cell by its content hash, in order of first mention."""
        return {cell.key(self.catalogue): cell for grid in self.grids for cell in grid.cells}

    def grid(self, name: str) -> Grid:
        """A grid by its id."""
        return next(grid for grid in self.grids if grid.id == name)


def whole(least: int) -> Callable[[Any], None]:
    """A check for whole numbers from `least` on; 1e5 is one too."""

    def check(value: Any) -> None:
        try:
            errors.whole("it", value, least)
        except InputError as error:
            raise InputError(str(error).removeprefix("it ")) from None

    return check


def text(value: Any) -> None:
    """Refuse what is not text."""
    if not isinstance(value, str):
        raise InputError(f"must be text, not {value!r}")


def budget(value: Any) -> None:
    """Refuse what is not a number from 0 on; one without end is for attackers who are held to some rounds."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
        raise InputError(f"must be a number of at least 0, not {value!r}")


def share(value: Any) -> None:
    """Refuse what is no share; 0 is nobody."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        raise InputError(f"must be a number from 0 to 1, not {value!r}")


def one_of(*allowed: str) -> Callable[[Any], None]:
    """A check for a few words."""

    def check(value: Any) -> None:
        if value not in allowed:
            raise unknown("value", str(value), allowed)

    return check


def made(make: Callable[..., Any], **terms: Any) -> Callable[[Any], None]:
    """A check that makes the part."""

    def check(value: Any) -> None:
        text(value)
        make(value, **terms)

    return check


def means_rule(value: Any) -> None:
    """Refuse what is neither a list of means nor a rule for them."""
    if isinstance(value, list):
        check_means(value)
    else:
        means_by_rule(str(value), 2)


def means_by_rule(rule: str, arms: int) -> tuple[float, ...]:
    """Means for a number of arms: grid (i/(K+1)), linspace (0 to 1) or uniform:DRAW (the DRAW-th random draw)."""
    name, _, draw = rule.partition(":")
    if name == "grid" and not draw:
        return spread_means(arms)
    if name == "linspace" and not draw:
        return tuple(np.linspace(0.0, 1.0, arms).tolist())
    if name == "uniform" and draw.isdigit():
        return tuple(np.random.default_rng([arms, int(draw)]).uniform(size=arms).tolist())
    raise InputError(f"must be grid, linspace, uniform:DRAW or lists of numbers, not {rule!r}")


AXES: dict[str, list[Any]] = {  # by default
    "policies": [],
    "environments": ["bernoulli"],
    "arms": [9],
    "means": ["grid"],
    "attacks": ["flip"],
    "schedules": ["start"],
    "sizes": ["full"],
    "charges": ["cost"],
    "can": ["both"],
    "shares": [1],
    "agents": [1],
    "slates": [1],
    "budgets": [0],
    "horizons": [100_000],
    "seeds": [1],
}
SINGLES = ("id", "title", "runs", "checkpoints")
TOP: dict[str, tuple[Any, type, str]] = {
    "name": ("", str, "text"),
    "question": ("", str, "text"),
    "load": ([], list, "a list of files"),
    "grid": ([], list, "one or more [[grid]]"),
    "claim": ([], list, "[[claim]]s"),
}


def checks(catalogue: Catalogue) -> dict[str, Callable[[Any], Any]]:
    """What refuses a value of each axis."""
    return {
        "policies": catalogue.policy,
        "environments": made(catalogue.environment, means=(0.5,)),
        "arms": whole(1),
        "means": means_rule,
        "attacks": made(catalogue.attack, budget=1),
        "schedules": made(partial(catalogue.make, "schedule")),
        "sizes": check_size,
        "charges": one_of("cost", "rounds"),
        "can": made(read_capability),
        "shares": share,
        "agents": whole(1),
        "slates": whole(1),
        "budgets": budget,
        "horizons": whole(1),
        "seeds": whole(0),
    }


def read_study(path: Path) -> Study:
    """Parse and check a spec."""
    try:
        content = path.read_text()
        given = tomllib.loads(content)
    except OSError as error:
        raise InputError(f"spec {str(path)!r} cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name}: {error}") from error
    return checked_study(given, Lines(path, content))


def checked_study(given: dict[str, Any], lines: Lines) -> Study:
    """Check a spec; every part is made once here, so that nothing wrong is found later."""
    path = lines.path
    for field, value in given.items():
        if field not in TOP:
            raise lines.wrong(None, field, str(unknown("field", field, TOP)))
        if not isinstance(value, TOP[field][1]):
            raise lines.wrong(None, field, f"must be {TOP[field][2]}, not {value!r}")
    top = {field: given.get(field, default) for field, (default, _, _) in TOP.items()}
    if not top["name"] or not top["grid"]:
        raise InputError(f"{path.name}: a study needs a name and at least one [[grid]]")
    catalogue = SHIPPED
    for file in top["load"]:
        try:
            catalogue = catalogue.with_file(str(path.parent / str(file)))
        except InputError as error:
            raise lines.wrong(None, "load", str(error), file) from error
    grids = tuple(read_grid(lines, number, grid, catalogue) for number, grid in enumerate(top["grid"]))
    names = [grid.id for grid in grids]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise lines.wrong(number, "id", f"{name!r} is given twice, ids must differ", name)
    claims, cells = [], {grid.id: grid.cells for grid in grids}
    for number, claim in enumerate(top["claim"]):
        try:
            claims.append(read_claim(claim, cells, catalogue.policy))
        except InputError as error:
            raise lines.wrong(number, "", str(error), kind="claim") from error
    return Study(top["name"], top["question"], grids, tuple(top["load"]), catalogue, tuple(claims))


def read_grid(lines: Lines, number: int, given: dict[str, Any], catalogue: Catalogue) -> Grid:
    """One grid, checked and expanded to cells."""
    for field in given:
        if field not in AXES and field not in SINGLES:
            raise lines.wrong(number, field, str(unknown("field", field, [*AXES, *SINGLES])))
    for field in ("id", "policies"):
        if field not in given:
            raise lines.wrong(number, "", f"{field} is missing")
    check = checks(catalogue)
    axes = {
        field: read_axis(lines, number, field, given.get(field, default), check[field])
        for field, default in AXES.items()
    }
    runs = read_runs(lines, number, given.get("runs", 100))
    checkpoints = given.get("checkpoints", 1)
    if checkpoints != "log":
        checked(lines, number, "checkpoints", checkpoints, whole(1))
        checkpoints = int(checkpoints)
    cells = []
    for values in product(*axes.values()):
        point = dict(zip(axes, values, strict=True))
        cell = Cell(
            policy=str(catalogue.policy(point["policies"])),
            environment=point["environments"],
            means=means_at(lines, number, given, point, catalogue),
            attack=point["attacks"],
            schedule=point["schedules"],
            size=str(point["sizes"]),
            charge=point["charges"],
            budget=float(point["budgets"]),
            horizon=int(point["horizons"]),
            runs=runs.get(point["policies"], runs.get(point["policies"].partition(":")[0], runs["*"])),
            seed=int(point["seeds"]),
            checkpoints=checkpoints,
            can=str(read_capability(point["can"])),
            share=float(point["shares"]),
            agents=int(point["agents"]),
            slate=int(point["slates"]),
        ).settled()
        try_adversary(lines, number, cell, catalogue)
        try_shape(lines, number, cell, catalogue)
        cells.append(cell)
    return Grid(str(given["id"]), str(given.get("title", "")), tuple(dict.fromkeys(cells)))


def means_at(
    lines: Lines, number: int, given: dict[str, Any], point: dict[str, Any], catalogue: Catalogue
) -> tuple[float, ...]:
    """The means of a cell: those given, or those of an environment that has its own."""
    means = point["means"]
    asked = check_means(means) if isinstance(means, list) else means_by_rule(means, int(point["arms"]))
    found = tuple(catalogue.environment(point["environments"], asked).means)
    for field in ("arms", "means"):
        if found != asked and field in given:
            name = point["environments"].partition(":")[0]
            raise lines.wrong(number, field, f"the environment {name} has means of its own: leave {field} out")
    return found


def checked(lines: Lines, number: int, field: str, value: Any, check: Callable[[Any], Any]) -> None:
    """Run a check; its refusal gets a line."""
    try:
        check(value)
    except InputError as error:
        raise lines.wrong(number, field, str(error), value) from error


def read_axis(lines: Lines, number: int, field: str, value: Any, check: Callable[[Any], Any]) -> list[Any]:
    """An axis as a list of checked values; a bare value stands for a list of one."""
    values = value if isinstance(value, list) else [value]
    if not values:
        raise lines.wrong(number, field, "must name at least one value, none was given")
    if field == "means" and all(isinstance(item, int | float) for item in values):
        values = [values]
    for item in values:
        checked(lines, number, field, item, check)
    return values


def read_runs(lines: Lines, number: int, given: Any) -> dict[str, int]:
    """Runs by policy, "*" for the rest; a bare number is for all."""
    table = given if isinstance(given, dict) else {"*": given}
    for value in table.values():
        checked(lines, number, "runs", value, whole(1))
    if "*" not in table:
        raise lines.wrong(number, "runs", 'needs an entry "*" for the other policies')
    return {policy: int(value) for policy, value in table.items()}


def try_shape(lines: Lines, number: int, cell: Cell, catalogue: Catalogue) -> None:
    """Refuse a policy that does not play so many agents or items, or a context in each round."""
    policy, environment, adversary = cell.parts(catalogue)
    try:
        slots = slots_of(policy, environment, cell.slate, cell.agents)
        if environment.context_size:
            check_contexts(policy, Nobody() if adversary is None else adversary, slots * cell.agents, False)
    except InputError as error:
        raise lines.wrong(number, "policies", str(error)) from error


def try_adversary(lines: Lines, number: int, cell: Cell, catalogue: Catalogue) -> None:
    """Refuse an adversary that these arms, this horizon or this budget do not allow."""
    if cell.share < 1.0 and read_capability(cell.can).share < 1.0:
        raise lines.wrong(number, "shares", "shares and a share in can cannot both be given")
    if math.isinf(cell.budget) and not cell.capability().limited:
        told = "must be a number of at least 0, not inf: without end only for who is held to some rounds or rewards"
        raise lines.wrong(number, "budgets", told, cell.budget)
    try:
        adversary = cell.parts(catalogue)[2]
        if adversary is not None:
            adversary.start(np.array(cell.means), cell.horizon)
    except InputError as error:
        field = (
            "can"
            if "model B" in str(error)
            else "schedules"
            if cell.schedule.partition(":")[0] in str(error)
            else "attacks"
        )
        raise lines.wrong(number, "budgets" if "budget" in str(error) else field, str(error)) from error
