"""The audit's page in a real browser: it renders offline, sorts its tables and fits a phone."""

from pathlib import Path

import pytest

import robandit as rb
from robandit.forensics.report import write_report
from tests.chrome import Chrome
from tests.rings import RING, play
from tests.test_browser import pytestmark as needs_browser
from tests.test_browser import seen

pytestmark = needs_browser

PROBE = """<script>
window.addEventListener("load", function () {
  var table = document.querySelector("#influence-rows table"), told = {};
  var read = function (column) {
    return Array.from(table.tBodies[0].rows).map(function (row) { return row.cells[column].textContent; });
  };
  told.sources = read(0).slice(0, 5);
  table.tHead.rows[0].cells[2].querySelector("button").click();
  told.least = read(0)[0];
  var seen = function (one) { return one.getClientRects().length; };
  told.figures = Array.from(document.querySelectorAll("figure svg")).filter(seen).length;
  told.width = document.documentElement.scrollWidth; told.window = window.innerWidth;
  told.headings = Array.from(document.querySelectorAll("h2")).map(function (h) { return h.textContent; });
  document.body.setAttribute("data-results", JSON.stringify(told));
});
</script></body>"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("audit")
    played = play(rb.Samba(), (0.4, 0.5), 5000, promoted=0, budget=400, first=3000, honest=95)
    found = rb.audit(played.table, "samba", price=False, without=[f"source={name}" for name in RING], shadow=["ucb1"])
    probed = folder / "probed.html"
    probed.write_text(write_report(found, "log.csv", folder).read_text().replace("</body>", PROBE))
    return probed


def test_the_page_on_a_desk(chrome: Chrome, page: Path) -> None:
    told = seen(chrome, page, 1200)
    assert set(told["sources"]) == set(RING)  # type: ignore[call-overload]
    assert told["least"] not in RING
    assert told["figures"] == 3
    headings = told["headings"]
    assert isinstance(headings, list)
    assert headings[:3] == ["What the policy believes", "Who moved the belief", "Who differs"]
    assert headings[-1] == "What to keep in mind"


def test_the_page_on_a_phone(chrome: Chrome, page: Path) -> None:
    told = seen(chrome, page, 500)
    assert told["window"] == 500
    assert told["width"] <= 500  # type: ignore[operator]
