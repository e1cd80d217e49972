"""The report in a real browser: it renders offline, sorts its tables, fits a phone, and is dark when asked."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from robandit.store.cells import Store
from robandit.study.report import write_report
from robandit.study.run import run_here
from robandit.study.spec import read_study

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
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
  var table = document.querySelector("table"), told = {};
  var heads = Array.from(table.tHead.rows[0].cells);
  var column = heads.findIndex(function (cell) { return cell.textContent === "mean regret"; });
  var read = function () {
    return Array.from(table.tBodies[0].rows).map(function (row) { return Number(row.cells[column].dataset.v); });
  };
  var button = heads[column].querySelector("button");
  button.click(); told.up = read();
  button.click(); told.down = read();
  told.width = document.documentElement.scrollWidth; told.window = window.innerWidth;
  told.figures = document.querySelectorAll("figure svg").length;
  told.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  told.ink = getComputedStyle(document.body).color; told.paper = getComputedStyle(document.body).backgroundColor;
  document.body.setAttribute("data-told", JSON.stringify(told));
});
</script></body>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    (folder / "page.toml").write_text(SPEC)
    study = read_study(folder / "page.toml")
    run_here(study.cells(), Store(folder), 2, lambda *_: None)
    report = write_report(study, Store(folder), folder)
    probed = folder / "probed.html"
    probed.write_text(report.read_text().replace("</body>", PROBE))
    return probed


def seen(page: Path, profile: Path, width: int, *flags: str) -> dict[str, object]:
    """What the page says of itself in a headless browser with an empty profile."""
    import html
    import json

    quiet = ["--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
    quiet += ["--disable-component-update", "--disable-sync", "--no-sandbox", "--headless"]
    words = [str(CHROMIUM), *quiet, f"--user-data-dir={profile}", f"--window-size={width},900", *flags, "--dump-dom"]
    done = subprocess.run([*words, page.as_uri()], capture_output=True, text=True, timeout=120, check=True)
    told = re.search(r'data-told="([^"]*)"', done.stdout)
    assert told, done.stderr[-2000:]
    content: dict[str, object] = json.loads(html.unescape(told[1]))
    return content


def test_tables_sort_and_figures_render(page: Path, tmp_path: Path) -> None:
    told = seen(page, tmp_path, 1200)
    rising = told["up"]
    assert isinstance(rising, list)
    assert rising == sorted(rising)
    assert len(rising) == 10
    assert told["down"] == sorted(rising, reverse=True)
    assert told["figures"] == 1


def test_a_phone_needs_no_sideways_scroll(page: Path, tmp_path: Path) -> None:
    told = seen(page, tmp_path, 500)
    assert told["width"] <= told["window"]  # type: ignore[operator]


def test_dark_is_dark(page: Path, tmp_path: Path) -> None:
    light = seen(page, tmp_path / "light", 800)
    dark = seen(page, tmp_path / "dark", 800, "--blink-settings=preferredColorScheme=0")
    assert (light["dark"], dark["dark"]) == (False, True)
    assert light["paper"] == "rgb(255, 255, 255)"
    assert dark["paper"] == "rgb(13, 17, 23)"
    assert dark["ink"] != light["ink"]
