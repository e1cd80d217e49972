"""A policy's state as plain values that JSON can hold, exact to the bit, and back again only if everything fits."""

from typing import Any

import numpy as np

from robandit.errors import InputError
from robandit.game import Policy, Setting
from robandit.layout import Layout, layout_of, plain

FORMAT = 2
RENAMED = {"chances": "probabilities"}  # fields of format 1 that have another name now


def save_values(value: Any, layout: Layout | None = None) -> dict[str, Any]:
    """Every crossing field of a state or a memory as plain numbers, flags, lists and nested dictionaries.

    A state whose arrays are lists (see online/lists.py) is written by the layout it has with arrays.
    """
    out: dict[str, Any] = {}
    for name, kind in (layout or layout_of(value)).saved:
        field = getattr(value, name)
        if isinstance(kind, Layout):
            out[name] = save_values(field, kind)
        else:
            out[name] = np.asarray(field, kind.partition("[")[0]).tolist()
    return out


def save_state(policy: Policy[Any], state: Any) -> dict[str, Any]:
    """Return a state as plain values, with what is needed to refuse it where it does not belong.

    Args:
        policy: the policy whose state it is.
        state: the state; its probabilities are brought up to date.

    Returns:
        Plain values, which JSON can hold.
    """
    policy.refresh(state)
    values = save_values(state)
    check_values(state, layout_of(state), values, "")
    return {"format": FORMAT, "policy": policy.name, "fields": layout_of(state).kinds(), "values": values}


def load_state(policy: Policy[Any], setting: Setting, document: Any) -> Any:
    """Read a state that was saved.

    Args:
        policy: the policy that had it.
        setting: with the same number of arms.
        document: what `save_state` returned, also after JSON.

    Returns:
        The state.

    Raises:
        InputError: if it is another policy's, has another number of arms, or cannot be a state.
    """
    state = policy.start(setting)
    layout = layout_of(state)
    document = upgrade(document)
    wanted = {"format": FORMAT, "policy": policy.name, "fields": layout.kinds()}
    if not isinstance(document, dict) or set(document) != {*wanted, "values"}:
        raise InputError(f"a saved state must have the keys {', '.join(wanted)} and values, not {keys_of(document)}")
    for key, value in wanted.items():
        if document[key] != value:
            raise InputError(f"a saved state's {key} must be {value!r} here, not {document[key]!r}")
    load_values(state, document["values"])
    return state


def upgrade(document: Any) -> Any:
    """A saved state of an older format in today's words; anything else as it is."""
    if isinstance(document, dict) and document.get("format") == 1:
        return {**rename_fields(document), "format": FORMAT}
    return document


def rename_fields(value: Any) -> Any:
    """A nested dictionary with today's names for its keys."""
    if not isinstance(value, dict):
        return value
    return {RENAMED.get(name, name): rename_fields(inner) for name, inner in value.items()}


def load_values(state: Any, values: Any) -> None:
    """Put a state or a memory of the same layout back to what `save_values` wrote, or refuse and leave it as it is."""
    values = rename_fields(values)
    check_values(state, layout_of(state), values, "")
    put(state, layout_of(state), values)


def keys_of(document: Any) -> str:
    """The keys of a document, or its type where it is no dictionary, for an error."""
    return ", ".join(map(str, document)) or "none" if isinstance(document, dict) else type(document).__name__


def check_values(state: Any, layout: Layout, values: Any, path: str) -> None:
    """Raise InputError for values of another shape or type, and for NaN and infinity."""
    names = [name for name, _ in layout.saved]
    if not isinstance(values, dict) or list(values) != names:
        raise InputError(f"a saved state's values{path} must be {', '.join(names)}, not {keys_of(values)}")
    for name, kind in layout.saved:
        where, field = f"{path}.{name}", getattr(state, name)
        if isinstance(kind, Layout):
            check_values(field, kind, values[name], where)
        else:
            check_numbers(values[name], np.shape(field), kind.partition("[")[0], where)


def check_numbers(values: Any, shape: tuple[int, ...], kind: str, where: str) -> None:
    """Raise InputError for what is not an array of this shape whose entries are numbers of this kind."""
    leaves = [values]
    for size in shape:
        if not all(isinstance(leaf, list) and len(leaf) == size for leaf in leaves):
            raise InputError(f"a saved state's {where[1:]} must have the shape {shape}, not {np.shape(values)}")
        leaves = [inner for leaf in leaves for inner in leaf]
    for leaf in leaves:
        if not fits(leaf, kind):
            raise InputError(f"a saved state's {where[1:]} must be a finite {kind}, not {leaf!r}")


def fits(leaf: Any, kind: str) -> bool:
    """Whether a plain value is exactly one of this kind."""
    if kind == "bool" or isinstance(leaf, bool):
        return kind == "bool" and isinstance(leaf, bool)
    if kind.startswith("float"):
        return isinstance(leaf, int | float) and bool(np.isfinite(leaf))
    limits = np.iinfo(kind)
    return isinstance(leaf, int) and limits.min <= leaf <= limits.max


def put(state: Any, layout: Layout, values: dict[str, Any]) -> None:
    """Write checked values into a state, its arrays in place."""
    for name, kind in layout.saved:
        if isinstance(kind, Layout):
            put(getattr(state, name), kind, values[name])
        elif kind.endswith("]"):
            getattr(state, name)[...] = values[name]
        else:
            setattr(state, name, plain(values[name], kind))
