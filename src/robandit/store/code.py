"""A hash of the code that determines a result: a changed policy reruns only its own cells.

The code is what the parts' modules said when they were loaded, and every module of ours or the user's that they
import, as syntax: comments, docstrings and layout do not count. A class without readable text, as in a notebook,
is known by its bytecode.
"""

import hashlib
import importlib
import sys
from functools import cache
from types import FunctionType
from typing import Any, Generic

from robandit.lab.compile.fingerprint import fingerprint
from robandit.parts import Part
from robandit.sources import reached, syntax, text_of

LOOP = [f"lab.{name}" for name in ("play", "bill", "counts", "parts", "runner", "scenario", "trace", "turns")]
LOOP += ["dice", "game", "parts", "numerics", "layout", "schedule", "adversaries.nobody"]


def code_hash(*parts: Part | None) -> str:
    """A digest of the code behind some parts, those nested in them, and the loop that plays them."""
    return hash_of(frozenset[type]().union(*map(classes_of, parts)))


def classes_of(part: Any) -> frozenset[type]:
    """The classes a part and the parts inside it are made of."""
    if not isinstance(part, Part):
        return frozenset()
    inside = [getattr(part, name) for name in part.__dataclass_fields__ if hasattr(part, name)]
    own = (cls for cls in type(part).__mro__ if cls not in (object, Generic))
    return frozenset(own).union(*map(classes_of, inside))


@cache
def hash_of(classes: frozenset[type]) -> str:
    """A digest of some classes' code and the loop's; a class stands for what was loaded, so this never changes."""
    loop = {code for name in LOOP for code in code_in(importlib.import_module(f"robandit.{name}"))}
    return digest(loop.union(*map(code_behind, classes)))


def module_hash(name: str) -> str:
    """A digest of a module's code and of all it imports."""
    return digest(code_in(*reached(importlib.import_module(name))))


def texts_hash(names: tuple[str, ...]) -> str:
    """A digest of the code of some modules of the package, without what they import."""
    return digest(code_in(*(importlib.import_module(f"robandit.{name}") for name in names)))


def digest(texts: set[str]) -> str:
    """Sixteen digits for some code, in whatever order and files it lies."""
    return hashlib.sha256("\n".join(sorted(texts)).encode()).hexdigest()[:16]


def code_in(*modules: Any) -> set[str]:
    """The code of some modules."""
    return {syntax(text_of(module) or "")[0] for module in modules}


def code_behind(cls: type) -> set[str]:
    """The code a class reaches: by its module's text, or by its own bytecode where that text is not the class's."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if module is None or text_of(module) is None or any(one.__code__.co_filename != file for one in methods(cls)):
        return {bytecode(cls)}
    return code_in(*reached(module))


def methods(cls: type) -> list[FunctionType]:
    """The functions written in a class, not those a decorator put there."""
    return [value for name, value in vars(cls).items() if isinstance(value, FunctionType) and name[:2] != "__"]


def bytecode(cls: type) -> str:
    """A fingerprint of a class's methods and constants, and of the functions and states they reach."""
    own = methods(cls)
    named = [value for one in own for name, value in one.__globals__.items() if name in one.__code__.co_names]
    states = [value for value in named if isinstance(value, type) and value.__module__ == cls.__module__]
    plain = [(name, value) for name, value in vars(cls).items() if isinstance(value, bool | int | float | str)]
    constants = sorted(repr(pair) for pair in plain if pair[0][:2] != "__")
    return fingerprint([*own, *(one for state in states for one in methods(state))], [cls.__qualname__, *constants])
