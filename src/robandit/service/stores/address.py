"""A store by its address."""

from pathlib import Path

from robandit.errors import InputError
from robandit.service.stores.base import Store
from robandit.service.stores.sqlite import SqliteStore


def open_store(url: str, *, read_only: bool = False) -> Store:
    """The store behind `sqlite:///FILE`, four slashes for a path from the root, or behind `postgresql://...`."""
    scheme, _, rest = url.partition("://")
    if scheme in ("postgresql", "postgres"):
        from robandit.service.stores.postgres import PostgresStore  # loaded where it is needed only

        return PostgresStore(url, read_only=read_only)
    if scheme != "sqlite" or not rest.startswith("/") or not rest.strip("/"):
        raise InputError(f"a database must be sqlite:///FILE or postgresql://..., not {url!r}")
    path = Path(rest.removeprefix("/"))
    if not path.parent.is_dir():
        raise InputError(f"there is no folder {str(path.parent)!r}")
    if read_only and not path.is_file():
        raise InputError(f"there is no database {str(path)!r}")
    return SqliteStore(path, read_only=read_only)
