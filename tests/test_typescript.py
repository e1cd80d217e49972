"""The TypeScript client: in Node against a server that is killed, in Chromium, with the types of the service."""

import json
import re
import runpy
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.chrome import CHROMIUM, Chrome
from tests.serving import running

CLIENT = Path(__file__).parents[1] / "clients" / "typescript"
NODE = shutil.which("node")
ROLES = {"boss": "admin", "shop": "decide,reward"}
PROGRAM = """
import {{ Client }} from {module};
const offers = new Client({url}, {{ retryFor: 30000 }}).experiment("offers");
const ids = [];
for (let place = 0; place < 300; place++) {{
  const decision = await offers.decide({{ unit: `visitor ${{place}}` }});
  if (!["red", "green"].includes(decision.arm)) throw new Error(decision.arm);
  await offers.reward(decision.id, place % 2, {{ source: `visitor ${{place}}` }});
  ids.push(decision.id);
}}
const same = await Promise.all([1, 2].map(() => offers.decide({{}}, "one-key")));
const refused = await offers.reward("nonsense", 1).catch((error) => [error.name, error.status, error.message]);
console.log(JSON.stringify({{ ids, same, refused, about: await offers.about() }}));
"""


def test_the_types_are_those_of_the_service() -> None:
    types = runpy.run_path(str(CLIENT / "make_types.py"))["types"]
    assert types() == (CLIENT / "schema.ts").read_text()


def test_what_is_shipped_was_built_from_the_source(tmp_path: Path) -> None:
    compiler = shutil.which("tsc") or CLIENT / "node_modules" / ".bin" / "tsc"
    if not Path(compiler).exists():
        pytest.skip("needs TypeScript: npm install in clients/typescript")
    subprocess.run([compiler, "--project", CLIENT, "--outDir", tmp_path], check=True)
    for built in tmp_path.iterdir():
        assert built.read_text() == (CLIENT / "lib" / built.name).read_text(), built.name
    assert {built.name for built in tmp_path.iterdir()} == {file.name for file in (CLIENT / "lib").iterdir()}


def serve(database: Path, port: int) -> subprocess.Popen[str]:
    """Start the real service and wait until it answers."""
    words = [sys.executable, "-m", "robandit", "serve", "--db", f"sqlite:///{database}", "--port", str(port)]
    process = subprocess.Popen([*words, "--watch", "0"], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert "serves at" in process.stdout.readline()
    return process


def stop(server: subprocess.Popen[str], number: signal.Signals) -> None:
    """End a service by a signal."""
    server.send_signal(number)
    server.wait()
    assert server.stdout is not None
    server.stdout.close()


@pytest.mark.skipif(NODE is None, reason="needs node")
def test_nothing_is_lost_or_decided_twice_in_node_while_the_server_is_killed(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    server = serve(tmp_path / "shop.db", port)
    new = {"name": "offers", "arms": ["red", "green"], "policy": "exp3"}
    assert httpx.post(f"{url}/v1/experiments", json=new).status_code == 201
    program = tmp_path / "program.mjs"
    module = (CLIENT / "lib" / "robandit.js").as_uri()
    program.write_text(PROGRAM.format(module=json.dumps(module), url=json.dumps(url)))
    with subprocess.Popen([str(NODE), program], stdout=subprocess.PIPE, text=True) as node:
        for goal in (40, 120, 200):
            ends = time.monotonic() + 60
            while httpx.get(f"{url}/v1/experiments/offers").json()["decisions"] < goal:
                assert time.monotonic() < ends
                time.sleep(0.01)
            stop(server, signal.SIGKILL)
            server = serve(tmp_path / "shop.db", port)
        out, _ = node.communicate(timeout=120)
    stop(server, signal.SIGTERM)
    result: Any = json.loads(out)
    assert len(set(result["ids"])) == 300
    assert (result["about"]["decisions"], result["about"]["rewards"]) == (301, 300)
    assert result["same"][0] == result["same"][1]
    assert result["refused"] == ["ServiceError", 404, "no decision has this id"]


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_the_client_in_a_browser(tmp_path: Path) -> None:
    code = re.sub(r"^export ", "", (CLIENT / "lib" / "robandit.js").read_text(), flags=re.MULTILINE)
    with running() as served:
        new = {"name": "offers", "arms": ["red", "green"], "policy": "exp3"}
        assert httpx.post(f"{served.url}/v1/experiments", json=new).status_code == 201
        chrome = Chrome(tmp_path / "profile")
        try:
            chrome.open(f"{served.url}/healthz")
            use = """
              const offers = new Client(location.origin).experiment("offers");
              const decision = await offers.decide({ unit: "visitor 1" });
              const outcomes = [await offers.reward(decision.id, 1), await offers.reward(decision.id, 1)];
              return [...outcomes, (await offers.about()).rewards];
            """
            assert chrome.run(f"(async () => {{ {code}\n{use} }})()") == [True, False, 1]
        finally:
            chrome.close()


@pytest.mark.skipif(CHROMIUM is None, reason="needs chromium")
def test_a_page_of_another_origin_needs_leave(tmp_path: Path, chrome: Chrome) -> None:
    code = re.sub(r"^export ", "", (CLIENT / "lib" / "robandit.js").read_text(), flags=re.MULTILINE)
    with (
        running() as shop,
        running(folder=tmp_path, prepare=lambda service: setattr(service, "origins", (shop.url,)), **ROLES) as served,
    ):
        new = {"name": "offers", "arms": ["red", "green"], "policy": "exp3"}
        httpx.post(f"{served.url}/v1/experiments", json=new, headers=served.bearer("boss")).raise_for_status()
        options = json.dumps({"token": served.tokens["shop"], "retryFor": 0})
        use = f"""
              const offers = new Client({json.dumps(served.url)}, {options}).experiment("offers");
              try {{
                const decision = await offers.decide({{ unit: "visitor 1" }});
                return await offers.reward(decision.id, 1);
              }} catch (error) {{ return error.name; }}
            """
        seen = []
        for origin in (shop.url.replace("127.0.0.1", "localhost"), shop.url):
            chrome.open(f"{origin}/healthz")
            seen.append(chrome.run(f"(async () => {{ {code}\n{use} }})()"))
        assert seen == ["TypeError", True]
        about = httpx.get(f"{served.url}/v1/experiments/1", headers=served.bearer("boss")).json()
        assert (about["decisions"], about["rewards"]) == (1, 1)
