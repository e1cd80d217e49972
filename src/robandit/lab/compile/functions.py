"""Plain functions made ready for the compiler, and a fingerprint of all the code they reach."""

import hashlib
import warnings
from functools import cache
from types import CellType, CodeType, FunctionType, ModuleType
from typing import Any

import numba as nb
import numpy as np
from numba.core.cpu import CPUTargetOptions

HOME = __name__  # a cached kernel re-imports the module of every function inside it: give all of them one that stays
OUTSIDE = {"start", "notes", "parameters", "name", "late", "waived"}  # methods that never run compiled

_PREPARED: dict[tuple[FunctionType, bool], FunctionType] = {}
_COMPILED: dict[tuple[FunctionType, bool], Any] = {}


def inlined(counted: bool) -> dict[str, Any]:
    """Options that make composed code as fast as fused code: inline always, no reference counts, no checks."""
    lean = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # nobody calls them from outside
    return accepted({"forceinline": True, "error_model": "numpy", "_nrt": counted, **lean})


def accepted(options: dict[str, Any]) -> dict[str, Any]:
    """The options this numba knows; one that it has dropped is told, and done without."""
    return {name: value for name, value in options.items() if known(name)}


@cache
def known(option: str) -> bool:
    """Whether numba takes an option."""
    found = option == "cache" or hasattr(CPUTargetOptions, option)
    if not found:
        warnings.warn(
            f"numba {nb.__version__} no longer knows the option {option}: kernels work but may be slower",
            RuntimeWarning,
            stacklevel=2,
        )
    return found


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
    found: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        found.update(vars(base))
    return {name: value for name, value in found.items() if not name.startswith("__") and name not in OUTSIDE}


def names_read(code: CodeType) -> set[str]:
    """Names a code object may look up outside itself, nested code included."""
    nested = (names_read(constant) for constant in code.co_consts if isinstance(constant, CodeType))
    return set(code.co_names).union(*nested)


def prepared(function: FunctionType, counted: bool) -> FunctionType:
    """A copy of a function in which every plain function it calls is compiled and inlined."""
    if (function, counted) not in _PREPARED:
        space: dict[str, Any] = {"__builtins__": __builtins__, "__name__": HOME}
        cells = tuple(CellType(ready(cell.cell_contents, counted)) for cell in function.__closure__ or ())
        copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__, cells)
        copy.__module__ = HOME
        _PREPARED[function, counted] = copy
        for name in names_read(function.__code__) & function.__globals__.keys():
            space[name] = ready(function.__globals__[name], counted)
    return _PREPARED[function, counted]


def ready(value: Any, counted: bool) -> Any:
    """A plain function as its compiled self, anything else as it is."""
    if not isinstance(value, FunctionType):
        return value
    if (value, counted) not in _COMPILED:
        _COMPILED[value, counted] = nb.njit(**inlined(counted))(prepared(value, counted))
    return _COMPILED[value, counted]


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
