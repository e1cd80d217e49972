"""Plain functions made ready for numba: every function they call is compiled and inlined too."""

import warnings
from functools import cache
from types import CellType, FunctionType
from typing import Any

import numba as nb
from numba.core.cpu import CPUTargetOptions

from robandit.lab.compile.fingerprint import names_read

HOME = __name__  # a cached kernel re-imports the module of every function inside it: give all of them one that stays

_PREPARED: dict[tuple[FunctionType, bool], FunctionType] = {}
_COMPILED: dict[tuple[FunctionType, bool], Any] = {}


def inlined(counted: bool) -> dict[str, Any]:
    """Options that make composed code as fast as fused code: inline always, no reference counts, no checks."""
    lean = {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}  # nobody calls them from outside
    return accepted({"forceinline": True, "error_model": "numpy", "_nrt": counted, **lean})


def accepted(options: dict[str, Any]) -> dict[str, Any]:
    """The options this numba knows; one that it has dropped is left out with a warning."""
    return {name: value for name, value in options.items() if is_option(name)}


@cache
def is_option(option: str) -> bool:
    """Whether numba takes an option."""
    exists = option == "cache" or hasattr(CPUTargetOptions, option)
    if not exists:
        warnings.warn(
            f"numba {nb.__version__} no longer knows the option {option}: kernels work but may be slower",
            RuntimeWarning,
            stacklevel=2,
        )
    return exists


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
