"""How a dataclass of the game is laid out for the compiler: which fields cross, in which order, as which type."""

from dataclasses import dataclass, fields, is_dataclass
from typing import Any, get_args

import numpy as np

from robandit.errors import PartError
from robandit.game import Adversary, Environment, Policy
from robandit.parts import Part, Word, hints_of
from robandit.schedule import Schedule

SCALARS = {bool: "bool", int: "int64", float: "float64", np.int64: "int64", np.float64: "float64", np.bool_: "bool"}
# marks a field of a state that follows from the others: a kernel sees it, a saved state does not hold it
SCRATCH = {"scratch": True}


@dataclass(frozen=True)
class Layout:
    """The crossing fields of one object; two objects with equal layouts share compiled code."""

    cls: type
    items: tuple[tuple[str, "str | Layout"], ...]

    def describe(self) -> str:
        """Every name, order and type that compiled code depends on."""
        inside = (f"{name}:{kind if isinstance(kind, str) else kind.describe()}" for name, kind in self.items)
        return f"{self.cls.__module__}.{self.cls.__qualname__}({','.join(inside)})"

    def kinds(self) -> dict[str, Any]:
        """Every saved field's name and type, without the classes' names."""
        return {name: kind if isinstance(kind, str) else kind.kinds() for name, kind in self.saved}

    @property
    def saved(self) -> tuple[tuple[str, "str | Layout"], ...]:
        """The fields that a saved state holds: all but the scratch, which follows from them."""
        follows = {item.name for item in fields(self.cls) if item.metadata == SCRATCH}
        return tuple((name, kind) for name, kind in self.items if name not in follows)


@dataclass(frozen=True)
class Fresh:
    """A state or memory as it was before round one, for a loop to copy from."""

    value: Any


def layout_of(value: Any) -> Layout:
    """The layout of a part, a state or a memory, read from its annotations and its arrays."""
    hints = hints_of(type(value))
    items = []
    for item in fields(value):
        kind = kind_of(getattr(value, item.name), hints[item.name])
        if kind is not None:
            items.append((item.name, kind))
    return Layout(type(value), tuple(items))


def kind_of(value: Any, hint: Any) -> "str | Layout | None":
    """The compiled type of one field; None for what stays outside (text, None, tuples, other parts)."""
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise PartError(f"an array of shape {value.shape} is not contiguous: make it with .copy()")
        return f"{value.dtype}[{value.ndim}]"
    if np.uint64 in get_args(hint):
        return "uint64"
    if hint in SCALARS:
        return SCALARS[hint]
    if isinstance(value, Word):
        return "int64"
    if isinstance(value, Schedule) and not value.watches:
        return Layout(Schedule, ())  # its rounds lie in its memory, so that all timetables share compiled code
    if isinstance(value, Policy | Environment | Adversary | Schedule) or (
        is_dataclass(value) and not isinstance(value, Part)
    ):
        return layout_of(value)
    return None


def pack(value: Any, layout: Layout) -> tuple[Any, ...]:
    """The object's crossing fields as nested plain tuples, scalars as exact machine types."""
    out: list[Any] = []
    for name, kind in layout.items:
        field = getattr(value, name)
        if isinstance(kind, Layout):
            out.append(pack(field, kind))
        elif kind.endswith("]"):
            out.append(field)
        else:
            out.append(np.dtype(kind).type(field))
    return tuple(out)


def scalars_of(value: Any, layout: Layout) -> tuple[Any, ...]:
    """The object's scalars as nested tuples, in layout order; its arrays live outside and are left out."""
    out: list[Any] = []
    for name, kind in layout.items:
        if isinstance(kind, Layout):
            out.append(scalars_of(getattr(value, name), kind))
        elif not kind.endswith("]"):
            out.append(getattr(value, name))
    return tuple(out)


def set_scalars(value: Any, layout: Layout, scalars: tuple[Any, ...]) -> None:
    """Write the scalars that came back from a kernel into the object."""
    values = iter(scalars)
    for name, kind in layout.items:
        if isinstance(kind, Layout):
            set_scalars(getattr(value, name), kind, next(values))
        elif not kind.endswith("]"):
            setattr(value, name, plain(next(values), kind))


def restore_fields(value: Any, layout: Layout, fresh: Any) -> None:
    """Put the object back to what another of its layout holds, its arrays in place."""
    for name, kind in layout.items:
        saved = getattr(fresh, name)
        if isinstance(kind, Layout):
            restore_fields(getattr(value, name), kind, saved)
        elif kind.endswith("]"):
            getattr(value, name)[...] = saved
        else:
            setattr(value, name, plain(saved, kind))


def plain(scalar: Any, kind: str) -> Any:
    """A machine scalar as the Python number its field holds."""
    return bool(scalar) if kind == "bool" else float(scalar) if kind.startswith("float") else int(scalar)
