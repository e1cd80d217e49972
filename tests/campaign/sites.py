"""Where a campaign's database lives, and how it is taken away: a file on a disk of its own, or a PostgreSQL server."""

import os
import resource
import shutil
import signal
import subprocess
from contextlib import suppress
from pathlib import Path

from tests.campaign.instance import Instance
from tests.postgres_server import Server, children

DISK = 4 << 30  # bytes: of a sparse image, of which only what is written takes room


class FileSite:
    """An SQLite database, on an ext4 disk of its own where one can be mounted: that takes root and a loop device.

    Elsewhere a full disk is the limit of the process's file sizes, which cuts a write short in the same way.
    """

    instances, faults = 1, ("kill", "stop", "quit", "full disk", "lost database", "clock")

    def __init__(self, folder: Path) -> None:
        self.disk, self.balloon = folder / "disk", folder / "disk" / "balloon"
        self.disk.mkdir()
        self.mounted = mount_image(folder / "disk.img", self.disk)
        self.db, self.away = self.disk / "campaign.db", self.disk / "away"
        self.url = f"sqlite:///{self.db}"

    def fill(self, instances: list[Instance], left: int) -> None:
        """Leave so many bytes on the disk."""
        if self.mounted:
            free = os.statvfs(self.disk)
            with self.balloon.open("wb") as file, suppress(OSError):  # the service may have taken the rest meanwhile
                os.posix_fallocate(file.fileno(), 0, max(free.f_bavail * free.f_frsize - left, 1))
            return
        log = Path(f"{self.db}-wal")
        limit = (log.stat().st_size if log.exists() else 0) + left
        self.limit(instances, limit)

    def make_room(self, instances: list[Instance]) -> None:
        """Undo `fill`."""
        self.balloon.unlink(missing_ok=True)
        self.limit(instances, resource.RLIM_INFINITY)

    def limit(self, instances: list[Instance], size: int) -> None:
        """Limit the files that the processes write."""
        for process in (instance.pid for instance in instances if instance.pid):  # 0 would be this very process
            with suppress(ProcessLookupError):
                resource.prlimit(process, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def lose(self) -> None:
        """Move the database's files away, under the service's feet."""
        self.away.mkdir()
        for file in self.disk.glob("campaign.db*"):
            if not file.name.endswith(".lock"):
                file.rename(self.away / file.name)

    def bring_back(self) -> None:
        """Undo `lose`, when no process of the service lives."""
        for file in self.away.iterdir():
            file.rename(self.disk / file.name)
        self.away.rmdir()

    def size(self) -> int:
        """Returns the bytes of the database."""
        return sum(file.stat().st_size for file in self.disk.glob("campaign.db*"))

    def close(self) -> None:
        """Keep the database for a look, and leave no mount."""
        if self.mounted:
            for file in self.disk.glob("campaign.db*"):
                shutil.copy2(file, self.disk.parent)
            subprocess.run(["umount", "--lazy", self.disk], check=True)
            self.disk.with_suffix(".img").unlink()


def mount_image(image: Path, folder: Path) -> bool:
    """Mount a new ext4 disk, kept in a sparse file, at a folder; returns whether that was possible."""
    if os.getuid() != 0 or not shutil.which("mkfs.ext4"):
        return False
    with image.open("wb") as file:
        file.truncate(DISK)
    subprocess.run(["mkfs.ext4", "-q", "-m", "0", image], check=True)
    mounted = subprocess.run(["mount", "-o", "loop", image, folder], capture_output=True).returncode == 0
    if not mounted:
        image.unlink()
    return mounted


class PostgresSite:
    """A PostgreSQL server of its own, shared by two processes of the service."""

    instances, faults = 2, ("kill", "stop", "quit", "lost database", "frozen database", "clock")

    def __init__(self, folder: Path) -> None:
        self.server = Server()
        self.url = self.server.database()

    def lose(self) -> None:
        """As if the database's machine had lost its power."""
        self.server.kill()

    def bring_back(self) -> None:
        """Undo `lose`."""
        self.server.start()

    def signal(self, number: signal.Signals) -> None:
        """Stop all processes of the server, or let them go on."""
        for process in (self.server.process.pid, *children(self.server.process.pid)):
            with suppress(ProcessLookupError):
                os.kill(process, number)

    def size(self) -> int:
        """Returns the bytes of the server's folder."""
        return sum(file.stat().st_size for file in self.server.data.rglob("*") if file.is_file())

    def close(self) -> None:
        """Stop the server, and leave nothing."""
        self.server.close()
