"""One process of the service, started again whenever it ends, as systemd would."""

import asyncio
import os
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path

OWN_FAULTS = (" error fault ", " error task_restarted ", " error task_failed ", "Traceback")  # in a line of the log
PAUSE = 0.1  # seconds between an end and the next start


class Instance:
    """`robandit serve` at a port that stays the same over all its lives."""

    def __init__(self, url: str, log: Path, environment: dict[str, str], remember: int) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.log, self.environment = log, os.environ | environment
        self.words = ["serve", "--db", url, "--port", str(self.port), "--watch", "5", "--remember", str(remember)]
        self.words += ["--lease", "2"] if url.startswith("postgresql") else []
        self.pid = self.code = self.starts = 0  # pid: 0 while it does not run
        self.failed_starts: list[str] = []  # how each ended
        self.is_over = self.is_starting = False
        self.may_start = asyncio.Event()
        self.may_start.set()

    async def keep(self) -> None:
        """Start it whenever it does not run, until all is over."""
        pipe = asyncio.subprocess.PIPE
        words = [sys.executable, "-m", "tests.campaign.nursery", *self.words]
        with self.log.open("ab") as log:
            nursery = await asyncio.create_subprocess_exec(
                *words, env=self.environment, stdin=pipe, stdout=pipe, stderr=log
            )
        assert nursery.stdin is not None
        assert nursery.stdout is not None
        try:
            while not self.is_over:
                await self.may_start.wait()
                self.is_starting = True
                nursery.stdin.write(b"start\n")
                await self.follow_life(nursery.stdout)
                await asyncio.sleep(PAUSE)
        finally:
            self.signal(signal.SIGKILL)
            nursery.stdin.close()
            await nursery.wait()

    async def follow_life(self, output: asyncio.StreamReader) -> None:
        """From a start to the end."""
        starts, logged = self.starts, self.log.stat().st_size
        while line := (await output.readline()).decode():
            word, _, rest = line.partition(" ")
            if word == "pid":
                self.pid = int(rest)
            elif "http://" in line:
                self.starts, self.is_starting = self.starts + 1, False
            elif word == "exit":
                self.pid, self.code, self.is_starting = 0, int(rest), False
                if self.starts == starts:
                    self.failed_starts.append(f"exit {self.code}: {self.last_line(logged)}")
                return
        raise RuntimeError(f"no process can be started any more: see {self.log}")

    def last_line(self, logged: int) -> str:
        """Returns the last line of the log after so many bytes."""
        with self.log.open("rb") as log:
            log.seek(logged)
            lines = log.read().decode(errors="replace").splitlines()
        return lines[-1] if lines else "it said nothing"

    def own_faults(self, is_shared: bool) -> int:
        """Returns how many lines of the log are about what no fault from outside explains.

        A commit that breaks a law of the store is one, unless another process may have taken the experiment over.
        """
        kinds = OWN_FAULTS if is_shared else (*OWN_FAULTS, "StoreRefusal")
        return sum(any(kind in line for kind in kinds) for line in self.log.read_text(errors="replace").splitlines())

    def signal(self, number: signal.Signals) -> None:
        """Send the process a signal, if it runs."""
        if self.pid:
            with suppress(ProcessLookupError):
                os.kill(self.pid, number)

    async def until_down(self) -> None:
        """Wait until it does not run."""
        while self.pid or self.is_starting:
            await asyncio.sleep(0.01)

    def memory(self) -> float:
        """Returns its resident megabytes; 0 while it does not serve."""
        if self.is_starting:
            return 0.0
        try:
            lines = Path(f"/proc/{self.pid}/status").read_text().splitlines()
        except OSError:
            return 0.0
        return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)

    async def end(self) -> int:
        """Stop it for good, as an operator would; returns its exit code."""
        while self.is_starting or not self.pid:
            await asyncio.sleep(0.01)
        self.is_over = True
        self.signal(signal.SIGTERM)
        await self.until_down()
        return self.code
