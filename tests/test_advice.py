"""Advice: the choice follows from the numbers it prints, and those from plays."""

import math
from typing import Any

import pytest

import robandit as rb
from robandit.redteam import advice
from robandit.redteam.advice import (
    CANDIDATES,
    MARGIN,
    MeasuredPolicy,
    choose_by_price,
    choose_under_ring,
    forged_rewards,
    policies_to_try,
)
from robandit.redteam.candidate import Candidate
from robandit.redteam.price import Price


def made_up(name: str, clean: float, blocks: tuple[float | None, ...], half: float = 1.0) -> MeasuredPolicy:
    told = {"mean": clean, "half_width_95": half}
    price = Price(Candidate("sink-shown"), told, None, blocks, {})
    return MeasuredPolicy(rb.policy(name), told, price.learns, price)


def test_the_cheapest_that_withstands_the_budget_with_room_is_chosen() -> None:
    weak, firm, dear = (
        made_up("thompson", 50, (9.0, 10.0, 11.0)),
        made_up("samba", 90, (60.0, 61.0, 66.0)),
        made_up("ucb1", 500, (None, None, None)),
    )
    for budget, expected in ((5.0, weak), (9.0, firm), (49.9, firm), (60.0 / MARGIN + 0.1, dear)):
        assert choose_by_price([dear, weak, firm], budget)[0] == expected
    assert choose_by_price([weak, firm], 80.0)[0] is None
    assert "samba, 61 (60 to 66) by sink-shown" in choose_by_price([weak, firm], 80.0)[1]


def test_where_clean_regrets_are_level_the_one_that_costs_more_to_fool_is_chosen() -> None:
    one, other = made_up("thompson", 90, (30.0,) * 3), made_up("samba", 91.5, (60.0,) * 3)
    chosen, reason = choose_by_price([one, other], 10.0)
    assert chosen == other
    assert "are level within the error: thompson 90 ± 1, this one 92 ± 1. Of these it costs most to fool, 60 " in reason
    assert "level within" not in choose_by_price([one], 10.0)[1]
    assert "it has the lowest regret without an attack, 90 ± 1. Fooling it takes 30 " in choose_by_price([one], 10.0)[1]
    assert choose_by_price([one, made_up("samba", 92.5, (60.0,) * 3)], 10.0)[0] == one


def test_only_policies_that_do_not_withstand_the_budget_are_said_not_to() -> None:
    vague, sharp = made_up("balanced-samba", 90, (30.0,) * 3, half=10), made_up("samba", 91, (40.0,) * 3, half=0.5)
    firm, weak = made_up("ucb1", 99, (60.0,) * 3), made_up("thompson", 20, (1.0,) * 3)
    chosen, reason = choose_by_price([vague, sharp, firm, weak], 10.0)
    assert chosen == firm
    assert "such as thompson, do not withstand them" in reason
    assert "do not" not in choose_by_price([vague, sharp, firm], 10.0)[1]


def test_a_policy_that_does_not_learn_is_never_advised() -> None:
    lazy = made_up("uniform", 10, (0.0, 0.0, 0.0))
    assert choose_by_price([lazy], 1.0)[0] is None
    assert "nothing to protect" in choose_by_price([lazy], 1.0)[1]


def test_under_a_ring_the_least_regret_counts_if_it_still_plays_the_best_arm() -> None:
    def ringed(name: str, regret: float, share: float) -> MeasuredPolicy:
        told = {"mean": regret, "half_width_95": 1.0}
        return MeasuredPolicy(rb.policy(name), told, True, attacked=told, best_share=share)

    ring = rb.Capability(share=0.05)
    assert str(choose_under_ring([ringed("samba", 90, 0.8), ringed("ucb1", 70, 0.9)], ring, 0.1)[0].policy) == "ucb1"  # type: ignore[union-attr]
    chosen, reason = choose_under_ring([ringed("samba", 90, 0.3)], ring, 0.1)
    assert chosen is None
    assert "(the limit is 0.1)" in reason
    assert "limit" not in choose_under_ring([ringed("samba", 90, 0.3)], ring, None)[1]


def test_the_number_of_forged_rewards_is_put_into_the_list() -> None:
    assert policies_to_try(300.0)[-1] == "bonus-thompson:linear=360"
    assert policies_to_try(math.inf) == CANDIDATES
    assert policies_to_try(16.0) == CANDIDATES  # 1.2 times as many is 20, which is there already
    assert forged_rewards(rb.Capability(), None, 5000) == 5.0
    assert forged_rewards(rb.Capability(share=0.1), None, 5000) == math.inf
    assert forged_rewards(rb.Capability(share=0.1), 7.0, 5000) == 7.0


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(advice, "CANDIDATES", ("thompson", "samba"))


@pytest.mark.usefixtures("few")
def test_each_attacker_gets_an_answer_of_its_own_that_agrees_with_its_numbers(robandit: Any) -> None:
    words = ["advise", "--means", "0.3,0.45,0.8", "--horizon", "1500", "--json"]
    erase = robandit(*words, "--can", "erase", "--budget", "12")[1]
    add = robandit(*words, "--can", "add", "--budget", "12")[1]
    ring = robandit(*words, "--share", "0.1")[1]
    assert erase["advice"] != add["advice"] == "thompson"
    for told in (erase, add):
        rows = {row["label"]: row for row in told["results"]}
        fit = [row for row in rows.values() if row["learns"] and row["price"]["low"] >= MARGIN * 12]
        assert rows[told["advice"]] in fit
    assert ring["limit"] == pytest.approx(0.35 / 1.35)
    rows = {row["label"]: row for row in ring["results"]}
    assert ring["advice"] == min(rows, key=lambda name: rows[name]["attacked_regret"]["mean"])
    beyond = robandit(*words, "--share", "0.3")[1]
    assert (beyond["advice"], beyond["results"]) == (None, [])
    assert "no policy can know better" in beyond["reason"]
    assert "cap on what one source can report" in beyond["helps"]
    for told in (erase, ring, beyond):  # forging what nobody verifies changes nothing, whoever the attacker is
        checking = told["checking"]
        assert (checking["regret"], checking["checks"]) == (beyond["checking"]["regret"], beyond["checking"]["checks"])
        assert 0 < checking["checks"]["mean"] < 1500
    assert beyond["checking"]["worth"] is None
    more = ring["checking"]["instead_regret"] - ring["checking"]["regret"]["mean"]
    assert ring["checking"]["worth"] == pytest.approx(max(more, 0.0) / ring["checking"]["checks"]["mean"])
    chosen = next(row for row in erase["results"] if row["label"] == erase["advice"])
    assert erase["checking"]["instead_regret"] == chosen["clean_regret"]["mean"]
    thin = robandit(*words, "--share", "0.3", "--budget", "1")[1]  # beyond the limit, but with one forged reward only
    assert thin["advice"] is not None


@pytest.mark.usefixtures("few")
def test_people_are_told_in_words(robandit: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    _, said, _ = robandit("advise", "--means", "0.3,0.45,0.8", "--horizon", "1000", "--can", "add", "--budget", "5")
    assert said.startswith("Take ")
    assert "can only add rewards" in said
    assert max(map(len, said.splitlines())) <= 80


@pytest.mark.usefixtures("few")
def test_a_list_of_means_and_the_text_of_a_capability_are_enough() -> None:
    shares: list[float] = []
    advice = rb.advise([0.3, 0.8], "add", horizon=300, budget=3, progress=shares.append)
    again = rb.advise(rb.Bernoulli((0.3, 0.8)), rb.Capability(can="add"), horizon=300, budget=3)  # type: ignore[arg-type]
    assert advice == again
    assert [row["label"] for row in advice.to_json()["results"]][:2] == ["thompson", "samba"]
    assert shares == sorted(shares)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "either --means or --data"),
        (["--means", "0.1,0.2", "--data", "x.csv"], "either --means or --data"),
        (["--data", "nowhere.csv"], "nowhere.csv"),
        (["--means", "0.5,0.5"], "nothing to learn"),
        (["--means", "0.1,0.2", "--budget", "0"], "above 0"),
        (["--means", "0.1,0.2", "--can", "steal"], "one of both, add, erase"),
        (["--means", "0.1,0.2", "--horizon", "1e9"], "horizon must be at most"),
    ],
)
def test_wrong_questions_are_refused(words: list[str], message: str, robandit: Any) -> None:
    code, _, said = robandit("advise", *words)
    assert code == 2
    assert message in said
