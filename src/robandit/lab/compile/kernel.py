"""Kernels: a loop compiled for one combination of parts, by one of two roads, the same bits on both.

A loop is any module of plain functions with one entry. Its functions named `open_ROLE`, `restore_ROLE` and
`close_ROLE` are seams where a part's code is put in; the others are helpers, of its own or of play.py, and what it
imports besides is only `Random` and `Choice`: these texts and the parts' code are all there is to it.

The usual road: loop and parts are lowered once each to bitcode (lower.py, which needs numba), linked for each
combination, optimised once and kept as an object (link.py, which does not). What was compiled before is found under its
fingerprint without numba. A part that cannot go this road, as one that allocates, goes the other one (counted.py).

For a short play optimising takes longer than it saves: its kernel is brief, emitted as it was linked. The bits are the
same, so nothing depends on it. Where the full kernel is there it is taken; where short plays go on and on it is made.
"""

import re
import sys
import threading
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, requires, version
from types import FunctionType, ModuleType
from typing import Any

from robandit.errors import CompileError
from robandit.lab.compile.cache import found, keep, kept
from robandit.lab.compile.fingerprint import name_of, names_read
from robandit.lab.compile.memory import Kind, kind_of_argument
from robandit.lab.compile.seams import PAIRS
from robandit.layout import Fresh, Layout, layout_of

SEAMS = ("open_", "restore_", "close_")
SHARED = "robandit.lab.play"  # whose helpers other loops may import
EFFORTS = {"full": ("full",), "brief": ("brief",), "either": ("full", "brief")}  # what will do; the last is built
OBJECTS = {"full": ".o", "brief": ".brief.o"}
SHORT = 10**6  # rounds times arms of a play that is over before its kernel would have been optimised
PATIENCE = 0.3  # seconds in a brief kernel after which the full one is made: about what that takes
_KERNELS: dict[Any, Any] = {}
_LOCK = threading.RLock()


def kernel_for(entry: Callable[..., Any], parts: dict[str, Any], rest: tuple[Any, ...], effort: str = "full") -> Any:
    """The compiled loop that begins with `entry`, for these parts by role and what else it is given.

    Called with the parts and the rest; what the parts remember is changed in place. A loop without parts is given
    the rest only, and answers by writing into it.
    """
    layouts = {role: layout_of(part) for role, part in parts.items()}
    kinds = tuple(kind_of(value) for value in rest)
    if effort == "either" and (brief := _KERNELS.get(((entry, "brief"), *layouts.items(), kinds))):
        effort = "full" if brief.spent > PATIENCE else effort
    keys = {one: ((entry, one), *layouts.items(), kinds) for one in EFFORTS[effort]}
    known = next((key for key in keys.values() if key in _KERNELS), None)
    if known is None:  # a kernel that is there never waits for one that is being built
        with _LOCK:
            known = next((key for key in keys.values() if key in _KERNELS), None)
            if known is None:
                arguments = (("pointer",) * len(parts), *kinds) if parts else kinds
                kernel, made = build(entry, layouts, arguments, parts, rest, effort)
                _KERNELS[known := keys[made]] = kernel
    return _KERNELS[known]


def effort_for(work: int) -> str:
    """The effort that pays for so many rounds times arms."""
    return "either" if work < SHORT else "full"


def kind_of(value: Any) -> Kind:
    """The kind of an argument; an object to copy from is pointed to."""
    if isinstance(value, Fresh):
        return "pointer"
    return tuple(kind_of(inner) for inner in value) if isinstance(value, tuple) else kind_of_argument(value)


def built() -> tuple[int, int]:
    """How many kernels this process compiled, and how many it found in the cache."""
    hits = sum(kernel.found for kernel in list(_KERNELS.values()))
    return len(_KERNELS) - hits, hits


def build(
    entry: Any, layouts: dict[str, Layout], arguments: Kind, parts: dict[str, Any], rest: tuple[Any, ...], effort: str
) -> tuple[Any, str]:
    """A kernel from the cache, linked from pieces that are, or compiled; by the other road where this one is closed.

    And with which effort it was made.
    """
    from robandit.lab.compile.link import CannotLink, Kernel, processor

    check_versions()
    loop = sys.modules[entry.__module__]
    text = (entry.__name__, *loop_texts(loop, entry.__name__), repr(arguments))
    name = name_of(layouts, ("kernel", *text, processor()))
    closed = found(f"{name}.slow") is not None
    *_, made = EFFORTS[effort]
    if not closed:
        try:
            for one in EFFORTS[effort]:
                if (content := found(name + OBJECTS[one])) is not None:
                    return found_kernel(content, layouts, arguments), one
            content = linked_from_pieces(entry, layouts, arguments, text, made)
            kernel = Kernel(content, layouts, arguments, found=False)
            keep(name + OBJECTS[made], content)
            return kernel, made
        except CannotLink:
            pass
        except Exception as error:
            if not by_numba(error):
                raise
    from robandit.lab.compile.counted import Counted

    slow = Counted(entry, layouts, parts, rest, name)
    if not closed:
        keep(f"{name}.slow", b"")
    return slow, made


def found_kernel(content: bytes, layouts: dict[str, Layout], arguments: Kind) -> Any:
    """A kernel from the cache; a few of Python's functions are offered by numba, which is then imported for them."""
    from robandit.lab.compile.link import CannotLink, Kernel

    try:
        return Kernel(content, layouts, arguments, found=True)
    except CannotLink:
        from numba.core.registry import cpu_target

        cpu_target.target_context.refresh()
        return Kernel(content, layouts, arguments, found=True)


def by_numba(error: Exception) -> bool:
    """Whether an error is numba's word that it cannot compile something, or has changed; not a fault of ours."""
    from numba.core.errors import NumbaError

    return isinstance(error, NumbaError | NotImplementedError | AssertionError | ImportError)


@cache
def check_versions() -> None:
    """Refuse a numba that the lab was not made for, in one sentence."""
    wanted = next((line for line in requires("robandit") or () if line.startswith("numba")), "numba")
    try:
        installed = version("numba")
    except PackageNotFoundError:
        installed = "none"
    limits = re.findall(r"(>=|<)\s*([\d.]+)", wanted)
    here = numbers(installed)
    fits = all(here >= numbers(limit) if sign == ">=" else here < numbers(limit) for sign, limit in limits)
    if installed == "none" or not fits:
        raise CompileError(f"the lab compiles with {wanted}; {installed} is installed: engine plain plays without it")


def numbers(text: str) -> tuple[int, ...]:
    """A version as numbers that compare."""
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])


def linked_from_pieces(
    entry: Any, layouts: dict[str, Layout], arguments: Kind, text: tuple[str, ...], effort: str
) -> bytes:
    """The object for these layouts; pieces that are not kept yet are lowered."""
    from robandit.lab.compile.link import linked

    pieces = [kept(f"{name_of({}, ('loop', *text))}.bc", lambda: loop_piece(entry, arguments))]
    for role, other in PAIRS:
        if role in layouts:
            pair = {role: layouts[role], other: layouts[other]}
            pieces.append(kept(f"{name_of(pair, ('part', role))}.bc", partial(part_piece, pair)))
    return linked(pieces, layouts, arguments, effort)


def loop_piece(entry: Any, arguments: Kind) -> bytes:
    """A loop's bitcode."""
    from robandit.lab.compile.lower import loop_bitcode

    loop = sys.modules[entry.__module__]
    helpers = helpers_of(loop, entry.__name__)
    names = set().union(*(names_read(function.__code__) for function in (entry, *helpers.values())))
    space = {
        name: value
        for name, value in vars(loop).items()
        if name in names and name not in helpers and not name.startswith((*SEAMS, "__"))
    }
    return loop_bitcode(entry, helpers, space, arguments)


def part_piece(pair: dict[str, Layout]) -> bytes:
    """A part's bitcode."""
    from robandit.lab.compile.lower import part_bitcode

    (role, part), (other, memory) = pair.items()
    return part_bitcode(role, part, other, memory)


def loop_text(loop: ModuleType) -> str:
    """What a loop's module says."""
    assert loop.__file__ is not None
    with open(loop.__file__) as file:
        return file.read()


def loop_texts(loop: ModuleType, entry: str) -> list[str]:
    """What a loop's module says, and those its helpers come from."""
    modules = {helper.__module__ for helper in helpers_of(loop, entry).values()} | {loop.__name__}
    return [loop_text(sys.modules[name]) for name in sorted(modules)]


def helpers_of(loop: ModuleType, entry: str) -> dict[str, FunctionType]:
    """The plain functions a loop's module defines or shares, but for its entry and its seams."""
    return {
        name: value
        for name, value in vars(loop).items()
        if isinstance(value, FunctionType) and value.__module__ in (loop.__name__, SHARED) and name != entry
        if not name.startswith(SEAMS)
    }
