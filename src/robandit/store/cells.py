"""A folder of results: one Parquet file per cell, and notes about cells that are played, failed or damaged."""

import hashlib
import json
import os
import socket
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from robandit.lab.trace import Trace
from robandit.store.files import running, sweep, write_atomically
from robandit.store.parquet import Damaged, from_bytes


@dataclass(frozen=True)
class ResultStore:
    """Results under one folder, keyed by content hash."""

    folder: Path

    def result(self, key: str) -> Path:
        """The file that holds what the cell determines."""
        return self.folder / "cells" / f"{key}.parquet"

    def beside(self, key: str, kind: str) -> Path:
        """A small file beside it: `run` (time and machine), `flight` (being played), `failed` (the error)."""
        return self.folder / "cells" / f"{key}.{kind}.json"

    def save(self, key: str, content: bytes, run: dict[str, Any]) -> None:
        """Store a result; the note about the run, with the digest of the file, comes first: every result has one."""
        write_atomically(self.beside(key, "run"), json.dumps({**run, "sha256": digest(content)}, indent=1).encode())
        write_atomically(self.result(key), content)
        self.beside(key, "flight").unlink(missing_ok=True)
        self.beside(key, "failed").unlink(missing_ok=True)

    def load(self, key: str) -> Trace | None:
        """A whole result, or None; a damaged file is moved aside and never used."""
        path = self.result(key)
        try:
            content = path.read_bytes()
        except FileNotFoundError:
            return None
        try:
            if (self.note(key, "run") or {}).get("sha256", digest(content)) != digest(content):
                raise Damaged("it is not the file that was written")
            trace, provenance = from_bytes(content)
            if provenance.get("key") != key:
                raise Damaged("it belongs to another cell")
        except Damaged as damage:
            self.quarantine(path, str(damage))
            return None
        return trace

    def quarantine(self, path: Path, reason: str) -> None:
        """Move a damaged file aside, with the reason."""
        aside = self.folder / "quarantine" / f"{path.stem}.{time.time_ns()}{path.suffix}"
        aside.parent.mkdir(parents=True, exist_ok=True)
        path.replace(aside)
        aside.with_suffix(".reason.txt").write_text(reason + "\n")

    def sweep(self) -> None:
        """Remove what a killed run was in the middle of writing."""
        sweep(self.folder / "cells")

    def begin(self, key: str) -> None:
        """Note that this process plays a cell now."""
        flight = {"process": os.getpid(), "machine": socket.gethostname(), "since": time.time()}
        write_atomically(self.beside(key, "flight"), json.dumps(flight).encode())

    def fail(self, key: str, error: str) -> None:
        """Store the error of a cell."""
        write_atomically(self.beside(key, "failed"), json.dumps({"error": error, "at": time.time()}).encode())
        self.beside(key, "flight").unlink(missing_ok=True)

    def state(self, key: str) -> str:
        """done, running, interrupted, failed or waiting."""
        if self.load(key) is not None:
            return "done"
        if self.beside(key, "failed").exists():
            return "failed"
        flight = self.note(key, "flight")
        if flight is None:
            return "waiting"
        return "running" if alive(flight) else "interrupted"

    def note(self, key: str, kind: str) -> dict[str, Any] | None:
        """The content of a small file beside a result, None if it is not there or not whole."""
        try:
            content: dict[str, Any] = json.loads(self.beside(key, kind).read_bytes())
        except (FileNotFoundError, ValueError):
            return None
        return content

    def damaged(self) -> list[Path]:
        """What was moved aside."""
        return sorted((self.folder / "quarantine").glob("*.parquet"))


def digest(content: bytes) -> str:
    """A name for exactly these bytes."""
    return hashlib.sha256(content).hexdigest()


def alive(flight: dict[str, Any]) -> bool:
    """Whether the process that began a cell still runs; of another machine, whether it began within a day."""
    if flight.get("machine") != socket.gethostname():
        return bool(time.time() - flight.get("since", 0.0) < 86_400)
    try:
        return running(int(flight["process"]))
    except (KeyError, ValueError):
        return False
