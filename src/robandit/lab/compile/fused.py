"""The other road: loop and parts compiled by numba as one, for parts that cannot be lowered alone.

The loop's source is copied into the cache folder under the kernel's fingerprint; numba's own cache then works beside
that copy. First without reference counts, then with them for a part that allocates.
"""

import importlib.util
import os
import re
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba as nb
from numba.core.errors import NumbaError

from robandit.dice import Random
from robandit.errors import CompileError, InputError
from robandit.lab.bill import Bill
from robandit.lab.compile.cache import cache_folder
from robandit.lab.compile.functions import accepted, inlined, ready
from robandit.lab.compile.kernel import helpers_of, loop_text
from robandit.lab.compile.opened import opened_type, opener
from robandit.layout import Fresh, Layout, layout_of, pack, set_scalars
from robandit.parts import Part

PACKAGE = Path(__file__).parents[2]
COMPLAINTS = (
    "Unknown attribute|Untyped global|Use of unsupported|No implementation|Cannot|Invalid use|Unsupported|NameError"
)

Layouts = dict[str, Layout]  # by role


class FusedKernel:
    """Machine code of one combination of parts, made by numba as one function."""

    road = "numba"
    spent = 0.0  # it is optimised, however short the play

    def __init__(self, entry: Any, layouts: Layouts, parts: Any, rest: tuple[Any, ...], name: str) -> None:
        self.layouts = layouts
        arguments = self.arguments(parts, rest)
        self.function = build(entry, layouts, arguments, name)
        self.counts_references = bool(self.function.targetoptions.get("_nrt", True))
        self.is_cached = bool(sum(self.function.stats.cache_hits.values()))

    def arguments(self, parts: Any, rest: tuple[Any, ...]) -> tuple[Any, ...]:
        """Parts as nested plain tuples, so that numba's cache key holds no class of a user."""
        if not parts:
            return tuple(unwrapped(value) for value in rest)
        values = (pack(part, layout) for part, layout in zip(parts, self.layouts.values(), strict=True))
        return (type(parts)(*values), *(unwrapped(value) for value in rest))

    def __call__(self, parts: Any, *rest: Any) -> None:
        """Run; what the parts remember is changed in place."""
        closed = self.function(*self.arguments(parts, rest))
        remembering = [role for role in ("state", "memory") if role in self.layouts]
        for role, scalars in zip(remembering, closed or (), strict=True):
            set_scalars(getattr(parts, role), self.layouts[role], scalars)


def unwrapped(value: Any) -> Any:
    """An argument with the objects in it as packed values."""
    if isinstance(value, Fresh):
        return pack(value.value, layout_of(value.value))
    if not isinstance(value, tuple):
        return value
    inside = (unwrapped(inner) for inner in value)
    return type(value)(*inside) if hasattr(value, "_fields") else tuple(inside)


def build(entry: Any, layouts: Layouts, arguments: tuple[Any, ...], name: str) -> Any:
    """Compile, or load from numba's cache."""
    name = f"kernel_{name}"
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
        names = ", ".join(layout.cls.__name__ for layout in layouts.values() if issubclass(layout.cls, Part))
        raise CompileError(
            f"could not compile {names or entry.__name__}: {shorten(error)}; "
            'in Python, engine="plain" plays it without compiling'
        ) from error
    return kernel


def shorten(error: BaseException) -> str:
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


def load(folder: Path, name: str, entry: Any, layouts: Layouts, counted: bool) -> Any:
    """The entry of the loop's own copy as a module, with the parts' code put into its seams."""
    path = folder / f"{name}{'_counted' if counted else ''}.py"
    if not path.exists():
        folder.mkdir(parents=True, exist_ok=True)
        draft = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        draft.write_text(loop_text(sys.modules[entry.__module__]))
        draft.replace(path)
    os.utime(folder)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    values = {"random": layout_of(Random(0, 0, 0, 0)), "bill": layout_of(Bill(0.0, False))}
    for role, layout in {**layouts, **values}.items():
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
    """The text of a function that returns an opened object's scalars as nested tuples."""

    def scalars(inner: Layout, target: str) -> str:
        texts = [
            scalars(kind, f"{target}.{name}") if isinstance(kind, Layout) else f"{target}.{name}"
            for name, kind in inner.items
            if isinstance(kind, Layout) or not kind.endswith("]")
        ]
        return "(" + "".join(text + ", " for text in texts) + ")"

    return f"def run(target): return {scalars(layout, 'target')}"
