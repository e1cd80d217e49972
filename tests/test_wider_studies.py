"""Studies of wider games: what an attacker can do, agents and slates as axes; claims with verdicts; what is refused."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.store.parquet import as_bytes, from_bytes
from robandit.study.figures import Shape, describe_terms
from robandit.study.spec import read_study
from robandit.study.weigh import coin_p_value, verdict_of

RING: dict[str, Any] = {
    "id": "ring",
    "title": "a ring",
    "policies": ["thompson", "samba"],
    "means": [0.3, 0.9],
    "attacks": "push-shown:raised=1",
    "shares": [0, 0.02, 0.6],
    "budgets": float("inf"),
    "horizons": 400,
    "runs": 12,
}
SHORT: dict[str, Any] = {"arms": 4, "horizons": 60, "runs": 3}
CLAIMS: list[dict[str, Any]] = [  # "turned" is how the first version said "fooled"
    {"id": "few", "text": "2 % fool nobody", "grid": "ring", "says": "not-fooled", "where": {"share": 0.02}},
    {"id": "many", "text": "60 % fool all", "grid": "ring", "says": "turned", "where": {"share": 0.6}},
    {"id": "wrong", "text": "2 % fool all", "grid": "ring", "says": "fooled", "where": {"share": 0.02}},
    {
        "id": "less",
        "text": "Thompson sampling has less clean regret",
        "grid": "ring",
        "says": "less-regret",
        "policies": ["thompson", "samba"],
        "where": {"share": 0},
    },
]


def study(*grids: dict[str, Any], claims: Any = ()) -> Any:
    return read_study({"name": "wider", "grid": list(grids), "claim": list(claims)})


def test_a_ring_a_team_and_slates_are_played_told_and_weighed(tmp_path: Path) -> None:
    """One value of each axis, so that no picture is drawn: those are looked at elsewhere."""
    grids = [{**RING, "id": f"ring-{share}", "shares": share} for share in RING["shares"]]
    grids += [{"id": "team", "policies": "independent", "agents": 3, **SHORT}]
    grids += [{"id": "slates", "policies": "comb-ucb1", "slates": 3, **SHORT}]
    claims = [{**claim, "grid": f"ring-{claim['where']['share']}"} for claim in CLAIMS]
    found = rb.run_study({"name": "wider", "grid": grids, "claim": claims}, tmp_path, threads=1)
    attack = rb.attack("push-shown:raised=1", budget=np.inf, capability="both:share=0.6")
    alone = rb.simulate("thompson", [0.3, 0.9], attack, horizon=400, runs=12, checkpoints=1)
    assert np.array_equal(found.trace("ring-0.6", policy="thompson").regret, alone.regret)
    team = found.trace("team").team
    assert team is not None
    assert team.pulls.shape == (3, 3, 4)
    shown = rb.simulate("comb-ucb1", [0.2, 0.4, 0.6, 0.8], slate=3, horizon=60, runs=3, checkpoints=1)
    assert found.trace("slates").best_arm_share == shown.best_arm_share
    page = found.report().read_text()
    verdicts = [line.partition('class="')[2].partition('"')[0] for line in page.splitlines() if 'id="claim-' in line]
    assert verdicts == ["holds", "holds", "fails", "holds"]
    for words in ("in 2 % of rounds", "spend without limit", "T counts slates", "messages", "12 of 12 runs fooled"):
        assert words in page


def test_coordinates_make_axes_and_words() -> None:
    shape = Shape(study(RING).grids[0])
    assert (shape.along, shape.panel_names()) == ("share", [])
    assert sorted({shape.x(cell) for cells in shape.panels().values() for cell in cells}) == [0.0, 0.02, 0.6]
    assert describe_terms(shape.grid)[0] == (
        "The attacker sees the draw and can add and erase rewards, in the share of rounds that is given."
    )
    limited = study({**RING, "shares": 0.02, "can": "erase:first=5", "budgets": [0, 5]}).grids[0]
    told = "The attacker sees the draw and can only erase rewards, in 2 % of rounds, from round 5 on."
    assert describe_terms(limited) == [told]
    assert Shape(limited).along == "budget"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"shares": 1, "budgets": float("inf")}, "budgets: must be a number of at least 0, not inf: without end"),
        ({"shares": 2}, "shares: must be a number from 0 to 1, not 2"),
        ({"can": "steal"}, "can: 'steal' is not|can: .*steal"),
        ({"can": "both:share=0.5"}, "shares and a share in can cannot both be given"),
        ({"attacks": "flip", "budgets": 5}, "of threat model A, which moves means before the draw"),
        ({"slates": 2}, "policies: thompson shows one arm at a time and cannot fill a slate of 2"),
        ({"environments": "contexts", "policies": "linear-samba"}, "means: the environment contexts has means of its"),
        ({"environments": "linear"}, "means: the environment linear has means of its own: leave means out"),
    ],
)
def test_what_does_not_fit_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        study({**RING, **changes})


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"says": "best"}, "claim 1: says 'best' is unknown"),
        ({"grid": "rong"}, "claim 1: grid 'rong' is unknown; did you mean 'ring'"),
        ({"where": {"share": 0.5}}, "no cell of grid ring has"),
        ({"where": {"shares": 0.5}}, "coordinate 'shares' is unknown; did you mean 'share'"),
        ({"policies": ["ucb1"]}, "and is played by ucb1"),
        ({"says": "less-regret"}, "less-regret compares two policies, not 0"),
        ({"text": 3}, "text must be text, not 3"),
        ({"why": ""}, "field 'why' is unknown"),
    ],
)
def test_a_claim_that_is_none_is_refused(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        study(RING, claims=[{**CLAIMS[0], **changes}])


def test_verdicts_and_their_coin() -> None:
    assert [verdict_of(signs) for signs in ([1, 1], [1, 0], [1, -1], [0, -1], [])] == [
        *("holds", "open", "fails", "fails", "open")
    ]
    assert coin_p_value(0, 10) == pytest.approx(2 / 1024)
    assert coin_p_value(5, 10) == 1.0
    assert coin_p_value(9, 10) == pytest.approx(22 / 1024)


def test_an_environment_with_means_of_its_own_and_what_it_read_are_part_of_a_cell(tmp_path: Path) -> None:
    path = tmp_path / "films.csv"
    keys = []
    for rows in ("a,b\n0,1\n1,1\n", "a,b\n0.5,1\n0.5,1\n"):  # other rewards, the same means
        path.write_text(rows)
        given = study({"id": "films", "policies": ["samba"], "environments": f"samples:file={path}"})
        (cell,) = given.grids[0].cells
        assert cell.means == (0.5, 1.0)
        keys.append(given.keys[cell])
    assert keys[0] != keys[1]


def test_a_stored_team_comes_back_whole() -> None:
    trace = rb.simulate("team-samba", [0.2, 0.8], horizon=50, runs=2, agents=3, checkpoints=1)
    again, _ = from_bytes(as_bytes(trace, {}))
    assert again.team is not None and trace.team is not None  # noqa: PT018  # one fact
    assert np.array_equal(again.team.pulls, trace.team.pulls)
    assert np.array_equal(again.team.bits, trace.team.bits)
