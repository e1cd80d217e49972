"""Dataclasses inside compiled code: a struct on the stack with the class's fields, constants and methods.

An object crosses into a kernel as nested plain tuples and is opened there. After inlining the
compiler keeps the scalars in registers, so `state.leader = arm` costs what a local variable costs.
"""

import types as python
from collections.abc import Callable
from typing import Any

import numba as nb
from llvmlite import ir
from numba.core import cgutils, types
from numba.core.datamodel.models import PrimitiveModel
from numba.core.imputils import impl_ret_borrowed, lower_getattr_generic, lower_setattr_generic
from numba.core.typing.templates import AttributeTemplate, infer_getattr
from numba.extending import intrinsic, overload_attribute, overload_method, register_model

from robandit.lab.compile.fingerprint import methods_of, properties_of
from robandit.lab.compile.functions import inlined, prepared
from robandit.layout import Layout


class Opened(types.Type):
    """The numba type of an opened object; every Python class gets a subclass of its own."""

    def __init__(self, layout: Layout, inner: dict[str, Any]) -> None:
        self.layout = layout
        self.inner = inner
        self.index = {name: number for number, name in enumerate(inner)}
        super().__init__(f"Opened({layout.describe()}#{id(layout.cls)})")

    def struct(self, context: Any) -> ir.LiteralStructType:
        """The memory behind an opened object, nested objects in place."""
        return ir.LiteralStructType(
            [
                kind.struct(context) if isinstance(kind, Opened) else context.get_value_type(kind)
                for kind in self.inner.values()
            ]
        )


class Addressed(PrimitiveModel):
    """An opened object is passed around as the address of its struct."""

    def __init__(self, manager: Any, kind: Opened) -> None:
        super().__init__(manager, kind, kind.struct(manager_as_context(manager)).as_pointer())


def manager_as_context(manager: Any) -> Any:
    """The data model manager behind the one call `Opened.struct` makes of a context."""
    return python.SimpleNamespace(get_value_type=lambda kind: manager[kind].get_value_type())


_KINDS: dict[tuple[type, bool], type[Opened]] = {}
_OPENED: dict[tuple[Layout, bool], Opened] = {}


def opened_type(layout: Layout, counted: bool) -> Opened:
    """The numba type for a layout, with the methods of its class registered once.

    `counted` says whether the code around it counts references, which it does only for parts that allocate.
    """
    if (layout, counted) not in _OPENED:
        inner = {
            name: opened_type(kind, counted) if isinstance(kind, Layout) else numba_type(kind)
            for name, kind in layout.items
        }
        if (layout.cls, counted) not in _KINDS:
            _KINDS[layout.cls, counted] = new_kind(layout.cls, counted)
        _OPENED[layout, counted] = _KINDS[layout.cls, counted](layout, inner)
    return _OPENED[layout, counted]


def numba_type(kind: str) -> Any:
    """`float64[1]` is a one-dimensional contiguous array, `float64` a scalar."""
    name, _, rest = kind.partition("[")
    scalar = types.boolean if name == "bool" else getattr(types, name)
    return types.Array(scalar, int(rest[:-1]), "C") if rest else scalar


def new_kind(cls: type, counted: bool) -> type[Opened]:
    """A numba type class for a Python class: its fields, class constants and methods."""
    kind = type(f"Opened{cls.__name__}", (Opened,), {})
    register_model(kind)(Addressed)

    @infer_getattr
    class Attributes(AttributeTemplate):
        key = kind

        def generic_resolve(self, opened: Opened, name: str) -> Any:
            if name in opened.inner:
                return opened.inner[name]
            constant = getattr(opened.layout.cls, name, None)
            return nb.typeof(constant) if isinstance(constant, bool | int | float) else None

    @lower_getattr_generic(kind)
    def get(context: Any, builder: Any, opened: Opened, address: Any, name: str) -> Any:
        if name not in opened.inner:
            constant = getattr(opened.layout.cls, name)
            return context.get_constant_generic(builder, nb.typeof(constant), constant)
        place = cgutils.gep_inbounds(builder, address, 0, opened.index[name])
        if isinstance(opened.inner[name], Opened):
            return place
        return impl_ret_borrowed(context, builder, opened.inner[name], builder.load(place))

    @lower_setattr_generic(kind)
    def put(context: Any, builder: Any, signature: Any, arguments: Any, name: str) -> None:
        opened, (address, value) = signature.args[0], arguments
        if not isinstance(opened.inner[name], types.Number | types.Boolean):
            raise TypeError(f"{opened.layout.cls.__name__}.{name} is an array: write into it instead of replacing it")
        builder.store(value, cgutils.gep_inbounds(builder, address, 0, opened.index[name]))

    for name, method in methods_of(cls).items():
        register = overload_method(kind, name, strict=False, jit_options=inlined(counted))
        register(resolver(prepared(method, counted)))
    for name, method in properties_of(cls).items():
        overload_attribute(kind, name, jit_options=inlined(counted))(resolver(prepared(method, counted)))
    return kind


def resolver(method: Callable[..., Any]) -> Callable[..., Any]:
    """A function with the method's own arguments that returns the method, as numba wants it of an overload."""
    code, defaults = method.__code__, method.__defaults__ or ()
    names = list(code.co_varnames[: code.co_argcount])
    space: dict[str, Any] = {"method": method, **{f"default{number}": value for number, value in enumerate(defaults)}}
    for number in range(len(defaults)):
        names[number - len(defaults)] += f"=default{number}"
    exec(f"def resolve({', '.join(names)}): return method", space)
    resolve: Callable[..., Any] = space["resolve"]
    return resolve


def opener(kind: Opened) -> Any:
    """An intrinsic that turns the nested tuple of an object into its struct on the stack."""

    def fill(context: Any, builder: Any, opened: Opened, address: Any, values: Any) -> None:
        for number, inner in enumerate(opened.inner.values()):
            place = cgutils.gep_inbounds(builder, address, 0, number)
            value = builder.extract_value(values, number)
            if isinstance(inner, Opened):
                fill(context, builder, inner, place, value)
            else:
                builder.store(value, place)

    @intrinsic
    def open_object(typing_context: Any, values: Any) -> Any:
        def emit(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            address = cgutils.alloca_once(builder, kind.struct(context))
            fill(context, builder, kind, address, arguments[0])
            return address

        return kind(values), emit

    return open_object
