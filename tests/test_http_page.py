"""Each reply that the HTTP reference shows is what a service returns to the request above it."""

import json
import re
from pathlib import Path
from typing import Any

import httpx

from tests.serving import running

PAGE = Path(__file__).parents[1] / "docs" / "service-http.md"
REQUEST = re.compile(r"^(GET|POST|PUT) (/\S+)(?: (\{.*\}))?$")
CUT = "AQAA..."


def session() -> list[list[str]]:
    """The blocks of the page that show requests, each as its lines."""
    section = PAGE.read_text().partition("## The replies\n")[2].partition("\n## ")[0]
    return [block.splitlines() for block in re.findall(r"^```text\n(.*?)^```", section, re.M | re.S)]


def replies(requests: list[str]) -> list[str]:
    """What a service returns to each request; a cut id stands for the decision that waits longest."""
    texts, waiting = list[str](), list[str]()
    with running() as service, httpx.Client(base_url=service.url, timeout=30) as http:
        for line in requests:
            found = REQUEST.match(line)
            assert found is not None, line
            method, address, body = found[1], found[2], found[3]
            if CUT in line:
                address, body = address.replace(CUT, waiting[0]), body.replace(CUT, waiting[-1])
            reply = http.request(method, address, json=None if body is None else json.loads(body))
            texts.append(reply.text.strip())
            waiting += re.findall(r'"id":"(AQ[^"]+)"', reply.text)
    return texts


def unchanging(text: str) -> Any:
    """A reply without what another run changes: ids, times, hashes, and the time a commit takes."""
    text = re.sub(r"AQ[\w.-]+", CUT, text)
    if not text.startswith("{"):
        return re.sub(r"\d{10}\.\d+", "0", text).splitlines()
    return json.loads(re.sub(r'"(head|commit_ms|sync_ms)":\s*("\w+"|[\d.]+)', r'"\1":0', text))


def test_each_reply_is_what_a_service_returns() -> None:
    lines = [line for block in session() for line in block]
    requests = [line for line in lines if REQUEST.match(line)]
    assert len(requests) == 16
    shown = re.split("\n?^(?:GET|POST|PUT) /.*\n", "\n".join(lines), flags=re.M)[1:]
    for request, reply, quote in zip(requests, replies(requests), shown, strict=True):
        assert unchanging(quote) == unchanging(reply), request
