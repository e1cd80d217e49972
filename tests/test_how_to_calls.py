"""The calls of two how-to pages, in order, against a service: each returns what the page shows."""

import io
import json
import re
import shutil
import subprocess
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tests.serving import running
from tests.test_shop_tutorial import BLOCK, serving

PAGE = Path(__file__).parents[1] / "docs" / "handle-an-alarm.md"
SHOP = PAGE.parent / "tutorials" / "shop.md"
STEP = re.compile(r"^```\n((?:curl|for) .*?)^```\n\n```text\n(.*?)^```", re.DOTALL | re.MULTILINE)


@pytest.mark.skipif(shutil.which("curl") is None, reason="no curl on this machine")
def test_each_call_returns_what_the_page_shows(tmp_path: Path) -> None:
    """After the first three steps of the shop's tutorial."""
    steps = STEP.findall(PAGE.read_text())
    assert len(steps) == 9
    with serving(tmp_path) as address:
        names = dict[str, Any]()
        with redirect_stdout(io.StringIO()):
            for code, _ in BLOCK.findall(SHOP.read_text())[:2]:
                exec(compile(code.replace("http://127.0.0.1:8470", address), SHOP.name, "exec"), names)
        for calls, shown in steps:
            head = f"url={address}/v1/experiments\njson='content-type: application/json'\n"
            script = re.sub(r"(\bcurl .*-d .*|\bcurl -X POST .*)", r"\1; echo", head + calls).replace(
                "curl ", "curl -sS "
            )
            done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
            printed = [json.loads(line) for line in done.stdout.split("\n") if line]
            assert printed == [json.loads(one) for one in re.split(r"\n(?=\{)", shown.strip())], done.stderr
            if calls.startswith("curl -X POST"):
                names["shop"].look()  # the page says "a moment later"
        names["service"].http.close()


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
