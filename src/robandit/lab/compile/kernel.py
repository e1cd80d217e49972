"""Kernels: a loop compiled for one combination of parts, by one of two roads, the same bits on both.

A loop is any module of plain functions with one entry. Its functions named `open_ROLE`, `restore_ROLE` and
`close_ROLE` are seams where a part's code is put in; the others are helpers, of its own or of the modules in SHARED,
and what it imports besides is only `Random`, `Bill`, `Choice` and named tuples: these texts and the parts' code are all
there is to it. Parts and arguments come as named tuples, and so the loop reads them.

The usual road: loop and parts are lowered once each to bitcode (lower.py, which needs numba), linked for each
combination, optimised once and kept as an object (link.py, which does not). What was compiled before is found under its
fingerprint without numba. A part that cannot go this road, as one that allocates, goes the other one (fused.py).

For a short play optimising takes longer than it saves: its kernel is brief, emitted as it was linked. The bits are the
same, so nothing depends on it. Where the full kernel is there it is taken; where short plays go on and on it is made.
"""

import re
import sys
import threading
from collections.abc import Callable
from functools import cache, partial
from importlib.metadata import requires, version
from types import FunctionType, ModuleType
from typing import Any, NamedTuple
from warnings import warn

from robandit.errors import CompileError
from robandit.extras import has_extra, install_command
from robandit.lab.compile.cache import read_entry, read_or_make, write_entry
from robandit.lab.compile.contract import PAIRS
from robandit.lab.compile.fingerprint import name_of, names_read
from robandit.lab.compile.memory import Kind, kind_of_argument, named
from robandit.layout import Layout, layout_of

SEAMS = ("open_", "restore_", "close_")
# whose functions are helpers of any loop
SHARED = ("robandit.lab.play", "robandit.lab.bill", "robandit.lab.sight", "robandit.dice")
EFFORTS = {"full": ("full",), "brief": ("brief",), "either": ("full", "brief")}  # what will do; the last is built
OBJECTS = {"full": ".o", "brief": ".brief.o"}
SHORT = 10**6  # rounds times arms of a play that is over before its kernel would have been optimised
PATIENCE = 0.3  # seconds in a brief kernel after which the full one is made: about what that takes
_KERNELS: dict[Any, Any] = {}
_LOCK = threading.RLock()


def kernel_for(entry: Callable[..., Any], parts: Any, rest: tuple[Any, ...], effort: str = "full") -> Any:
    """The compiled loop that begins with `entry`, for some parts and the rest of its arguments.

    Args:
        entry: the loop.
        parts: a named tuple of parts by role, or () for a loop without any, which writes into its arguments.
        rest: the arguments after the parts.
        effort: "full" (optimised), "brief" (not), or "either": the full one if it is there, else the brief one.

    Returns:
        A function to be called with the parts and the rest; what the parts remember is changed in place. Without
        numba it is the loop as plain Python, which a warning says once.
    """
    if not can_compile():
        return PlainKernel(entry)
    spec = spec_of(entry, parts, rest)
    layouts, kinds = spec.layouts, spec.arguments[1:] if parts else spec.arguments
    if effort == "either" and (brief := _KERNELS.get(((entry, "brief"), *layouts.items(), kinds))):
        effort = "full" if brief.spent > PATIENCE else effort
    keys = {one: ((entry, one), *layouts.items(), kinds) for one in EFFORTS[effort]}
    present = next((key for key in keys.values() if key in _KERNELS), None)
    if present is None:  # a kernel that is there never waits for one that is being built
        with _LOCK:
            present = next((key for key in keys.values() if key in _KERNELS), None)
            if present is None:
                kernel, one = build(spec, parts, rest, effort)
                _KERNELS[present := keys[one]] = kernel
    return _KERNELS[present]


class PlainKernel(NamedTuple):
    """A loop as it stands, where nothing can be compiled."""

    entry: Any
    road: str = "plain"

    def __call__(self, parts: Any, *rest: Any) -> Any:
        return self.entry(parts, *rest) if parts else self.entry(*rest)


@cache
def can_compile() -> bool:
    """Whether numba is installed; a warning says once what it means if it is not."""
    if has_extra("numba"):
        return True
    warn(f"numba is not installed, so loops run as plain Python, much slower: {install_command('lab')}", stacklevel=2)
    return False


def effort_for(work: int) -> str:
    """The effort that pays for so many rounds times arms."""
    return "either" if work < SHORT else "full"


def built() -> tuple[int, int]:
    """How many kernels this process compiled, and how many it read from the cache."""
    hits = sum(kernel.is_cached for kernel in list(_KERNELS.values()))
    return len(_KERNELS) - hits, hits


class KernelSpec(NamedTuple):
    """What a kernel is made for: a loop, its parts as they are laid out, and the kinds of its arguments."""

    entry: Any
    layouts: dict[str, Layout]
    arguments: Kind

    def texts(self) -> tuple[str, ...]:
        """All text of the loop that compiled code depends on."""
        loop = sys.modules[self.entry.__module__]
        return (self.entry.__name__, *loop_texts(loop, self.entry.__name__), repr(self.arguments))


def spec_of(entry: Any, parts: Any, rest: tuple[Any, ...]) -> KernelSpec:
    """What a kernel is made for, read from what it will be called with."""
    layouts = {role: layout_of(part) for role, part in parts._asdict().items()} if parts else {}
    kinds = tuple(kind_of_argument(value) for value in rest)
    return KernelSpec(entry, layouts, (named(type(parts), ("pointer",) * len(parts)), *kinds) if parts else kinds)


def build(spec: KernelSpec, parts: Any, rest: tuple[Any, ...], effort: str) -> tuple[Any, str]:
    """A kernel and the effort it was made with: from the cache, linked from pieces that are in it, or compiled.

    It is made by numba as one where it cannot be linked.
    """
    from robandit.lab.compile.link import CannotLink, LinkedKernel, processor

    check_versions()
    name = name_of(spec.layouts, ("kernel", *spec.texts(), processor()))
    is_closed = read_entry(f"{name}.slow") is not None
    *_, last = EFFORTS[effort]
    if not is_closed:
        try:
            for one in EFFORTS[effort]:
                if (content := read_entry(name + OBJECTS[one])) is not None:
                    return cached_kernel(content, spec), one
            content = link_pieces(spec, last)
            kernel = LinkedKernel(content, spec.layouts, spec.arguments, is_cached=False)
            write_entry(name + OBJECTS[last], content)
            return kernel, last
        except CannotLink:
            pass
        except Exception as error:
            if not by_numba(error):
                raise
    from robandit.lab.compile.fused import FusedKernel

    slow = FusedKernel(spec.entry, spec.layouts, parts, rest, name)
    if not is_closed:
        write_entry(f"{name}.slow", b"")
    return slow, last


def cached_kernel(content: bytes, spec: KernelSpec) -> Any:
    """A kernel from the cache; a few of Python's functions are offered by numba, which is then imported for them."""
    from robandit.lab.compile.link import CannotLink, LinkedKernel

    try:
        return LinkedKernel(content, spec.layouts, spec.arguments, is_cached=True)
    except CannotLink:
        from numba.core.registry import cpu_target

        cpu_target.target_context.refresh()
        return LinkedKernel(content, spec.layouts, spec.arguments, is_cached=True)


def by_numba(error: Exception) -> bool:
    """Whether an error is numba's word that it cannot compile something, or has changed; not a fault of ours."""
    from numba.core.errors import NumbaError

    return isinstance(error, NumbaError | NotImplementedError | AssertionError | ImportError)


@cache
def check_versions() -> None:
    """Refuse a numba that the lab was not made for, in one sentence."""
    lines = [line.partition(";")[0] for line in requires("robandit") or ()]
    wanted = next((line for line in lines if line.startswith("numba")), "numba")
    installed = version("numba")
    limits = re.findall(r"(>=|<)\s*([\d.]+)", wanted)
    here = numbers(installed)
    fits = all(here >= numbers(limit) if sign == ">=" else here < numbers(limit) for sign, limit in limits)
    if not fits:
        raise CompileError(f"the lab compiles with {wanted}; {installed} is installed: engine plain plays without it")


def numbers(text: str) -> tuple[int, ...]:
    """A version as numbers that compare."""
    return tuple(int(number) for number in re.findall(r"\d+", text)[:3])


def link_pieces(spec: KernelSpec, effort: str) -> bytes:
    """The object for a kernel."""
    from robandit.lab.compile.link import link

    return link(pieces_of(spec), spec.layouts, spec.arguments, effort)


def pieces_of(spec: KernelSpec) -> list[bytes]:
    """The bitcode of a kernel's loop and parts; what is not in the cache is made."""
    loop = f"{name_of({}, ('loop', *spec.texts()))}.bc"
    pieces = [read_or_make(loop, lambda: loop_piece(spec.entry, spec.arguments))]
    for role, other in PAIRS:
        if role in spec.layouts:
            pair = {role: spec.layouts[role], other: spec.layouts[other]}
            pieces.append(read_or_make(f"{name_of(pair, ('part', role))}.bc", partial(part_piece, pair)))
    return pieces


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
        if isinstance(value, FunctionType) and value.__module__ in (loop.__name__, *SHARED) and name != entry
        if not name.startswith(SEAMS)
    }
