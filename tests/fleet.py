"""Several `robandit serve` on one PostgreSQL, as processes of their own."""

import subprocess
import sys
from pathlib import Path

from robandit.service.tokens import new_token

LEASE = 1.0


class Fleet:
    """Processes that serve one database."""

    def __init__(self, database: str, folder: Path, lease: float = LEASE) -> None:
        self.database, self.folder, self.lease = database, folder, lease
        self.token = new_token(folder / "tokens", "crowd", "admin")
        self.processes: dict[str, subprocess.Popen[str]] = {}

    def begin(self) -> str:
        """One more; its address."""
        return self.begun(self.launch())

    def launch(self) -> subprocess.Popen[str]:
        """One more, under way."""
        words = [
            sys.executable,
            "-m",
            "robandit",
            "serve",
            "--db",
            self.database,
            "--port",
            "0",
            "--lease",
            f"{self.lease}",
        ]
        words += ["--token-file", str(self.folder / "tokens")]
        with (self.folder / "log").open("a") as log:
            return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=log, text=True)

    def begun(self, process: subprocess.Popen[str]) -> str:
        """Its address, when it serves."""
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line.endswith("(as one of several processes)\n"), line
        address = line.split()[3].rstrip("/")
        self.processes[address] = process
        return address

    def pair(self) -> list[str]:
        """Two that live."""
        for process in [self.launch() for _ in range(2 - len(self.processes))]:
            self.begun(process)
        return list(self.processes)

    def kill(self, address: str) -> None:
        """At once, as nobody can prepare for."""
        process = self.processes.pop(address)
        process.kill()
        process.wait()
        process.stdout.close()  # type: ignore[union-attr]

    def end(self) -> list[int]:
        """All, by a signal; their exit codes."""
        for process in self.processes.values():
            process.terminate()
        codes = [process.wait(timeout=30) for process in self.processes.values()]
        for process in self.processes.values():
            process.stdout.close()  # type: ignore[union-attr]
        return codes
