"""`robandit serve`: a store opened, a service begun, HTTP around it; ended by a signal without losing an answer."""

import asyncio
import errno
import gc
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from logging import INFO, WARNING
from pathlib import Path
from typing import Any

import uvicorn
import uvloop

from robandit.errors import InputError
from robandit.service.app import LOOPBACK, application
from robandit.service.check import TOO_FAST, measure_sync
from robandit.service.connections import IDLE, PATIENCE, Connections
from robandit.service.forward import Forwarder
from robandit.service.hot import hot_protocol
from robandit.service.leases import Leases
from robandit.service.logs import LogSettings, begin_logging, log_event
from robandit.service.ownership import Ownership
from robandit.service.pages import pages
from robandit.service.recent import PROCESS, Room
from robandit.service.service import Service
from robandit.service.stores.address import open_store
from robandit.service.stores.base import ServiceStore
from robandit.service.tokens import Tokens
from robandit.service.watch import EVERY
from robandit.service.webhook import Receiver, Webhook


class AddressTaken(InputError):
    """Another program listens at an address."""


def bind(host: str, port: int) -> socket.socket:
    """Returns a socket at an address. Raises InputError if it cannot be had, AddressTaken if another program has it."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        kind = AddressTaken if error.errno == errno.EADDRINUSE else InputError
        raise kind(f"{host}:{port} cannot be served at: {error.strerror or error}") from error


def own(store: ServiceStore, address: str, seconds: float) -> Ownership:
    """Own a store's experiments: as one of several processes, which see each other's address, or as the only one."""
    if store.leased is None:
        return Ownership(None if store.path is None else f"{store.path}.lock")
    return Leases(store.leased, address, seconds)


@dataclass(frozen=True)
class ServeSettings:
    """What a service is started with."""

    url: str  # of the database
    host: str = "127.0.0.1"
    port: int = 8470
    token_file: str | None = None
    watch: float = EVERY  # seconds between two audits, at least; 0: none
    advertise: str | None = None  # the address at which other processes reach this one; its own unless said
    lease: float = 10.0  # seconds
    log: LogSettings = field(default_factory=LogSettings)
    receiver: Receiver | None = None  # the program that gets the webhook's events
    redirect: bool = False  # clients get the address of an experiment's owner, and nothing is forwarded to it
    remember: int = PROCESS  # decisions whose keys and rewards are in memory, those of all experiments together
    origins: tuple[str, ...] = ()  # of web pages elsewhere that may call the service


def serve(settings: ServeSettings) -> None:
    """Serve until a signal comes."""
    host, log = settings.host, settings.log
    if settings.token_file is None and host not in LOOPBACK:
        raise InputError(
            f"{host} lies beyond this machine: a file of tokens is needed (`robandit service token` makes one)"
        )
    tokens, listening = Tokens(settings.token_file), bind(host, settings.port)
    try:
        store = open_store(settings.url)  # not before there is an address: a failed start creates no database
    except BaseException:
        listening.close()
        raise
    name = f"[{host}]" if ":" in host else host
    address = f"http://{name}:{listening.getsockname()[1]}"
    ownership = own(store, settings.advertise or address, settings.lease)
    service = Service(store, tokens, ownership=ownership, room=Room(settings.remember))
    service.watch.every, service.access_log, service.origins = settings.watch, log.access, settings.origins
    if store.leased is not None and not settings.redirect:
        service.forwarder = Forwarder(address)
    if settings.receiver is not None:
        service.webhook = Webhook(service, settings.receiver)
    service.notes += store.notes
    if store.path is not None:
        folder = Path(store.path).parent
        try:
            latency = measure_sync(folder)
        except OSError as error:
            raise InputError(f"the folder {str(folder)!r} cannot be written: {error.strerror}") from error
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

    begin_logging(log)
    if 0 < store.upgraded_from < store.format:
        log_event(WARNING, "upgraded", f"the database was of format {store.upgraded_from} and is {store.format} now")
    uvloop.run(run(service, host, settings.port, began, [listening]))


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
    connections = Connections()
    service.keep("the closing of silent connections", connections.run)
    app = application(service, pages(service))
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=hot_protocol(service, connections),
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        server_header=False,
        date_header=False,
        timeout_keep_alive=int(PATIENCE[IDLE]) + 1,
        timeout_graceful_shutdown=5,
    )
    server = SignalFreeServer(config)
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, begin_to_stop, server, service)
    if began is not None:
        began(server)
    stop_streams = asyncio.create_task(end_streams(server, service))
    try:
        await server.serve(listening)
    finally:
        stop_streams.cancel()
        await service.stop()
        log_event(INFO, "stopped", "all answers are given, all states stored")


def begin_to_stop(server: Any, service: Service) -> None:
    """A signal came: hand over what others can take, then stop; a second signal stops at once."""

    async def leave_and_stop() -> None:
        try:
            await service.ownership.leave(service)
        finally:
            server.should_exit = True

    if service.leaving:
        server.should_exit = True
    service.leaving = True
    service.background(leave_and_stop())


async def announce(server: Any, service: Service, address: str) -> None:
    """Print where the page is, once it can be opened."""
    while not server.started:
        await asyncio.sleep(0.01)
    for note in service.notes:
        log_event(WARNING, "note", note)
    served = service.ownership.describe(len(service.engine.experiments))
    print(f"robandit serves at {address}/ ({served})", flush=True)
    log_event(INFO, "started", f"serves at {address}/", experiments=len(service.engine.experiments))


async def end_streams(server: Any, service: Service) -> None:
    """End the event streams when the server is about to stop: they would hold it up."""
    while not server.should_exit:
        await asyncio.sleep(0.1)
    service.stopping = True
