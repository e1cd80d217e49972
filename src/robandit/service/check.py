"""`robandit service check`: what is wrong with a set-up, before it goes live. Nothing is changed by it."""

import ctypes
import json
import os
import resource
import shutil
import socket
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from robandit.errors import InputError
from robandit.service.ownership import lock_holder
from robandit.service.stores.base import ServiceStore

Level = Literal["ok", "warning", "wrong"]
SLOW_SYNC = 20e-3  # seconds
TOO_FAST = 20e-6  # a disk that syncs faster than this does not sync
SYNCS = 20
FREE_BYTES = 1e9
OPEN_FILES = 4096
CLOCK_SLACK = 5.0  # seconds
UNSYNCHRONISED = 5  # what adjtimex returns for a clock that nothing sets


class Finding(NamedTuple):
    """The result of one check."""

    subject: str
    level: Level
    sentence: str


@dataclass(frozen=True)
class Setup:
    """What `robandit serve` would be started with."""

    url: str
    host: str = "127.0.0.1"
    port: int = 8470
    token_file: str | None = None

    @property
    def path(self) -> Path | None:
        """The database's file, where it is one."""
        return Path(self.url.removeprefix("sqlite:///")) if self.url.startswith("sqlite:///") else None


def measure_sync(folder: Path) -> float:
    """Returns the median time of a sync in a folder, in seconds."""
    with tempfile.TemporaryFile(dir=folder) as file:  # it has no name, and so is not left behind
        times = []
        for _ in range(SYNCS):
            os.write(file.fileno(), b"x" * 4096)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return sorted(times)[SYNCS // 2]


def check_setup(setup: Setup) -> list[Finding]:
    """Returns what each check found, in order."""
    findings: list[Finding] = []
    for subject, check in CHECKS.items():
        try:
            findings += [Finding(subject, level, sentence) for level, sentence in check(setup)]
        except InputError as error:
            findings.append(Finding(subject, "wrong", str(error)))
        except OSError as error:
            findings.append(Finding(subject, "wrong", f"{error.filename}: {error.strerror}"))
    return findings


Results = Iterator[tuple[Level, str]]


def check_disk(setup: Setup) -> Results:
    """The folder of the database: is it there, can it be written, does a sync reach the disk, is there room?"""
    if setup.path is None:
        return
    folder = setup.path.parent
    if not folder.is_dir():
        yield "wrong", f"there is no folder {str(folder)!r}"
        return
    latency = measure_sync(folder)
    if latency < TOO_FAST:
        yield "wrong", f"a sync takes {latency * 1e6:.0f} µs: this disk does not write, and a power cut loses data"
    elif latency > SLOW_SYNC:
        yield "warning", f"a sync takes {latency * 1e3:.0f} ms, and every answer waits for one"
    else:
        yield "ok", f"a sync takes {latency * 1e3:.1f} ms"
    free = shutil.disk_usage(folder).free
    level: Level = "ok" if free >= FREE_BYTES else "warning"
    yield level, f"{free / 1e9:.1f} GB are free"


def check_database(setup: Setup) -> Results:
    """The database: can it be opened, is its format supported, is the clock behind its last line?"""
    from robandit.service.stores.address import open_store

    if setup.path is not None and not setup.path.exists():
        yield "ok", f"{str(setup.path)!r} does not exist yet: `robandit serve` creates it"
        return
    if setup.path is not None and (holder := lock_holder(f"{setup.path}.lock")):
        yield "wrong", f"process {holder} serves it already"
    store = open_store(setup.url, read_only=True)
    try:
        experiments = store.experiments()
        yield "ok", f"it can be read, and has {len(experiments)} experiments"
        for note in store.notes:
            yield "wrong", note
        if store.format < store.newest_format:
            sentence = f"its format is {store.format}, and the first start makes it {store.newest_format}"
            yield "warning", f"{sentence}, which older programs cannot read: make a backup first"
        late = max((last_time(store, experiment.id) for experiment in experiments), default=0.0) - time.time()
        if late > CLOCK_SLACK:
            yield "warning", f"the clock is {late:,.0f} s behind the last line of a journal: time goes on from there"
    finally:
        store.close()


def last_time(store: ServiceStore, experiment: int) -> float:
    """Returns the time of the last line of a journal; 0 where it has none."""
    body = next(store.lines(experiment, store.head(experiment).line - 1))[1]
    return float(json.loads(body).get("time") or 0.0)


def check_clock(setup: Setup) -> Results:
    """The clock: windows and holds run by it."""
    written = Path(__file__).stat().st_mtime
    if time.time() < written - CLOCK_SLACK:
        now, then = (time.strftime("%Y-%m-%d %H:%M:%S", time.gmtime(at)) for at in (time.time(), written))
        yield "wrong", f"it says {now} UTC, and this program was installed at {then} UTC"
    elif clock_is_set() is False:
        yield "warning", "nothing sets it (NTP), as far as this system knows"
    else:
        yield "ok", time.strftime("it says %Y-%m-%d %H:%M:%S UTC", time.gmtime())


def clock_is_set() -> bool | None:
    """Whether the system's clock is synchronised; None where the system does not say."""
    try:
        outcome = ctypes.CDLL(None).adjtimex(ctypes.create_string_buffer(512))
    except (OSError, AttributeError):
        return None
    return None if outcome < 0 else outcome != UNSYNCHRONISED


def check_tokens(setup: Setup) -> Results:
    """The token file: can it be read, by nobody else, and does it hold who is needed?"""
    from robandit.service.app import LOOPBACK
    from robandit.service.tokens import Tokens

    if setup.token_file is None:
        if setup.host in LOOPBACK:
            yield "warning", "there are none: everybody on this machine may do everything"
        else:
            yield "wrong", f"{setup.host} is reached from other machines, and there is no token file"
        return
    tokens = list(Tokens(setup.token_file).by_hash.values())
    if not tokens:
        yield "wrong", "the token file holds none, so everybody is refused: `robandit service token` adds one"
        return
    yield "ok", f"{len(tokens)} can be read"
    for role in ("decide", "reward", "admin"):
        if not any(token.may(role) for token in tokens):
            yield "warning", f"no token has the role {role}"


def check_permissions(setup: Setup) -> Results:
    """Files with secrets: the token hashes, and the database with its seeds and the key of its ids."""
    files = [Path(setup.token_file)] if setup.token_file is not None else []
    if setup.path is not None:
        files += [setup.path, *(setup.path.with_name(setup.path.name + end) for end in ("-wal", "-shm"))]
    readable = [file for file in files if file.exists() and file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO)]
    for file in readable:
        yield "wrong", f"other users may read {str(file)!r}: chmod 600 it"
    if not readable:
        yield "ok", "no other user may read the files"
    if os.geteuid() == 0:
        yield "warning", "this is root: run the service as a user of its own"


def check_address(setup: Setup) -> Results:
    """The address: is it free?"""
    family = socket.AF_INET6 if ":" in setup.host else socket.AF_INET
    try:
        socket.create_server((setup.host, setup.port), family=family).close()
    except OSError as error:
        yield "wrong", f"{setup.host}:{setup.port} cannot be served at: {error.strerror or error}"
    else:
        yield "ok", f"{setup.host}:{setup.port} is free"


def check_limits(setup: Setup) -> Results:
    """Open files: each connection takes one."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    if 0 <= most < OPEN_FILES:
        yield "warning", f"this process may open {most:,} files, and each connection takes one: ulimit -n {OPEN_FILES}"
    else:
        yield "ok", f"this process may open {most:,} files"


def check_cache(setup: Setup) -> Results:
    """The folder of compiled kernels: audits compile into it."""
    from robandit.lab.compile.cache import cache_folder

    folder = cache_folder()
    while not folder.exists():
        folder = folder.parent
    if os.access(folder, os.W_OK):
        yield "ok", "compiled code can be stored"
    else:
        yield "warning", f"{str(cache_folder())!r} cannot be written: every start compiles anew; set ROBANDIT_CACHE"


CHECKS: dict[str, Callable[[Setup], Results]] = {
    "disk": check_disk,
    "database": check_database,
    "clock": check_clock,
    "tokens": check_tokens,
    "permissions": check_permissions,
    "address": check_address,
    "limits": check_limits,
    "cache": check_cache,
}
