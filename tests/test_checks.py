"""Verified rewards live: the learner and the service, what is refused, what is forged, and how well that is known."""

import asyncio
import csv
import io
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

import robandit as rb
from robandit.client import AsyncClient, Client, ServiceError
from robandit.errors import InputError
from robandit.forensics.forged import estimate_forged
from robandit.forensics.price import mean_bounds
from robandit.online.columns import read_columns
from robandit.online.journal import read_entries
from robandit.online.simulated import record
from robandit.online.verify import verify_journal
from robandit.service import messages
from robandit.service.engine import Engine
from robandit.service.experiment import open_experiment
from robandit.service.problems import Problem
from robandit.service.stores.memory import MemoryStore
from robandit.service.verify import verify_store
from tests.serving import running

ARMS = ["red", "green", "blue"]


def live(learner: rb.Learner, rounds: int, *, final: bool = False, only: bool = False, seed: int = 1) -> None:
    """Each decision is reported, half of the time falsely; half are verified. `final`: what stands, from the start."""
    random = np.random.default_rng(seed)
    for number in range(rounds):
        learner.decide()
        truth, lies, checked = (float(random.random() < 0.5) for _ in range(3))
        claim = 1.0 - truth if lies else truth
        if final:
            if checked or not only:
                assert learner.learn(number, truth if checked else claim)
            continue
        assert learner.learn(number, claim, "visitor")
        assert not learner.learn(number, claim, "visitor")
        if checked:
            assert learner.learn(number, truth, "bank", verified=True)
            assert not learner.learn(number, truth, "bank", verified=True)


@pytest.mark.parametrize(
    ("policy", "rule"), [("ucb1:scale=0.01", "prefer"), ("ucb1:scale=0.01", "only"), ("thompson", "only")]
)
def test_what_is_learnt_is_what_stands(policy: str, rule: str) -> None:
    """As a learner that never hears of a lie which was found out; what it waits for is another matter."""
    arms = ["red"]  # with one arm both decide alike, whatever they have learnt meanwhile
    learner, other = (rb.Learner(policy, arms, seed=3, verified=one) for one in (rule, None))
    live(learner, 200)
    live(other, 200, final=True, only=rule == "only")
    mine, theirs = (one.save_state()["values"] for one in (learner, other))
    names = ("pulls", "sums") if policy.startswith("ucb1") else ("wins", "losses")
    assert [mine[name] for name in names] == [theirs[name] for name in names]
    assert learner.pending == (other.pending if rule == "only" else learner.pending)


def test_prefer_of_thompson_sampling_takes_back_the_very_outcome_it_drew() -> None:
    """A reward of 0.3 counts as a success or a failure that is drawn; just that one is taken back."""
    learner = rb.Learner("thompson", ["red"], seed=4, verified="prefer")
    for number in range(100):
        learner.decide()
        learner.learn(number, 0.3)
    for number in range(100):
        learner.learn(number, 1.0, verified=True)
    values = learner.save_state()["values"]
    assert (values["wins"], values["losses"]) == ([101.0], [1.0])


def test_a_policy_that_asks_waits_for_the_verified_reward() -> None:
    learner = rb.Learner("verified-thompson", ["red"], seed=1)
    decision = learner.decide()
    assert decision.check
    before = learner.save_state()
    assert learner.learn(decision.id, 1.0, "visitor")
    assert learner.save_state() == before
    assert learner.learn(decision.id, 0.0, "bank", verified=True)
    assert learner.save_state()["values"]["losses"] == [2.0]
    assert not rb.Learner("thompson", ["red"], seed=1).decide().check


def test_a_journal_without_verified_rewards_has_no_word_of_them(tmp_path: Path) -> None:
    with rb.Learner("thompson", ARMS, seed=1, journal=tmp_path / "plain") as learner:
        learner.learn(learner.decide().id, 1.0)
    text = (tmp_path / "plain").read_text()
    assert not any(word in text for word in ("verified", "check"))
    with rb.Learner("thompson", ARMS, seed=1, journal=tmp_path / "only", verified="only") as learner:
        learner.learn(learner.decide().id, 1.0, verified=True)
    terms, entries = read_entries(tmp_path / "only")
    assert terms.verified == "only"
    assert [entry.get("verified") for _, entry in entries] == [None, True]


@pytest.mark.parametrize(
    ("policy", "rule", "sentence"),
    [
        ("samba", "prefer", "samba cannot take one back: take 'only'"),
        ("verified-ucb", "only", "policies that do not ask for checks; verified-ucb does"),
        ("samba", "first", "verified must be only or prefer, not 'first'"),
    ],
)
def test_what_cannot_be_is_refused(policy: str, rule: str, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        rb.Learner(policy, ARMS, verified=rule)


def test_a_verified_reward_is_true_or_false() -> None:
    learner = rb.Learner("samba", ARMS)
    with pytest.raises(InputError, match="verified must be True or False, not 'yes'"):
        learner.learn(learner.decide().id, 1.0, verified="yes")  # type: ignore[arg-type]
    assert learner.pending == 1


def test_taking_back_a_verified_reward_brings_the_other_one_back(tmp_path: Path) -> None:
    """And taking back the first report leaves its decision without one, also after the journal is read again."""
    path = tmp_path / "journal"
    with rb.Learner("ucb1", ["red"], seed=1, journal=path, sync=False, verified="prefer") as learner:
        for number in range(3):
            learner.decide()
            learner.learn(number, 1.0, f"visitor {number}")
        learner.learn(0, 0.0, "bank", verified=True)
        assert learner.save_state()["values"]["sums"] == [2.0]
        assert learner.retract(source="bank") == 1
        assert learner.save_state()["values"]["sums"] == [3.0]
        assert learner.retract(source="visitor 1") == 1
        assert learner.save_state()["values"]["sums"] == [2.0]
        assert not learner.learn(1, 1.0, "visitor 1")
        assert learner.learn(1, 0.5, "bank", verified=True)
        saved = learner.save()
    with rb.Learner.open(path) as again:
        assert again.save() == saved
    assert verify_journal(str(path)).sound


def test_a_simulation_of_a_policy_that_asks_leaves_its_checks_in_the_journal(tmp_path: Path) -> None:
    path = tmp_path / "journal"
    attack = rb.attack("sink-shown", budget=100)
    trace = record(path, rb.Scenario("verified-thompson", (0.2, 0.8), attack, horizon=400, runs=1, seed=2))
    log = read_columns(path)
    assert trace.checks is not None
    assert int(log.verified.sum()) == int(trace.checks[0]) > 0  # type: ignore[union-attr]
    assert not log.fake[log.verified].any()
    assert verify_journal(str(path)).sound


def test_the_interval_of_what_is_forged_covers_it() -> None:
    """2,000 logs a row, each looked at after 50, 100, 200 and 400 pairs.

    All three intervals are wrong at once in any of the looks with probability at most 0.05. More than 150 of 2,000 logs
    would then fail with probability below 1e-6 (binomial). The third row has rewards between 0 and 1.
    """
    random, logs = np.random.default_rng(1), 2000
    for added, erased, size in ((0.0, 0.02, 1.0), (0.2, 0.1, 1.0), (0.3, 0.3, 0.4)):
        kind = random.random((logs, 400))
        parts = np.stack([size * (kind < added), size * (kind > 1.0 - erased)])
        wrong, widths = np.zeros(logs, bool), []
        for pairs in (50, 100, 200, 400):
            sums = parts[:, :, :pairs].sum(axis=2)
            low, high = mean_bounds(sums.ravel(), np.full(2 * logs, float(pairs)), 0.025)
            means = np.repeat([added * size, erased * size], logs)
            off = ((means < low) | (means > high)).reshape(2, logs)
            wrong |= off.any(axis=0)
            widths.append((high - low).mean())
        assert wrong.sum() <= 150
        assert widths[0] > 1.8 * widths[-1]  # it learns
    kinds = [(int(one), float(place < 3), float(place == 7)) for place, one in enumerate(random.integers(3, size=40))]
    estimate = estimate_forged(kinds, ARMS, 10.0)
    assert estimate is not None
    assert (estimate["pairs"], estimate["changed"], estimate["difference"]["value"]) == (40, 4, pytest.approx(0.5))
    low, high = mean_bounds(np.array([3.0]), np.array([40.0]), 0.025)
    assert estimate["added"] == {"value": 0.75, "low": pytest.approx(10 * low[0]), "high": pytest.approx(10 * high[0])}
    assert sum(one["pairs"] for one in estimate["arms"].values()) == 40
    assert estimate_forged([], ARMS) is None


def test_the_audit_knows_what_was_found_out(tmp_path: Path) -> None:
    """The state is the learner's, who verifies is no suspect, and rewards that were replaced count nowhere."""
    path = tmp_path / "journal"
    with rb.Learner("thompson", ARMS, seed=2, journal=path, sync=False, verified="prefer") as learner:
        live(learner, 300, seed=5)
        state = learner.save_state()
    audit = rb.audit(path, price=False, shadow=["exp3"])  # exp3 cannot take a reward back
    assert audit.save_state() == state
    assert audit.log.sources == ("visitor",)
    forged = audit.as_json()["forged"]
    assert forged["pairs"] == int(read_columns(path).verified.sum())  # type: ignore[union-attr]
    assert 0.3 < forged["changed"] / forged["pairs"] < 0.7
    assert audit.off_policy is not None
    assert audit.off_policy["rows"] == 300  # one reward each, the verified one where there is one
    with rb.Learner("samba", ARMS, seed=2, journal=tmp_path / "only", sync=False, verified="only") as learner:
        live(learner, 300, seed=5)
    audit = rb.audit(tmp_path / "only")
    assert audit.price is None
    assert "forged unverified ones change nothing" in audit.notes_on("no-price")[0]
    assert audit.forged is not None


NEW = {"name": "offers", "arms": ARMS, "policy": "verified-thompson", "seed": 7}


def test_only_a_token_with_the_role_verifies(tmp_path: Path) -> None:
    """Over HTTP, one by one and in bulk; the database verifies to the bit, and exports say what is verified."""
    store = MemoryStore()
    roles = {"boss": "admin", "shop": "decide,reward", "bank": "verify"}
    with running(store, tmp_path, **roles) as at, httpx.Client(base_url=at.url) as http:
        boss, shop, bank = (at.bearer(name) for name in roles)
        assert http.post("/v1/experiments", json=NEW, headers=boss).status_code == 201
        offers = "/v1/experiments/offers"
        assert http.post(f"{offers}/decisions", json={}, headers=bank).status_code == 403
        wanted = []
        for number in range(60):
            decision = http.post(f"{offers}/decisions", json={}, headers=shop).json()
            assert decision["check"] is True  # nothing is known yet: every reward is wanted
            wanted.append(decision["id"])
            address = f"{offers}/decisions/{decision['id']}/reward"
            assert http.put(address, json={"reward": 1}, headers=shop).status_code == 201
            refused = http.put(address, json={"reward": 0, "verified": True}, headers=shop)
            assert (refused.status_code, "lacks the role 'verify'" in refused.json()["detail"]) == (403, True)
            if number < 3:
                answers = [
                    http.put(address, json={"reward": reward, "verified": True}, headers=bank) for reward in (0, 0, 1)
                ]
                assert [answer.status_code for answer in answers] == [201, 200, 409]
                assert http.put(address, json={"reward": 1}, headers=shop).status_code == 200
        bulk = {"rewards": [{"id": id, "reward": place % 2, "verified": True} for place, id in enumerate(wanted[3:])]}
        for who, status in ((shop, 403), (bank, 201)):
            outcomes = http.post(f"{offers}/rewards", json=bulk, headers=who).json()["outcomes"]
            assert {one["status"] for one in outcomes} == {status}
        about = http.get(offers, headers=boss).json()
        assert (about["rewards"], about["verified"], about["pending"]) == (60, 60, 0)
        rows = list(csv.DictReader(io.StringIO(http.get(f"{offers}/export?format=csv", headers=boss).text)))
        assert [row["verified"] for row in rows].count("1") == 60
        assert len(rows) == 120
        journal = tmp_path / "journal"
        journal.write_bytes(http.get(f"{offers}/export?format=journal", headers=boss).content)
        assert rb.audit(journal, price=False).as_json()["forged"]["pairs"] == 60
        metrics = http.get("/metrics", headers=boss).text
        assert 'robandit_experiment_verified_total{experiment="1",name="offers"} 60' in metrics
        aggregate = {**NEW, "policy": "exp3", "name": "sums", "rules": {"aggregate": "sum", "window": 60}}
        http.post("/v1/experiments", json=aggregate, headers=boss)
        id = http.post("/v1/experiments/sums/decisions", json={}, headers=boss).json()["id"]
        body = {"reward": 1, "verified": True}
        refused = http.put(f"/v1/experiments/sums/decisions/{id}/reward", json=body, headers=boss)
        assert (refused.status_code, "needs the aggregate first" in refused.json()["detail"]) == (422, True)
        for wrong, sentence in (
            ({"policy": "samba", "rules": {"verified": "prefer"}}, "cannot take one back"),
            ({"policy": "samba", "rules": {"verified": "only", "default": 0, "window": 9}}, "cannot go with a default"),
            ({"rules": {"verified": "only"}}, "do not ask for checks"),
            ({"rules": {"aggregate": "sum", "window": 60}}, "which need the aggregate first"),
        ):
            answer = http.post("/v1/experiments", json={**NEW, "name": "wrong", **wrong}, headers=boss)
            assert (answer.status_code, sentence in answer.json()["detail"]) == (422, True), answer.text
    for verification in verify_store(store):
        assert verification.sound, verification.notes
        assert verification.compiled


def test_clients_verify(tmp_path: Path) -> None:
    roles = {"boss": "admin", "shop": "decide,reward"}
    with running(MemoryStore(), tmp_path, **roles) as at:
        with Client(at.url, at.tokens["boss"]) as service, Client(at.url, at.tokens["shop"]) as other:
            offers = service.create("offers", ARMS, policy="thompson", rules={"verified": "prefer"})
            decision = offers.decide()
            assert not decision.check
            assert offers.reward(decision.id, 1.0)
            with pytest.raises(ServiceError, match="lacks the role 'verify'"):
                other.experiment("offers").reward(decision.id, 0.0, verified=True)
            assert offers.reward(decision.id, 0.0, verified=True)
            assert not offers.reward(decision.id, 0.0, verified=True)
            assert offers.about()["rules"]["verified"] == "prefer"

        async def verify() -> Any:
            async with AsyncClient(at.url, at.tokens["boss"]) as service:
                again = service.experiment("offers")
                decision = await again.decide()
                assert await again.reward(decision.id, 1.0, verified=True)
                return await again.about()

        assert asyncio.run(verify())["verified"] == 2


def test_a_held_reward_is_replaced_before_it_is_learnt() -> None:
    """So that policies that cannot take one back prefer verified rewards too."""
    store, now = MemoryStore(), [1000.0]
    engine = Engine(store, lambda: now[0])
    rules = messages.ExperimentRules(hold=60.0, verified="prefer")
    engine.create(messages.NewExperiment("one", ["red"], "exp3", seed=1, rules=rules))
    experiment = engine.find("one")

    def report(id: str, reward: float, verified: bool = False) -> Any:
        answer = engine.reward(experiment, id, messages.Reward(reward, verified=verified), None)
        store.commit(answer.rows)
        return answer.status

    ids = []
    for _ in range(2):
        answer = engine.decide(experiment, messages.DecisionRequest(), None)
        store.commit(answer.rows)
        ids.append(answer.message.id)
        assert report(ids[-1], 1.0) == 201
    first, second = ids
    now[0] += 30
    assert report(first, 0.0, verified=True) == 201
    now[0] += 31  # the second one is learnt as it was reported
    for row in engine.ticks():
        store.commit([row])
    with pytest.raises(Problem, match="does not wait"):
        report(second, 0.0, verified=True)
    assert experiment.docket.cases == {}
    (verification,) = verify_store(store)
    assert verification.sound


def test_a_verified_reward_of_an_ordinary_experiment_is_read_again_as_one() -> None:
    """Long journals are read by a loop of their own, which must leave such lines to the others."""
    store = MemoryStore()
    engine = Engine(store, lambda: 1000.0)
    engine.create(messages.NewExperiment("one", ARMS, "exp3", seed=1))
    experiment = engine.find("one")
    for number in range(20):
        answer = engine.decide(experiment, messages.DecisionRequest(), None)
        store.commit(answer.rows)
        report = messages.Reward(number % 2, verified=number % 3 == 0)
        store.commit(engine.reward(experiment, answer.message.id, report, None).rows)
    again = open_experiment(store, experiment.record, snapshots=False)
    assert again.tally.as_json() == experiment.tally.as_json()
    assert again.tally.verified == 7
    assert again.fold.save_state() == experiment.fold.save_state()
