"""A store by its address."""

from importlib import import_module

from robandit.errors import InputError
from robandit.service.stores.base import ArchivingStore

SCHEMES = {  # the module that opens it, loaded only where it is needed, and how an address reads
    "sqlite": ("robandit.service.stores.sqlite", "sqlite:///FILE"),
    "postgresql": ("robandit.service.stores.postgres", "postgresql://..."),
    "postgres": ("robandit.service.stores.postgres", "postgresql://..."),
}


def open_store(url: str, *, read_only: bool = False) -> ArchivingStore:
    """Returns the store behind `sqlite:///FILE` (four slashes for a path from the root) or `postgresql://...`.

    Raises InputError where the address is none of these, or its database cannot be opened.
    """
    scheme, separator, _ = url.partition("://")
    if not separator or scheme not in SCHEMES:
        forms = " or ".join(dict.fromkeys(form for _, form in SCHEMES.values()))
        raise InputError(f"a database must be {forms}, not {url!r}")
    store: ArchivingStore = import_module(SCHEMES[scheme][0]).open_at(url, read_only)
    return store
