"""Kernels as WebAssembly: the same pieces linked for wasm32, with exp, log and log1p of our own.

Pieces are lowered for 64 bits. wasm32 has pointers of four bytes; aligned to eight, as the data layout here says, every
struct has the offsets of the 64-bit one, and whoever writes a pointer writes eight bytes of which the last four are 0.

LLVM's object files are modules already: they import their memory and the stack's pointer, and their code refers to
their own functions and data. All that is missing is the export, so no linker is needed.
"""

import re
from functools import cache
from typing import Any

import llvmlite.binding as llvm

from robandit.lab.compile.cache import read_or_make
from robandit.lab.compile.fingerprint import name_of
from robandit.lab.compile.kernel import KernelSpec, pieces_of
from robandit.lab.compile.link import KERNEL, CannotLink, glue

TRIPLE = "wasm32-unknown-unknown"
FEATURES = "+bulk-memory,+mutable-globals,+nontrapping-fptoint,+sign-ext"  # in every browser since 2021
ELEMENTARY = re.compile(r"@(?:llvm\.)?(exp|log|log1p)(?:\.f64)?(?=\()")  # an intrinsic, or a function of C
GIVEN = {"__linear_memory", "__stack_pointer"}  # what a module may import
CUSTOM, IMPORT, EXPORT = 0, 2, 7  # sections
USED = "elementary"  # the section of ours that says which functions a kernel calls
OWN = {"robandit_exp", "robandit_log", "robandit_log1p"}


@cache
def wasm_machine() -> Any:
    """The machine that optimises and emits for browsers."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    target = llvm.Target.from_triple(TRIPLE)
    return target.create_target_machine(opt=3, reloc="static", codemodel="default", features=FEATURES)


@cache
def data_layout() -> str:
    """That of wasm32, with pointers that take the room of 64-bit ones."""
    usual = str(wasm_machine().target_data)
    wide = usual.replace("-p:32:32-", "-p:32:64-")
    if wide == usual:
        raise CannotLink(f"the data layout of wasm32 is another than expected: {usual}")
    return wide


def wasm_kernel(spec: KernelSpec) -> bytes:
    """The module of a kernel, from the cache or linked from its pieces.

    It exports `robandit_kernel`, which takes the address of its arguments and returns 0 unless a part raised; it
    imports a memory and the stack's pointer. Raises CannotLink for a part that calls what a browser does not have.
    """
    name = name_of(spec.layouts, ("wasm", *spec.texts(), elementary_text()))
    return read_or_make(f"{name}.wasm", lambda: link_wasm(spec))


def elementary_text() -> str:
    """What the functions of our own say."""
    from robandit.lab.compile import elementary
    from robandit.lab.compile.kernel import loop_text

    return loop_text(elementary)


def link_wasm(spec: KernelSpec) -> bytes:
    """Link, optimise and emit."""
    whole = parsed(llvm.parse_assembly(glue(spec.layouts, spec.arguments)))
    for piece in pieces_of(spec):
        whole.link_in(parsed(llvm.parse_bitcode(piece)))
    whole = parsed(llvm.parse_assembly(ELEMENTARY.sub(r"@robandit_\1", str(whole))))
    whole.link_in(parsed(llvm.parse_bitcode(elementary_piece())))
    for function in whole.functions:
        if not function.is_declaration and function.name != KERNEL:
            function.linkage = "internal"
    options = llvm.create_pipeline_tuning_options(speed_level=2)
    options.loop_vectorization = options.slp_vectorization = False
    builder = llvm.create_pass_builder(wasm_machine(), options)
    builder.getModulePassManager().run(whole, builder)
    used = [f.name.removeprefix("robandit_") for f in whole.functions if f.name in OWN and not f.is_declaration]
    return as_module(bytes(wasm_machine().emit_object(whole)), used)


def elementary_used(module: bytes) -> list[str]:
    """Which of exp, log and log1p a kernel calls; one that calls none gives the bits of machine code."""
    for number, body in sections_of(module):
        name, begin = read_name(body, 0) if number == CUSTOM else ("", 0)
        if name == USED:
            return body[begin:].decode().split()
    return []


def elementary_piece() -> bytes:
    """The bitcode of exp, log and log1p."""
    from robandit.lab.compile.lower_elementary import elementary_bitcode

    return read_or_make(f"{name_of({}, ('elementary', elementary_text()))}.bc", elementary_bitcode)


def parsed(module: Any) -> Any:
    """A module that is meant for browsers."""
    module.triple, module.data_layout = TRIPLE, data_layout()
    return module


# --- an object file as a module ----------------------------------------------------------------------------------


def as_module(code: bytes, used: list[str]) -> bytes:
    """An object file with its kernel exported, a note of the functions used, and without what only a linker reads."""
    sections = sections_of(code)
    imported, functions = imports_of(dict(sections).get(IMPORT, b"\0"))
    if strange := sorted(set(imported) - GIVEN):
        raise CannotLink(f"no browser offers {', '.join(strange)}")
    label = KERNEL.encode()
    entry = bytes([1, len(label)]) + label + bytes([0]) + leb(functions + kernel_place(sections))
    parts = [(number, body) for number, body in sections if number != CUSTOM]
    place = next(index for index, (number, _) in enumerate(parts) if number > EXPORT)
    parts.insert(place, (EXPORT, entry))
    parts.append((CUSTOM, leb(len(USED)) + USED.encode() + " ".join(used).encode()))
    return code[:8] + b"".join(bytes([number]) + leb(len(body)) + body for number, body in parts)


def sections_of(code: bytes) -> list[tuple[int, bytes]]:
    """Number and content of each section."""
    sections, place = [], 8
    while place < len(code):
        size, begin = read_leb(code, place + 1)
        sections.append((code[place], code[begin : begin + size]))
        place = begin + size
    return sections


def imports_of(body: bytes) -> tuple[list[str], int]:
    """The names a module imports, and how many of them are functions."""
    count, place = read_leb(body, 0)
    names, functions = [], 0
    for _ in range(count):
        _, place = read_name(body, place)
        name, place = read_name(body, place)
        kind, place = body[place], place + 1
        names.append(name)
        functions += kind == 0
        if kind == 2:  # a memory: flags, then its least size
            _, place = read_leb(body, place + 1)
        elif kind == 3:  # a global: its type, whether it changes
            place += 2
        elif kind == 0:
            _, place = read_leb(body, place)
        else:
            raise CannotLink(f"an import of kind {kind}")
    return names, functions


def kernel_place(sections: list[tuple[int, bytes]]) -> int:
    """The kernel's number among the functions that are defined: all others were inlined or are internal."""
    for number, body in sections:
        name, begin = read_name(body, 0) if number == CUSTOM else ("", 0)
        if name == "linking":
            return symbol_place(body, begin, sections)
    raise CannotLink("an object file without symbols")


def symbol_place(body: bytes, place: int, sections: list[tuple[int, bytes]]) -> int:
    """The same, read from the table of symbols."""
    _, functions = imports_of(dict(sections).get(IMPORT, b"\0"))
    _, place = read_leb(body, place)  # the version
    while place < len(body):
        kind, (size, begin) = body[place], read_leb(body, place + 1)
        if kind == 8:  # symbols
            index = body.find(KERNEL.encode(), begin, begin + size)
            if index < 0:
                break
            return body[index - 2] - functions  # kind, flags, number of the function, length of the name, the name
        place = begin + size
    raise CannotLink(f"an object file without {KERNEL}")


def read_leb(body: bytes, place: int) -> tuple[int, int]:
    """An unsigned number in LEB128, and where it ends."""
    number = shift = 0
    while True:
        byte, place = body[place], place + 1
        number |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            return number, place


def read_name(body: bytes, place: int) -> tuple[str, int]:
    """A name, and where it ends."""
    size, begin = read_leb(body, place)
    return body[begin : begin + size].decode(), begin + size


def leb(number: int) -> bytes:
    """A number in LEB128."""
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    return bytes([*out, number])
