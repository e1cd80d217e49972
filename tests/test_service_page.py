"""The service's page against the real server: who sees and does what over plain HTTP, and all of it in a browser."""

import html
import json
import random
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import quote

import httpx
import pytest

from robandit.service.dashboard import PARTS
from robandit.service.tokens import new_token
from tests.chrome import CHROMIUM, Chrome, Lost

needs_browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine and none could be installed")
HOSTILE = [
    '<img src=x onerror="window.hacked=1">',
    "<script>window.hacked=1<script>",  # the name of an experiment has no slash
    "'\"><svg onload=hacked=1>",
]
MEANS = {"red": 0.2, "green": 0.3, HOSTILE[0]: 0.6}
RING = [f"ring-{number}" for number in range(5)]


class Server:
    """`robandit serve` as a process of its own."""

    def __init__(self, folder: Path, **roles: str) -> None:
        self.token_file = folder / "tokens"
        self.tokens = {  # "other" has its own experiments, and this one is not among them
            name: new_token(self.token_file, name, role, "elsewhere" if name == "other" else "")
            for name, role in roles.items()
        }
        words = ["serve", "--db", f"sqlite:///{folder / 'page.db'}", "--port", "0", "--watch", "3600"]
        words += ["--token-file", str(self.token_file)] if roles else []
        self.process = subprocess.Popen([sys.executable, "-m", "robandit", *words], stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert "serves at" in said, said
        self.url = said.split()[3].rstrip("/")

    def api(self, who: str = "") -> httpx.Client:
        """A client of the API."""
        head = {"authorization": f"Bearer {self.tokens[who]}"} if self.tokens else {}
        return httpx.Client(base_url=self.url, headers=head, timeout=60)

    @contextmanager
    def browser(self, who: str) -> Iterator[httpx.Client]:
        """A client that behaves as a browser does: it keeps cookies and tells where forms come from."""
        with httpx.Client(base_url=self.url, headers={"origin": self.url}, timeout=60) as client:
            answer = client.post("/login", data={"token": self.tokens[who]})
            assert answer.status_code == 303, answer.text
            yield client

    def close(self) -> None:
        """End it as an operator does."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(timeout=30)
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A service with tokens, and one experiment whose names are all hostile."""
    roles = {"boss": "admin", "reader": "read", "shop": "decide,reward", "other": "read", "leaver": "read"}
    started = Server(tmp_path_factory.mktemp("page"), **roles)
    with started.api("boss") as boss:
        experiment = {
            "name": HOSTILE[1],
            "arms": list(MEANS),
            "policy": "samba",
            "seed": 3,
            "shadow": ["exp3"],
            "trip": True,
        }
        assert boss.post("/v1/experiments", json=experiment).json() == {"id": 1}
    try:
        yield started
    finally:
        started.close()


def played(server: Server, decisions: int, ring: bool, seed: int) -> None:
    """Customers who say the truth, and maybe a ring that praises red."""
    luck = random.Random(seed)
    with server.api("boss") as boss:
        for _ in range(decisions // 100):
            decisions = boss.post("/v1/experiments/1/decisions", json={"count": 100}).json()["decisions"]
            rewards = []
            for one in decisions:
                forged = ring and luck.random() < 0.4
                value = float(one["arm"] == "red") if forged else float(luck.random() < MEANS[one["arm"]])
                source = luck.choice(RING) if forged else f"{HOSTILE[2]}{luck.randrange(20)}"
                rewards.append({"id": one["id"], "reward": value, "source": source})
            outcomes = boss.post("/v1/experiments/1/rewards", json={"rewards": rewards}).json()["outcomes"]
            assert {one["status"] for one in outcomes} == {201}


def secret_in(text: str) -> str:
    """What a form of a page must bring along."""
    match = re.search(r'name="secret" value="([0-9a-f]{48})"', text)
    assert match, text[:2000]
    return match[1]


# tables of which a part is out of view; the history has a column per arm
CUT_OFF = """[...document.querySelectorAll('main .scroll')].filter(one => !one.closest('details')
  && one.scrollWidth > one.clientWidth).map(one => one.getAttribute('aria-label') + ' ' + one.scrollWidth)"""
ACTS = ("/experiments/1/act", "/experiments/1/look", "/experiments/new")


def test_nobody_sees_anything_without_a_token(server: Server) -> None:
    with httpx.Client(base_url=server.url) as nobody:
        for path in ("/", "/experiments/1", "/experiments/1/events", "/events", "/experiments/new"):
            answer = nobody.get(path)
            assert (answer.status_code, answer.headers["location"]) == (303, "/login"), path
        for path in (*ACTS, "/logout"):
            assert nobody.post(path, headers={"origin": server.url}).status_code == 401, path
        for token in ("", "rb_wrong", server.tokens["shop"]):
            answer = nobody.post("/login", data={"token": token}, headers={"origin": server.url})
            assert answer.status_code == (403 if token == server.tokens["shop"] else 401)
            assert "set-cookie" not in answer.headers
        response = nobody.post(
            "/login", data={"token": server.tokens["boss"]}, headers={"origin": "http://evil.example"}
        )
        assert response.status_code == 403
        assert nobody.get("/static/page.js").status_code == 200
        assert nobody.get("/static/../sessions.py").status_code == 404
        assert nobody.get("/static/%2e%2e/sessions.py").status_code == 404


def test_the_cookie_is_for_this_site_alone(server: Server) -> None:
    with httpx.Client(base_url=server.url) as client:
        answer = client.post("/login", data={"token": server.tokens["reader"]}, headers={"origin": server.url})
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert server.tokens["reader"].lower() not in cookie
        page = client.get("/")
        assert page.status_code == 200
        assert "script-src 'self'" in page.headers["content-security-policy"]
        assert "unsafe" not in page.headers["content-security-policy"]
        assert page.headers["x-content-type-options"] == "nosniff"
        left = client.post("/logout", data={"secret": secret_in(page.text)}, headers={"origin": server.url})
        assert left.status_code == 303
        client.cookies.set(*cookie_of(answer))  # the old one, held by a thief
        assert client.get("/").headers["location"] == "/login"


def cookie_of(answer: httpx.Response) -> tuple[str, str]:
    """Name and value of the cookie that an answer sets."""
    name, _, value = answer.headers["set-cookie"].partition(";")[0].partition("=")
    return name, value


def test_a_reader_sees_no_actions_and_can_do_none(server: Server) -> None:
    with server.browser("reader") as reader:
        page = reader.get("/experiments/1").text
        assert "/act?" not in page
        assert "Stop learning" not in page
        assert "New experiment" not in reader.get("/").text
        secret = secret_in(page)
        for path in ACTS:
            response = reader.post(path, data={"secret": secret, "do": "stop"})
            assert response.status_code == 403, path
            assert "admin" in response.text
        assert reader.get("/experiments/1/act?do=stop").status_code == 403


def test_a_foreign_experiment_does_not_exist(server: Server) -> None:
    with server.browser("other") as other:
        assert "Nothing here yet" in other.get("/").text
        for path in ("", "/events"):
            foreign = other.get(f"/experiments/1{path}")
            missing = other.get(f"/experiments/77{path}")
            assert foreign.status_code == missing.status_code == 404
            assert foreign.text.replace("77", "1") == missing.text.replace("77", "1")


def test_a_form_needs_its_secret_and_its_origin(server: Server) -> None:
    with server.browser("boss") as boss, server.browser("reader") as reader, server.api("boss") as api:
        page = boss.get("/experiments/1/act", params={"do": "pause", "on": "red"}).text
        form = {"do": "pause", "on": "red", "secret": secret_in(page)}
        wrong: list[tuple[dict[str, str], dict[str, str]]] = [
            ({"secret": ""}, {}),
            ({"secret": "0" * 48}, {}),
            ({"secret": secret_in(reader.get("/").text)}, {}),  # of another session
            ({}, {"origin": "http://evil.example"}),
            ({}, {"origin": "null"}),
            ({}, {"origin": server.url + "1"}),  # another port of the same machine
        ]
        for fields, headers in wrong:
            response = boss.post("/experiments/1/act", data={**form, **fields}, headers=headers)
            assert response.status_code == 403, (fields, headers)
        del boss.headers["origin"]
        assert boss.post("/experiments/1/act", data=form).status_code == 403
        states = {arm["name"]: arm["status"] for arm in api.get("/v1/experiments/1").json()["arms"]}
        assert states["red"] == "active"


def test_every_act_by_its_form(server: Server) -> None:
    with server.browser("boss") as boss, server.api("boss") as api:
        typed = {"name": "acts", "arms": "a\nb", "policy": "samba", "window": "60", "holdout": "10", "trip": "yes"}
        secret = secret_in(boss.get("/experiments/new").text)
        for field, value in (("arms", ""), ("policy", "sambo"), ("window", "soon"), ("name", ""), ("low", "2")):
            response = boss.post("/experiments/new", data={**typed, "secret": secret, field: value})
            assert response.status_code == 422, field
            assert 'role="alert"' in response.text
            assert ("acts" if field != "name" else "a\nb") in response.text  # what was typed is still there
        created = boss.post("/experiments/new", data={**typed, "secret": secret})
        assert created.status_code == 303, created.text
        path = created.headers["location"]
        experiment = api.get(f"/v1{path}").json()
        assert (experiment["rules"]["window"], experiment["rules"]["holdout"]) == (60.0, 0.1)
        acts = [("add", "c/d", ""), ("pause", "a", ""), ("resume", "a", ""), ("retire", "b", ""), ("stop", "", "")]
        acts += [("quarantine", "x/y", ""), ("release", "x/y", ""), ("cap", "x", "5"), ("weigh", "x", "0.5")]
        for do, on, value in [*acts, ("go-on", "", "")]:
            question = boss.get(f"{path}/act", params={"do": do, "on": on})
            assert question.status_code == 200
            fields = {"do": do, "on": on, "value": value, "secret": secret_in(question.text)}
            done = boss.post(f"{path}/act", data=fields)
            assert (done.status_code, done.headers.get("location")) == (303, f"{path}#trail"), (do, done.text)
        for do, on, value in (("weigh", "x", "2"), ("cap", "x", "few"), ("pause", "b", ""), ("resume", "zzz", "")):
            response = boss.post(f"{path}/act", data={"do": do, "on": on, "value": value, "secret": secret})
            assert response.status_code == 422, (do, on, value)
        assert boss.post(f"{path}/act", data={"do": "burn", "secret": secret}).status_code == 404
        trail = boss.get(path).text.partition("Who did what")[2]
        done = ("arm c/d added", "arm b retired", "source x/y quarantined", "source x weighted 0.5", "learning stopped")
        for words in done:
            assert f"<td>boss</td><td>{words}</td>" in trail, words


def test_a_session_ends_with_its_token(server: Server) -> None:
    with server.browser("leaver") as leaver, leaver.stream("GET", "/experiments/1/events") as stream:
        events = stream.iter_lines()
        first = next(line for line in events if line.startswith("data: "))
        assert set(json.loads(first[6:])) == {*PARTS, "chart"}
        lines = server.token_file.read_text().splitlines()
        server.token_file.write_text("".join(f"{line}\n" for line in lines if not line.startswith("leaver ")))
        began = time.monotonic()
        for _ in events:
            assert time.monotonic() - began < 20  # it says something every 15 seconds as long as it lives
        assert leaver.get("/").headers["location"] == "/login"


def test_without_tokens_only_this_machine(tmp_path: Path) -> None:
    server = Server(tmp_path)
    try:
        with httpx.Client(base_url=server.url) as client:
            page = client.get("/")
            commands = html.unescape(re.sub(r"</?b>", "", page.text.partition("<code>")[2].partition("</code>")[0]))
            begin, decide, reward = commands.splitlines()
            assert client.get("/", headers={"host": "evil.example"}).status_code == 421
            secret = secret_in(client.get("/experiments/new").text)
            form = {"name": "x", "arms": "a\nb", "policy": "samba", "secret": secret}
            for origin, status in (("http://evil.example", 403), (server.url, 303)):
                assert client.post("/experiments/new", data=form, headers={"origin": origin}).status_code == status
        for command in (begin, decide):  # what an empty page tells is done as it stands
            done = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=30, check=True).stdout
            assert '"id"' in done, done
        id = re.search(r'"id":"([^"]+)"', done)
        assert id
        printed = subprocess.run(reward.replace("ID", id[1]), shell=True, capture_output=True, text=True, timeout=30)
        assert printed.stdout == '{"new":true}'
    finally:
        server.close()


def log_in(chrome: Chrome, server: Server, who: str) -> None:
    """Show a token, as a person does."""
    chrome.call("Network.clearBrowserCookies")
    chrome.open(f"{server.url}/login")
    chrome.run(f"document.getElementById('token').value = {server.tokens[who]!r}")
    chrome.click("button.strong")


def number(chrome: Chrome, name: str) -> int:
    """One of the counts of the page."""
    script = f"Array.from(document.querySelectorAll('dt')).find(one => one.textContent === {name!r})"
    return int(chrome.run(f"{script}.nextElementSibling.querySelector('b').textContent").replace(",", ""))


CONTRAST = """(() => {
  const parse = text => (text.match(/[0-9.]+/g) || []).map(Number);
  const light = c => { const [r, g, b] = c.map(v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4);
    return .2126 * r + .7152 * g + .0722 * b; };
  const ground = one => { for (; one; one = one.parentElement) { const c = parse(getComputedStyle(one).backgroundColor);
    if (c.length === 3 || c[3] === 1) return c.slice(0, 3); } return [255, 255, 255]; };
  let worst = [99, ""];
  document.querySelectorAll("body *").forEach(one => {
    const said = Array.from(one.childNodes).some(node => node.nodeType === 3 && node.textContent.trim());
    if (!said || !one.getClientRects().length || ["NOSCRIPT", "OPTION"].includes(one.tagName)) return;
    const a = light(parse(getComputedStyle(one).color).slice(0, 3)), b = light(ground(one));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < worst[0]) worst = [ratio, one.tagName + " " + one.className + ": " + one.textContent.slice(0, 40)];
  });
  return worst;
})()"""
MARKUP = "document.querySelectorAll('body img, body svg, body script').length"  # of which our pages have none
UNNAMED = """Array.from(document.querySelectorAll("input:not([type=hidden]), select, textarea, a, button, [role=img]"))
  .filter(one => !(one.getAttribute("aria-label") || one.textContent.trim() || (one.labels && one.labels.length)))
  .map(one => one.outerHTML)"""


@needs_browser
def test_the_story_in_a_browser(server: Server, chrome: Chrome) -> None:
    """Honest traffic moves the page; a ring stops the learning; an admin quarantines by click."""
    chrome.screen(1200)
    log_in(chrome, server, "boss")
    chrome.open(f"{server.url}/experiments/1")
    chrome.until("document.getElementById('link').textContent === 'Live.'")
    before = number(chrome, "Decisions")
    played(server, 600, ring=False, seed=1)
    chrome.until("document.querySelectorAll('.chart canvas').length === 2")  # drawn by the stream, not by a reload
    chrome.until(f"document.body.innerText.includes('{before + 600:,}')")
    played(server, 1500, ring=True, seed=2)
    chrome.click("form[action$='/look'] button")  # the next look would come in an hour
    chrome.until("document.querySelector('.banner.stopped')", 120)  # by itself, as it was set up to do
    assert "watch\tlearning stopped" in chrome.run("document.getElementById('part-trail').innerText")
    chrome.until("document.body.innerText.includes('unlike everybody else')")
    names = chrome.run(
        "Array.from(document.querySelectorAll('tr.differs th')).map(one => one.firstChild.textContent.trim())"
    )
    assert set(names) == {f"boss/{name}" for name in RING}
    assert HOSTILE[2] in chrome.run("document.getElementById('part-sources').innerText")
    assert "forged rewards" in chrome.run("document.getElementById('part-price').innerText")
    assert "exp3" in chrome.run("document.getElementById('part-price').innerText")

    left_out = number(chrome, "Left out")
    for name in RING:
        chrome.open(f"{server.url}/experiments/1")
        chrome.click(f"a[aria-label='Quarantine boss/{name}']")
        assert "as if it had never been there" in chrome.run("document.body.innerText")
        chrome.click("#confirm")
        assert chrome.run("location.pathname") == "/experiments/1"
    chrome.click("a[href*='go-on']")
    chrome.click("#confirm")
    chrome.until("!document.querySelector('.banner.busy, .banner.stopped')")
    assert number(chrome, "Left out") > left_out + 300
    chrome.click("form[action$='/look'] button")
    chrome.until("document.querySelector('.banner.quiet')", 120)
    assert "source boss/ring-4 quarantined" in chrome.run("document.getElementById('part-trail').innerText")
    head = chrome.run("document.querySelector('.head code').textContent")
    with server.api("boss") as api:
        assert api.get("/v1/experiments/1").json()["head"] == head

    assert chrome.run("window.hacked === undefined")
    assert chrome.run(MARKUP) == 0
    assert chrome.run("document.querySelector('h1').textContent") == HOSTILE[1]
    assert chrome.complaints() == []
    assert {address.split("/")[2] for address in chrome.requests()} == {server.url.split("/")[2]}
    assert chrome.run(UNNAMED) == []


@needs_browser
@pytest.mark.parametrize("path", ["/", "/experiments/1", "/experiments/new", "/login", "act"])
def test_a_phone_and_the_dark(server: Server, chrome: Chrome, path: str) -> None:
    log_in(chrome, server, "boss")
    where = path if path != "act" else f"/experiments/1/act?do=quarantine&on={quote(HOSTILE[2] * 5)}"
    for width, dark in ((390, False), (1200, True), (390, True)):
        chrome.screen(width, dark=dark)
        chrome.open(server.url + where)
        assert chrome.run("document.documentElement.scrollWidth") <= width
        assert chrome.run(CUT_OFF) == []
        paper = chrome.run("getComputedStyle(document.body).backgroundColor")
        assert paper == ("rgb(13, 17, 23)" if dark else "rgb(255, 255, 255)")
        ratio, words = chrome.run(CONTRAST)
        assert ratio >= 4.5, words
    assert chrome.run("['header', 'nav', 'main'].every(name => document.querySelector(name))")
    assert chrome.run("document.querySelectorAll('h1').length") == 1
    assert chrome.run(MARKUP) == 0


@needs_browser
def test_without_scripts_it_is_a_page(server: Server, chrome: Chrome) -> None:
    log_in(chrome, server, "reader")
    chrome.call("Emulation.setScriptExecutionDisabled", value=True)
    try:
        chrome.call("Page.navigate", url=f"{server.url}/experiments/1")
        ends = time.monotonic() + 20
        text = ""
        while not ("load it again" in text and "Both as a table" in text) and time.monotonic() < ends:
            with suppress(Lost):  # the document may still be another one
                root = chrome.call("DOM.getDocument", depth=0)["root"]["nodeId"]
                text = chrome.call("DOM.getOuterHTML", nodeId=root)["outerHTML"]
    finally:
        chrome.call("Emulation.setScriptExecutionDisabled", value=False)
    assert "load it again" in text
    assert "Both as a table" in text
    assert "canvas" not in text
