"""A clock of the campaign's own for the service's processes: their time of day jumps, as if somebody had set it."""

import shutil
import struct
import subprocess
from pathlib import Path

COMPILER = shutil.which("cc")


class MovableClock:
    """The time of day as the C library tells it, so many seconds ahead; needs a C compiler."""

    def __init__(self, folder: Path) -> None:
        self.file, library = folder / "clock", folder / "clock.so"
        self.file.write_bytes(struct.pack("l", 0))
        self.environment: dict[str, str] = {}
        if COMPILER is not None:
            source = Path(__file__).with_suffix(".c")
            subprocess.run([COMPILER, "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
            self.environment = {"LD_PRELOAD": str(library), "CAMPAIGN_CLOCK": str(self.file)}

    def move(self, seconds: int) -> None:
        """Set it ahead of the true time, or back; at once for all processes."""
        with self.file.open("r+b") as file:
            file.write(struct.pack("l", seconds))
