"""The seams of a loop: where it opens, restores and closes its parts, and where the compiler puts their code.

Interpreted, a part is its own opened self. A loop imports the seams it needs under these names; compiled, it gets
others under the same names (compile/lower.py, compile/fused.py).
"""

from typing import Any

from robandit.dice import Random
from robandit.lab.bill import Bill
from robandit.layout import layout_of, restore_fields, scalars_of


def open_part(part: Any) -> Any:
    """The part itself."""
    return part


def open_random(words: Any) -> Random:
    """Four words as a stream."""
    return Random(int(words[0]), int(words[1]), int(words[2]), int(words[3]))


def open_bill(values: Any) -> Bill:
    """Budget, way of charging and what was paid before as a bill."""
    return Bill(*values)


def restore_part(part: Any, fresh: Any) -> None:
    """Put a state or memory back to what it was before the first round."""
    restore_fields(part, layout_of(part), fresh.value)


def close_part(part: Any) -> Any:
    """The scalars of a state or memory, for the caller outside."""
    return scalars_of(part, layout_of(part))


open_policy = open_state = open_environment = open_tables = open_adversary = open_memory = open_part
restore_state = restore_memory = restore_part
close_state = close_memory = close_part
