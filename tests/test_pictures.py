"""Pictures are drawn, with what they must say in them."""

from itertools import combinations
from pathlib import Path

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg

import robandit as rb
from robandit.catalogue import SHIPPED
from robandit.estimates import summarise
from robandit.pictures.corruption import BudgetCurve, draw_regret_by_budget
from robandit.pictures.panels import LinePanel, LinePlot, PlotLine, draw_lines
from robandit.pictures.regret import draw_comparison
from robandit.pictures.style import FAMILIES, colour_of, family_of, line_styles, log_ticks, numbered_style


def test_the_comparison_names_every_policy_and_both_conditions(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    rows = {
        name: (summarise(random.random(9) + 1), summarise(random.random(9) + 5)) for name in ("samba", "ucb1:scale=2")
    }
    draw_comparison(rows, ("quiet", "loud"), "a message", "a caption").save(tmp_path / "picture.svg")
    drawn = (tmp_path / "picture.svg").read_text()
    assert drawn.startswith("<?xml")
    assert drawn.count(">samba<") == drawn.count(">ucb1:scale=2<") == 1
    assert all(f">{words}<" in drawn for words in ("quiet", "loud", "a message", "a caption"))


def test_panels_are_the_same_bytes_for_the_same_data_and_name_their_lines() -> None:
    x = np.array([10.0, 100.0, 1000.0])
    styles = line_styles(["samba", "ucb1"])
    lines = [PlotLine("samba", styles["samba"], x, x, 0.1 * x), PlotLine("ucb1", styles["ucb1"], x, 2 * x)]
    panels = [
        LinePanel("schedule start", lines),
        LinePanel("schedule middle", lines[:1], (20.0, 30.0)),
        LinePanel("third", lines),
    ]
    for log, kinds in ((False, ("svg",)), (True, ("pdf", "png", "svg"))):
        one, two = (draw_lines(LinePlot(panels, "rounds played", "regret made", log, log)) for _ in range(2))
        files, again = ({kind: each.to_bytes(kind) for kind in kinds} for each in (one, two))
        assert files == again
        drawn = files["svg"].decode()
        words = ("samba", "ucb1", "rounds played", "regret made", "schedule start", "schedule middle", "third")
        assert all(f">{word}<" in drawn for word in words)


def test_a_grey_stretch_is_in_the_legend_and_an_event_is_named() -> None:
    x = np.array([0.0, 100.0])
    line = PlotLine("arm 1", numbered_style(0), x, x)
    panel = LinePanel("", [line], (50.0, 100.0), "since an alarm rang", ((40.0, "the ring begins"),))
    drawn = draw_lines(LinePlot([panel], "decisions made", "p")).to_bytes("svg").decode()
    assert all(drawn.count(f">{words}<") == 1 for words in ("arm 1", "since an alarm rang", "the ring begins"))


def test_no_two_solid_lines_that_are_no_policies_are_of_like_colours() -> None:
    """Two blues were: how far colours are apart is a rough sum over red, green and blue."""
    styles = [numbered_style(place) for place in range(8)]
    for one, two in combinations([style for style in styles if style.dash == "-"], 2):
        parts = [(int(one.colour[at : at + 2], 16), int(two.colour[at : at + 2], 16)) for at in (1, 3, 5)]
        assert sum(abs(a - b) for a, b in parts) > 150, (one, two)
    assert len({style.colour for style in styles}) == 8


MEMBERS = {
    "SAMBA": "samba exponential-samba balanced-samba linear-samba team-samba slate-samba bar listed-samba",
    "Thompson": "thompson tempered-thompson optimistic-thompson bonus-thompson capped-thompson linear-thompson "
    "slate-thompson",
    "UCB": "ucb1 kl-ucb optimistic-ucb trimmed-ucb linucb cw-oful comb-ucb1",
    "gradient": "softmax-gradient linear-softmax",
    "SquareCB": "squarecb cw-squarecb",
    "FTRL": "exp3 exp3-ix tsallis-inf-iw tsallis-inf-rv ftrl-hybrid ftpl slate-hybrid",
    "elimination": "aae known-c-aae fast-slow-aae multi-layer-aae ms-se-wr",
    "BARBAR": "barbar cbarbar draa barbat slate-cbarbar team-draa",
    "other": "epsilon-greedy floor uniform independent",
}


def test_every_policy_is_drawn_as_its_family() -> None:
    assert {name: family_of(name) for name in SHIPPED.policies()} == {
        **{name: cls.about.family for name, cls in SHIPPED.policies().items()},
        **{name: family for family, names in MEMBERS.items() for name in names.split()},
    }
    assert set(MEMBERS) == set(FAMILIES)
    assert family_of("samba:learning_rate=0.1") == "SAMBA"
    assert family_of("mine:x=1") == "other"
    assert family_of("cw-oful:scale=0.3") == "UCB"


def test_every_row_of_panels_says_its_threat_model(tmp_path: Path) -> None:
    budgets = np.array([0.0, 30.0, 300.0])
    names = ("samba", "thompson", "ucb1", "exp3", "barbar")
    curves = [BudgetCurve(name, budgets, budgets + 9.0, budgets) for name in names]
    draw_regret_by_budget([("model A", curves), ("model B", curves)], "a caption").save(tmp_path / "c.svg")
    drawn = (tmp_path / "c.svg").read_text()
    assert all(drawn.count(f">{words}<") == 1 for words in ("SAMBA (model A)", "BARBAR (model A)", "BARBAR (model B)"))


def luminance(colour: str) -> float:
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_family_colours_differ_and_stand_out_on_light_and_dark_pages() -> None:
    colours = list(FAMILIES.values())
    assert len(set(colours)) == len(colours)
    for colour in colours:
        for paper in ("#ffffff", "#0d1117"):
            dark, light = sorted((luminance(colour), luminance(paper)))
            assert (light + 0.05) / (dark + 0.05) >= 3.0, (colour, paper)  # what WCAG asks of graphics


def test_policies_of_one_family_share_a_colour_and_nothing_else() -> None:
    found = line_styles(["samba", "ucb1", "samba:learning_rate=0.1", "exponential-samba", "samba"])
    blue = [found[name] for name in ("samba", "samba:learning_rate=0.1", "exponential-samba")]
    assert {look.colour for look in blue} == {colour_of("samba")} != {found["ucb1"].colour}
    assert len({look.dash for look in blue}) == len({look.marker for look in blue}) == 3


def test_a_logarithmic_axis_has_two_to_five_round_ticks_within_its_range() -> None:
    random = np.random.default_rng(7)
    for _ in range(400):
        low = 10 ** random.uniform(-4, 5)
        high = low * 10 ** random.uniform(0.002, 7)
        ticks = log_ticks(low, high)
        assert 2 <= len(ticks) <= 5, (low, high)
        assert ticks == sorted(set(ticks))
        assert low <= ticks[0]
        assert ticks[-1] <= high
    assert log_ticks(80.0, 1300.0) == [100.0, 200.0, 500.0, 1000.0]
    assert log_ticks(2.0, 5e4) == [10.0, 100.0, 1000.0, 10000.0]
    assert log_ticks(4.0, 4.0) == [4.0]


def test_regret_against_the_budget_has_a_panel_a_family_and_the_rest_grey(tmp_path: Path) -> None:
    budgets = np.array([0.0, 30.0, 300.0])
    curves = [
        BudgetCurve(name, budgets, at * budgets + 9.0, budgets, 3.4 if name == "samba" else None)
        for at, name in enumerate(("samba", "exponential-samba", "ucb1"), 2)
    ]
    groups = [("model A", curves), ("model B", curves[1:])]
    draw_regret_by_budget(groups, "a caption").save(tmp_path / "c.svg")
    drawn = (tmp_path / "c.svg").read_text()
    assert drawn.count('id="axes_') == 4  # two families in two models
    assert all(f">{words}<" in drawn for words in ("SAMBA (model A)", "SAMBA (model B)", "UCB", "ucb1"))
    assert drawn.count("stroke: #c8c8c8") == 1 + 2 + 1 + 1  # in each panel, whoever is of another family
    assert "a heuristic, no bound" in drawn


def test_a_title_with_long_names_stays_inside_the_picture() -> None:
    names = ("bonus-thompson:withstand=200", "thompson")
    figure = rb.plot({name: rb.simulate(name, [0.2, 0.8], horizon=300, runs=3) for name in names}).figure
    box = figure._suptitle.get_window_extent(FigureCanvasAgg(figure).get_renderer())
    assert "withstand=200" in figure._suptitle.get_text()
    assert box.x1 <= figure.bbox.x1
