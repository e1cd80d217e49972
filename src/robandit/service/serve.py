"""`robandit serve`: a store opened, a service begun, HTTP around it; ended by a signal without losing an answer."""

import asyncio
import os
import signal
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
from robandit.service.pages import pages
from robandit.service.service import Service
from robandit.service.stores.address import open_store
from robandit.service.tokens import Tokens
from robandit.service.watch import EVERY

SYNCS = 20
TOO_FAST = 20e-6  # a disk that syncs faster than this does not sync


def sync_latency(folder: Path) -> float:
    """The median time of a sync in a folder, in seconds."""
    with tempfile.NamedTemporaryFile(dir=folder, prefix=".sync-") as file:
        times = []
        for _ in range(SYNCS):
            os.write(file.fileno(), b"x" * 4096)
            began = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - began)
    return sorted(times)[SYNCS // 2]


def serve(url: str, host: str, port: int, token_file: str | None, watch: float = EVERY) -> None:
    """Serve until a signal comes."""
    if token_file is None and host not in LOOPBACK:
        raise InputError(f"{host} lies beyond this machine: a file of tokens is needed (`robandit token` makes one)")
    tokens, store = Tokens(token_file), open_store(url)
    service = Service(store, tokens)
    service.watch.every = watch
    path = getattr(store, "path", None)
    if path is not None:
        latency = sync_latency(Path(path).parent)
        service.sync_ms = 1000 * latency
        if latency < TOO_FAST:
            service.notes.append(
                f"the disk answers a sync in {latency * 1e6:.0f} µs: it does not write, and a power cut loses data"
            )
    sys.setswitchinterval(0.0005)  # the writer's thread and the loop take turns quickly
    uvloop.run(run(service, host, port, lambda server: service.background(announce(server, service, host))))


class Server(uvicorn.Server):
    """uvicorn's server, which leaves signals to us: it would send them again before the states are kept."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing is captured."""
        yield


async def run(service: Service, host: str, port: int, began: Callable[[Any], None] | None = None) -> None:
    """uvicorn around a service; it stops when uvicorn has answered what is under way."""
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
    server = Server(config)
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, setattr, server, "should_exit", True)
    if began is not None:
        began(server)
    stop_streams = asyncio.create_task(stopping(server, service))
    try:
        await server.serve()
    finally:
        stop_streams.cancel()
        await service.stop()


async def announce(server: Any, service: Service, host: str) -> None:
    """Say where the page is, once it can be opened."""
    while not server.started:
        await asyncio.sleep(0.01)
    port = server.servers[0].sockets[0].getsockname()[1]
    shown = f"[{host}]" if ":" in host else host
    for note in service.notes:
        print(f"robandit: {note}", file=sys.stderr)
    print(f"robandit serves at http://{shown}:{port}/ ({len(service.engine.experiments)} experiments)", flush=True)


async def stopping(server: Any, service: Service) -> None:
    """Event streams end when the server is about to: they would hold it up."""
    while not server.should_exit:
        await asyncio.sleep(0.1)
    service.stopping = True
