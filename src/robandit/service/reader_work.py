"""Work that readers ask for, beside the decisions: what-ifs and exports, each kind by one thread of its own.

A replay or an export of a long journal is seconds of Python, and Python runs one thread at a time. So several at once
would only take turns, and each of them would make decisions wait. A token has one of a kind under way at most.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from logging import WARNING
from typing import Any

from starlette.responses import StreamingResponse

from robandit.service.engine import Answer
from robandit.service.logs import log_event
from robandit.service.problems import Problem
from robandit.service.stores.base import Unreachable
from robandit.service.tokens import Token

MOST = 8  # under way: one runs, the others wait
REST = 1.0  # seconds that an export rests for each second of work


class ReaderWork:
    """All work of one kind: who has some under way, and the thread that does it."""

    def __init__(self, one: str, many: str) -> None:
        self.one, self.many = one, many  # in sentences
        self.pool = ThreadPoolExecutor(1, many)
        self.tokens: set[str] = set()

    @contextmanager
    def hold(self, token: Token) -> Iterator[None]:
        """Count some work of a token as under way. Raises a Problem if too much is."""
        if token.name in self.tokens:
            raise Problem(429, f"this token has {self.one} under way: ask when it is answered", {"retry-after": "1"})
        if len(self.tokens) >= MOST:
            raise Problem(503, f"{MOST} {self.many} are under way: ask again in a moment", {"retry-after": "5"})
        self.tokens.add(token.name)
        try:
            yield
        finally:
            self.tokens.discard(token.name)

    async def run(self, token: Token, work: Callable[[], Answer]) -> Answer:
        """Returns what some work returns, when it is its turn. Raises a Problem if too much is under way."""
        with self.hold(token):
            return await asyncio.get_running_loop().run_in_executor(self.pool, work)

    async def respond(
        self, token: Token, pieces: Iterator[bytes], headers: dict[str, str], media: str
    ) -> StreamingResponse:
        """Returns pieces as one response; those of several responses take turns. Raises a Problem as `hold` does."""
        with ExitStack() as held:
            held.enter_context(self.hold(token))
            first = await self.take(pieces)  # while a database that is away can still be answered with 503
            return HeldResponse(held.pop_all(), self.take_all(first, pieces), headers=headers, media_type=media)

    async def take(self, pieces: Iterator[bytes]) -> bytes | None:
        """Returns the next piece, or None."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, take_slowly, pieces)

    async def take_all(self, piece: bytes | None, pieces: Iterator[bytes]) -> AsyncIterator[bytes]:
        """Yields a piece and those after it, as they are made."""
        while piece is not None:
            yield piece
            piece = await self.take(pieces)

    def close(self) -> None:
        """Begin no more."""
        self.pool.shutdown(wait=False, cancel_futures=True)


def take_slowly(pieces: Iterator[bytes]) -> bytes | None:
    """Returns the next piece, or None, and rests: other threads have Python to themselves meanwhile."""
    began = time.thread_time()
    piece = next(pieces, None)
    time.sleep(REST * (time.thread_time() - began))
    return piece


class HeldResponse(StreamingResponse):
    """A response that counts as under way until it has been sent, or its client has gone."""

    def __init__(self, held: ExitStack, *words: Any, **more: Any) -> None:
        super().__init__(*words, **more)
        self.held = held

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Send it; where the database goes away in the middle, the client sees that the end is missing."""
        with self.held:
            try:
                await super().__call__(scope, receive, send)
            except Unreachable as error:
                log_event(WARNING, "export_cut_off", f"an export could not be finished: {error}")
