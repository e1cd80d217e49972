"""Pages of experiments that another process serves, fetched from it: a browser needs the address of any one process.

The request goes on as it came, with its host, cookie and form, and the answer comes back piece by piece, so that event
streams stay live. Sessions of processes that share a database are known to all of them (sessions.py).
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from robandit.service.app import body_of
from robandit.service.forward import CONNECT, REPLY, ROUTE
from robandit.service.problems import Problem

PASSED = ("host", "cookie", "origin", "referer", "content-type", "accept", "accept-language", "sec-fetch-site")
DROPPED = ("connection", "transfer-encoding", "keep-alive", "date", "server")
PIECE = 1 << 16


async def forward_page(request: Request, address: str) -> Response:
    """Returns the owner's answer to a request for a page. Raises a Problem if there is none."""
    busy = Problem(503, "the experiment is changing hands: ask again in a moment", {"retry-after": "1"})
    if ROUTE in request.headers or not address:  # it was forwarded already, or has just come to this process
        raise busy
    parts, body = urlsplit(address), await body_of(request)
    query = f"?{request.url.query}" if request.url.query else ""
    head = f"{request.method} {request.scope['raw_path'].decode('latin-1')}{query} HTTP/1.0\r\n{ROUTE}: page\r\n"
    head += "".join(f"{name}: {request.headers[name]}\r\n" for name in PASSED if name in request.headers)
    secure = parts.scheme == "https"
    try:
        async with asyncio.timeout(CONNECT):
            reader, writer = await asyncio.open_connection(
                parts.hostname, parts.port or (443 if secure else 80), ssl=secure or None
            )
        try:
            writer.write(f"{head}content-length: {len(body)}\r\n\r\n".encode("latin-1") + body)
            async with asyncio.timeout(REPLY):
                first, *lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        except BaseException:
            writer.close()
            raise
    except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError) as error:
        raise busy from error

    async def pieces() -> AsyncIterator[bytes]:
        try:
            with suppress(OSError):  # the owner went: a browser asks again by itself
                while piece := await reader.read(PIECE):
                    yield piece
        finally:
            writer.close()

    response = StreamingResponse(pieces(), int(first.split()[1]))
    fields = [line.split(": ", 1) for line in lines if ": " in line]
    response.raw_headers = [
        (name.lower().encode("latin-1"), value.encode("latin-1"))
        for name, value in fields
        if name.lower() not in DROPPED
    ]
    return response
