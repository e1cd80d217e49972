"""`robandit serve`: a store opened, a service begun, HTTP around it; ended by a signal without losing an answer."""

import asyncio
import gc
import os
import signal
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import uvicorn
import uvloop

from robandit.errors import InputError
from robandit.service.app import LOOPBACK, application
from robandit.service.hot import hot_protocol
from robandit.service.leases import Leases
from robandit.service.ownership import Ownership
from robandit.service.pages import pages
from robandit.service.problems import report
from robandit.service.service import Service
from robandit.service.stores.address import open_store
from robandit.service.stores.base import ServiceStore
from robandit.service.tokens import Tokens
from robandit.service.watch import EVERY

SYNCS = 20
TOO_FAST = 20e-6  # a disk that syncs faster than this does not sync


def sync_latency(folder: Path) -> float:
    """Returns the median time of a sync in a folder, in seconds."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".sync-") as file:
        times = []
        for _ in range(SYNCS):
            os.write(file.fileno(), b"x" * 4096)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return sorted(times)[SYNCS // 2]


def bind(host: str, port: int) -> socket.socket:
    """Returns a socket at an address. Raises InputError if it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        raise InputError(f"{host}:{port} cannot be served at: {error.strerror or error}") from error


def own(store: ServiceStore, address: str, seconds: float) -> Ownership:
    """Own a store's experiments: as one of several processes, which see each other's address, or as the only one."""
    if store.leased is None:
        return Ownership(None if store.path is None else f"{store.path}.lock")
    return Leases(store.leased, address, seconds)


def serve(
    url: str,
    host: str,
    port: int,
    token_file: str | None,
    watch: float = EVERY,
    advertise: str | None = None,
    lease: float = 10.0,
) -> None:
    """Serve until a signal comes."""
    if token_file is None and host not in LOOPBACK:
        raise InputError(
            f"{host} lies beyond this machine: a file of tokens is needed (`robandit service token` makes one)"
        )
    tokens, store, listening = Tokens(token_file), open_store(url), bind(host, port)
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{listening.getsockname()[1]}"
    service = Service(store, tokens, ownership=own(store, advertise or address, lease))
    service.watch.every = watch
    service.notes += store.notes
    if store.path is not None:
        latency = sync_latency(Path(store.path).parent)
        service.sync_ms = 1000 * latency
        if latency < TOO_FAST:
            service.notes.append(
                f"the disk answers a sync in {latency * 1e6:.0f} µs: it does not write, and a power cut loses data"
            )
    sys.setswitchinterval(0.0005)  # the writer's thread and the loop take turns quickly
    gc.freeze()  # loaded code stays
    gc.set_threshold(20_000, 20, 20)  # open decisions are many, small and in no cycles: looking for some seldom pays

    def began(server: Any) -> None:
        service.background(announce(server, service, address))

    uvloop.run(run(service, host, port, began, [listening]))


class SignalFreeServer(uvicorn.Server):
    """uvicorn's server, which leaves signals to us: it would send them again before the snapshots are written."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing is captured."""
        yield


async def run(
    service: Service,
    host: str,
    port: int,
    began: Callable[[Any], None] | None = None,
    listening: list[socket.socket] | None = None,
) -> None:
    """Run uvicorn around a service; it stops when uvicorn has answered what is under way."""
    service.start()
    app = application(service, pages(service))
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=hot_protocol(service),
        ws="none",
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=5,
    )
    server = SignalFreeServer(config)
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, setattr, server, "should_exit", True)
    if began is not None:
        began(server)
    stop_streams = asyncio.create_task(end_streams(server, service))
    try:
        await server.serve(listening)
    finally:
        stop_streams.cancel()
        await service.stop()


async def announce(server: Any, service: Service, address: str) -> None:
    """Print where the page is, once it can be opened."""
    while not server.started:
        await asyncio.sleep(0.01)
    for note in service.notes:
        report(note)
    served = service.ownership.describe(len(service.engine.experiments))
    print(f"robandit serves at {address}/ ({served})", flush=True)


async def end_streams(server: Any, service: Service) -> None:
    """End the event streams when the server is about to stop: they would hold it up."""
    while not server.should_exit:
        await asyncio.sleep(0.1)
    service.stopping = True
