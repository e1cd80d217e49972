"""A hash of the code that determines a result: a changed policy reruns only its own cells.

The code is what the parts' modules say, and every module of ours or the user's that they import, as syntax:
comments, docstrings and layout do not count.
"""

import ast
import hashlib
import importlib
import inspect
import sys
import sysconfig
from functools import cache
from typing import Any

from robandit.parts import Part

LOOP = ("dice", "game", "parts", "numerics", "lab.play", "lab.counts", "lab.table", "lab.trace")
APART = ("robandit.errors", "robandit.catalogue")  # change what is said, never what is computed


@cache
def syntax(module: str) -> tuple[str, tuple[str, ...]]:
    """A module's code without comments and docstrings, and the modules it imports that are ours or the user's."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    imported: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            imported.append(node.module)
        if isinstance(node, ast.Import):
            imported += [name.name for name in node.names]
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and isinstance(body, list):
            described = body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
            node.body = (body[1:] if described else body) or [ast.Pass()]
    return ast.unparse(tree), tuple(name for name in imported if written_here(name))


def written_here(name: str) -> bool:
    """Whether a module is part of robandit or a user's own file, not an installed library."""
    if name.startswith("robandit"):
        return True
    file = getattr(sys.modules.get(name), "__file__", None) or ""
    installed = (sysconfig.get_paths()["stdlib"], sysconfig.get_paths()["purelib"], sysconfig.get_paths()["platlib"])
    return file.endswith(".py") and not file.startswith(installed)


@cache
def reached(module: str) -> frozenset[str]:
    """The module and every one of ours or the user's that it imports, directly or not."""
    seen: set[str] = set()
    todo = [module]
    while todo:
        name = todo.pop()
        if name in seen or name.startswith(APART):
            continue
        seen.add(name)
        todo.extend(syntax(name)[1])
    return frozenset(seen)


@cache
def hash_of(modules: frozenset[str]) -> str:
    """A digest of some modules' code."""
    return hashlib.sha256("\n".join(syntax(name)[0] for name in sorted(modules)).encode()).hexdigest()[:16]


def code_hash(*parts: Part | None) -> str:
    """A digest of the code behind some parts, those nested in them, and the loop that plays them."""
    modules = {f"robandit.{name}" for name in LOOP}
    for part in parts:
        modules |= modules_of(part)
    return hash_of(frozenset(modules))


def modules_of(part: Any) -> set[str]:
    """The modules behind a part and the parts inside it."""
    if not isinstance(part, Part):
        return set()
    inside = [getattr(part, name) for name in part.__dataclass_fields__ if hasattr(part, name)]
    return set(reached(type(part).__module__)).union(*(modules_of(value) for value in inside))
