"""Kernels: a loop compiled for one combination of parts, kept on disk, never stale.

A loop is any module of plain functions with one entry. Its functions named `open_ROLE`, `restore_ROLE` and
`close_ROLE` are seams where a part's code is put in; the others are helpers, and what it imports besides is only
`Random` and `Choice`: its text and the parts' code are all there is to it. The module's source is copied into
the cache folder under a name that is a fingerprint of all code it reaches and of the versions that compile it;
numba's own cache then works beside that copy.
"""

import importlib.util
import os
import re
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numba as nb
import numpy as np
from numba.core.errors import NumbaError

from robandit.dice import Random
from robandit.errors import CompileError, InputError
from robandit.game import Choice
from robandit.lab.compile.functions import accepted, code_of, fingerprint, inlined, ready
from robandit.lab.compile.opened import opened_type, opener
from robandit.layout import Layout, layout_of
from robandit.parts import Part
from robandit.version import __version__

HERE = Path(__file__).parent
PACKAGE = HERE.parents[1]
SEAMS = ("open_", "restore_", "close_")
COMPLAINTS = (
    "Unknown attribute|Untyped global|Use of unsupported|No implementation|Cannot|Invalid use|Unsupported|NameError"
)
KEPT = 400  # kernels on disk; the longest unused go first

Layouts = dict[str, Layout]  # by role
_KERNELS: dict[Any, Any] = {}
_LOCK = threading.RLock()


def cache_folder() -> Path:
    """Where kernels are kept: ROBANDIT_CACHE, or the user's cache folder."""
    base = os.environ.get("ROBANDIT_CACHE")
    return Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "robandit"


def kernel_for(entry: Callable[..., Any], parts: dict[str, Any], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The compiled loop that begins with `entry`, for these parts by role, ready for arguments like these."""
    layouts = {role: layout_of(part) for role, part in parts.items()}
    key = (entry, *layouts.items())
    if key not in _KERNELS:  # a kernel that is there never waits for one that is being built
        with _LOCK:
            if key not in _KERNELS:
                _KERNELS[key] = build(entry, layouts, arguments)
    kernel: Callable[..., Any] = _KERNELS[key]
    return kernel


def built() -> tuple[int, int]:
    """How many kernels this process compiled, and how many it found in the cache."""
    found = sum(1 for kernel in list(_KERNELS.values()) if sum(kernel.stats.cache_hits.values()))
    return len(_KERNELS) - found, found


def build(entry: Any, layouts: Layouts, arguments: tuple[Any, ...]) -> Any:
    """Compile or load a kernel: first without reference counts, then with them for a part that allocates."""
    name = kernel_name(entry, layouts)
    folder = cache_folder() / name
    counted_mark = folder / "counts-references"
    signature = tuple(nb.typeof(argument) for argument in arguments)
    try:
        if not counted_mark.exists():
            with suppress(NumbaError, NotImplementedError, AssertionError):
                return compiled(load(folder, name, entry, layouts, counted=False), signature, counted=False)
        kernel = compiled(load(folder, name, entry, layouts, counted=True), signature, counted=True)
        counted_mark.touch()
    except OSError as error:
        raise InputError(
            f"the kernel cache {folder.parent} cannot be written; set ROBANDIT_CACHE to a folder"
        ) from error
    except (NumbaError, NotImplementedError, AssertionError) as error:
        names = ", ".join(layout.cls.__name__ for role, layout in layouts.items() if issubclass(layout.cls, Part))
        raise CompileError(
            f"could not compile {names or entry.__name__}: {told_shortly(error)}; engine plain plays without compiling"
        ) from error
    return kernel


def told_shortly(error: BaseException) -> str:
    """The heart of numba's long message: the innermost complaint and the line it is about."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    complaints = [line for line in lines if re.match(COMPLAINTS, line) and "<function resolve" not in line]
    complaint = complaints[-1] if complaints else lines[0] if lines else type(error).__name__
    places = [line.rstrip(":") for line in lines if line.startswith("File ") and written_by_user(line)]
    where = f" ({places[-1]})" if places else ""
    return f"{complaint}{where}; methods may use numbers, loops, math, arrays and functions of the same kind"


def written_by_user(line: str) -> bool:
    """Whether a line such as `File "mine.py", line 3` is about a file that is neither ours, nor numba's, nor a copy."""
    path = line.partition('"')[2].partition('"')[0]
    folders = (PACKAGE, Path(nb.__file__).parent, cache_folder())
    return not any(Path(path).resolve().is_relative_to(folder.resolve()) for folder in folders)


def kernel_name(entry: Any, layouts: Layouts) -> str:
    """A name for the kernel that changes with any code, layout or version it was made from."""
    classes = sorted(
        {inner for layout in layouts.values() for inner in classes_in(layout)} | {Random},
        key=lambda cls: cls.__qualname__,
    )
    roots = [method for cls in classes for method in code_of(cls)]
    texts = [*sorted(HERE.glob("*.py")), PACKAGE / "layout.py", file_of(sys.modules[entry.__module__])]
    sources = [path.read_text() for path in texts]
    constants = [
        repr(sorted((key, value) for key, value in vars(cls).items() if isinstance(value, bool | int | float)))
        for cls in classes
    ]
    versions = [__version__, nb.__version__, np.__version__, sys.version, str(Choice._fields)]
    described = [f"{role} {layout.describe()}" for role, layout in layouts.items()]
    return "kernel_" + fingerprint(roots, [entry.__name__, *described, *constants, *sources, *versions])


def file_of(loop: ModuleType) -> Path:
    """Where a loop's text stands."""
    assert loop.__file__ is not None
    return Path(loop.__file__)


def helpers_of(loop: ModuleType, entry: str) -> dict[str, FunctionType]:
    """The plain functions a loop's module defines, but for its entry and its seams."""
    return {
        name: value
        for name, value in vars(loop).items()
        if isinstance(value, FunctionType) and value.__module__ == loop.__name__ and name != entry
        if not name.startswith(SEAMS)
    }


def classes_in(layout: Layout) -> list[type]:
    """The class of a layout, its bases (for their constants) and those of the objects nested in it."""
    nested = [cls for _, kind in layout.items if isinstance(kind, Layout) for cls in classes_in(kind)]
    return [cls for cls in layout.cls.__mro__ if cls is not object] + nested


def load(folder: Path, name: str, entry: Any, layouts: Layouts, counted: bool) -> Any:
    """The entry of the loop's own copy as a module, with the parts' code put into its seams."""
    path = folder / f"{name}{'_counted' if counted else ''}.py"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        prune(folder.parent)
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_bytes(file_of(sys.modules[entry.__module__]).read_bytes())
        draft.replace(path)
    os.utime(folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    for role, layout in {**layouts, "random": layout_of(Random(0, 0, 0, 0))}.items():
        seams = {
            f"open_{role}": lambda layout=layout: opener(opened_type(layout, counted)),
            f"restore_{role}": lambda layout=layout: written(restore_source(layout), counted),
            f"close_{role}": lambda layout=layout: written(close_source(layout), counted),
        }
        for seam in seams.keys() & vars(module).keys():
            setattr(module, seam, seams[seam]())
    for helper, function in helpers_of(module, entry.__name__).items():
        setattr(module, helper, ready(function, counted))
    return getattr(module, entry.__name__)


def compiled(entry: Any, signature: tuple[Any, ...], counted: bool) -> Any:
    """The loop as machine code for one signature, from numba's cache where it is there."""
    kernel = nb.njit(**accepted({"nogil": True, "cache": True, "error_model": "numpy", "_nrt": counted}))(entry)
    kernel.compile(signature)
    return kernel


def prune(folder: Path) -> None:
    """Keep the cache from growing without end as parts are edited."""
    import shutil

    kept = sorted(folder.glob("kernel_*"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in kept[KEPT:]:
        shutil.rmtree(old, ignore_errors=True)


def written(source: str, counted: bool) -> Any:
    """A small function written as text for one layout, compiled and inlined."""
    space: dict[str, Any] = {}
    exec(source, space)
    return nb.njit(**inlined(counted))(space["run"])


def restore_source(layout: Layout) -> str:
    """The text of a function that puts an opened object back to its packed values."""
    lines = ["def run(target, saved):", "    pass"]

    def walk(inner: Layout, target: str, saved: str) -> None:
        for number, (name, kind) in enumerate(inner.items):
            here, there = f"{target}.{name}", f"{saved}[{number}]"
            if isinstance(kind, Layout):
                walk(kind, here, there)
            elif kind.endswith("]"):
                loops = range(int(kind.partition("[")[2][:-1]))
                for depth in loops:
                    lines.append(f"    {' ' * 4 * depth}for i{depth} in range({here}.shape[{depth}]):")
                index = ", ".join(f"i{depth}" for depth in loops)
                lines.append(f"    {' ' * 4 * len(loops)}{here}[{index}] = {there}[{index}]")
            else:
                lines.append(f"    {here} = {there}")

    walk(layout, "target", "saved")
    return "\n".join(lines)


def close_source(layout: Layout) -> str:
    """The text of a function that answers an opened object's scalars as nested tuples."""

    def scalars(inner: Layout, target: str) -> str:
        texts = [
            scalars(kind, f"{target}.{name}") if isinstance(kind, Layout) else f"{target}.{name}"
            for name, kind in inner.items
            if isinstance(kind, Layout) or not kind.endswith("]")
        ]
        return "(" + "".join(text + ", " for text in texts) + ")"

    return f"def run(target): return {scalars(layout, 'target')}"
