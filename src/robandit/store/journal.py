"""An append-only memory of finished work: a line is there whole or it does not count.

A line outlives its program at once, and a power cut within a second: what that takes is done again.
"""

import hashlib
import json
import os
import threading
import time
from pathlib import Path
from typing import Any

from robandit.errors import InputError

EVERY = 1.0  # seconds from one flush to the disk to the next: it takes longer than many a play


class Journal:
    """Values by key; what was put before a crash is there afterwards. Without a path it is only in memory.

    `lasts` says whether its values outlive this process, there or elsewhere, so that keys must name the code.
    """

    def __init__(self, path: Path | None, lasts: bool = False) -> None:
        self.path, self.lock, self.lasts = path, threading.Lock(), lasts or path is not None
        self.values: dict[str, Any] = {}
        content = path.read_bytes() if path is not None and path.exists() else b""
        for line in content.splitlines():
            entry = read_line(line)
            if entry is not None:
                self.values[entry[0]] = entry[1]
        self.torn = bool(content) and not content.endswith(b"\n")
        self.flushed = -EVERY

    def get(self, key: str) -> Any:
        """The value put under a key, or None."""
        return self.values.get(key)

    def put(self, key: str, value: Any) -> None:
        """Keep a value, written before this returns."""
        with self.lock:
            if self.path is not None:
                self.append(self.path, json.dumps([key, value]))
            self.values[key] = value

    def append(self, path: Path, body: str) -> None:
        """One more line; after a torn one it starts anew."""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("ab") as file:
                file.write((b"\n" if self.torn else b"") + f"{checksum(body)} {body}\n".encode())
                file.flush()
                if time.monotonic() >= self.flushed + EVERY:
                    os.fsync(file.fileno())
                    self.flushed = time.monotonic()
        except OSError as error:
            raise InputError(f"the folder {str(path.parent)!r} cannot be written: {error.strerror}") from error
        self.torn = False


def checksum(body: str) -> str:
    """Sixteen digits of a digest."""
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def read_line(line: bytes) -> tuple[str, Any] | None:
    """Key and value of a whole line; None for one that was cut or damaged."""
    digest, _, body = line.decode(errors="replace").partition(" ")
    if checksum(body) != digest:
        return None
    key, value = json.loads(body)
    return str(key), value
