"""Parts and loops as bitcode, each lowered once by numba against the others' names: nothing optimised, nothing emitted.

A part's methods are lowered with the types of contract.py and exported under fixed names. A loop is lowered with its
parts opaque: it knows their roles, and calls those names. Everything else stays inside its piece: no names clash.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import llvmlite.binding as llvm
import numba as nb
from llvmlite import ir
from numba.core import cgutils, codegen
from numba.core import types as numba_types
from numba.core.compiler_lock import global_compiler_lock
from numba.core.datamodel.models import PrimitiveModel
from numba.core.imputils import lower_builtin, lower_getattr_generic
from numba.core.typing.templates import AbstractTemplate, AttributeTemplate, infer_getattr, signature
from numba.extending import intrinsic, register_model

from robandit.dice import Random
from robandit.game import Choice
from robandit.lab.bill import Bill
from robandit.lab.compile.contract import FIELDS, METHODS, TRAITS, symbol
from robandit.lab.compile.fingerprint import methods_of
from robandit.lab.compile.functions import inlined, prepared
from robandit.lab.compile.link import ENTRY, tidy
from robandit.lab.compile.memory import Kind, Named, places
from robandit.lab.compile.opened import numba_type, opened_type, opener
from robandit.layout import Layout, layout_of

types: Any = numba_types
RANDOM, BILL = layout_of(Random(0, 0, 0, 0)), layout_of(Bill(0.0, False))
CHOICE = types.NamedTuple((types.int64, types.float64, types.int64), Choice)
POINTER = ir.IntType(8).as_pointer()
ROLES = ("policy", "state", "environment", "tables", "adversary", "memory")


class Opaque(types.Type):
    """An object of which a loop knows the role only."""

    def __init__(self, role: str) -> None:
        self.role = role
        super().__init__(f"Opaque({role})")


@register_model(Opaque)
class OpaqueModel(PrimitiveModel):
    """It is passed around as an address."""

    def __init__(self, manager: Any, kind: Opaque) -> None:
        super().__init__(manager, kind, POINTER)


OPAQUE = {role: Opaque(role) for role in ROLES}


def type_named(name: str, objects: dict[str, Any]) -> Any:
    """The numba type behind a name in contract.py."""
    special = {**objects, "random": opened_type(RANDOM, False), "choice": CHOICE, "none": types.none}
    return special[name] if name in special else numba_type(name)


# --- numba, stopped before it optimises and emits ----------------------------------------------------------------


@contextmanager
def lazily() -> Iterator[None]:
    """What is compiled inside is lowered and linked to what it calls, and left at that.

    These five steps of numba's code generator are no public interface. If they change, kernels take the other road
    (fused.py), and a test says so.
    """
    library, engine = codegen.JITCodeLibrary, codegen.JITCPUCodegen
    patched = {
        (library, "_optimize_functions"): optimise_nothing,
        (library, "_optimize_final_module"): lambda self: None,
        (library, "_finalize_final_module"): finish_without_code,
        (library, "get_pointer_to_function"): no_pointer,
        (engine, "set_env"): lambda self, name, value: None,
    }
    absent = [name for owner, name in patched if not hasattr(owner, name)]
    if absent:
        raise NotImplementedError(f"numba's code generator has no {', '.join(absent)} any more")
    with global_compiler_lock:
        usual = {(owner, name): getattr(owner, name) for owner, name in patched}
        for (owner, name), step in patched.items():
            setattr(owner, name, step)
        try:
            yield
        finally:
            for (owner, name), step in usual.items():
                setattr(owner, name, step)


def optimise_nothing(self: Any, module: Any) -> None:
    """In place of optimising a function's module: it only learns how data lie."""
    module.data_layout = self._codegen._data_layout


def finish_without_code(self: Any) -> None:
    """In place of emitting a library: it is whole, and nobody will call it here."""
    self._finalize_dynamic_globals()
    self._verify_declare_only_symbols()
    self._finalized = True


def no_pointer(self: Any, name: str) -> int:
    """In place of a function's address: its library is finished, and has none."""
    self._ensure_finalized()
    return 0


def lowered(function: Any, arguments: tuple[Any, ...]) -> tuple[Any, str, Any]:
    """A function's module with all it calls, its symbol and the type it returns."""
    dispatcher = nb.njit(**inlined(False))(function)
    dispatcher.compile(arguments)
    result = dispatcher.overloads[arguments]
    return result.library._final_module, result.fndesc.mangled_name, result.signature.return_type


def joined(pieces: list[tuple[Any, str, str]], text: str) -> bytes:
    """Modules and text as one bitcode in which only the exported names are seen."""
    whole = llvm.parse_assembly(text)
    whole.triple = llvm.get_process_triple()
    whole.data_layout = pieces[0][0].data_layout
    exports = {inside: outside for _, inside, outside in pieces}
    for module, _, _ in pieces:
        whole.link_in(module, preserve=True)
    for function in whole.functions:
        if function.is_declaration:
            continue
        if function.name in exports:
            function.name = exports[function.name]
        elif not function.name.startswith("robandit_"):
            function.linkage = "internal"
    for variable in whole.global_variables:
        if not variable.is_declaration:
            variable.linkage = "internal"
    tidy(whole)
    return bytes(whole.as_bitcode())


# --- parts -------------------------------------------------------------------------------------------------------


def part_bitcode(role: str, part: Layout, other: str, memory: Layout) -> bytes:
    """A part with what it remembers: its methods, traits and fields under their exported names."""
    own, second = opened_type(part, False), opened_type(memory, False)
    objects = {role: own, other: second}
    available = methods_of(part.cls)
    pieces = []
    with lazily():
        for name, (returned, kinds) in METHODS[role].items():
            arguments = (own, *(type_named(kind, objects) for kind in kinds))
            pieces.append((*method_as(available[name], type_named(returned, objects), arguments), symbol(role, name)))
        for name in TRAITS[role]:
            space: dict[str, Any] = {}
            exec(f"def trait(part): return True if part.{name} else False", space)
            pieces.append((*lowered(space["trait"], (own,))[:2], symbol(role, name)))
    text = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\n"
    for who, layout in ((role, part), (other, memory)):
        text += "".join(address_text(who, name, layout) for name in FIELDS.get(who, {}))
    return joined(pieces, text + restore_text(other, memory))


def method_as(method: FunctionType, wanted: Any, arguments: tuple[Any, ...]) -> tuple[Any, str]:
    """A method's module and symbol, what it returns converted to what the loop wants."""
    plain = prepared(method, False)
    module, inside, actual = lowered(plain, arguments)
    if types.unliteral(actual) == wanted:
        return module, inside
    names = ", ".join(f"a{number}" for number in range(len(arguments)))
    call = f"method({names})"
    if wanted == CHOICE:
        conversion = f"    c = {call}\n    return Choice(int(c.arm), float(c.probability), int(c.note))"
    elif wanted == types.none:
        conversion = f"    {call}"
    else:
        conversion = f"    return {'bool' if wanted == types.boolean else 'float'}({call})"
    space = {"method": nb.njit(**inlined(False))(plain), "Choice": Choice}
    exec(f"def run({names}):\n{conversion}", space)
    module, inside, actual = lowered(space["run"], arguments)
    if types.unliteral(actual) != wanted:
        raise NotImplementedError(f"{method.__name__} must return {wanted}, not {actual}")
    return module, inside


def address_text(role: str, name: str, layout: Layout) -> str:
    """A function that returns where a field lies."""
    place = {field: place for field, _, place in places(layout)}[name]
    body = f"%place = getelementptr i8, ptr %object, i64 {place}\n  ret ptr %place"
    return f"define ptr @{symbol(role, name)}(ptr %object) alwaysinline nounwind {{\n  {body}\n}}\n"


def restore_text(role: str, layout: Layout) -> str:
    """A function that puts an object back to another of the same layout, its arrays in place."""
    lines: list[str] = []

    def walk(inner: Layout, begin: int) -> None:
        for _, kind, place in places(inner):
            number, at = len(lines), begin + place
            if isinstance(kind, Layout):
                walk(kind, at)
            elif kind.endswith("]"):
                item = numba_type(kind).dtype.bitwidth // 8
                lines.extend(copy_array(number, at, item))
            else:
                typed = {"bool": "i8", "float64": "double"}.get(kind, "i64")
                lines.extend(copy_scalar(number, at, typed))

    walk(layout, 0)
    body = "\n  ".join([*lines, "ret void"])
    return f"define void @{symbol(role, 'restore')}(ptr %here, ptr %there) alwaysinline nounwind {{\n  {body}\n}}\n"


def copy_scalar(number: int, at: int, typed: str) -> list[str]:
    """One scalar from %there to %here."""
    return [
        f"%h{number} = getelementptr i8, ptr %here, i64 {at}",
        f"%t{number} = getelementptr i8, ptr %there, i64 {at}",
        f"%v{number} = load {typed}, ptr %t{number}",
        f"store {typed} %v{number}, ptr %h{number}",
    ]


def copy_array(number: int, at: int, item: int) -> list[str]:
    """One array's numbers: their count lies 16 bytes into its description, their address 32."""
    return [
        f"%c{number} = getelementptr i8, ptr %there, i64 {at + 16}",
        f"%n{number} = load i64, ptr %c{number}",
        f"%b{number} = mul i64 %n{number}, {item}",
        f"%h{number} = getelementptr i8, ptr %here, i64 {at + 32}",
        f"%t{number} = getelementptr i8, ptr %there, i64 {at + 32}",
        f"%x{number} = load ptr, ptr %h{number}",
        f"%y{number} = load ptr, ptr %t{number}",
        f"call void @llvm.memcpy.p0.p0.i64(ptr %x{number}, ptr %y{number}, i64 %b{number}, i1 false)",
    ]


# --- loops -------------------------------------------------------------------------------------------------------


def call_outside(context: Any, builder: Any, returned: Any, kinds: tuple[Any, ...], name: str, values: Any) -> Any:
    """Call an exported name by numba's own convention; an exception goes on to the caller."""
    kind = context.call_conv.get_function_type(returned, kinds)
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    status, out = context.call_conv.call_function(builder, function, returned, kinds, values)
    with cgutils.if_unlikely(builder, status.is_error):
        context.call_conv.return_status_propagate(builder, status)
    return out


def method_template(role: str, name: str) -> Any:
    """How a loop types and calls one method of an opaque part."""
    result, kinds = METHODS[role][name]
    returned, arguments = type_named(result, OPAQUE), tuple(type_named(kind, OPAQUE) for kind in kinds)
    label = symbol(role, name)

    class Method(AbstractTemplate):
        key = label

        def generic(self, args: Any, kws: Any) -> Any:
            return signature(returned, *arguments, recvr=OPAQUE[role])

    @lower_builtin(label, types.VarArg(types.Any))
    def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
        out = call_outside(context, builder, sig.return_type, sig.args, label, values)
        return context.get_dummy_value() if sig.return_type == types.none else out

    return Method


TEMPLATES = {(role, name): method_template(role, name) for role, methods in METHODS.items() for name in methods}


@infer_getattr
class OpaqueAttributes(AttributeTemplate):
    """Fields, traits and methods of opaque objects."""

    key = Opaque

    def generic_resolve(self, kind: Opaque, name: str) -> Any:
        if name in FIELDS.get(kind.role, {}):
            return numba_type(FIELDS[kind.role][name])
        if name in TRAITS.get(kind.role, ()):
            return types.boolean
        template = TEMPLATES.get((kind.role, name))
        return types.BoundFunction(template, kind) if template else None


@lower_getattr_generic(Opaque)
def opaque_attribute(context: Any, builder: Any, kind: Opaque, value: Any, name: str) -> Any:
    """A field is loaded from where its part says it lies, a trait is called, a bound method is its object."""
    if name in FIELDS.get(kind.role, {}):
        where = ir.FunctionType(POINTER, [POINTER])
        place = builder.call(cgutils.get_or_insert_function(builder.module, where, symbol(kind.role, name)), [value])
        typed = context.get_value_type(numba_type(FIELDS[kind.role][name])).as_pointer()
        return builder.load(builder.bitcast(place, typed))
    if name in TRAITS.get(kind.role, ()):
        return call_outside(context, builder, types.boolean, (kind,), symbol(kind.role, name), [value])
    return value


def open_as(role: str) -> Any:
    """The seam where a loop opens an object: its address is all it gets."""

    @intrinsic
    def open_object(typing_context: Any, place: Any) -> Any:
        return OPAQUE[role](place), lambda context, builder, sig, values: values[0]

    return open_object


def restore_as(role: str) -> Any:
    """The seam where a loop puts an object back."""

    @intrinsic
    def restore(typing_context: Any, here: Any, there: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
            kind = ir.FunctionType(ir.VoidType(), [POINTER, POINTER])
            name = symbol(role, "restore")
            builder.call(cgutils.get_or_insert_function(builder.module, kind, name), list(values))
            return context.get_dummy_value()

        return types.none(here, there), emit

    return restore


def nothing(part: Any) -> int:
    """The seam where a loop closes an object: what it left in memory is read there."""
    return 0


def argument_type(kind: Kind) -> Any:
    """The numba type of an argument of a loop."""
    if isinstance(kind, Named):
        return types.BaseTuple.from_types(tuple(argument_type(inner) for inner in kind.kinds), kind.cls)
    if isinstance(kind, tuple):
        return types.Tuple(tuple(argument_type(inner) for inner in kind))
    return types.voidptr if kind == "pointer" else numba_type(kind)


def loop_bitcode(entry: Any, helpers: dict[str, FunctionType], space: dict[str, Any], arguments: Kind) -> bytes:
    """A loop, its parts unknown: the entry called with the arguments that lie at an address."""
    block = argument_type(arguments)

    @intrinsic
    def arguments_at(typing_context: Any, address: Any) -> Any:
        def emit(context: Any, builder: Any, sig: Any, values: Any) -> Any:
            return builder.load(builder.bitcast(values[0], context.get_value_type(block).as_pointer()))

        return block(address), emit

    names: dict[str, Any] = {"__builtins__": __builtins__, "__name__": prepared.__module__, **space}
    for role in ROLES:
        names |= {f"open_{role}": open_as(role), f"restore_{role}": restore_as(role)}
        names[f"close_{role}"] = nb.njit(**inlined(False))(nothing)
    names |= {"open_random": opener(opened_type(RANDOM, False)), "open_bill": opener(opened_type(BILL, False))}
    names["arguments_at"] = arguments_at
    for name, function in {**helpers, "entry": entry}.items():
        copy = FunctionType(function.__code__, names, name, function.__defaults__)
        names[name] = nb.njit(**inlined(False))(copy)
    values = ", ".join(f"arguments[{place}]" for place in range(len(arguments)))
    exec(f"def enter(address):\n    arguments = arguments_at(address)\n    entry({values})", names)
    with lazily():
        module, inside, _ = lowered(names["enter"], (types.voidptr,))
    return joined([(module, inside, ENTRY)], "")
