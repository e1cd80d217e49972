"""What the service leaves undone: the shortcut where uvicorn has another shape, and pages that have not changed."""

import http.client
import json
import threading

import pytest

from robandit.service import dashboard, hot, view
from robandit.service.connections import Connections
from tests.serving import running
from tests.test_service import Caller, begun


def test_a_uvicorn_of_another_shape_serves_without_the_shortcut(monkeypatch: pytest.MonkeyPatch) -> None:
    class Changed(hot.HttpToolsProtocol):
        """A later version of uvicorn's protocol, perhaps."""

        def on_header(self, name: bytes, value: bytes, more: None = None) -> None:
            super().on_header(name, value)

    class Shrunk(hot.HttpToolsProtocol):
        def on_message_begin(self) -> None:
            super().on_message_begin()

    assert hot.fits(hot.HttpToolsProtocol)
    assert not hot.fits(object)
    assert not hot.fits(Shrunk)
    monkeypatch.setattr(hot, "HttpToolsProtocol", Changed)
    with running() as served:
        call = Caller(served)
        decision = call("POST", f"{begun(call)}/decisions", {})[1]["id"]
        assert call("PUT", f"/v1/experiments/1/decisions/{decision}/reward", {"reward": 1})[0] == 201
        (note,) = call("GET", "/healthz")[1]["notes"]
        assert "requests take more CPU" in note
        assert hot.hot_protocol(served.service, Connections()) is Changed


def test_a_page_is_rendered_only_when_something_has_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    renders, checks = list[str](), threading.Semaphore(0)
    version, render = view.version, dashboard.render_part
    monkeypatch.setattr(dashboard, "BEAT", 0.01)
    monkeypatch.setattr(dashboard, "REST", 0.0)
    monkeypatch.setattr(view, "version", lambda *words: [checks.release(), version(*words)][1])
    monkeypatch.setattr(dashboard, "render_part", lambda part, **more: [renders.append(part), render(part, **more)][1])
    with running() as served:
        call = Caller(served)
        base = begun(call)
        stream = http.client.HTTPConnection("127.0.0.1", served.port, timeout=20)
        served.closing.callback(stream.close)
        stream.request("GET", "/experiments/1/events")
        answer = stream.getresponse()
        served.closing.callback(answer.close)

        def event() -> dict[str, str]:
            while not (line := answer.readline()).startswith(b"data: "):
                assert line, "the stream has ended"
            return json.loads(line[6:])

        assert {*event()} == {*dashboard.PARTS, "chart"}
        for _ in range(20):
            assert checks.acquire(timeout=10)
        assert len(renders) == len(dashboard.PARTS)
        call("POST", f"{base}/decisions", {"count": 20})
        assert "arms" in event()
        assert call("PUT", f"{base}/decisions/x/reward", {"reward": 1})[0] == 404
        assert "numbers" in event()
        assert len(renders) == 3 * len(dashboard.PARTS)
