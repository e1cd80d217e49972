"""Plain number-crunching functions as machine code, for the rooms above that may not know numba."""

from collections.abc import Callable
from functools import cache
from types import FunctionType
from typing import Any

import numba as nb

from robandit.lab.compile.functions import ready


@cache
def machine_code(function: FunctionType) -> Callable[..., Any]:
    """The function compiled on first use, without the interpreter lock; the functions it calls are inlined."""
    space = function.__globals__
    for name in function.__code__.co_names:
        if isinstance(space.get(name), FunctionType):
            space = {**space, name: ready(space[name], True)}
    copy = FunctionType(function.__code__, space, function.__name__, function.__defaults__)
    compiled: Callable[..., Any] = nb.njit(nogil=True, error_model="numpy")(copy)
    return compiled
