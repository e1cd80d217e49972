"""Writing a file so that it is there whole or not at all, whatever happens to the machine."""

import os
import socket
import time
from pathlib import Path


def write_atomically(path: Path, content: bytes, mode: int = 0o666) -> None:
    """Write beside, flush to the disk, rename over; `mode` is that of a new file, without what the umask takes."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{os.getpid()}.{id(content)}.{socket.gethostname()}")
    try:
        with open(draft, "wb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
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


def sweep(folder: Path) -> None:
    """Remove drafts whose writer was killed: of this machine, if its process is gone; of others, after a day."""
    for draft in folder.glob(".*.*.*.*"):  # as write_atomically names them: never a user's own .gitignore
        words = draft.name.split(".")
        numbers = [int(word) for word in words[-3:-1] if word.isdigit()] if words[-1] == socket.gethostname() else []
        gone = numbers and not running(numbers[0])
        if gone or time.time() - draft.stat().st_mtime > 86_400:
            draft.unlink(missing_ok=True)


def running(process: int) -> bool:
    """Whether a process of this machine is still there."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
