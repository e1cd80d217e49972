"""Variants of a part that its laws must hold for too, by the words its parameters allow."""

from dataclasses import fields, replace
from typing import Any

from robandit.catalogue import scaled
from robandit.parts import Word


def variants(part: Any) -> list[Any]:
    """The part, then with each other word or flag of each parameter that has some, at constants that let it learn."""
    variants = [part]
    for item in fields(part):
        value = getattr(part, item.name)
        others: list[Any] = []
        if isinstance(value, Word):
            others = [word for word in type(value) if word is not value]
        elif isinstance(value, bool):
            others = [not value]
        variants += [replace(scaled(part), **{item.name: other}) for other in others]
    return variants
