"""Claims of a study: a sentence about some cells of a grid, to be weighed when they were played."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from robandit.errors import InputError, unknown
from robandit.study.cell import Cell

SAYS = ("turned", "not-turned", "less-regret")
FIELDS = ("id", "text", "grid", "says", "policies", "where")
COORDINATES = (
    *("environment", "attack", "schedule", "size", "charge", "can", "share", "budget", "horizon", "seed"),
    *("agents", "slate", "arms"),
)


@dataclass(frozen=True)
class Claim:
    """What is said of which cells of a grid."""

    id: str
    text: str
    grid: str
    says: str
    policies: tuple[str, ...] = ()  # all of the grid if none is named; two to be compared
    where: tuple[tuple[str, Any], ...] = ()  # coordinates of the cells it is about

    def fits(self, cell: Cell) -> bool:
        """Whether a cell has the coordinates; nobody's share and budget are 0."""
        nobody = {"share": 0.0, "budget": 0.0} if cell.clean else {}
        known = {**{name: getattr(cell, name, None) for name in COORDINATES}, "arms": len(cell.means), **nobody}
        return all(known[name] == value for name, value in self.where)

    def among(self, cells: Iterable[Cell]) -> list[Cell]:
        """The cells of a grid that it is about."""
        return [cell for cell in cells if cell.policy in (self.policies or (cell.policy,)) and self.fits(cell)]


def read_claim(given: dict[str, Any], grids: dict[str, tuple[Cell, ...]], policy: Callable[[str], Any]) -> Claim:
    """A claim of a spec, checked: it must be about some cells of a grid."""
    for field in given:
        if field not in FIELDS:
            raise unknown("field", field, FIELDS)
    for field in FIELDS[:4]:
        if not isinstance(given.get(field), str):
            raise InputError(f"{field} must be text, not {given.get(field)!r}")
    if given["grid"] not in grids:
        raise unknown("grid", given["grid"], grids)
    if given["says"] not in SAYS:
        raise unknown("says", given["says"], SAYS)
    where, names = given.get("where", {}), given.get("policies", [])
    for name in where:
        if name not in COORDINATES:
            raise unknown("coordinate", name, COORDINATES)
    policies = tuple(str(policy(name)) for name in (names if isinstance(names, list) else [names]))
    claim = Claim(given["id"], given["text"], given["grid"], given["says"], policies, tuple(where.items()))
    known = {cell.policy for cell in grids[claim.grid] if claim.fits(cell)}
    if not known or not set(policies) <= known:
        raise InputError(
            f"no cell of grid {claim.grid} has {where or 'these coordinates'}"
            + (f" and is played by {', '.join(sorted(set(policies) - known))}" if known else "")
        )
    if claim.says == "less-regret" and len(policies) != 2:
        raise InputError(f"less-regret compares two policies, not {len(policies)}: the first is said to have less")
    return claim
