"""Claims of a study: a sentence about some cells of a grid, to be weighed when they were played."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from robandit.errors import InputError, unknown
from robandit.study.axes import COORDINATES
from robandit.study.cell import Cell

SAYS = ("fooled", "not-fooled", "less-regret")
BEFORE = {"turned": "fooled", "not-turned": "not-fooled"}  # how specs of the first version say it
FIELDS = ("id", "text", "grid", "says", "policies", "where")
PLACES = tuple(name for name in COORDINATES if name != "means")  # the coordinates that `where` may name


@dataclass(frozen=True)
class StudyClaim:
    """What is said of which cells of a grid."""

    id: str
    text: str
    grid: str
    says: str
    policies: tuple[str, ...] = ()  # all of the grid if none is named; two to be compared
    where: tuple[tuple[str, Any], ...] = ()  # coordinates of the cells it is about

    def fits(self, cell: Cell) -> bool:
        """Whether a cell has the coordinates; without an attacker share and budget are 0."""
        nobody = {"share": 0.0, "budget": 0.0} if cell.clean else {}
        return all(nobody.get(name, getattr(cell, name)) == value for name, value in self.where)

    def among(self, cells: Iterable[Cell]) -> list[Cell]:
        """The cells of a grid that it is about."""
        return [cell for cell in cells if cell.policy in (self.policies or (cell.policy,)) and self.fits(cell)]


def read_claim(fields: dict[str, Any], grids: dict[str, tuple[Cell, ...]], policy: Callable[[str], Any]) -> StudyClaim:
    """A claim of a spec, checked; raises InputError unless it is about some cells of a grid."""
    for name in fields:
        if name not in FIELDS:
            raise unknown("field", name, FIELDS)
    for name in FIELDS[:4]:
        if not isinstance(fields.get(name), str):
            raise InputError(f"{name} must be text, not {fields.get(name)!r}")
    if fields["grid"] not in grids:
        raise unknown("grid", fields["grid"], grids)
    says = BEFORE.get(fields["says"], fields["says"])
    if says not in SAYS:
        raise unknown("says", says, SAYS)
    where, names = fields.get("where", {}), fields.get("policies", [])
    for name in where:
        if name not in PLACES:
            raise unknown("coordinate", name, PLACES)
    policies = tuple(str(policy(name)) for name in (names if isinstance(names, list) else [names]))
    claim = StudyClaim(fields["id"], fields["text"], fields["grid"], says, policies, tuple(where.items()))
    players = {cell.policy for cell in grids[claim.grid] if claim.fits(cell)}
    if not players or not set(policies) <= players:
        raise InputError(
            f"no cell of grid {claim.grid} has {where or 'these coordinates'}"
            + (f" and is played by {', '.join(sorted(set(policies) - players))}" if players else "")
        )
    if claim.says == "less-regret" and len(policies) != 2:
        raise InputError(f"less-regret compares two policies, not {len(policies)}: the first is said to have less")
    return claim
