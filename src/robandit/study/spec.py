"""A study as a TOML file: grids of policies, environments, adversaries, budgets and horizons, checked line by line."""

import math
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from robandit.catalogue import SHIPPED, Catalogue, read_capability
from robandit.errors import InputError, unknown, whole
from robandit.game import Environment
from robandit.lab.scenario import Scenario
from robandit.study.axes import AXES, Axis, means_by_rule
from robandit.study.cell import Cell, content_hash
from robandit.study.claims import StudyClaim, read_claim
from robandit.study.lines import Lines

SINGLES = ("id", "title", "runs", "checkpoints")
FIELDS = {axis.field: axis.name for axis in AXES} | {"capability": "can"}  # of a spec, by what an error is about
TOP: dict[str, tuple[Any, type, str]] = {
    "name": ("", str, "text"),
    "question": ("", str, "text"),
    "load": ([], list, "a list of files"),
    "grid": ([], list, "one or more [[grid]]"),
    "claim": ([], list, "[[claim]]s"),
}


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
    load: tuple[Path, ...] = ()
    catalogue: Catalogue = SHIPPED
    claims: tuple[StudyClaim, ...] = ()
    scenarios: dict[Cell, Scenario] = field(default_factory=dict, compare=False, repr=False)

    @cached_property
    def keys(self) -> dict[Cell, str]:
        """The content hash of each cell."""
        cells = dict.fromkeys(cell for grid in self.grids for cell in grid.cells)
        return {cell: content_hash(cell, self.scenarios.get(cell) or cell.scenario(self.catalogue)) for cell in cells}

    def cells(self) -> dict[str, Cell]:
        """Every distinct cell by its content hash, in order of first mention."""
        return {key: cell for cell, key in self.keys.items()}

    def grid(self, name: str) -> Grid:
        """A grid by its id; raises InputError if there is none."""
        for grid in self.grids:
            if grid.id == name:
                return grid
        raise unknown("grid", name, [grid.id for grid in self.grids])


def read_study(spec: str | Path | Mapping[str, Any], folder: Path = Path()) -> Study:
    """Read and check a spec, from a TOML file or from the same as a dictionary.

    Args:
        spec: the file, or the dictionary.
        folder: where the files are that a dictionary loads; those of a file are found from its own folder.

    Raises:
        InputError: if something is wrong; the message names the line and the field.
    """
    if isinstance(spec, Mapping):
        return check_study(dict(spec), Lines(folder / "the study", ""))
    if not isinstance(spec, str | Path):
        raise InputError(f"a study is a TOML file or a dictionary with a name and a grid, not {spec!r}")
    path = Path(spec)
    if path.suffix == ".py":
        raise InputError(
            f"a study is a TOML file, not Python: {str(path)!r}; its field `load` names Python files with policies"
        )
    try:
        content = path.read_text()
        fields = tomllib.loads(content)
    except OSError as error:
        raise InputError(f"study {str(path)!r} cannot be read ({error.strerror})") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path.name}: {error}") from error
    return check_study(fields, Lines(path, content))


def loaded_file(folder: Path, name: str) -> Path:
    """Returns where a file is that a spec loads; beside the results stands a copy of it, under its own name."""
    copy = folder / Path(name).name
    return copy if copy.exists() and not (folder / name).exists() else folder / name


def check_study(fields: dict[str, Any], lines: Lines) -> Study:
    """Check a spec; every scenario is made once here, so that nothing wrong is noticed later."""
    for name, value in fields.items():
        if name not in TOP:
            raise lines.wrong(None, name, str(unknown("field", name, TOP)))
        if not isinstance(value, TOP[name][1]):
            raise lines.wrong(None, name, f"must be {TOP[name][2]}, not {value!r}")
    top = {name: fields.get(name, default) for name, (default, _, _) in TOP.items()}
    if not top["name"] or not top["grid"]:
        raise InputError(f"{lines.path.name}: a study needs a name and at least one [[grid]]")
    catalogue, load = SHIPPED, [loaded_file(lines.path.parent, str(file)) for file in top["load"]]
    for file, path in zip(top["load"], load, strict=True):
        with lines.blaming(None, "load", file):
            catalogue = catalogue.with_file(str(path))
    readers = [GridReader(lines, number, grid, catalogue) for number, grid in enumerate(top["grid"])]
    scenarios: dict[Cell, Scenario] = {}
    grids = tuple(reader.read(scenarios) for reader in readers)
    names = [grid.id for grid in grids]
    for number, name in enumerate(names):
        if name in names[:number]:
            raise lines.wrong(number, "id", f"{name!r} is given twice, ids must differ", name)
    claims, cells = [], {grid.id: grid.cells for grid in grids}
    for number, claim in enumerate(top["claim"]):
        with lines.blaming(number, kind="claim"):
            claims.append(read_claim(claim, cells, catalogue.policy))
    paths = tuple(path.resolve() for path in load)
    return Study(top["name"], top["question"], grids, paths, catalogue, tuple(claims), scenarios)


@dataclass(frozen=True)
class GridReader:
    """One [[grid]] of a spec, checked and expanded to cells; a refusal names the line it is about."""

    lines: Lines
    number: int
    fields: dict[str, Any]
    catalogue: Catalogue
    environments: dict[tuple[str, Any], Environment[Any]] = field(default_factory=dict)

    def read(self, scenarios: dict[Cell, Scenario]) -> Grid:
        """The grid; the scenario of each of its cells is added to `scenarios`."""
        allowed = [*(axis.name for axis in AXES), *SINGLES]
        for name in self.fields:
            if name not in allowed:
                raise self.lines.wrong(self.number, name, str(unknown("field", name, allowed)))
        for name in ("id", "policies"):
            if name not in self.fields:
                raise self.lines.wrong(self.number, "", f"{name} is missing")
        values = {axis.field: self.read_axis(axis) for axis in AXES}
        runs, checkpoints = self.read_runs(), self.fields.get("checkpoints", 1)
        if checkpoints != "log":
            with self.lines.blaming(self.number, "checkpoints", checkpoints):
                checkpoints = whole("", checkpoints, 1)
        cells = []
        for point in product(*values.values()):
            terms = dict(zip(values, point, strict=True))
            environment = self.environment_at(terms["environment"], terms["means"], terms.pop("arms"))
            terms |= {"means": tuple(environment.means), "runs": runs[terms["policy"]], "checkpoints": checkpoints}
            cell = Cell(**terms).normalised()
            if cell not in scenarios:
                scenarios[cell] = self.scenario_of(cell, environment)
            cells.append(cell)
        return Grid(str(self.fields["id"]), str(self.fields.get("title", "")), tuple(dict.fromkeys(cells)))

    def read_axis(self, axis: Axis) -> list[Any]:
        """An axis as a list of checked values; a bare value stands for a list of one."""
        given = self.fields.get(axis.name, axis.default)
        values = given if isinstance(given, list) else [given]
        if not values:
            raise self.lines.wrong(self.number, axis.name, "must name at least one value, none was given")
        if axis.name == "means" and all(isinstance(item, int | float) for item in values):
            values = [values]
        checked = []
        for value in values:
            with self.lines.blaming(self.number, axis.name, value):
                checked.append(axis.read(value, self.catalogue))
        return checked

    def read_runs(self) -> dict[str, int]:
        """The runs of each policy: by its text, by its name, or "*" for the rest; a bare number is for all."""
        runs, policies = self.fields.get("runs", 100), self.fields["policies"]
        table: dict[str, Any] = runs if isinstance(runs, dict) else {"*": runs}
        for value in table.values():
            with self.lines.blaming(self.number, "runs", value):
                whole("", value, 1)
        if "*" not in table:
            raise self.lines.wrong(self.number, "runs", 'needs an entry "*" for the other policies')
        return {
            str(self.catalogue.policy(text)): int(table.get(text, table.get(text.partition(":")[0], table["*"])))
            for text in (policies if isinstance(policies, list) else [policies])
        }

    def environment_at(self, text: str, means: Any, arms: int) -> Environment[Any]:
        """The environment with these means, or with its own; made once for each."""
        wanted = means_by_rule(means, arms) if isinstance(means, str) else means
        if (text, wanted) not in self.environments:
            with self.lines.blaming(self.number, "environments", text):
                self.environments[text, wanted] = self.catalogue.environment(text, wanted)
        environment = self.environments[text, wanted]
        for name in ("arms", "means"):
            if tuple(environment.means) != wanted and name in self.fields:
                words = f"the environment {text.partition(':')[0]} has means of its own: leave {name} out"
                raise self.lines.wrong(self.number, name, words)
        return environment

    def scenario_of(self, cell: Cell, environment: Environment[Any]) -> Scenario:
        """What the cell plays; raises InputError if its parts do not fit these arms, this horizon or this budget."""
        if cell.share < 1.0 and read_capability(cell.can).share < 1.0:
            raise self.lines.wrong(self.number, "shares", "shares and a share in can cannot both be given")
        if math.isinf(cell.budget) and not cell.capability.limited:
            words = (
                "must be a number of at least 0, not inf: without end only for who is held to some rounds or rewards"
            )
            raise self.lines.wrong(self.number, "budgets", words, cell.budget)
        with self.lines.blaming(self.number, "attacks", fields=FIELDS):
            scenario = cell.scenario(self.catalogue, environment)
            if not cell.clean:
                scenario.adversary.start(np.array(cell.means), cell.horizon)
        return scenario
