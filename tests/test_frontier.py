"""The frontier: its file, dominance with intervals, its pictures, and the command that prices it."""

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

import robandit as rb
from robandit.catalogue import SHIPPED, shipped
from robandit.pictures.frontier import (
    FrontierDot,
    FrontierPanel,
    along_lines,
    describe_value,
    draw_frontier,
    leading,
    scaled,
)
from robandit.pictures.labels import DotLabel, around, box_of, overlap, place_labels
from robandit.pictures.rendered import Rendered
from robandit.redteam.candidate import Candidate
from robandit.redteam.dominance import clean_range, pareto_front, price_range, surely_better
from robandit.redteam.frontier import FRONTIER, default_policies, read_frontier
from robandit.redteam.price import Price

SMALL = """runs = 4
policies = [
  { policy = "samba", knob = "learning_rate", values = [0.05, 0.2] },
  { policy = "ucb1" },
  { policy = "uniform" },
]
environments = [
  { name = "pair", means = [0.2, 0.8], horizon = 600 },
  { name = "three", title = "three arms", means = [0.1, 0.2, 0.7], horizon = 400 },
]
attackers = [
  { name = "erase", title = "can only erase", can = "erase" },
  { name = "ring", title = "a ring", price = "share" },
]
"""


def point(clean: float, *prices: float | None, half: float | None = None) -> Price:
    return Price(Candidate("sink-shown"), {"mean": clean, "half_width_95": half}, None, prices, {})


def made_up(random: Any, count: int) -> dict[str, Price]:
    """Points with intervals of all widths, some never turned, some that do not learn."""
    points = {}
    for number in range(count):
        prices: list[float | None] = [
            float(price) for price in 10 ** random.uniform(0, 2) * random.uniform(0.7, 1.4, 3)
        ]
        if random.random() < 0.15:
            prices = [None, None, prices[0] if random.random() < 0.5 else None]
        if random.random() < 0.1:
            prices = [0.0, 0.0, 0.0]
        clean = 10 ** random.uniform(1, 3)
        points[f"p{number}"] = point(float(clean), *prices, half=float(clean * random.uniform(0, 0.3)))
    return points


def test_dominance_needs_both_and_beyond_both_ranges() -> None:
    one, other = point(10, 8.0, 9.0, half=1.0), point(20, 4.0, 5.0, half=2.0)
    assert surely_better(one, other)
    assert not surely_better(other, one)
    assert not surely_better(point(10, 8.0, 9.0, half=8.5), other)  # the intervals of the clean regret meet
    assert not surely_better(point(10, 4.5, 9.0), other)  # the ranges of the price meet
    assert not surely_better(point(10, 5.0, 9.0), other)  # a tie is no victory
    assert surely_better(point(10, None, 8.0), other)
    assert not surely_better(one, point(20, 4.0, None))  # a block that nothing turned is dearer than all
    assert not surely_better(point(10, None, None), point(20, None, None))


def test_the_front_is_what_nobody_surely_beats() -> None:
    points = {"a": point(10, 5.0), "b": point(20, 4.0), "c": point(20, 9.0), "d": point(50, 9.0), "e": point(60, 30.0)}
    found = pareto_front({**points, "idle": point(1, 0.0), "firm": point(99, None)})
    assert found == ["a", "c", "d", "e", "firm"]  # d ties with c in price: it stays
    assert pareto_front({"firm": point(10, None), "worse": point(50, 5.0)}) == ["firm"]
    assert pareto_front({"idle": point(1, 0.0)}) == []


@pytest.mark.parametrize("seed", range(40))
def test_laws_of_the_front_on_made_up_points(seed: int) -> None:
    random = np.random.default_rng(seed)
    points = made_up(random, 30)
    front, learning = pareto_front(points), {name for name, one in points.items() if one.learns}
    assert front
    assert set(front) <= learning
    assert [points[name].clean["mean"] for name in front] == sorted(points[name].clean["mean"] for name in front)
    for name in learning:  # the relation is transitive: who is beaten is beaten by one on the front
        beaten = any(surely_better(points[rival], points[name]) for rival in front)
        assert beaten == (name not in front)
    names = list(points)
    random.shuffle(names)
    assert pareto_front({name: points[name] for name in names}) == front
    wider = {
        name: replace(one, clean={**one.clean, "half_width_95": 2 * one.clean["half_width_95"]})
        for name, one in points.items()
    }
    assert set(front) <= set(pareto_front(wider))  # less certainty throws nobody out


@pytest.mark.parametrize("seed", range(10))
def test_without_intervals_the_front_is_the_plain_one(seed: int) -> None:
    random = np.random.default_rng(seed)
    spots = {f"p{n}": (float(x), float(y)) for n, (x, y) in enumerate(random.uniform(1, 9, (40, 2)))}
    naive = {name for name, (x, y) in spots.items() if not any(a < x and b > y for a, b in spots.values())}
    assert set(pareto_front({name: point(x, y, y, y) for name, (x, y) in spots.items()})) == naive


def test_ranges_are_the_interval_and_the_blocks() -> None:
    assert clean_range(point(10, 1.0, half=2.0)) == (8, 12)
    assert clean_range(point(10, 1.0)) == (10, 10)
    assert price_range(point(1, 5.0, None, 3.0)) == (3.0, math.inf)
    assert price_range(point(1, None)) == (math.inf, math.inf)


def test_the_shipped_file_has_every_policy_five_environments_and_every_capability() -> None:
    found = read_frontier()
    labels = [str(one.policy) for one in found.policies]
    assert len(labels) == len(set(labels)) > 70
    assert {one.policy.name for one in found.policies} <= set(shipped("policy"))
    assert {one.policy.name for one in default_policies()} == set(shipped("policy"))
    knobs = {one.line for one in found.policies if one.value is not None}
    alone = {one.line for one in found.policies} - knobs
    assert alone == {"thompson", "tsallis-inf-iw", "tsallis-inf-rv", "ftpl", "uniform"}  # these have no knob
    assert len(found.environments) >= 5
    assert {(one.threat, str(one.capability.can), one.unit) for one in found.attackers} == {
        ("B", "erase", "reward"),
        ("B", "add", "reward"),
        ("B", "both", "share"),
        ("A", "both", "reward"),
    }
    assert FRONTIER.parent.name == "studies"  # where the wheel takes its files from


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("runs = 4", "rums = 4", "f.toml: field 'rums' is unknown; did you mean 'runs'?"),
        ("runs = 4", "runs = 4.5", "runs must be a whole number, not 4.5"),
        ("runs = 4", "tolerance = 1", "tolerance must be above 1"),
        ("runs = 4", "runs = [", "Invalid value"),
        ('"ucb1"', '"ucb9"', "policies, entry 2: policy 'ucb9' is unknown"),
        ('"learning_rate"', '"rate"', "policies, entry 1: policy 'samba': parameter"),
        ("[0.05, 0.2]", "[0.05, 0.05]", "policies: 'samba' is given twice"),
        ("[0.05, 0.2]", "[]", "knob and values go together"),
        ("[0.05, 0.2]", "[-1]", "entry 1: samba: learning_rate must be"),
        ('{ policy = "ucb1" }', '"ucb1"', "policies, entry 2 must be a table"),
        ('policy = "ucb1"', 'name = "ucb1"', "policies, entry 2: policy is missing"),
        ("[0.2, 0.8]", "[0.2, 1.8]", "environments, entry 1: means must be numbers from 0 to 1"),
        ("[0.2, 0.8]", "[0.2, 0.2]", "equal mean leave nothing to learn"),
        ('"pair"', '"three"', "environments: 'three' is given twice"),
        ('"pair"', '"../pair"', "letters, digits and hyphens"),
        ('can = "erase"', 'can = "steal"', "attackers, entry 1: "),
        ('can = "erase"', 'can = "erase", threat = "A"', "said of threat model B"),
        ('can = "erase"', "budget = 5", "said where price is share"),
        ('price = "share"', 'price = "money"', "price must be reward or share, not 'money'"),
    ],
)
def test_a_file_with_a_mistake_is_refused_in_a_sentence(old: str, new: str, message: str, tmp_path: Path) -> None:
    assert old in SMALL
    (tmp_path / "f.toml").write_text(SMALL.replace(old, new, 1))
    with pytest.raises(rb.InputError) as refused:
        read_frontier(tmp_path / "f.toml")
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_policy_of_ones_own_can_be_named_in_a_file_and_is_priced_without_one(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(
        "from dataclasses import dataclass\n"
        "from robandit.parts import About\n"
        "from robandit.policies.uniform import Uniform\n"
        "@dataclass(frozen=True)\n"
        "class Mine(Uniform):\n"
        '    about = About(name="mine", summary="whatever")\n'
    )
    own = SHIPPED.with_file(str(tmp_path / "own.py"))
    (tmp_path / "f.toml").write_text(SMALL.replace('"ucb1"', '"mine"'))
    assert [one.line for one in read_frontier(tmp_path / "f.toml", own).policies] == [
        "samba",
        "samba",
        "mine",
        "uniform",
    ]
    with pytest.raises(rb.InputError, match="policy 'mine' is unknown"):
        read_frontier(tmp_path / "f.toml")
    assert sorted(one.line for one in default_policies(own)) == sorted(
        [*(one.line for one in default_policies()), "mine"]
    )


def dot(number: int, x: float, y: float, front: bool, line: str = "samba") -> FrontierDot:
    return FrontierDot(f"samba:learning_rate={number}", line, float(number), x, 0.02 * x, 0.9 * y, y, 1.1 * y, front)


def test_what_leads_the_front_rises_from_left_to_right() -> None:
    dots = [dot(1, 10, 5, True), dot(2, 20, 4, True), dot(3, 30, 9, True), dot(4, 5, 99, False)]
    assert [one.value for one in leading(dots)] == [1, 3]


def test_a_price_nobody_reached_is_drawn_above_all_and_a_share_as_percent() -> None:
    firm = replace(dot(2, 20, 1, True), low=math.inf, price=math.inf, high=math.inf)
    panel = FrontierPanel("a ring", "here", 100, [dot(1, 10, 0.05, True), firm], unit="share", limit=0.08)
    low, high = scaled(panel)
    assert low.price == pytest.approx(5.0)
    assert 8.0 < high.price < 100.0
    assert math.isinf(high.high)


@pytest.mark.parametrize("attackers", [1, 3])
def test_small_multiples_label_the_front_without_overlap(attackers: int) -> None:
    random = np.random.default_rng(4)
    panels = []
    for number in range(3 * attackers):
        spots = zip(10 ** random.uniform(2, 4, 30), 10 ** random.uniform(0.5, 2.5, 30), strict=True)
        dots = [dot(i, x, y, i % 4 == 0, f"line-{i % 9}") for i, (x, y) in enumerate(spots)]
        share = number // 3 == 1
        dots = [replace(one, low=0.1, price=0.2, high=0.3) for one in dots] if share else dots
        unit, limit = ("share", 0.09) if share else ("reward", None)
        panels.append(FrontierPanel(f"attacker {number // 3}", f"place {number % 3}", 1000, dots, (), unit, limit))
    panels[2] = replace(panels[2], dots=[])
    figure = draw_frontier(panels, "caption").figure
    renderer = figure.canvas.get_renderer()
    assert len(figure.axes) == len(panels)
    said = [text.get_text() for axes in figure.axes for text in axes.texts]
    assert "no policy learns\nwithin T = 1,000" in said
    assert ("limit 9 %" in said) == (attackers == 3)
    for axes in figure.axes:
        boxes = [box_of(text.get_window_extent(renderer)) for text in axes.texts]
        assert max([overlap(one, other) for i, one in enumerate(boxes) for other in boxes[:i]], default=0.0) < 1.0
        if axes.has_data():
            assert len(axes.get_xticks()) >= 2
            assert len(axes.get_yticks()) >= 2
            bars = [line.get_zorder() for group in axes.collections for line in [group]]
            assert min(bars) > max(text.get_zorder() for text in axes.texts if "line" in text.get_text())


def test_one_large_panel_names_every_line_and_says_which_value_is_the_default() -> None:
    random = np.random.default_rng(9)
    dots = [dot(number, 100 * 3**number, 5 * 2**number, True) for number in range(4)]
    dots[1] = replace(dots[1], policy="samba", value=0.05)
    dots += [replace(dot(9, 10 ** random.uniform(2, 3), 7, False, name), policy=name) for name in ("exp3", "ucb1")]
    for number in range(12):  # so many that not every dot has a label
        dots.append(replace(dot(number, 150 + 40 * number, 6 + number, False, "kl-ucb"), policy="kl-ucb"))
    figure = draw_frontier([FrontierPanel("one", "here", 100, dots)], "caption").figure
    said = [text.get_text() for text in figure.axes[0].texts]
    assert sorted(said) == sorted(["samba 0", "samba 0.05 (default)", "samba 2", "samba 3", "exp3", "ucb1", "kl-ucb"])


def test_a_label_says_that_nothing_fooled_a_policy_with_checks() -> None:
    firm = replace(dot(2, 20, 1, True), low=math.inf, price=math.inf, high=math.inf, checks=1000.0)
    (one,) = scaled(FrontierPanel("one", "here", 100, [firm]))
    assert describe_value(one) == " 2, 1,000 checks, never fooled"
    assert describe_value(replace(one, low=0.5 * one.price)) == " 2, 1,000 checks"


def test_a_label_stands_on_no_error_bar_and_no_line_to_a_dot_crosses_a_label() -> None:
    figure = Figure(figsize=(4, 4))
    canvas, axes = FigureCanvasAgg(figure), figure.subplots()
    axes.set(xlim=(0, 10), ylim=(0, 10))
    canvas.draw()
    dots = [(5.0, 5.0), (5.0, 4.4), (5.4, 5.2), (4.6, 5.2), (5.2, 4.7), (4.8, 4.7)]
    bars = [(x - 1.0, y - 0.05, x + 1.0, y + 0.05) for x, y in dots]
    labels = [DotLabel(f"a name of dot {number}", "#222222", [spot]) for number, spot in enumerate(dots)]
    place_labels(figure, axes, labels, dots, bars, 7.0)
    boxes = [box_of(text.get_window_extent()) for text in axes.texts]
    for bar in bars:
        place = (*axes.transData.transform(bar[:2]), *axes.transData.transform(bar[2:]))
        assert all(overlap(box, place) == 0.0 for box in boxes)
    assert axes.lines
    for line in axes.lines:
        (start, end) = axes.transData.transform(line.get_xydata())
        for step in np.linspace(0.0, 0.97, 60):
            spot = around(start + step * (end - start), 0.1)
            assert all(overlap(box, spot) == 0.0 for box in boxes)


def test_the_command_prices_a_file_and_goes_on_after_a_torn_journal(tmp_path: Path, robandit: Any) -> None:
    (tmp_path / "mine.toml").write_text(SMALL.replace('{ policy = "ucb1" },', "").replace("[0.05, 0.2]", "[0.2]"))
    words = ["price", "--frontier", str(tmp_path / "mine.toml"), "--out", str(tmp_path / "kept"), "--json"]
    files = ["--plot", str(tmp_path / "f.png"), "--page", str(tmp_path / "f.html")]
    code, told, _ = robandit(*words, *files)
    assert code == 0
    rows = told["results"]
    assert len(rows) == 2 * 2 * 2
    assert (told["threat"], told["horizon"], told["runs"], told["blocks"]) == (None, None, 4, 3)
    assert {row["attacker"]["name"] for row in rows} == {"erase", "ring"}
    assert {row["horizon"] for row in rows if row["environment"]["name"] == "pair"} == {600}
    learning = [row for row in rows if row["learns"]]
    assert {row["price"]["unit"] for row in learning if row["attacker"]["name"] == "ring"} == {"share"}
    assert all(row["policy"] == "uniform" for row in rows if not row["learns"])
    assert any(row["front"] for row in rows)
    assert not any(row["front"] for row in rows if not row["learns"])
    made = {path.name for path in tmp_path.iterdir() if path.is_file()}
    assert made == {"mine.toml", "f.png", "f.html", "f-erase.png", "f-ring.png"}
    assert json.dumps(told["results"][0]["label"]) in (tmp_path / "f.html").read_text()
    for journal in (tmp_path / "kept").iterdir():  # as a crash leaves it: half of the lines, the last one torn
        content = journal.read_bytes()
        journal.write_bytes(content[: len(content) // 2])
    assert robandit(*words)[1] == told
    code, said, _ = robandit(*words[:-1])
    assert "On the front: " in " ".join(said.split())


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--frontier", "--can", "add"], "--can cannot be given with --frontier"),
        (["--frontier", "--threat", "A"], "--threat cannot be given with --frontier"),
        (["--frontier", "no-such.toml"], "--frontier: frontier 'no-such.toml' cannot be read"),
        (["--frontier", "--page", "page.txt"], "--page: a page must end in .html, not 'page.txt'"),
    ],
)
def test_a_frontier_that_makes_no_sense_is_refused(words: list[str], message: str, robandit: Any) -> None:
    code, _, said = robandit("price", *words)
    assert code == 2
    assert message in said


def test_the_caption_of_a_picture_names_its_only_attacker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from robandit.redteam.panels import save_frontier
    from robandit.redteam.pricing import PricePlan, Prices

    said, nothing = list[str](), Rendered(lambda: None)
    monkeypatch.setattr(Rendered, "save", lambda self, path: None)
    monkeypatch.setattr(
        "robandit.redteam.panels.draw_frontier", lambda panels, caption: said.append(caption) or nothing
    )
    plan = read_frontier()
    for attackers in (plan.attackers[:1], plan.attackers):
        save_frontier(Prices(PricePlan(replace(plan, attackers=attackers)), []), tmp_path / "f.png", None)
    assert said[0].startswith("The attacker: can only erase rewards. What a policy costs")
    assert said[1].startswith("What a policy costs")
    assert [one.split(". ")[0] for one in said[2:]] == [f"The attacker: {one.title}" for one in plan.attackers]


def test_a_policy_with_checks_takes_no_label_from_those_without() -> None:
    def dot_at(regret: float, price: float, checks: float = 0.0) -> FrontierDot:
        return FrontierDot("thompson", "thompson", None, regret, 1.0, price, price, price, True, checks=checks)

    cheap, firm, behind, checked = dot_at(10, 5), dot_at(20, 9), dot_at(30, 8), dot_at(8, 50, checks=100.0)
    assert leading([firm, cheap, behind, checked]) == [firm, cheap, checked]


def test_points_on_a_line_lie_between_its_dots() -> None:
    dots = [FrontierDot("ucb1", "ucb1", value, 10.0**value, 1.0, 1.0, 100.0**value, 1.0, True) for value in (1.0, 2.0)]
    points = along_lines(dots)
    assert len(points) == 25
    assert all(y == pytest.approx(x**2) for x, y in points)
    assert min(points) > (10.0, 100.0)
    assert max(points) < (100.0, 10_000.0)
