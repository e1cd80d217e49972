"""Kernels: the round loop compiled for one combination of parts, kept on disk, never stale.

The loop's source is copied into the cache folder under a name that is a fingerprint of all code it
reaches and of the versions that compile it; numba's own cache then works beside that copy.
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
from robandit.lab import play
from robandit.lab.compile.functions import code_of, fingerprint, inlined, ready
from robandit.lab.compile.opened import opened_type, opener
from robandit.layout import Layout, layout_of
from robandit.version import __version__

ROLES = ("policy", "state", "environment", "tables", "adversary", "memory")
HELPERS = ["copy_means", "clipped", "clip_to_budget", "add_exactly", "what_is_left"]
HELPERS += ["show_frequencies", "is_distribution", "play"]
COMPLAINTS = (
    "Unknown attribute|Untyped global|Use of unsupported|No implementation|Cannot|Invalid use|Unsupported|NameError"
)
KEPT = 400  # kernels on disk; the longest unused go first

Layouts = tuple[Layout, ...]
_KERNELS: dict[Layouts, Any] = {}
_LOCK = threading.RLock()


def cache_folder() -> Path:
    """Where kernels are kept: ROBANDIT_CACHE, or the user's cache folder."""
    base = os.environ.get("ROBANDIT_CACHE")
    return Path(base) if base else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "robandit"


def kernel_for(parts: tuple[Any, ...], arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """The compiled loop for these parts, ready for arguments like these."""
    layouts = tuple(layout_of(part) for part in parts)
    if layouts not in _KERNELS:  # a kernel that is there never waits for one that is being built
        with _LOCK:
            if layouts not in _KERNELS:
                _KERNELS[layouts] = build(layouts, arguments)
    kernel: Callable[..., Any] = _KERNELS[layouts]
    return kernel


def built() -> tuple[int, int]:
    """How many kernels this process compiled, and how many it found in the cache."""
    found = sum(1 for kernel in list(_KERNELS.values()) if sum(kernel.stats.cache_hits.values()))
    return len(_KERNELS) - found, found


def build(layouts: Layouts, arguments: tuple[Any, ...]) -> Any:
    """Compile or load a kernel: first without reference counts, then with them for a part that allocates."""
    name = kernel_name(layouts)
    folder = cache_folder() / name
    counted_mark = folder / "counts-references"
    signature = tuple(nb.typeof(argument) for argument in arguments)
    try:
        if not counted_mark.exists():
            with suppress(NumbaError, NotImplementedError, AssertionError):
                return compiled(load(folder, name, layouts, counted=False), signature, counted=False)
        kernel = compiled(load(folder, name, layouts, counted=True), signature, counted=True)
        counted_mark.touch()
    except OSError as error:
        raise InputError(
            f"the kernel cache {folder.parent} cannot be written; set ROBANDIT_CACHE to a folder"
        ) from error
    except (NumbaError, NotImplementedError, AssertionError) as error:
        names = ", ".join(layout.cls.__name__ for layout in layouts[::2])
        raise CompileError(f"could not compile {names}: {told_shortly(error)}") from error
    return kernel


def told_shortly(error: BaseException) -> str:
    """The heart of numba's long message: the innermost complaint and the line it is about."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    complaints = [line for line in lines if re.match(COMPLAINTS, line) and "<function resolve" not in line]
    complaint = complaints[-1] if complaints else lines[0] if lines else type(error).__name__
    places = [line for line in lines if line.startswith("File ") and "robandit" not in line]
    where = f" ({places[-1].rstrip(':')})" if places else ""
    return f"{complaint}{where}; methods may use numbers, loops, math, arrays and functions of the same kind"


def kernel_name(layouts: Layouts) -> str:
    """A name for the kernel that changes with any code, layout or version it was made from."""
    classes = sorted(
        {inner for layout in layouts for inner in classes_in(layout)} | {Random}, key=lambda cls: cls.__qualname__
    )
    roots = [method for cls in classes for method in code_of(cls)]
    here = Path(__file__).parent
    sources = [
        path.read_text() for path in [*sorted(here.glob("*.py")), Path(play.__file__), here.parents[1] / "layout.py"]
    ]
    constants = [
        repr(sorted((key, value) for key, value in vars(cls).items() if isinstance(value, bool | int | float)))
        for cls in classes
    ]
    versions = [__version__, nb.__version__, np.__version__, sys.version]
    extra = [layout.describe() for layout in layouts] + constants + sources + versions
    return "kernel_" + fingerprint(roots, extra)


def classes_in(layout: Layout) -> list[type]:
    """The class of a layout, its bases (for their constants) and those of the objects nested in it."""
    nested = [cls for _, kind in layout.items if isinstance(kind, Layout) for cls in classes_in(kind)]
    return [cls for cls in layout.cls.__mro__ if cls is not object] + nested


def load(folder: Path, name: str, layouts: Layouts, counted: bool) -> ModuleType:
    """The loop's own copy as a module, with the parts' code put into its seams."""
    path = folder / f"{name}{'_counted' if counted else ''}.py"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        prune(folder.parent)
        draft = path.with_suffix(f".{os.getpid()}")
        draft.write_bytes(Path(play.__file__).read_bytes())
        draft.replace(path)
    os.utime(folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    for role, layout in zip((*ROLES, "random"), (*layouts, layout_of(Random(0, 0, 0, 0))), strict=True):
        setattr(module, f"open_{role}", opener(opened_type(layout, counted)))
    for role, layout in (("state", layouts[1]), ("memory", layouts[5])):
        setattr(module, f"restore_{role}", written(restore_source(layout), counted))
        setattr(module, f"close_{role}", written(close_source(layout), counted))
    for helper in HELPERS:  # callees first
        setattr(module, helper, ready(getattr(module, helper), counted))
    return module


def compiled(module: ModuleType, signature: tuple[Any, ...], counted: bool) -> Any:
    """The module's loop as machine code for one signature, from numba's cache where it is there."""
    entry: FunctionType = module.play_runs
    kernel = nb.njit(nogil=True, cache=True, error_model="numpy", _nrt=counted)(entry)
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
