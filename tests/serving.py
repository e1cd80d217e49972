"""A real service on a real socket, in a thread of the test's own process."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from robandit.service.serve import run
from robandit.service.service import Service
from robandit.service.stores.base import ServiceStore
from robandit.service.stores.memory import MemoryStore
from robandit.service.tokens import Tokens, new_token


class Running:
    """Where it is, and who may."""

    def __init__(self, service: Service, tokens: dict[str, str]) -> None:
        self.service, self.tokens, self.port = service, tokens, 0
        self.stop: Callable[[], None] = lambda: None  # as a signal does; the answers under way are still given
        self.closing = ExitStack()  # what the tests opened

    @property
    def url(self) -> str:
        """Its address."""
        return f"http://127.0.0.1:{self.port}"

    def bearer(self, name: str) -> dict[str, str]:
        """The header of a token."""
        return {"authorization": f"Bearer {self.tokens[name]}"} if self.tokens else {}


@contextmanager
def running(
    store: ServiceStore | None = None,
    folder: Path | None = None,
    *,
    prepare: Callable[[Service], None] | None = None,
    **tokens: str,
) -> Iterator[Running]:
    """Serve; `tokens` are names with their roles, stored in a file of the folder; `prepare` changes what is served."""
    secrets = {name: new_token(str(folder / "tokens"), name, roles) for name, roles in tokens.items()} if folder else {}
    service = Service(store or MemoryStore(), Tokens(folder / "tokens" if folder and tokens else None))
    if prepare is not None:
        prepare(service)
    at, server = Running(service, secrets), list[Any]()
    thread = threading.Thread(target=lambda: asyncio.run(run(service, "127.0.0.1", 0, server.append)))
    thread.start()
    ends = time.monotonic() + 20
    while not (server and server[0].started):
        if time.monotonic() > ends or not thread.is_alive():
            raise TimeoutError("the service did not begin")
        time.sleep(0.005)
    at.stop = lambda: setattr(server[0], "should_exit", True)
    at.port = server[0].servers[0].sockets[0].getsockname()[1]
    try:
        yield at
    finally:
        at.closing.close()
        server[0].should_exit = True
        thread.join(timeout=20)


def until(true: Any, seconds: float = 20.0) -> None:
    """Wait for something to become true."""
    ends = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < ends, "it did not happen"
        time.sleep(0.02)
