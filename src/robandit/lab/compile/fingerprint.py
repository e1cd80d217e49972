"""A name for compiled code that changes whenever any code, constant, layout or version it was made from changes."""

import hashlib
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, PolicyInTeam, PolicyInWords, PolicyOnline
from robandit.lab.bill import Bill
from robandit.layout import Layout
from robandit.version import __version__

HERE = Path(__file__).parent
OUTSIDE = {"start", "parameters", "name", "reads_note", "direction"}  # members that never run compiled
OUTSIDE |= {name for group in (PolicyOnline, PolicyInTeam, PolicyInWords) for name in vars(group)}


def methods_of(cls: type) -> dict[str, FunctionType]:
    """The plain methods of a class, its bases included, that may run compiled."""
    return {name: value for name, value in members_of(cls).items() if isinstance(value, FunctionType)}


def properties_of(cls: type) -> dict[str, FunctionType]:
    """The functions behind a class's properties, its bases included, that may run compiled."""
    return {
        name: value.fget
        for name, value in members_of(cls).items()
        if isinstance(value, property) and isinstance(value.fget, FunctionType)
    }


def members_of(cls: type) -> dict[str, Any]:
    """What a class and its bases define by name, the nearest definition first, but for what stays outside."""
    members: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        members.update(vars(base))
    return {name: value for name, value in members.items() if not name.startswith("__") and name not in OUTSIDE}


def names_read(code: CodeType) -> set[str]:
    """Names a code object may look up outside itself, nested code included."""
    nested = (names_read(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*nested)


def fingerprint(roots: list[FunctionType], extra: list[str]) -> str:
    """A name for compiled code that changes whenever any code or constant it was made from changes."""
    digest = hashlib.sha256()
    seen: set[FunctionType] = set()
    modules: set[tuple[str, str]] = set()  # what was read of a module: two functions may read different names of it

    def add(*things: Any) -> None:
        digest.update(repr(things).encode())

    def read_code(code: CodeType) -> None:
        add(code.co_code, code.co_names, code.co_varnames, code.co_argcount)
        for constant in code.co_consts:
            read_code(constant) if isinstance(constant, CodeType) else add(constant)

    def read(function: FunctionType) -> None:
        if function in seen:
            return
        seen.add(function)
        read_code(function.__code__)
        add(function.__defaults__)
        names = names_read(function.__code__)
        for name in sorted(names & function.__globals__.keys()):
            read_value(name, function.__globals__[name], names)
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            read_value(name, cell.cell_contents, names)

    def read_value(name: str, value: Any, names: set[str]) -> None:
        value = getattr(value, "py_func", value)  # a function the user compiled already
        if isinstance(value, FunctionType):
            read(value)
        elif isinstance(value, ModuleType):
            for inner in sorted(names & vars(value).keys()):
                if (value.__name__, inner) not in modules:
                    modules.add((value.__name__, inner))
                    read_value(f"{name}.{inner}", vars(value)[inner], names)
        elif isinstance(value, np.ndarray):
            add(name, value.dtype.str, value.shape, value.tobytes())
        elif isinstance(value, type):
            members = {key: repr(inner) for key, inner in vars(value).items() if key in names}
            add(name, value.__qualname__, getattr(value, "_fields", ""), sorted(members.items()))
        elif callable(value) and hasattr(value, "__qualname__"):
            add(name, getattr(value, "__module__", ""), value.__qualname__)  # a library's function
        else:
            add(name, repr(value))  # an address in it means a new name in every process: slow, never stale

    add(*extra)
    for root in roots:
        read(root)
    return digest.hexdigest()[:24]


def code_of(cls: type) -> list[FunctionType]:
    """The methods and properties of a class that a kernel may reach, in a fixed order."""
    return [method for _, method in sorted({**methods_of(cls), **properties_of(cls)}.items())]


@cache
def common() -> tuple[str, ...]:
    """What every name depends on: the compiler's own text and the versions."""
    texts = [path.read_text() for path in (*sorted(HERE.glob("*.py")), HERE.parents[1] / "layout.py")]
    versions = [__version__, version("numba"), version("llvmlite"), np.__version__, sys.version, str(Choice._fields)]
    return (*texts, *versions)


def name_of(layouts: dict[str, Layout], extra: tuple[str, ...]) -> str:
    """A name for code made from objects by role, and from some texts."""
    reached = {cls for layout in layouts.values() for cls in classes_in(layout)} | {Random, Bill}
    classes = sorted(reached, key=lambda cls: (cls.__module__, cls.__qualname__))
    constants = [
        repr(sorted((key, value) for key, value in vars(cls).items() if isinstance(value, bool | int | float)))
        for cls in classes
    ]
    described = [f"{role} {layout.describe()}" for role, layout in layouts.items()]
    roots = [method for cls in classes for method in code_of(cls)]
    return fingerprint(roots, [*extra, *described, *constants, *common()])


def classes_in(layout: Layout) -> list[type]:
    """The class of a layout, its bases (for their constants) and those of the objects nested in it."""
    nested = [cls for _, kind in layout.items if isinstance(kind, Layout) for cls in classes_in(kind)]
    return [cls for cls in layout.cls.__mro__ if cls is not object] + nested
