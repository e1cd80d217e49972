"""The calls of two how-to pages, in order, against a service: each returns what the page shows."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import httpx
import pytest

from tests.serving import running

PAGE = Path(__file__).parents[1] / "docs" / "handle-an-alarm.md"
STEP = re.compile(r"^```\n(curl .*?)^```\n\n```text\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
def test_each_call_returns_what_the_page_shows() -> None:
    with running() as service, httpx.Client(timeout=30) as http:
        url = f"{service.url}/v1/experiments"
        about = {"name": "offers", "arms": ["red", "green", "blue"], "policy": "tsallis-inf-rv", "seed": 1}
        http.post(url, json=about)
        for number in range(60):
            decision = http.post(f"{url}/offers/decisions", json={}).json()
            reward = {"reward": float(decision["arm"] == "red"), "source": f"visitor {number % 20}"}
            http.put(f"{url}/offers/decisions/{decision['id']}/reward", json=reward)
        steps = STEP.findall(PAGE.read_text())
        assert len(steps) == 8
        for calls, shown in steps:
            script = f"url={url}\njson='content-type: application/json'\n{calls}".replace("curl ", "curl -sS ")
            script = re.sub(r"(\bcurl .*)", r"\1; echo", script)
            done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
            printed = [json.loads(line) for line in done.stdout.split("\n") if line]
            assert printed == [json.loads(one) for one in re.split(r"\n(?=\{)", shown.strip())], done.stderr


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
def test_the_loop_of_personalizer_moves_here() -> None:
    page = (PAGE.parent / "personalizer.md").read_text()
    calls = re.findall(r"^curl .*$", page, re.MULTILINE)
    shown = [json.loads(line) for line in re.findall(r"^#  (.*)$", page, re.MULTILINE)]
    with running() as service:
        head = f"url={service.url}/v1/experiments\njson='content-type: application/json'\n"
        printed, identity = list[dict[str, object]](), ""
        for call in calls:
            script = head + call.replace("curl ", "curl -sS --fail-with-body ").replace("AQAAAAAAAAABAAAA...", identity)
            done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0, done.stdout + done.stderr
            printed.append(json.loads(done.stdout))
            identity = str(printed[-1].get("id", identity))
    decision, reward = printed[1:]
    assert decision | {"id": "", "arm": ""} == shown[0] | {"id": "", "arm": ""}
    assert decision["arm"] in ("red", "blue")
    assert reward == shown[1]
