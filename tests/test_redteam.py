"""The search for the worst attack: its family, its memory, its honesty about seeds, and its story."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.adversaries.band import Band
from robandit.adversaries.push import Push, arms_to_push
from robandit.adversaries.push_shown import PushShown
from robandit.adversaries.scheduled import ScheduledAttack
from robandit.capability import Capability
from robandit.dice import Random
from robandit.lab.scenario import Scenario
from robandit.redteam import evaluate
from robandit.redteam.candidate import Candidate, catalogue_attacks
from robandit.redteam.evaluate import Evaluator, Play, block_seed, final_values
from robandit.redteam.family import Family
from robandit.redteam.search import RACE, SearchOptions, race, worst_attack
from robandit.redteam.story import attack_story
from robandit.store.journal import Journal

MEANS = (0.3, 0.45, 0.8)


def evaluator(folder: Path, horizon: int = 1500) -> Evaluator:
    return Evaluator(Scenario("samba", MEANS, horizon=horizon, runs=20), Journal(folder / "journal.jsonl"))


@pytest.mark.parametrize(
    ("lowered", "raised", "worst", "down", "up"),
    [
        (1, 0, False, [3], []),
        (1, 1, False, [3], [1]),
        (1, 1, True, [3], [2]),
        (2, 2, True, [3, 1], [0, 2]),
        (0, 4, False, [], [3, 1, 0, 2]),
    ],
)
def test_which_arms_are_pushed(lowered: int, raised: int, worst: bool, down: list[int], up: list[int]) -> None:
    means = np.array([0.3, 0.5, 0.1, 0.9])
    found = arms_to_push(means, lowered, raised, worst)
    assert [arms.tolist() for arms in found] == [down, up]
    target = Push(lowered=lowered, raised=raised, worst=worst).target(means)
    expected = [0.0 if arm in down else 1.0 if arm in up else means[arm] for arm in range(4)]
    assert target.tolist() == expected


@pytest.mark.parametrize("counts", [(0, 0), (3, 2)])
def test_impossible_pushes_are_refused(counts: tuple[int, int]) -> None:
    with pytest.raises(rb.InputError, match="1 to 4 arms together"):
        arms_to_push(np.array([0.3, 0.5, 0.1, 0.9]), *counts, False)


def test_band_strikes_as_a_plain_reading_of_it_does() -> None:
    random, dice = np.random.default_rng(3), Random(1, 2, 3, 4)
    probabilities = np.clip(0.4 + np.cumsum(random.normal(0, 0.08, 400)), 0.01, 0.99)
    for low, high, again, first, every in ((0.3, 0.8, 0.5, 20, 3), (0.0, 1.0, 0.0, 0, 1), (0.2, 0.9, 0.2, 0, 7)):
        schedule = Band(low=low, high=high, again=again, first=first, every=every)
        attack = ScheduledAttack(attack=Push(), schedule=schedule, budget=9.0)
        memory, means = attack.start(np.array(MEANS), 400), np.array(MEANS)
        struck, fallen, last = [], False, -(10**9)
        for t, probability in enumerate(probabilities):
            fallen = (fallen and probability < max(again, low)) or probability < low
            wanted = not fallen and probability <= high and t >= first and t - last >= every
            last = t if wanted else last
            proposal = means.copy()
            shown = np.array([0.0, 1.0 - probability, probability])
            assert attack.tamper_means(memory, t, shown, means, proposal, dice) == wanted
            assert (proposal.tolist() == [0.3, 1.0, 0.0]) == wanted
            struck.append(wanted)
        assert 0 < sum(struck) <= len(struck)


def test_band_watches_every_arm_the_attack_lowers() -> None:
    attack = ScheduledAttack(attack=Push(lowered=2, raised=0), schedule=Band(low=0.7), budget=9.0)
    memory, means = attack.start(np.array(MEANS), 10), np.array(MEANS)
    for probabilities, wanted in (((0.2, 0.4, 0.4), True), ((0.4, 0.3, 0.3), False)):
        proposal = means.copy()
        assert attack.tamper_means(memory, 0, np.array(probabilities), means, proposal, Random(1, 2, 3, 4)) == wanted


def test_push_shown_moves_what_it_says_while_the_arms_are_shown() -> None:
    attack = PushShown(lowered=1, raised=1, worst=True, size=0.6, low=0.2, again=0.5, first=5, budget=9.0)
    memory, means, dice = attack.start(np.array(MEANS), 999), np.array(MEANS), Random(1, 2, 3, 4)

    def shown(t: int, arm: int, reward: float) -> float:
        return attack.tamper_reward(memory, t, means, arm, reward, dice)

    assert [shown(t, 2, 1.0) for t in range(5)] == [1.0] * 5
    assert memory.share == pytest.approx(1.0 - (2 / 3) * 0.99**5)  # a memory of a hundred rounds, from one arm in three
    assert shown(5, 2, 1.0) == pytest.approx(0.4)
    assert shown(6, 0, 0.0) == pytest.approx(0.6)
    assert shown(7, 1, 0.3) == 0.3
    for t in range(8, 108):
        shown(t, 1, 0.0)  # the best arm is hardly shown any more
    assert shown(108, 2, 1.0) == 1.0
    for t in range(109, 159):
        shown(t, 2, 1.0)
    assert memory.share < 0.5
    assert shown(159, 2, 1.0) == 1.0  # waits until the share is back at one half
    for t in range(160, 260):
        shown(t, 2, 1.0)
    assert shown(260, 2, 1.0) == pytest.approx(0.4)


@pytest.mark.parametrize("threat", ["A", "B"])
@pytest.mark.parametrize("arms", [2, 3, 9])
def test_every_point_of_the_family_is_an_attack_that_can_be_played(threat: str, arms: int) -> None:
    family, random = Family(threat, arms, 1000), np.random.default_rng(arms)
    means = np.linspace(0.1, 0.9, arms)
    corners = [np.zeros(len(family.levers)), np.ones(len(family.levers))]
    for point in [*corners, *random.random((200, len(family.levers))), *family.warm(0.2)]:
        adversary = family.candidate(point).adversary(10.0)
        assert adversary.sees_draw == (threat == "B")
        adversary.start(means, 1000)


def test_a_point_says_what_was_meant() -> None:
    family = Family("A", 9, 1000)
    found = family.candidate(family.point(lowered=2, raised=3, worst=True, size=0.234, low=0.0567))
    assert found.attack == "push:lowered=2,raised=3,worst=true"
    assert found.schedule.startswith("band:low=0.0567,high=1.0,again=0.0567,first=0,every=1")
    assert found.size == "0.234"


def test_the_catalogue_is_tried_whole_and_epochs_only_where_there_are_some() -> None:
    attacks = {one.attack.partition(":")[0] for one in catalogue_attacks("A", False)}
    assert {"flip", "invert", "sink", "lift-others", "decoy", "reverse", "close-gap", "blackout"} <= attacks
    assert not any(one.schedule.startswith("epoch") for one in catalogue_attacks("A", False))
    assert any(one.schedule.startswith("epoch") for one in catalogue_attacks("A", True))
    shown = {one.attack for one in catalogue_attacks("B", False)}
    assert shown == {"sink-shown", "promote", "oracle", "jun-ucb", "jun-epsilon-greedy", "ace"}


class Graded:
    """Stands in for plays where an attack's regret is its size, however many blocks are played."""

    def mean_regrets(self, attacks: list[Candidate], budget: float, blocks: int, size: int) -> dict[Candidate, float]:
        return {one: float(one.size or 0.0) for one in attacks}


def test_the_race_is_won_by_the_worst_attacks() -> None:
    attacks = [Candidate("flip", "start", str(size)) for size in range(40)]
    left = race(Graded(), 1.0, attacks, RACE)  # type: ignore[arg-type]
    assert sorted(left.values()) == [37.0, 38.0, 39.0]  # a quarter, a quarter of these, then all


def test_the_best_share_is_that_of_the_best_arms_alone() -> None:
    trace = rb.simulate(rb.policies.Uniform(), rb.Bernoulli((0.3, 0.8, 0.75, 0.8)), horizon=100, runs=3)
    assert final_values(trace)["best_share"] == (trace.pulls[:, [1, 3]].sum(axis=1) / 100).tolist()


@pytest.mark.parametrize("threat", ["A", "B"])
def test_the_search_harms_reports_on_fresh_seeds_and_goes_on_after_a_crash(
    threat: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = SearchOptions(threat, evaluations=20)
    found = worst_attack(evaluator(tmp_path), 60.0, options)
    assert found.regret["mean"] > 1.3 * found.clean["mean"]
    assert found.in_sample["mean"] >= 0.8 * found.plain_regret["mean"]
    trace = rb.simulate(rb.Samba(), rb.Bernoulli(MEANS), found.candidate.adversary(60.0), horizon=1500, runs=20, seed=1)
    assert trace.summary() == found.regret  # the user's own seed, to the last bit
    lines = (tmp_path / "journal.jsonl").read_bytes().splitlines(keepends=True)
    (tmp_path / "journal.jsonl").write_bytes(b"".join(lines[: 4 * len(lines) // 5]) + lines[-1][:20])
    assert worst_attack(evaluator(tmp_path), 60.0, options) == found
    monkeypatch.setattr(evaluate, "simulate", None)  # a third time nothing is played at all
    assert worst_attack(evaluator(tmp_path), 60.0, options) == found


def test_one_call_gives_the_same_finding(tmp_path: Path) -> None:
    known = worst_attack(evaluator(tmp_path), 60.0, SearchOptions("B", quick=True))
    terms: dict[str, Any] = {"budget": 60.0, "threat": "B", "horizon": 1500, "runs": 20, "quick": True}
    assert rb.find_worst_attack(rb.Samba(), rb.Bernoulli(MEANS), **terms) == known
    assert rb.find_worst_attack(rb.Samba(), rb.Bernoulli(MEANS), **terms, out=str(tmp_path / "kept")) == known
    assert list((tmp_path / "kept").iterdir())
    found = rb.find_price(rb.Samba(), rb.Bernoulli(MEANS), attack="sink-shown", horizon=1500, runs=6)
    assert found.low is not None
    assert 1.0 < found.low <= (found.estimate or 0.0)


@pytest.mark.parametrize(("threat", "quick"), [("B", False), ("A", True)])
def test_no_choice_sees_the_seed_of_the_report(threat: str, quick: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Play] = []
    usual = Evaluator.outcome

    def spied(self: Evaluator, play: Play, threads: int | None = None) -> dict[str, Any]:
        asked.append(play)
        return usual(self, play, threads)

    monkeypatch.setattr(Evaluator, "outcome", spied)
    one = Evaluator(Scenario(rb.Samba(), MEANS, horizon=300, runs=4, seed=7))
    found = worst_attack(one, 20.0, SearchOptions(threat, 40, quick))
    reported = [play.candidate for play in asked if play.seed == 7]
    assert reported == [found.candidate, None, found.plain]
    compared = {play.candidate for play in asked if play.seed != 7}
    assert one.tried == compared
    family = {play for play in compared if play is not None and play.attack.startswith("push-shown:")}
    warm = {Family(threat, 3, 300).candidate(point) for point in Family(threat, 3, 300).warm(0.55)}
    assert quick or len(family - warm) >= 30  # CMA-ES really went beyond its starts


def test_seeds_for_choosing_are_never_those_of_the_report() -> None:
    seeds = {block_seed(seed, block) for seed in range(20) for block in range(50)}
    assert len(seeds) == 1000
    assert min(seeds) > 10**6


def test_the_memory_of_a_play_depends_on_the_code_and_the_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one = evaluator(tmp_path)
    play = Play(Candidate("sink-shown"), 3.0, 1, 4)
    first = one.outcome(play)
    assert one.outcome(play) == first
    assert len(one.journal.values) == 1
    Evaluator(Scenario("samba", MEANS, horizon=1501), one.journal).outcome(play)
    assert len(one.journal.values) == 2
    monkeypatch.setattr(evaluate, "code_hash", lambda *parts: "another")
    one.outcome(play)
    assert len(one.journal.values) == 3


OWN = """
from dataclasses import dataclass
import numpy as np
import robandit as rb
import own_helper

@dataclass
class Nothing:
    best: int

@dataclass(frozen=True)
class Before(rb.Adversary[Nothing]):
    about = rb.About("before", "the best arm's mean becomes 0, always")

    def start(self, means, horizon):
        return Nothing(int(np.argmax(means)))

    def tamper_means(self, memory, t, probabilities, means, proposal, random):
        proposal[memory.best] = own_helper.LEVEL
        return True
"""


def test_a_loaded_adversary_of_model_a_is_tried_in_a_only_and_its_helpers_count(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(OWN)
    (tmp_path / "own_helper.py").write_text("LEVEL = 0.0\n")
    program = f"""
import sys
sys.path.insert(0, {str(tmp_path)!r})
from robandit.catalogue import SHIPPED
from robandit.lab.comparison import adversary_record
from robandit.redteam.candidate import Candidate, catalogue_attacks
from robandit.store.code import code_hash
own = SHIPPED.with_file({str(tmp_path / "own.py")!r})
print([Candidate("before") in catalogue_attacks(threat, False, own) for threat in "AB"])
made = Candidate("before").adversary(3.0, catalogue=own)
print(adversary_record(made)["attack"], adversary_record(made)["threat"])
print(code_hash(made))
"""
    said = []
    for level in ("0.0", "0.1"):
        (tmp_path / "own_helper.py").write_text(f"LEVEL = {level}\n")
        done = subprocess.run([sys.executable, "-B", "-c", program], capture_output=True, text=True, check=True)
        said.append(done.stdout.splitlines())
    assert said[0][:2] == ["[True, False]", "before A"]
    assert said[0][:2] == said[1][:2]
    assert said[0][2] != said[1][2]


def test_a_story_is_the_same_play_as_the_lab_s() -> None:
    adversary = rb.attack("sink-shown", budget=20)
    story = attack_story(Scenario(rb.Samba(), MEANS, adversary, horizon=1500, runs=6))
    trace = rb.simulate(rb.Samba(), rb.Bernoulli(MEANS), adversary, horizon=1500, runs=6, seed=1)
    assert np.array_equal(story.regret, trace.regret)
    assert np.array_equal(story.paid, trace.corruption_paid)
    widths = np.diff(story.rounds, prepend=0)
    assert (story.best_share * widths).sum(axis=1) == pytest.approx(trace.pulls[:, 2])


def test_the_heuristic_slope() -> None:
    assert rb.Samba(0.05).slope_under_attack((0.6, 0.5)) == pytest.approx(2.05 / (1 - 0.05 / 0.2))
    assert rb.Samba(0.25).slope_under_attack((0.6, 0.5)) is None
    assert rb.policy("ucb1").slope_under_attack((0.6, 0.5)) is None


def test_text_and_objects_ask_the_same_question() -> None:
    terms: dict[str, Any] = {"horizon": 300, "runs": 4}
    scenario = Scenario(rb.Samba(), rb.Bernoulli(MEANS), **terms)
    search: dict[str, Any] = {"budget": 10.0, "threat": "B", "quick": True}
    findings = [
        rb.find_worst_attack("samba", list(MEANS), **search, **terms),
        rb.find_worst_attack(rb.Samba(), rb.Bernoulli(MEANS), **search, **terms),
        rb.find_worst_attack(scenario, **search),
    ]
    assert findings[0] == findings[1] == findings[2]
    prices = [
        rb.find_price("samba", list(MEANS), attack="sink-shown", capability="erase", **terms),
        rb.find_price(
            rb.Samba(), rb.Bernoulli(MEANS), attack="sink-shown", capability=Capability(can="erase"), **terms
        ),  # type: ignore[arg-type]
        rb.find_price(replace(scenario, capability=Capability(can="erase")), attack="sink-shown"),  # type: ignore[arg-type]
    ]
    assert prices[0] == prices[1] == prices[2]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: rb.find_price("sumba", [0.1, 0.9], horizon=10), "did you mean 'samba'"),
        (lambda: rb.find_price("samba", horizon=10), "the environment must be"),
        (lambda: rb.find_price("samba", [0.1, 0.9], horizon=10, schedule="start"), "schedule without an attack"),
        (lambda: rb.find_price("samba", [0.1, 0.9], horizon=10, unit="coins"), "unit must be one of reward, share"),
        (lambda: rb.find_price(Scenario("samba", MEANS, horizon=9), MEANS), "a scenario says all that is played"),
        (
            lambda: rb.find_worst_attack(Scenario("samba", MEANS, rb.attack("flip", budget=1), horizon=9), budget=1),
            "leave out the adversary",
        ),
        (lambda: rb.advise([0.5, 0.5], "add", horizon=10), "whose means differ"),
        (lambda: rb.advise([0.1, 0.9], "steal", horizon=10), "one of both, add, erase"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_in_a_sentence(call: Any, message: str) -> None:
    with pytest.raises(rb.InputError, match=message) as refused:
        call()
    assert "\n" not in str(refused.value)


def test_progress_is_a_share_that_never_falls() -> None:
    shares: list[float] = []
    rb.find_price("samba", MEANS, attack="sink-shown", horizon=200, runs=4, search=4, progress=shares.append)
    assert shares == sorted(shares)
    assert 0.0 < shares[0] < shares[-1] <= 1.0


def test_journals_of_earlier_versions_are_found_by_the_same_text(tmp_path: Path) -> None:
    scenario = Scenario("samba", (0.1, 0.9), horizon=100, agents=3, charge="rounds", runs=7, capability="add")
    assert evaluate.scenario_text(scenario) == (
        '{"agents": 3, "charge": "rounds", "environment": "Bernoulli(means=(0.1, 0.9))", "horizon": 100, '
        '"policy": "samba", "seed": 1}'
    )
    play = Play(Candidate("sink-shown"), 3.0, 1, 4)
    assert str(play) == (
        "Play(candidate=Candidate(attack='sink-shown', schedule='start', size='full'), budget=3.0, seed=1, runs=4, "
        "share=None)"
    )
    path = evaluate.journal_for(Scenario("samba", (0.1, 0.9), horizon=100), tmp_path, "price-B").path
    assert path == tmp_path / "price-B-samba-09406649.jsonl"
