"""elementary.py lowered to bitcode: exp, log and log1p under names of their own, called as C calls them."""

from types import FunctionType
from typing import Any

import llvmlite.binding as llvm
import numba as nb
from llvmlite import ir
from numba.core import types as numba_types
from numba.extending import intrinsic

from robandit.lab.compile import elementary
from robandit.lab.compile.functions import inlined
from robandit.lab.compile.lower import joined, lazily, lowered

types: Any = numba_types
FUNCTIONS = ("exp", "log", "log1p")


def own(name: str) -> str:
    """What one of the functions is called in a kernel."""
    return f"robandit_{name}"


@intrinsic
def bits_of(typing_context: Any, x: Any) -> Any:
    """The seam where the text looks at the bits of a number."""
    return types.int64(types.float64), lambda context, builder, sig, values: builder.bitcast(values[0], ir.IntType(64))


@intrinsic
def float_of(typing_context: Any, bits: Any) -> Any:
    """The seam where the text makes a number of bits."""
    return types.float64(types.int64), lambda context, builder, sig, values: builder.bitcast(values[0], ir.DoubleType())


def elementary_bitcode() -> bytes:
    """The three functions as one piece that a kernel is linked with."""
    names: dict[str, Any] = {**vars(elementary), "bits_of": bits_of, "float_of": float_of}
    pieces = []
    with lazily():
        names["log_of"] = nb.njit(**inlined(False))(copied(elementary.log_of, names))
        for name in FUNCTIONS:
            module, inside, _ = lowered(copied(getattr(elementary, name), names), (types.float64,))
            pieces.append((module, inside, f"{own(name)}_inside"))
    whole = llvm.parse_bitcode(joined(pieces, ""))
    wrappers = llvm.parse_assembly("".join(wrapper(name) for name in FUNCTIONS))
    wrappers.triple, wrappers.data_layout = whole.triple, whole.data_layout
    whole.link_in(wrappers)
    return bytes(whole.as_bitcode())


def copied(function: Any, names: dict[str, Any]) -> FunctionType:
    """A function that looks its names up in another place."""
    return FunctionType(function.__code__, names, function.__name__, function.__defaults__)


def wrapper(name: str) -> str:
    """A function as C calls it, around one as numba does, which writes its answer through a pointer."""
    return (
        f"declare i32 @{own(name)}_inside(ptr, ptr, double)\n"
        f"define double @{own(name)}(double %x) noinline nounwind {{\n"
        f"  %answer = alloca double\n  %exception = alloca ptr\n"
        f"  %status = call i32 @{own(name)}_inside(ptr %answer, ptr %exception, double %x)\n"
        f"  %value = load double, ptr %answer\n  ret double %value\n}}\n"
    )
