"""Bitcode of a loop and its parts linked, optimised once, kept as an object and loaded: llvmlite only, no numba."""

import ctypes
import json
import threading
import time
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from robandit.errors import PlayError
from robandit.lab.compile.memory import Kind, block_of, measure, read_scalars
from robandit.layout import Fresh, Layout, layout_of
from robandit.parts import Part

ENTRY, KERNEL = "robandit_enter", "robandit_kernel"
LEVELS = {"full": 3, "brief": 0}  # of optimising and of emitting
_LOCK = threading.Lock()  # LLVM's engines are made one at a time


class CannotLink(Exception):
    """The pieces do not make a whole; the message says what is missing."""


def new_machine(level: int = 3) -> Any:
    """A target machine for this processor; an engine takes the one it is given and frees it when it goes."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    target = llvm.Target.from_triple(llvm.get_process_triple())
    cpu, features = llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten()
    return target.create_target_machine(
        opt=level, cpu=cpu, features=features, reloc="static", codemodel="jitdefault", jit=True
    )


@cache
def machine(level: int = 3) -> Any:
    """The machine that optimises and emits."""
    return new_machine(level)


def processor() -> str:
    """What machine code depends on besides its source."""
    return f"{llvm.get_process_triple()} {llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


def tidy(module: Any) -> None:
    """What is worth doing once for each piece: less text for every later link."""
    builder = llvm.create_pass_builder(machine(), llvm.create_pipeline_tuning_options(speed_level=1))
    whole = llvm.create_new_module_pass_manager()
    whole.add_always_inliner_pass()
    whole.add_global_dead_code_eliminate_pass()
    whole.run(module, builder)
    for function in module.functions:
        if not function.is_declaration:
            single = llvm.create_new_function_pass_manager()
            single.add_sroa_pass()
            single.add_simplify_cfg_pass()
            single.add_instruction_combine_pass()
            single.add_simplify_cfg_pass()
            single.add_aggressive_dce_pass()
            single.run(function, builder)


def optimise(module: Any, level: int) -> None:
    """Everything, with every part in sight; at level 0 parts and loop are only put into one."""
    options = llvm.create_pipeline_tuning_options(speed_level=level)
    options.loop_vectorization, options.slp_vectorization = level > 0, False
    builder = llvm.create_pass_builder(machine(level), options)
    builder.getModulePassManager().run(module, builder)


def glue(objects: dict[str, Layout], arguments: Kind) -> str:
    """The kernel: parts and arguments copied onto the stack, the loop called, what parts remember copied back.

    On the stack the optimiser can take them apart into registers. The block begins with a pointer to each object.
    """
    copy = "call void @llvm.memcpy.p0.p0.i64"
    size = measure(arguments)[0]
    lines = ["%answer = alloca ptr", "%exception = alloca ptr", f"%local = alloca [{size} x i8], align 8"]
    sizes = {role: measure(layout)[0] for role, layout in objects.items()}
    lines += [f"%{role} = alloca [{max(sizes[role], 1)} x i8], align 8" for role in objects]
    lines += [f"{copy}(ptr align 8 %local, ptr align 8 %block, i64 {size}, i1 false)"]
    for place, role in enumerate(objects):
        lines += [
            f"%place.{role} = getelementptr i64, ptr %block, i64 {place}",
            f"%there.{role} = load ptr, ptr %place.{role}",
            f"{copy}(ptr align 8 %{role}, ptr align 8 %there.{role}, i64 {sizes[role]}, i1 false)",
            f"%slot.{role} = getelementptr i64, ptr %local, i64 {place}",
            f"store ptr %{role}, ptr %slot.{role}",
        ]
    lines += [f"%status = call i32 @{ENTRY}(ptr %answer, ptr %exception, ptr %local)"]
    for role in remembering(objects):
        lines += [f"{copy}(ptr align 8 %there.{role}, ptr align 8 %{role}, i64 {sizes[role]}, i1 false)"]
    body = "\n  ".join(lines)
    declared = f"declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)\ndeclare i32 @{ENTRY}(ptr, ptr, ptr)\n"
    return f"{declared}define i32 @{KERNEL}(ptr %block) nounwind {{\n  {body}\n  ret i32 %status\n}}\n"


def remembering(objects: dict[str, Layout]) -> list[str]:
    """The roles whose objects a loop changes."""
    return [role for role in ("state", "memory") if role in objects]


def link(pieces: list[bytes], objects: dict[str, Layout], arguments: Kind, effort: str = "full") -> bytes:
    """The object of one combination, with the names it needs from outside; a brief one takes an eighth of the time."""
    level = LEVELS[effort]
    whole = llvm.parse_assembly(glue(objects, arguments))
    whole.triple = llvm.get_process_triple()
    whole.data_layout = str(machine().target_data)
    for piece in pieces:
        whole.link_in(llvm.parse_bitcode(piece))
    for function in whole.functions:
        if not function.is_declaration and function.name != KERNEL:
            function.linkage = "internal"
    optimise(whole, level)
    code = bytes(machine(level).emit_object(whole))
    outside = sorted(f.name for f in whole.functions if f.is_declaration and not f.name.startswith("llvm."))
    head = json.dumps(outside).encode()
    return len(head).to_bytes(8, "little") + head + code


def missing(names: list[str]) -> list[str]:
    """The names among some that this process does not offer; loading code that needs one would end it."""
    process = ctypes.CDLL(None)
    return [name for name in names if not hasattr(process, name) and not llvm.address_of_symbol(name)]


class LinkedKernel:
    """Machine code of one combination of parts."""

    road = "linked"

    def __init__(self, content: bytes, objects: dict[str, Layout], arguments: Kind, is_cached: bool) -> None:
        self.objects, self.arguments, self.is_cached, self.spent = objects, arguments, is_cached, 0.0
        size = int.from_bytes(content[:8], "little")
        absent = missing(json.loads(content[8 : 8 + size]))
        if absent:
            raise CannotLink(f"nobody offers {', '.join(absent)}")
        with _LOCK:
            self.engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), new_machine())
            self.engine.add_object_file(llvm.ObjectFileRef.from_data(content[8 + size :]))
            self.engine.finalize_object()
            address = self.engine.get_function_address(KERNEL)
        self.function = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(address)

    def __call__(self, parts: tuple[Any, ...], *rest: Any) -> None:
        """Run; what the parts remember is changed in place."""
        blocks = [block_of(part, layout) for part, layout in zip(parts, self.objects.values(), strict=True)]
        pointers = tuple(block.ctypes.data for block in blocks)
        alive: list[Any] = []  # what pointers point to must live through the call
        arguments = tuple(pointed(value, alive) for value in ((pointers, *rest) if parts else rest))
        block = block_of(arguments, self.arguments)
        begun = time.thread_time()
        failed = self.function(block.ctypes.data)
        self.spent += time.thread_time() - begun
        if failed:
            names = ", ".join(layout.cls.__name__ for layout in self.objects.values() if issubclass(layout.cls, Part))
            raise PlayError(f"one of {names} raised an exception in the middle of a play: engine plain shows where")
        for role, part, memory in zip(self.objects, parts, blocks, strict=True):
            if role in remembering(self.objects):
                read_scalars(memory, part, self.objects[role])


def pointed(value: Any, alive: list[Any]) -> Any:
    """An argument with the objects in it replaced by pointers to where they lie."""
    if isinstance(value, Fresh):
        alive.append(block_of(value.value, layout_of(value.value)))
        return alive[-1].ctypes.data
    return tuple(pointed(inner, alive) for inner in value) if isinstance(value, tuple) else value
