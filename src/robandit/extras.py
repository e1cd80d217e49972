"""Optional libraries: which extra brings each of them, and one sentence where it is not installed."""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

from robandit.errors import Refused

EXTRAS = {
    "lab": ("numba", "llvmlite", "pyarrow", "matplotlib", "rich", "cmaes", "jinja2"),
    "service": ("apsw", "httptools", "msgspec", "psycopg", "starlette", "uvicorn", "uvloop"),
    "client": ("httpx",),
    "cluster": ("distributed", "dask"),
    "gym": ("gymnasium",),
}
EXTRA_OF = {library: extra for extra, libraries in EXTRAS.items() for library in libraries}


class MissingExtra(Refused, ImportError):
    """A library of an extra is not installed; the message says how to install it."""


def require(module: str, purpose: str = "this") -> Any:
    """Import a module of an optional library.

    Args:
        module: its dotted name, such as "pyarrow.parquet".
        purpose: what needs it, for the error's sentence.

    Raises:
        MissingExtra: if the library is not installed.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        raise missing_extra(error, purpose) or error from error


def has_extra(library: str) -> bool:
    """Whether a library can be imported; it is not loaded."""
    try:
        return find_spec(library) is not None
    except ModuleNotFoundError:
        return False


def missing_extra(error: ModuleNotFoundError, purpose: str = "this") -> MissingExtra | None:
    """The sentence for an import that failed, or None if the module belongs to no extra."""
    library = (error.name or "").partition(".")[0]
    if library not in EXTRA_OF:
        return None
    return MissingExtra(f"{purpose} needs {library}, which is not installed: {install_command(EXTRA_OF[library])}")


def install_command(extra: str) -> str:
    """How to install an extra, in the one wording used everywhere."""
    return f"pip install 'robandit[{extra}]' (in a clone: pip install '.[{extra}]')"
