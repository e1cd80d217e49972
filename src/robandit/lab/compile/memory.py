"""How objects and arguments lie in memory where compiled code reads them: natural alignment, arrays as numba has them.

A kind is the name of a scalar, an array such as `float64[2]`, the layout of an object, or a tuple of kinds.
"""

import struct
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from robandit.layout import Fresh, Layout, plain

FORMATS = {"bool": "?", "int64": "q", "float64": "d", "uint64": "Q", "pointer": "Q"}
Kind = Any  # str | Layout | Named | tuple of kinds


@dataclass(frozen=True)
class Named:
    """The kind of a named tuple; its names are part of what compiled code depends on."""

    cls: Any = field(repr=False)
    names: tuple[str, ...]
    kinds: tuple[Kind, ...]


def named(cls: Any, kinds: tuple[Kind, ...]) -> Kind:
    """The kind of a tuple of this class, plain or named."""
    return Named(cls, cls._fields, kinds) if hasattr(cls, "_fields") else kinds


def kind_of_argument(value: Any) -> Kind:
    """The kind of an argument of a loop; an object to copy from is pointed to."""
    if isinstance(value, Fresh):
        return "pointer"
    if isinstance(value, tuple):
        return named(type(value), tuple(kind_of_argument(inner) for inner in value))
    if isinstance(value, np.ndarray):
        if not value.flags.c_contiguous:
            raise NotImplementedError("an array that is not contiguous")
        return f"{value.dtype}[{value.ndim}]"
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, np.uint64):
        return "uint64"
    return "int64" if isinstance(value, int | np.integer) else "float64"


def members(kind: Kind) -> list[tuple[str, Kind]]:
    """What a compound kind is made of, by name or number."""
    if isinstance(kind, Layout):
        return list(kind.items)
    return [(str(place), inner) for place, inner in enumerate(kind.kinds if isinstance(kind, Named) else kind)]


@cache
def measure(kind: Kind) -> tuple[int, int]:
    """Size and alignment in bytes."""
    if not isinstance(kind, str):
        end, wide = 0, 1
        for _, inner, place in places(kind):
            size, align = measure(inner)
            end, wide = place + size, max(wide, align)
        return -(-end // wide) * wide, wide
    if kind.endswith("]"):
        return 8 * (5 + 2 * dimensions(kind)), 8
    size = struct.calcsize(FORMATS[kind])
    return size, size


@cache
def places(kind: Kind) -> tuple[tuple[str, Kind, int], ...]:
    """Name, kind and offset of each member of a compound kind."""
    offsets, place = [], 0
    for name, inner in members(kind):
        size, align = measure(inner)
        place = -(-place // align) * align
        offsets.append((name, inner, place))
        place += size
    return tuple(offsets)


def dimensions(kind: str) -> int:
    """Of an array."""
    return int(kind.partition("[")[2][:-1])


def block_of(value: Any, kind: Kind) -> Any:
    """A value in memory of its own; arrays are pointed to, so `value` must stay alive."""
    block = np.zeros(measure(kind)[0] // 8 + 1, np.int64)
    write(block.view(np.uint8).data, 0, value, kind)
    return block


def write(buffer: Any, begin: int, value: Any, kind: Kind) -> None:
    """Write a value into memory, member by member."""
    for place, (name, inner, offset) in enumerate(places(kind)):
        member = getattr(value, name) if isinstance(kind, Layout) else value[place]
        if not isinstance(inner, str):
            write(buffer, begin + offset, member, inner)
        elif inner.endswith("]"):
            words = (0, 0, member.size, member.itemsize, member.ctypes.data, *member.shape, *member.strides)
            struct.pack_into(f"{len(words)}q", buffer, begin + offset, *words)
        else:
            struct.pack_into(FORMATS[inner], buffer, begin + offset, member)


def read_scalars(block: Any, value: Any, layout: Layout, begin: int = 0) -> None:
    """Write the scalars that compiled code left in memory into the object; its arrays were written in place."""
    for name, kind, offset in places(layout):
        if isinstance(kind, Layout):
            read_scalars(block, getattr(value, name), kind, begin + offset)
        elif not kind.endswith("]"):
            (scalar,) = struct.unpack_from(FORMATS[kind], block.view(np.uint8).data, begin + offset)
            setattr(value, name, plain(scalar, kind))
