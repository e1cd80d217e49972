"""The code this process runs: each module's text as it was when it was loaded, and a user's file as a module.

A file that is edited later does not change what runs here, so it must not change what a result is filed under.
"""

import ast
import hashlib
import importlib
import importlib.util
import sys
import sysconfig
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from types import ModuleType

from robandit.errors import InputError

APART = ("robandit.errors", "robandit.catalogue", "robandit.sources")  # change what is said, never what is computed
INSTALLED = tuple(sysconfig.get_paths()[name] for name in ("stdlib", "purelib", "platlib"))
PARSING = threading.Lock()  # CPython 3.11 counts the depth of a tree for all threads together
_TEXTS: dict[ModuleType, str | None] = {}
_LOADED: dict[str, ModuleType] = {}  # a user's files by path and content


def text_of(module: ModuleType) -> str | None:
    """A module's text as it was when it was first read, None where there is none to read."""
    if module not in _TEXTS:
        ours = [one for name, one in sys.modules.copy().items() if name.partition(".")[0] == "robandit"]
        for one in (module, *ours):  # all of ours at once, before an update of the package can come between
            if one not in _TEXTS:
                _TEXTS[one] = read(one)
    return _TEXTS[module]


def read(module: ModuleType) -> str | None:
    """What a module's file says now."""
    file = getattr(module, "__file__", None) or ""
    try:
        return importlib.util.decode_source(Path(file).read_bytes()) if file.endswith(".py") else None
    except (OSError, SyntaxError, UnicodeDecodeError):
        return None


@cache
def syntax(text: str) -> tuple[str, tuple[str, ...]]:
    """Code without comments and docstrings, and the names of the modules it may import."""
    with PARSING:
        tree = ast.parse(text)
    imported: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            imported += [node.module, *(f"{node.module}.{item.name}" for item in node.names)]
        if isinstance(node, ast.Import):
            imported += [item.name for item in node.names]
        body = getattr(node, "body", None)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and isinstance(body, list):
            described = body and isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
            node.body = (body[1:] if described else body) or [ast.Pass()]
    return ast.unparse(tree), tuple(imported)


@cache
def reached(module: ModuleType) -> frozenset[ModuleType]:
    """The module and every one of ours or the user's that it imports, directly or not; worked out once."""
    seen: set[ModuleType] = set()
    todo = [module]
    while todo:
        one = todo.pop()
        if one not in seen and not one.__name__.startswith(APART):
            seen.add(one)
            todo.extend(written_here(syntax(text_of(one) or "")[1]))
    return frozenset(seen)


def written_here(names: tuple[str, ...]) -> Iterator[ModuleType]:
    """The modules among some names that are part of robandit or a user's own, not an installed library's."""
    for name in names:
        if name.startswith("robandit."):
            with suppress(ModuleNotFoundError):  # a function or class imported from a module
                importlib.import_module(name)  # one that is imported only when needed counts all the same
        module = sys.modules.get(name)
        file = getattr(module, "__file__", None) or ""
        if module is not None and file and (name.startswith("robandit") or not file.startswith(INSTALLED)):
            yield module


def load_module(path: str) -> ModuleType:
    """A Python file as a module: the same one as before if it and the files it imports still say the same."""
    file = Path(path).resolve()
    if not file.is_file():
        raise InputError(f"must name a Python file, and there is none at {path!r}")
    if file.suffix != ".py":
        raise InputError(f"must name a Python file, and {path!r} does not end in .py")
    forget_edited()
    content = file.read_bytes()
    digest = hashlib.sha256(str(file).encode() + b"\0" + content).hexdigest()[:12]
    loaded = _LOADED.get(digest)
    if loaded is not None and all(sys.modules.get(one.__name__) is one for one in reached(loaded)):
        return loaded
    name = f"robandit_loaded_{digest}_{file.stem}"
    while name in sys.modules:  # the same text with another helper: classes of both may be in use
        name += "_again"
    module = ModuleType(name)
    module.__file__ = str(file)
    sys.modules[name] = module  # dataclasses look themselves up there
    try:
        exec(compile(content, str(file), "exec"), vars(module))  # not by the import system: its cache goes by the clock
    except Exception as error:
        del sys.modules[name]
        raise InputError(f"{path}: {type(error).__name__}: {error}") from error
    _TEXTS[module] = importlib.util.decode_source(content)
    reached(module)  # what it imports is read now, not when it is first used
    _LOADED[digest] = module
    return module


def forget_edited() -> None:
    """Let the next import read a user's module anew if it was edited since; those who hold it keep the old one."""
    for module, text in _TEXTS.items():
        name = module.__name__
        loaded = not name.startswith(("robandit", "__main__")) and sys.modules.get(name) is module
        if loaded and read(module) != text:
            Path(importlib.util.cache_from_source(str(module.__file__))).unlink(missing_ok=True)
            del sys.modules[name]
