"""The lab in a real browser: the numbers of the command line, no network, no leak, on a phone, by keyboard."""

import math
import re
import sys
from decimal import Decimal, localcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.catalogue import SHIPPED
from robandit.errors import PartError
from robandit.lab.compile import elementary
from robandit.lab.compile.link import CannotLink
from robandit.lab.compile.wasm import as_module, leb
from robandit.page.build import write_page
from robandit.page.kernels import POLICIES
from robandit.page.starts import describe_start
from tests.chrome import CHROMIUM, Chrome

browser = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine and none could be installed")
READY = "document.body.dataset.state === 'ready'"
STORY = "means=0.02,0.03,0.05&horizon=20000&attack=sink-shown&can=erase&budget=20"
SETTINGS = {  # the address of a game, and the words of the command
    "the story": f"{STORY}&runs=20&seed=1&policy=thompson&policy=bonus-thompson:withstand=20",
    "no attack": "means=0.1,0.9,0.45,0.3&horizon=3000&runs=9&seed=7&policy=samba:learning_rate=0.1&policy=thompson",
    "model A": "means=0.3,0.25,0.7&horizon=5000&runs=20&seed=3&policy=samba&attack=flip&schedule=middle&budget=100",
    "a ring": f"{STORY.replace('20000', '2000')}&share=0.4&runs=130&seed=12&policy=samba&policy=bonus-thompson",
    "odd numbers": "means=0.123456789,0.98&horizon=777&runs=2&seed=4294967295&policy=samba&attack=sink&budget=7.25",
}


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    return write_page(folder / "new", ["samba"], ["none", "sink-shown", "means", "by-hand"], ["bernoulli"])


def show(chrome: Chrome, page: Path, address: str = "") -> None:
    """Open the page anew and wait until it has computed."""
    chrome.call("Page.navigate", url="about:blank")
    chrome.call("Page.navigate", url=f"{page.as_uri()}{address}")
    chrome.until(f"{READY} && app.waited !== undefined")


def command_words(address: str) -> list[str]:
    """The words of `robandit play` for a game's address, whose names are those of the flags."""
    return [word for pair in address.split("&") for word in (f"--{pair.partition('=')[0]}", pair.partition("=")[2])]


@browser
@pytest.mark.parametrize("address", SETTINGS.values(), ids=SETTINGS.keys())
def test_numbers_are_those_of_the_command_line(page: Path, chrome: Chrome, robandit: Any, address: str) -> None:
    show(chrome, page, f"#game?{address}")
    summaries = chrome.run("app.views.game.plays.map(play => play.summary())")
    code, played, _ = robandit("play", *command_words(address), "--json")
    assert code == 0
    assert len(summaries) == len(played["results"])
    for here, there in zip(summaries, played["results"], strict=True):
        assert here["regret"] == there["regret"]  # mean, deviation, interval and quantiles, to the last bit
        assert here["paid"]["mean"] == there["corruption"]["paid_mean"]
        assert here["changed"] == there["corruption"]["rounds_mean"]
        assert here["share"] == there["best_arm_share"]
        assert here["shares"]["half_width_95"] == there["best_arm_half_width_95"]


@browser
def test_curves_are_those_of_python_and_the_printed_texts_give_them(page: Path, chrome: Chrome, robandit: Any) -> None:
    show(chrome, page, f"#game?{SETTINGS['model A']}")
    trace = rb.simulate(
        "samba", [0.3, 0.25, 0.7], rb.attack("flip", budget=100, schedule="middle"), horizon=5000, runs=20, seed=3
    )
    rows = chrome.run("app.views.game.plays[0].rows('regret', 200).map(row => [...row])")
    assert np.array_equal(rows, trace.regret)
    assert chrome.run("app.views.game.plays[0].rounds") == trace.rounds.tolist()
    command, python = chrome.run("[...document.querySelectorAll('#game-same code')].map(code => code.textContent)")
    _, played, _ = robandit(*command.split()[1:])
    assert played["results"][0]["regret"]["mean"] == trace.regret[:, -1].mean()
    exec(python, space := dict[str, Any]())
    assert np.array_equal(space["trace"].regret, trace.regret)


@browser
def test_prices_are_those_of_the_command_line(page: Path, chrome: Chrome, robandit: Any) -> None:
    show(
        chrome,
        page,
        "#frontier?means=0.2,0.5,0.4&horizon=400&seed=5&policy=samba&policy=thompson&attack=sink-shown&can=erase",
    )
    command, python = chrome.run("[...document.querySelectorAll('#frontier-same code')].map(code => code.textContent)")
    priced = list[Any]()
    prices = {one["label"]: one for one in chrome.run("app.views.frontier.prices")}
    exec(python.replace("    print(", "    found(", 1), {"found": lambda *numbers: priced.append(numbers)})
    _, result, _ = robandit(*command.split()[1:])
    assert [row["label"] for row in result["results"]] == ["samba", "thompson"]
    for row, found in zip(result["results"], priced, strict=True):
        here = prices[row["label"]]
        assert here["regret"] == row["clean_regret"]
        assert {name: row["price"][name] for name in ("low", "estimate", "high")} == {
            name: here[name] for name in ("low", "estimate", "high")
        }
        assert (row["label"], here["regret"]["mean"], here["low"], here["estimate"], here["high"]) == found


@browser
@pytest.mark.parametrize("policy", ["thompson", "bonus-thompson:withstand=20", "samba"])
def test_forging_by_hand_is_what_the_printed_python_plays(page: Path, chrome: Chrome, policy: str) -> None:
    show(chrome, page, f"#forge?policy={policy}&seed=3")
    for forge in [True, False, True, True] + 10 * [False] + 6 * [True]:
        chrome.until("app.view.next")
        chrome.run(f"document.getElementById('{'lie' if forge else 'pass'}').click()")
    chrome.until("app.view.next")  # while a round is being played, keys do nothing
    chrome.run("document.activeElement.blur()")
    chrome.call("Input.dispatchKeyEvent", type="keyDown", key="f")
    chrome.until(f"app.view.round === 21 && app.view.next && {READY}")
    assert chrome.run("location.hash") == f"#forge?policy={policy}&seed=3&round=21&forged=0.2.3.14.15.16.17.18.19.20"
    here = chrome.run(
        "app.view.play(21, app.view.rounds).then(one => [one.pulls, one.paid, one.regret].map(x => [...x]))"
    )
    exec(chrome.run("document.querySelectorAll('#forge-same code')[1].textContent"), space := dict[str, Any]())
    trace = space["trace"]
    assert here == [array.ravel().tolist() for array in (trace.pulls, trace.corruption_paid, trace.regret)]
    assert trace.corruption_paid[0, -1] == 10.0


@browser
def test_it_opens_from_the_disk_without_network_or_complaint_and_a_link_shares_what_is_set(
    page: Path, chrome: Chrome
) -> None:
    chrome.events.clear()
    show(chrome, page)
    assert chrome.run("location.hash") == "#story?hidden=20"
    first = chrome.run("document.getElementById('story-numbers').innerText")
    chrome.run(
        "const s = document.getElementById('hidden'); s.value = 8; s.dispatchEvent(new Event('input', {bubbles: true}))"
    )
    chrome.until(f"location.hash === '#story?hidden=8' && {READY}")
    moved = chrome.run("document.getElementById('story-numbers').innerText")
    assert moved != first
    show(chrome, page, "#story?hidden=8")
    assert chrome.run("document.getElementById('story-numbers').innerText") == moved
    assert "thompson" in chrome.run("document.getElementById('fall').textContent")
    assert all(url.startswith(("file:", "about:", "blob:", "data:")) for url in chrome.requests())
    assert not chrome.complaints()


@browser
def test_a_nonsense_address_gives_one_sentence(page: Path, chrome: Chrome) -> None:
    chrome.events.clear()
    show(chrome, page, "#game?means=cheese")
    sentences = [chrome.run("document.getElementById('message').innerText")]
    nonsense = (
        "#nowhere",
        "#game?policy=__proto__",
        "#game?horizon=1e99",
        "#story?hidden=-3",
        "#forge?forged=7",
        "#game?x=%zz",
    )
    for address in nonsense:
        chrome.run(f"location.hash = {address!r}")
        chrome.until(f"document.getElementById('message').innerText !== {sentences[-1]!r}")
        sentences.append(chrome.run("document.getElementById('message').innerText"))
    chrome.run(
        "location.hash = '#game?means=0.1,0.9&horizon=100&policy=samba&runs=2'"
    )  # as it was, then nonsense again
    chrome.until("document.getElementById('message').hidden")
    chrome.run("location.hash = '#nowhere'")
    chrome.until("!document.getElementById('message').hidden")
    chrome.run("history.back()")
    chrome.until(f"document.getElementById('message').hidden && {READY}")
    for said in sentences:
        assert re.search(r"\. What you see is the usual (story|game|forge)\.$", said)
        assert "\n" not in said
    assert len(set(sentences)) == len(sentences)
    assert not chrome.complaints()


@browser
def test_two_hundred_moves_leave_no_worker_and_no_memory_behind(page: Path, chrome: Chrome) -> None:
    show(chrome, page, "#game?means=0.2,0.7&horizon=2000&runs=10&policy=samba&attack=sink-shown&can=erase&budget=9")
    chrome.call("Target.setDiscoverTargets", discover=True)

    def workers() -> int:
        return sum(one["type"] == "worker" for one in chrome.call("Target.getTargets")["targetInfos"])

    def heap() -> float:
        chrome.call("HeapProfiler.collectGarbage")
        return float(chrome.call("Runtime.getHeapUsage")["usedSize"])

    move = """(async () => {
      const slider = document.querySelector("[name=budget-slider]");
      const wait = () => new Promise(done => setTimeout(done, 5));
      for (let step = 1; step <= %d; step++) {
        slider.value = step %% 61;
        slider.dispatchEvent(new Event("input", { bubbles: true }));
        await wait();
      }
      while (document.body.dataset.state !== "ready") await wait();
      return [app.pool.running.size, app.pool.waiting.length];
    })()"""
    assert chrome.run(move % 20) == [0, 0]
    before = workers(), heap()
    assert chrome.run(move % 200) == [0, 0]
    after = workers(), heap()
    assert before[0] == after[0] == chrome.run("app.pool.workers.length")
    assert after[1] < before[1] + 2e6, "the page keeps what it has drawn before"


@browser
def test_it_fits_a_phone_and_the_keyboard_in_light_and_dark(page: Path, chrome: Chrome) -> None:
    papers = set()
    short = "horizon=500&policy=samba"
    for view in ("#story", f"#game?{short}&runs=9", "#forge?round=30", f"#frontier?{short}"):
        chrome.screen(390, 800)
        show(chrome, page, view)
        for dark in (False, True):
            chrome.screen(390, 800, dark)
            assert chrome.run("document.documentElement.scrollWidth") <= 390
            papers.add(chrome.run("getComputedStyle(document.body).backgroundColor"))
            charts = chrome.run("document.querySelectorAll('section:not([hidden]) .chart').length")
            assert 1 <= charts <= chrome.run("document.querySelectorAll('section:not([hidden]) table').length")
    assert len(papers) == 2
    chrome.run("location.hash = '#story?hidden=20'")
    chrome.run("document.getElementById('hidden').focus()")
    for kind in ("keyDown", "keyUp"):
        chrome.call("Input.dispatchKeyEvent", type=kind, key="ArrowRight", code="ArrowRight", windowsVirtualKeyCode=39)
    chrome.until("location.hash === '#story?hidden=21'")
    unnamed = """[...document.querySelectorAll('input, select, button')].filter(one =>
      !one.labels?.length && !one.getAttribute('aria-label') && !one.textContent.trim()).map(one => one.outerHTML)"""
    assert chrome.run(unnamed) == []


def test_policies_of_the_page_start_as_python_starts_them_and_others_are_refused() -> None:
    for name in POLICIES:
        assert "probabilities" in describe_start(SHIPPED.policy(name))
    with pytest.raises(PartError, match="a browser cannot start it"):
        describe_start(SHIPPED.policy("optimistic-thompson"))


def test_a_kernel_that_calls_what_browsers_lack_is_refused() -> None:
    name = b"\x03env\x03pow\x00\x00"
    imports = b"\x01" + name
    code = b"\0asm\x01\0\0\0" + b"\x02" + leb(len(imports)) + imports
    with pytest.raises(CannotLink, match="no browser offers pow"):
        as_module(code, [])


def test_exp_and_log_are_good_to_one_unit_in_the_last_place() -> None:
    rng = np.random.default_rng(5)
    wide, near = rng.uniform(-700.0, 700.0, 300), rng.uniform(-1.0, 1.0, 300)
    cases: dict[str, Any] = {
        "exp": (np.concatenate([wide, near]), lambda x: x.exp()),
        "log": (np.concatenate([np.exp(wide), 1.0 + 0.9 * near]), lambda x: x.ln()),
        "log1p": (np.concatenate([np.exp(0.1 * wide), 0.999 * near]), lambda x: (1 + x).ln()),
    }
    with localcontext() as context:
        context.prec = 60
        for name, (arguments, exact) in cases.items():
            for x in arguments.tolist():
                wanted = exact(Decimal(x))
                error = abs(Decimal(getattr(elementary, name)(x)) - wanted) / Decimal(math.ulp(float(wanted)))
                assert error < 1, (name, x)


@pytest.mark.parametrize("name", ["exp", "log", "log1p"])
def test_exp_and_log_at_the_edges(name: str) -> None:
    for x in (0.0, -0.0, 1.0, 5e-324, 1e-310, math.inf, math.nan):
        here = getattr(elementary, name)(x)
        there = float(getattr(np, name)(np.float64(x))) if x else {"exp": 1.0, "log": -math.inf, "log1p": x}[name]
        assert here == pytest.approx(there, rel=1e-15, abs=0.0, nan_ok=True)
    assert elementary.exp(800.0) == math.inf
    assert elementary.exp(-800.0) == 0.0
    assert math.isnan(elementary.log(-1.0))
    assert math.isnan(elementary.log1p(-2.0))
    assert elementary.log1p(-1.0) == -math.inf


def test_an_unknown_policy_is_refused_before_anything_is_written(tmp_path: Path, robandit: Any) -> None:
    code, _, said = robandit("page", "--out", str(tmp_path / "page"), "--policy", "nonsense")
    assert code == 2
    assert "nonsense" in said
    assert list(tmp_path.iterdir()) == []


def test_without_a_compiler_one_sentence_says_what_to_install(
    tmp_path: Path, robandit: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "robandit.lab.compile.wasm")
    monkeypatch.setitem(sys.modules, "llvmlite.binding", None)
    code, _, said = robandit("page", "--out", str(tmp_path / "page"))
    assert code == 2
    assert "needs llvmlite, which is not installed: pip install 'robandit[lab]'" in said
    assert list(tmp_path.iterdir()) == []
