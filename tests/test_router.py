"""The recipe of a request router: what its gate lets through, its cells, its verdicts, its study and its page."""

import importlib.util
import math
import random
import sys
from pathlib import Path
from typing import Any

import pytest

import robandit as rb
from robandit.study.spec import read_study

HOME = Path(__file__).parents[1]


def load(name: str) -> Any:
    spec = importlib.util.spec_from_file_location(name, HOME / "recipes" / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # a dataclass looks its module up
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def router() -> Any:
    return load("router")


class Ear:
    """A router that keeps what reaches it."""

    checks = 0

    def __init__(self) -> None:
        self.thumbs: list[tuple[Any, bool]] = []
        self.picks = 0

    def pick(self, kind: str) -> tuple[int, int]:
        self.picks += 1
        return 0, self.picks

    def learn(self, kind: str, ticket: int, thumb: bool, truth: bool) -> None:
        self.thumbs.append((ticket, thumb))


def test_the_gate_and_the_credit(router: Any) -> None:
    """A bad thumb counts from the fourth request on, a good one from the fifth and once, each for the one before."""
    ear, talk = Ear(), router.Conversation("writing")
    for _ in range(7):
        talk.turn(ear, False, False)
    assert ear.thumbs == [(3, False), (4, False), (5, False), (6, False)]
    ear, talk = Ear(), router.Conversation("writing")
    for _ in range(7):
        talk.turn(ear, True, True)
    assert ear.thumbs == [(4, True)]


def test_a_cell_begins_with_its_tier_and_stops_at_the_cap(router: Any) -> None:
    replica = router.Replica(router.PRICED, random.Random(1))
    assert replica.cells["code_generation"] == [pytest.approx([9.5, 0.5]), [5.0, 5.0]]
    assert replica.cells["writing"] == [pytest.approx([7.0, 3.0]), [5.0, 5.0]]
    for _ in range(300):
        replica.learn("writing", 1, True, True)
    assert replica.cells["writing"][1] == [195.0, 5.0]
    assert router.PRICED.cheapness() == [0.0, 1.0]
    assert [router.PRICED.best(kind) for kind in ("code_generation", "general")] == [0, 1]


def test_forged_thumbs_move_the_replica_and_checks_hold(router: Any) -> None:
    """Eight short runs each, on fixed seeds."""
    shares = {
        name: [share for share, _ in router.runs_of(name, router.PRICED, forged, 2000, 8)]
        for name, forged in (("the replica", 50), ("verified-thompson", 50))
    }
    assert sum(share < 0.5 for share in shares["the replica"]) >= 6
    assert sum(share < 0.5 for share in shares["verified-thompson"]) <= 4


def test_a_verdict_needs_most_runs(router: Any) -> None:
    assert router.verdict([0.1] * 40, 10) == "fooled, 40 of 40"
    assert router.verdict([0.1] * 22 + [0.9] * 18, 10) == "open, 22 of 40"
    assert router.verdict([0.9] * 40, 10) == "not fooled, 0 of 40"


def test_every_hundredth_reward_is_checked_and_nothing_else_counts() -> None:
    policy = load("checked").CheckedThompson(every=10)
    game = {"horizon": 500, "runs": 2, "seed": 3, "engine": "plain"}
    clean = rb.simulate(policy, [0.8, 0.6], **game)
    forged = rb.simulate(policy, [0.8, 0.6], rb.attack("sink-shown", budget=math.inf), **game)
    assert clean.checks is not None
    assert clean.checks.tolist() == [50, 50]
    assert clean.regret.tolist() == forged.regret.tolist()


def test_the_study_and_the_page_are_those_of_the_recipes() -> None:
    study = read_study(HOME / "recipes" / "router.toml")
    assert len(study.claims) == 11
    assert (
        f"```python\n{(HOME / 'recipes' / 'robust_router.py').read_text()}```" in (HOME / "docs/router.md").read_text()
    )


def test_the_strategy_chooses_within_a_group_and_refuses_others(tmp_path: Path) -> None:
    models = [
        {"model_name": group, "model_info": {"id": name}}
        for group, name in (("chat", "a"), ("chat", "b"), ("code", "c"))
    ]
    strategy = load("robust_router").RobustRouter(models, tmp_path / "r.journal", "thompson", seed=1)
    names = {strategy.get_available_deployment("chat")["model_info"]["id"] for _ in range(20)}
    assert names == {"a", "b"}
    with pytest.raises(ValueError, match=r"no deployment of 'other', only of \['chat', 'code'\]"):
        strategy.get_available_deployment("other")
