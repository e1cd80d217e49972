"""Replays that readers ask for: one at a time, by a thread that does nothing else, and one for each token.

A replay of a long journal is seconds of Python, and Python runs one thread at a time. So several at once would only
take turns, and each of them would make decisions wait.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from robandit.service.engine import Answer
from robandit.service.problems import Problem
from robandit.service.tokens import Token

MOST = 8  # under way: one runs, the others wait


class Replays:
    """Those that are under way, by the names of their tokens."""

    def __init__(self) -> None:
        self.pool = ThreadPoolExecutor(1, "replay")
        self.tokens: set[str] = set()

    async def run(self, token: Token, work: Callable[[], Answer]) -> Answer:
        """Returns what some work returns, when it is its turn. Raises a Problem if too much is under way."""
        if token.name in self.tokens:
            raise Problem(429, "this token has a what-if under way: ask when it is answered", {"retry-after": "1"})
        if len(self.tokens) >= MOST:
            raise Problem(503, f"{MOST} what-ifs are under way: ask again in a moment", {"retry-after": "5"})
        self.tokens.add(token.name)
        try:
            return await asyncio.get_running_loop().run_in_executor(self.pool, work)
        finally:
            self.tokens.discard(token.name)

    def close(self) -> None:
        """Begin no more."""
        self.pool.shutdown(wait=False, cancel_futures=True)
