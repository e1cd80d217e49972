"""The report and the frontier's page in a real browser: offline, answering to their reader, on a phone, in the dark."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest

from robandit.executor import Threads
from robandit.pictures.frontier import FrontierDot, FrontierPanel
from robandit.redteam.page import write_frontier_page
from robandit.store.cells import ResultStore
from robandit.study.report import write_report
from robandit.study.results import Results
from robandit.study.run import play_cells
from robandit.study.spec import read_study
from tests.chrome import CHROMIUM, Chrome

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium on this machine and none could be installed")

SPEC = """name = "page"
[[grid]]
id = "levels"
title = "A small page"
policies = ["samba", "ucb1"]
schedules = ["start", "middle"]
budgets = [0, 20, 40]
arms = 3
horizons = 500
runs = 5
"""
PROBE = """<script>
window.addEventListener("load", function () {
  var table = document.querySelector("table"), results = {};
  var heads = Array.from(table.tHead.rows[0].cells);
  var column = heads.findIndex(function (cell) { return cell.textContent === "mean regret"; });
  var read = function () {
    return Array.from(table.tBodies[0].rows).map(function (row) { return Number(row.cells[column].dataset.v); });
  };
  var button = heads[column].querySelector("button");
  button.click(); results.up = read();
  button.click(); results.down = read();
  results.width = document.documentElement.scrollWidth; results.window = window.innerWidth;
  results.figures = Array.from(document.querySelectorAll("figure svg")).filter(function (one) {
    return one.getClientRects().length;
  }).length;
  results.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  results.ink = getComputedStyle(document.body).color; results.paper = getComputedStyle(document.body).backgroundColor;
  document.body.setAttribute("data-results", JSON.stringify(results));
});
</script></body>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    (folder / "page.toml").write_text(SPEC)
    study = read_study(folder / "page.toml")
    play_cells(Threads(2), study.cells(), ResultStore(folder), lambda *_: None)
    report = write_report(Results(study, ResultStore(folder)))
    probed = folder / "probed.html"
    probed.write_text(report.read_text().replace("</body>", PROBE))
    return probed


def seen(chrome: Chrome, page: Path, width: int, dark: bool = False) -> dict[str, object]:
    """What the page says of itself on a screen of this width."""
    chrome.screen(width, dark=dark)
    chrome.open(page.as_uri())
    chrome.until("document.body.dataset.results")
    content: dict[str, object] = json.loads(chrome.run("document.body.dataset.results"))
    return content


def test_tables_sort_and_figures_render(chrome: Chrome, page: Path) -> None:
    results = seen(chrome, page, 1200)
    rising = results["up"]
    assert isinstance(rising, list)
    assert rising == sorted(rising)
    assert len(rising) == 10
    assert results["down"] == sorted(rising, reverse=True)
    assert results["figures"] == 1


def test_a_phone_needs_no_sideways_scroll(chrome: Chrome, page: Path) -> None:
    results = seen(chrome, page, 500)
    assert results["window"] == 500
    assert results["width"] <= 500  # type: ignore[operator]
    assert results["figures"] == 1  # the one with a panel a row


def test_dark_is_dark(chrome: Chrome, page: Path) -> None:
    light = seen(chrome, page, 800)
    dark = seen(chrome, page, 800, dark=True)
    assert (light["dark"], dark["dark"]) == (False, True)
    assert light["paper"] == "rgb(255, 255, 255)"
    assert dark["paper"] == "rgb(13, 17, 23)"
    assert dark["ink"] != light["ink"]


POINTED = """<script>
window.addEventListener("load", function () {
  var results = {}, tip = document.getElementById("tip"), svgs = document.querySelectorAll("main svg");
  var boxes = function (name) { return Array.from(document.querySelectorAll("input[name=" + name + "]")); };
  var visible = function (what) {
    var all = Array.from(document.querySelectorAll(what));
    return all.filter(function (one) { return one.getClientRects().length; }).length;
  };
  var press = function (key) { svgs[0].dispatchEvent(new KeyboardEvent("keydown", {key: key, bubbles: true})); };
  results.quiet = tip.hidden; results.panels = svgs.length; results.dots = visible("main svg circle");
  results.triangles = visible("main g.mark path"); results.words = svgs[1].textContent;
  var dot = svgs[0].querySelector("g.mark:not(.pale) circle").getBoundingClientRect();
  var where = {clientX: dot.x + dot.width / 2 + 1, clientY: dot.y + dot.height / 2, bubbles: true};
  svgs[0].dispatchEvent(new PointerEvent("pointermove", where));
  results.pointed = tip.textContent; results.open = !tip.hidden; results.hot = visible(".hot");
  var frame = tip.getBoundingClientRect();
  results.inside = frame.left >= 0 && frame.right <= innerWidth && frame.top >= 0;
  svgs[0].dispatchEvent(new PointerEvent("pointerleave", {}));
  results.left = tip.hidden;
  svgs[0].focus(); results.focused = document.activeElement === svgs[0];
  press("ArrowRight"); results.first = tip.textContent;
  press("ArrowRight"); results.second = tip.textContent;
  press("ArrowLeft"); results.back = tip.textContent === results.first;
  press("Escape"); results.escaped = tip.hidden;
  boxes("front")[0].click(); results.only = visible("main svg circle"); boxes("front")[0].click();
  boxes("family")[0].click(); results.without = visible("main svg circle"); boxes("family")[0].click();
  boxes("attacker")[0].click(); results.attackers = visible("main h2"); boxes("attacker")[0].click();
  boxes("place")[0].click(); results.places = visible("main svg"); boxes("place")[0].click();
  results.again = visible("main svg circle"); results.fetched = performance.getEntriesByType("resource").length;
  results.width = document.documentElement.scrollWidth; results.window = window.innerWidth;
  results.paper = getComputedStyle(document.body).backgroundColor;
  document.body.setAttribute("data-results", JSON.stringify(results));
});
</script></body>"""


@pytest.fixture(scope="module")
def pointed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A page of two attackers on two environments, with a probe in it."""
    dots = [
        FrontierDot(
            f"samba:learning_rate={rate}",
            "samba",
            rate,
            10 / rate,
            1.0,
            2 / rate,
            3 / rate,
            4 / rate,
            True,
            "sink-shown",
        )
        for rate in (0.05, 0.1)
    ]
    dots.append(FrontierDot("ucb1", "ucb1", None, 300.0, 2.0, 5.0, 6.0, 7.0, False, "oracle"))
    dots.append(FrontierDot("</script><b>mine", "mine", None, 400.0, 2.0, math.inf, math.inf, math.inf, True, "ace"))
    small = [replace(dot, low=dot.low / 1000, price=dot.price / 1000, high=dot.high / 1000) for dot in dots]
    panels = [
        FrontierPanel("can only erase", "the grid", 1000, dots, ("uniform",)),
        FrontierPanel("a ring", "the grid", 1000, small, unit="share", limit=0.0909),
        FrontierPanel("can only erase", "clicks", 2000, dots[:2]),
        FrontierPanel("a ring", "clicks", 2000, [], ("uniform",), unit="share", limit=0.03),
    ]
    page = tmp_path_factory.mktemp("pointed") / "pointed.html"
    write_frontier_page(panels, "A lead.", page)
    page.write_text(page.read_text().replace("</body>", POINTED))
    return page


def test_the_frontier_answers_to_pointer_keys_and_boxes(chrome: Chrome, pointed: Path) -> None:
    results = seen(chrome, pointed, 1200)
    assert (results["panels"], results["dots"], results["triangles"]) == (4, 3 + 3 + 2, 2)
    assert results["quiet"] is results["open"] is results["inside"] is results["left"] is True
    assert "samba:learning_rate=0.1  (on the front)\nknob: 0.1\nclean regret: 100 ± 1" in str(results["pointed"])
    assert "price: 30 (20 to 40) rewards\nattack: sink-shown\nthe grid, T = 1,000" in str(results["pointed"])
    assert results["hot"] == 3 * 2 + 3  # the line and its two dots in each of three panels
    assert results["focused"] is results["back"] is results["escaped"] is True
    assert str(results["first"]).startswith("samba:learning_rate=0.05 ")  # on from the dot pointed at
    assert str(results["second"]).startswith("</script><b>mine  (on the front)\nknob: none")
    assert "price: not fooled by any attack tried" in str(results["second"])
    assert "clean regret (rewards lost)" in str(results["words"])
    assert (results["only"], results["without"], results["attackers"], results["places"]) == (6, 2, 1, 2)
    assert results["again"] == results["dots"]
    assert results["fetched"] == 0


def test_the_frontier_fits_a_phone_and_is_dark_when_asked(chrome: Chrome, pointed: Path) -> None:
    phone = seen(chrome, pointed, 390)
    assert phone["window"] == 390
    assert phone["width"] <= 390  # type: ignore[operator]
    assert phone["inside"] is True
    dark = seen(chrome, pointed, 800, dark=True)
    assert dark["paper"] == "rgb(13, 17, 23)"
