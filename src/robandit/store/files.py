"""Writing a file so that it is there whole or not at all, whatever happens to the machine."""

import os
from pathlib import Path


def write_atomically(path: Path, content: bytes) -> None:
    """Write beside, flush to the disk, rename over."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{id(content)}")
    try:
        with draft.open("wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
