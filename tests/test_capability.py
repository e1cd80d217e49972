"""What an attacker can do: laws that hold whatever the attack inside wants, words, limits, refusals."""

import math
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.adversaries.limited import Limited
from robandit.adversaries.push_shown import PushShown
from robandit.capability import ANYTHING, Capability
from robandit.catalogue import read_capability, shipped
from robandit.conformance.adversaries import ADVERSARY_LAWS
from robandit.game import Can
from tests.support import stream

MEANS = (0.3, 0.45, 0.8)
ATTACKS = [
    "sink-shown", "promote", "oracle", "jun-ucb", "jun-epsilon-greedy", "ace",
    "push-shown:raised=2", "push-shown:lowered=0,raised=1", "push-shown:lowered=2,size=0.4",
]  # fmt: skip


def proposals(adversary: Any, rounds: int = 600) -> list[tuple[int, int, float, float]]:
    """Round, arm, true and shown reward of a made-up game."""
    memory, means, dice, game = adversary.start(np.array(MEANS), rounds), np.array(MEANS), stream(1), stream(2)
    rows = []
    for t in range(rounds):
        arm = int(game.uniform() * 3)
        reward = float(game.uniform() < MEANS[arm]) if game.uniform() < 0.7 else game.uniform()
        rows.append((t, arm, reward, adversary.tamper_reward(memory, t, means, arm, reward, dice)))
    return rows


@pytest.mark.parametrize("attack", ATTACKS)
def test_nobody_moves_a_reward_the_way_he_cannot(attack: str) -> None:
    inner = rb.attack(attack, budget=math.inf)
    free = proposals(inner)
    moved = {np.sign(shown - reward) for _, _, reward, shown in free} - {0.0}
    wanted = {Can.ADD: {1.0}, Can.ERASE: {-1.0}, Can.BOTH: {1.0, -1.0}}
    assert moved
    assert moved <= wanted[inner.direction]
    for can in (Can.ADD, Can.ERASE):
        limited = proposals(Limited(inner=inner, capability=Capability(can=can), budget=math.inf))
        ways = {np.sign(shown - reward) for _, _, reward, shown in limited} - {0.0}
        assert ways == moved & wanted[can]


FLIP = PushShown(lowered=2, raised=1)  # wants something in every round


def struck(capability: Capability, inner: Any = FLIP, rounds: int = 3000) -> set[int]:
    rows = proposals(Limited(inner=inner, capability=capability, budget=math.inf), rounds)
    return {t for t, _, reward, shown in rows if shown != reward}


def test_a_ring_touches_its_own_rounds_and_no_others() -> None:
    """Its rounds are a share of all, the same ones whatever it wants in them."""
    everywhere, ring = struck(ANYTHING), struck(Capability(share=0.2))
    assert ring < everywhere
    assert abs(len(ring) / len(everywhere) - 0.2) < 4 * math.sqrt(0.16 / len(everywhere))  # false alarm 6e-5
    assert struck(Capability(share=0.2), rb.attack("sink-shown", budget=1.0)) <= ring
    assert struck(Capability(share=0.2, can=Can.ADD)) <= ring


def test_windows_agents_and_arms_are_kept() -> None:
    free = struck(ANYTHING)
    assert struck(Capability(every=7)) == {t for t in free if t % 7 == 0}
    assert struck(Capability(first=100, stop=900)) == {t for t in free if 100 <= t < 900}
    rows = proposals(Limited(inner=FLIP, capability=Capability(arms="1+3"), budget=math.inf))
    assert {arm for _, arm, reward, shown in rows if shown != reward} == {0, 2}


def shown_for(adversary: Any, reward: float, rounds: int = 400) -> list[float]:
    """What is shown of the best arm where every true reward is the same."""
    memory, means, dice = adversary.start(np.array(MEANS), rounds), np.array(MEANS), stream(1)
    return [adversary.tamper_reward(memory, t, means, 2, reward, dice) for t in range(rounds)]


@pytest.mark.parametrize("attack", ATTACKS)
def test_what_a_blind_attacker_shows_does_not_depend_on_the_reward(attack: str) -> None:
    """Where it strikes, it shows the same whatever the reward was; where it does not, the truth."""
    blind = Limited(inner=rb.attack(attack, budget=1.0), capability=Capability(blind=True), budget=math.inf)
    for low, high in zip(shown_for(blind, 0.0), shown_for(blind, 1.0), strict=True):
        assert low == high or (low, high) == (0.0, 1.0)
    for can, reward in ((Can.ERASE, 0.2), (Can.ADD, 0.8)):  # one way only: as far as it goes, and never back
        one_way = Limited(inner=blind.inner, capability=Capability(can=can, blind=True), budget=math.inf)
        assert all((shown - reward) * (1 if can is Can.ADD else -1) >= 0.0 for shown in shown_for(one_way, reward))


def test_a_blind_source_is_used_up_by_what_changes_nothing() -> None:
    seen = Capability(share=0.05, sources=100, each=3)
    for blind, used in ((False, 0), (True, 3)):
        capability = Capability(**{**seen.parameters(), "blind": blind})
        adversary = Limited(inner=rb.attack("sink-shown", budget=1.0), capability=capability, budget=math.inf)
        memory, dice = adversary.start(np.array(MEANS), 5000), stream(1)
        for t in range(5000):
            adversary.tamper_reward(memory, t, np.array(MEANS), 2, 0.0, dice)  # there is nothing to erase
        assert memory.used.tolist() == [used] * 5


@pytest.mark.parametrize(("attack", "arm", "mean"), [("sink-shown", 2, 0.3), ("promote", 1, 0.8)])
def test_the_wrong_arm_pays_what_that_arm_pays(attack: str, arm: int, mean: float) -> None:
    """The worst arm's coin in place of the best, the best one's in place of the runner-up; a naive one beside it."""
    inner = rb.attack(attack, budget=1.0)
    adversary = Limited(inner=inner, capability=Capability(wrong_arm=True), budget=math.inf)
    memory, means, dice, naive = adversary.start(np.array(MEANS), 4000), np.array(MEANS), stream(1), stream(1)
    shown = []
    for t in range(4000):
        reward = 1.0 if attack == "sink-shown" else 0.0
        shown.append(adversary.tamper_reward(memory, t, means, arm, reward, dice))
        naive.uniform()
        assert shown[-1] == (1.0 if naive.uniform() < mean else 0.0)
    assert abs(np.mean(shown) - mean) < 4 * math.sqrt(mean * (1 - mean) / 4000)  # false alarm 6e-5
    assert adversary.tamper_reward(memory, 0, means, 0, 1.0, dice) == 1.0  # another arm is left alone


def test_no_source_is_used_more_often_than_it_may() -> None:
    capability = Capability(share=0.05, sources=100, each=3)
    adversary = Limited(inner=FLIP, capability=capability, budget=math.inf)
    memory, means, dice = adversary.start(np.array(MEANS), 5000), np.array(MEANS), stream(1)
    shown = [adversary.tamper_reward(memory, t, means, 2, 1.0, dice) for t in range(5000)]
    assert memory.used.tolist() == [3] * 5
    assert shown.count(0.0) == 15


@pytest.mark.parametrize(
    "text",
    [
        "add",
        "both:share=0.3",
        "erase:every=3,first=10",
        "both:share=0.1,sources=50,each=2",
        "both:blind=true,wrong_arm=true",
    ],
)
@pytest.mark.parametrize("law", ADVERSARY_LAWS.values(), ids=lambda law: law.__name__)
def test_a_limited_attack_keeps_the_laws(law: Any, text: str) -> None:
    law(rb.attack("push-shown:raised=1,low=0.1", budget=25, capability=text))


@pytest.mark.parametrize(("can", "limit"), [("both", 0.1 / 1.1), ("erase", 0.1 / 0.9), ("add", 0.1 / 0.2)])
def test_beyond_the_limit_two_arms_look_alike(can: str, limit: float) -> None:
    """At the limit the shown means of the two best arms are equal, by their definition."""
    capability = Capability(can=can)  # type: ignore[arg-type]
    found = capability.limit(np.array([0.1, 0.8, 0.9]))
    assert found == pytest.approx(limit)
    best = 0.9 * (1 - found) if can != "add" else 0.9
    second = 0.8 * (1 - found) + found if can != "erase" else 0.8
    assert best == pytest.approx(second)


@pytest.mark.parametrize(
    ("text", "means", "limit"),
    [
        ("both:arms=3", (0.1, 0.8, 0.9), 0.1 / 0.9),  # he can only lower the best arm
        ("both:arms=1", (0.1, 0.8, 0.9), 0.8 / 0.9),  # and only raise the worst
        ("both:arms=1+3", (0.1, 0.8, 0.9), 0.1 / 0.9),
        ("erase:arms=2", (0.1, 0.8, 0.9), None),
        ("both", (0.5, 0.6, 0.6), 0.1 / 1.1),  # two best arms: neither is a rival of the other
        ("erase:arms=2", (0.5, 0.6, 0.6), None),  # the other best arm still pays
        ("add", (0.2, 1.0), 1.0),
        ("both:every=2", (0.8, 0.9), None),
        ("both:first=10", (0.8, 0.9), None),
        ("both:stop=10", (0.8, 0.9), None),
        ("both:sources=10,each=2", (0.8, 0.9), None),
        ("both:blind=true", (0.1, 0.8, 0.9), 0.1 / 1.1),  # what is overwritten need not be seen
        ("both:wrong_arm=true", (0.1, 0.8, 0.9), 0.1 / 0.9),  # the best arm falls to .1, the second rises to .9
        ("erase:wrong_arm=true", (0.1, 0.8, 0.9), 0.1 / 0.81),  # only the failures of the worst arm are recorded
        ("add:wrong_arm=true", (0.1, 0.8, 0.9), 0.1 / 0.18),
    ],
)
def test_there_is_a_limit_only_where_he_reaches_what_it_takes(
    text: str, means: tuple[float, ...], limit: float | None
) -> None:
    assert read_capability(text).limit(np.array(means)) == (limit if limit is None else pytest.approx(limit))


def test_words_say_what_can_be_done() -> None:
    blind = read_capability("both:blind=true,wrong_arm=true").words()
    assert blind == "can add and erase rewards, by recording another arm's reward, without seeing rewards"
    assert ANYTHING.words() == "can add and erase rewards"
    assert read_capability("add:share=0.05").words() == "can only add rewards, in 5 % of rounds"
    told = read_capability("erase:arms=1+4,share=0.02,sources=1000,each=3,first=500,stop=2000,every=2").words()
    assert told == (
        "can only erase rewards, on arms 1, 4, from 20 of 1,000 sources, at most 3 from each, in one round of 2, "
        "from round 500 on, before round 2,000"
    )


@pytest.mark.parametrize(
    "text",
    [
        "both",
        "add:share=0.05",
        "erase:every=3,arms=1+2",
        "both:share=0.1,sources=9,each=1",
        "add:blind=true,wrong_arm=true",
    ],
)
def test_text_gives_the_capability_back(text: str) -> None:
    assert str(read_capability(text)) == text
    assert read_capability(str(read_capability(text))) == read_capability(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("steal", "is one of both, add, erase, then perhaps a colon and settings; not 'steal'"),
        ("add:share=0", "share must be a number above 0 and at most 1"),
        ("add:share=2", "at most 1"),
        ("add:speed=2", "unknown"),
        ("add:can=erase", "unknown"),
        ("add:share", "must read parameter=value"),
        ("add:sources=5", "go together"),
        ("add:first=9,stop=9", "stop must be above first"),
        ("add:arms=0", "numbers from 1"),
        ("add:arms=x", "numbers from 1"),
    ],
)
def test_what_cannot_be_is_refused(text: str, message: str) -> None:
    with pytest.raises(rb.InputError, match=message):
        read_capability(text)


def test_an_arm_that_is_not_there_and_another_threat_model_are_refused() -> None:
    with pytest.raises(rb.InputError, match="arms must be from 1 to 3"):
        rb.attack("sink-shown", budget=1, capability="erase:arms=4").start(np.array(MEANS), 10)
    with pytest.raises(rb.InputError, match="is of threat model A"):
        rb.attack("flip", budget=1, capability="add")


def test_every_attack_of_model_b_says_what_it_needs() -> None:
    found = {name: cls().direction for name, cls in shipped("adversary").items() if cls.sees_draw}
    assert found.pop("promote") is Can.ADD
    assert set(found.values()) == {Can.ERASE}
