"""The audit: a ring that turned the leader is named, unlearnt and priced; clean logs and mistakes are told as such."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import robandit as rb
from robandit.errors import PlayError
from robandit.forensics.audit import blind_to
from robandit.forensics.influence import bisect_size, first_order, prune
from robandit.forensics.off_policy import Estimator, decision_rows
from robandit.lab.folds import Folding
from robandit.state import save_values
from tests.rings import RING, Played, play, write_csv

MEANS = (0.30, 0.45, 0.50)
ROWS = 20_000


@pytest.fixture(scope="module")
def turned() -> Played:
    """Five of a thousand sources promote the second arm until it leads."""
    return play(rb.Samba(), MEANS, ROWS, promoted=1, budget=600, first=12_000)


@pytest.fixture(scope="module")
def found(turned: Played) -> rb.Audit:
    return rb.audit(turned.table, "samba", without=[f"source={name}" for name in RING], price=False, shadow=["ucb1"])


def replayed(table: rb.RewardLog, kept: Any) -> Any:
    """The state after the rows that are kept, from a log that never had the others."""
    columns = {name: column[kept] for name, column in table.log.columns().items()}
    return rb.replay_log(rb.Samba(), rb.Log(**columns), arms=len(table.arms), horizon=ROWS)


def test_all_five_are_among_the_ten_most_influential(turned: Played, found: rb.Audit) -> None:
    assert turned.forged.sum() == 600
    assert found.belief.leader == "arm-1"  # turned: arm-2 pays best
    told = found.as_json()["sources"]
    assert len(told) == 1000
    assert {row["source"] for row in told[:10]} >= set(RING)
    influences = [row["influence"] for row in told]
    assert influences == sorted(influences, reverse=True)
    assert set(found.flagged()) == set(RING)


def test_an_influence_is_the_difference_of_two_replays(turned: Played, found: rb.Audit) -> None:
    table, full = turned.table, replayed(turned.table, np.ones(ROWS, bool)).probabilities[1]
    told = {row["source"]: row for row in found.as_json()["sources"]}
    for name in (*RING, "user-3", "user-700"):
        rest = replayed(table, table.codes != table.sources.index(name)).probabilities
        assert told[name]["influence"] == full - rest[1]
        assert told[name]["leader_without"] == table.arms[rest.argmax()]
        assert told[name]["rows"] == (table.codes == table.sources.index(name)).sum()


def test_the_witness_set_turns_the_leader_back(turned: Played, found: rb.Audit) -> None:
    table, names = turned.table, found.witness
    assert names is not None
    assert set(names) <= set(RING)
    codes = [table.sources.index(name) for name in names]
    state = replayed(table, ~np.isin(table.codes, codes))
    assert table.arms[state.probabilities.argmax()] == found.witness_leader == "arm-2"
    for name in codes:  # and none of them could stay
        rest = [code for code in codes if code != name]
        assert replayed(table, ~np.isin(table.codes, rest)).probabilities.argmax() == 1


def test_a_witness_set_is_found_by_doubling_and_made_minimal() -> None:
    def turned(sources: list[int]) -> bool:
        return {3, 5} <= set(sources)

    assert prune([1, 3, 5, 7], turned).tolist() == [3, 5]
    assert prune(list(range(100)), turned).tolist() == list(range(100))  # too many to try each
    for low in (0, 1, 2):
        assert bisect_size([9, 3, 8, 7, 5, 6, 4], low, turned) == 5
        assert bisect_size([9, 3, 8, 7, 6, 4], low, turned) is None
    assert bisect_size([3, 5], 0, turned) == 2


def test_unlearning_is_the_log_without_them_bit_for_bit(turned: Played, found: rb.Audit) -> None:
    table = turned.table
    honest = replayed(table, table.codes < 995)
    assert found.without is not None
    assert save_values(found.without.state) == save_values(honest)
    loaded = rb.load_state(rb.Samba(), rb.Setting(3, ROWS), json.loads(json.dumps(found.save_state())))
    assert save_values(loaded) == save_values(honest)
    assert found.without.belief.leader == "arm-2"
    assert found.without.rows == 600


def test_the_first_other_leader_is_exact(turned: Played, found: rb.Audit) -> None:
    assert found.without is not None
    row, table = found.without.first_other_leader, turned.table
    assert row is not None
    for upto, same in ((row - 1, True), (row, False)):
        before = np.arange(ROWS) < upto
        both = [replayed(table, before & kept).probabilities.argmax() for kept in (table.codes >= 0, table.codes < 995)]
        assert bool(both[0] == both[1]) is same


def test_the_contract(found: rb.Audit) -> None:
    told = found.as_json()
    names = "rows arms policy belief sources signals witness without price off_policy grouped forged notes"
    assert list(told) == names.split()
    assert set(told["belief"]) == set(told["without"]) == {"leader", "probabilities"}
    assert set(told["sources"][0]) == {"source", "rows", "influence", "leader_without", "e_value"}
    assert set(told["witness"]) == {"sources", "leader_without"}
    assert told["rows"] == ROWS
    assert told["arms"] == ["arm-0", "arm-1", "arm-2"]
    assert sum(told["belief"]["probabilities"].values()) == pytest.approx(1.0)
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert any("cannot be known" in note for note in told["notes"])


@pytest.mark.parametrize("name", ["thompson", "ucb1"])
def test_policies_that_tell_no_probabilities_are_audited_too(name: str) -> None:
    policy = rb.policy(name)
    played = play(policy, MEANS, 6000, promoted=1, budget=500, first=3000, honest=95)
    found = rb.audit(played.table, policy, price=False)
    assert found.belief.leader == "arm-1"
    assert {row["source"] for row in found.as_json()["sources"][:10]} >= set(RING)
    assert found.witness is not None
    table, luck = played.table, np.random.default_rng(1)
    gone = np.isin(table.codes, [table.sources.index(source) for source in found.witness])
    arms, rewards = np.asarray(table.log.arms)[~gone], np.asarray(table.log.rewards)[~gone]
    sums, pulls = np.bincount(arms, rewards, 3), np.bincount(arms, minlength=3)
    posterior = np.bincount(luck.beta(1 + sums, 1 + pulls - sums, (20_000, 3)).argmax(axis=1), minlength=3)
    leader = posterior.argmax() if name == "thompson" else (sums / pulls).argmax()
    assert found.witness_leader == table.arms[leader] != "arm-1"


def test_a_clean_log_raises_no_alarm_and_rests_on_many() -> None:
    played = play(rb.Samba(), MEANS, 8000, honest=100, ring=())
    found = rb.audit(played.table, "samba", price=False)
    assert found.flagged() == []
    assert set(found.alarms().values()) == {None}
    assert found.witness is None or len(found.witness) > 5


def test_price_from_here_is_that_of_a_play_from_this_state() -> None:
    clean = play(rb.Samba(), MEANS, 4000, honest=50, ring=(), seed=3)
    found = rb.audit(clean.table, "samba", ahead=5000)
    assert found.price is not None
    price = found.price["future_fakes"]
    by_can = {can: one["estimate"] for can, one in found.price["by_capability"].items()}
    assert price == min(by_can.values())
    columns = clean.table.log.columns()
    means = [columns["rewards"][columns["arms"] == arm].mean() for arm in range(3)]
    shares = {}
    for budget in (price * 0.5, price * 2.0):
        adversary = rb.attack(found.price["attack"], budget=budget)
        trace = rb.simulate(
            rb.Samba(), rb.Bernoulli(means), adversary, horizon=5000, runs=60, seed=99, state=found.save_state()
        )
        shares[budget] = np.median(trace.pulls[:, int(np.argmax(means))] / 5000)
    assert shares[price * 0.5] > 0.5 > shares[price * 2.0]
    assert found.price["if_means_are_close"] < price < found.price["if_means_are_far"]


def test_a_leader_that_did_not_pay_best_has_no_price() -> None:
    clean = play(rb.Samba(), MEANS, 4000, honest=50, ring=())
    sums, pulls = (np.bincount(clean.table.log.arms, w, 3) for w in (clean.table.log.rewards, None))
    assert (sums / pulls).argmax() == 1
    found = rb.audit(clean.table, "samba", replays=1, ahead=1000)
    assert (found.belief.leader, found.price) == ("arm-2", None)
    assert found.notes_on("no-price")[0].startswith("no price: the leader is not the arm that paid best")


def test_off_policy_values_are_the_naive_ones_and_cover_the_truth() -> None:
    played = play(rb.Samba(0.02), MEANS, 6000, honest=50, ring=())
    found = rb.audit(
        played.table, "samba:learning_rate=0.02", price=False, shadow=["uniform", "samba:learning_rate=0.02"]
    )
    assert found.off_policy is not None
    columns = played.table.log.columns()
    for arm, name in enumerate(played.table.arms):
        weights = (columns["arms"] == arm) / columns["probabilities"]
        told = found.off_policy["arms"][name]
        assert told["ips"]["value"] == pytest.approx((weights * columns["rewards"]).mean())
        assert told["snips"]["value"] == pytest.approx((weights * columns["rewards"]).sum() / weights.sum())
        for kind in ("ips", "snips", "dr"):  # 4 standard errors: a false alarm in 3 of 10,000 such tests
            half = (told[kind]["high"] - told[kind]["low"]) / 2
            assert abs(told[kind]["value"] - MEANS[arm]) < 4 / 1.96 * half
    uniform = found.off_policy["policies"]["uniform"]["value"]["dr"]
    assert abs(uniform["value"] - np.mean(MEANS)) < 4 / 1.96 * (uniform["high"] - uniform["low"]) / 2
    itself = found.off_policy["policies"]["samba:learning_rate=0.02"]["value"]
    assert itself["ips"]["value"] == pytest.approx(columns["rewards"].mean(), rel=1e-9)  # weights are all 1
    assert itself["effective_rows"] == pytest.approx(6000, rel=1e-9)


def test_a_late_reward_is_weighed_by_what_was_known_at_its_decision() -> None:
    log = rb.Log(
        arms=[0, 1, 0, 1],
        probabilities=[0.5, 0.5, 0.5, 0.5],
        rewards=[0.0, 1.0, 1.0, 0.0],
        rewarded=[False, True, True, True],
        numbers=[0, 1, 0, 2],
    )
    assert decision_rows(log.columns()).tolist() == [0, 1, 0, 3]
    table = rb.RewardLog(log, ("a", "b"))
    estimator = Estimator(table, table.codes)
    assert estimator.mean_before(1).tolist() == [0.5, 0.5, 0.75]  # rows 1, 2 (decided in row 0) and 3


def test_first_order_is_the_naive_influence_on_the_gap_of_means(turned: Played) -> None:
    table = turned.table
    folding = Folding(rb.Samba(), table.log, table.codes, rb.Setting(3, ROWS))
    found = first_order(folding, 1, 1000)
    columns = table.log.columns()
    arms, rewards = columns["arms"], columns["rewards"]
    for source in (3, 997):
        total = 0.0
        for row in np.nonzero(table.codes == source)[0]:
            same = arms == arms[row]
            total += (1 if arms[row] == 1 else -1) * (rewards[row] - rewards[same].mean()) / same.sum()
        assert found[source] == pytest.approx(total, rel=1e-9)
    limited = rb.audit(table, "samba", price=False, replays=40)
    assert len(limited.sources()) == 40
    assert {row["source"] for row in limited.sources()[:10]} >= set(RING)
    assert "40 of 1,000 sources" in limited.notes_on("influence-of-some")[0]


def test_files_are_the_table(turned: Played, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.csv
    import pyarrow.parquet

    written = write_csv(turned.table, tmp_path / "log.csv")
    pa.parquet.write_table(pa.csv.read_csv(written), tmp_path / "log.parquet")
    for name in ("log.csv", "log.parquet"):
        table = rb.read_log(tmp_path / name)
        assert table.arms == turned.table.arms
        assert np.array_equal(table.log.arms, turned.table.log.arms)
        assert np.array_equal(table.log.probabilities, turned.table.log.probabilities)
        assert np.array_equal(table.log.rewards, turned.table.log.rewards)
        assert table.times is not None
        assert np.array_equal(table.times, np.arange(ROWS))
        assert [table.sources[code] for code in table.codes[:50]] == [
            turned.table.sources[code] for code in turned.table.codes[:50]
        ]


def test_the_command(turned: Played, tmp_path: Path, robandit: Any) -> None:
    path = write_csv(turned.table, tmp_path / "log.csv")
    rest = write_csv(turned.table, tmp_path / "rest.csv", turned.table.codes < 995)
    words = ["--policy", "samba", "--no-price", "--replays", "20"]
    fakes = [word for name in RING for word in ("--without", f"source={name}")]
    code, told, _ = robandit("audit", str(path), *words, *fakes, "--state", str(tmp_path / "a.json"), "--json")
    assert code == 0
    assert (told["belief"]["leader"], told["without"]["leader"]) == ("arm-1", "arm-2")
    assert robandit("audit", str(rest), *words, "--state", str(tmp_path / "b.json"))[0] == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()
    code, out, _ = robandit("audit", str(path), *words, "--shadow", "ucb1", "--out", str(tmp_path / "page"))
    assert code == 0
    assert "Witness (past)" in out
    assert "ring-1" in out
    assert (tmp_path / "page" / "report.html").stat().st_size > 50_000


HEADER = "arm,reward,probability,source,time\n"
GOOD = "a,1,0.5,x,1\nb,0,0.5,y,2\n"


@pytest.mark.parametrize(
    ("text", "words", "message"),
    [
        (HEADER + GOOD + "a,2,0.5,x,3\n", [], "line 4: rewards must be numbers from 0 to 1, not 2"),
        (HEADER + GOOD + "a,yes,0.5,x,3\n", [], "line 4: reward must be a number, not 'yes'"),
        (HEADER + GOOD + "a,1,0,x,3\n", [], "line 4: probabilities must be above 0 and at most 1"),
        (HEADER + GOOD + ",1,0.5,x,3\n", [], "line 4: every row must name its arm"),
        (HEADER + GOOD + "a,,0.5,x,3\n", [], "line 4: rewards must be numbers from 0 to 1, not nan"),
        (HEADER + "a,1,0.5\n", [], "line 2: there must be 5 values, not 3"),
        (HEADER + "a,1,0.5,x,1\n\nb,0,0.5,y,2\n", [], "line 3: every row must name its arm"),
        (HEADER + "a,1,0.5,x,soon\n", [], "times must be numbers or dates"),
        (HEADER, [], "has no rows"),
        ("", [], "is empty: its first line must name the columns"),
        (HEADER + GOOD, ["--arm-column", "action"], "has no column 'action' for the arm (it has arm, reward"),
        (HEADER + GOOD, ["--source-column", "who"], "has no column 'who' for the source"),
        (HEADER + GOOD, ["--without", "source=z"], "source 'z' is unknown (allowed: x, y)"),
        (HEADER + GOOD, ["--without", "z"], "must be source=NAME, time=FROM..TO or rows=FROM..TO, not 'z'"),
        (HEADER + GOOD, ["--without", "time=5..9"], "nothing is left out: no row fits time=5..9"),
        (HEADER + GOOD, ["--without", "rows=2..1"], "'rows=2..1' must have the lower end first"),
        (HEADER + GOOD, ["--reward-range", "1,1"], "--reward-range: the range of the rewards must be two numbers"),
        (HEADER + GOOD, ["--replays", "0"], "--replays must be a whole number of at least 1, not 0"),
        (HEADER + GOOD, ["--policy", "barbar:scale=1"], "learns from what it drew besides its arm"),
        (HEADER + "a,1,,x,1\n", [], "samba weighs a reward by the probability its arm had, and line 2 has none"),
    ],
)
def test_mistakes_are_told_by_line(text: str, words: list[str], message: str, tmp_path: Path, robandit: Any) -> None:
    path = tmp_path / "log.csv"
    path.write_text(text)
    code, _, err = robandit("audit", str(path), *(words if "--policy" in words else ["--policy", "samba", *words]))
    assert code == 2
    assert message in err
    assert err.count("\n") == 1


def test_files_that_are_no_logs(tmp_path: Path, robandit: Any) -> None:
    (tmp_path / "log.txt").write_text("x")
    (tmp_path / "log.parquet").write_text("x")
    (tmp_path / "log.csv").write_text(HEADER + GOOD)
    for name, message in {
        "log.txt": "a log must be a journal or end in .csv, .parquet, not 'log.txt'",
        "none.csv": "there is no log",
        "log.parquet": "cannot be read as Parquet",
        "log.csv": "does not say which policy decided: give --policy",
    }.items():
        code, _, err = robandit("audit", str(tmp_path / name))
        assert (code, message in err) == (2, True), err


def test_what_is_missing_is_said_and_the_rest_is_done(tmp_path: Path) -> None:
    luck = np.random.default_rng(2)
    rows = [f"{'ab'[luck.integers(2)]},{luck.integers(-10, 11)},2026-01-{day:02}T12:00:00" for day in range(1, 29)]
    (tmp_path / "log.csv").write_text("what,stars,when\n" + "\n".join(rows) + "\n")
    columns = rb.ColumnNames(arm="what", reward="stars", time="when", range=(-10, 10))
    found = rb.audit(
        tmp_path / "log.csv", "thompson", columns=columns, ahead=100, without=["time=1767268800..1767700800"]
    )
    assert found.off_policy is None
    assert found.sources() == []
    assert found.without is not None
    assert found.without.rows == 6
    notes = " ".join(note.text for note in found.notes)
    for words in ("the log has no probabilities", "the log has no sources", "1,000 trial choices"):
        assert words in notes
    assert np.asarray(found.log.log.rewards).min() >= 0.0
    with pytest.raises(rb.InputError, match="weighs a reward by the probability"):
        rb.audit(tmp_path / "log.csv", "samba", columns=columns)
    assert rb.audit(tmp_path / "log.csv", "ucb1", columns=columns, price=False).belief.leader in ("a", "b")


def test_whole_epochs_cannot_be_folded_without_rows() -> None:
    played = play(rb.policy("barbar:scale=1"), MEANS, 800, honest=10, ring=())
    found = rb.audit(played.table, "barbar:scale=1", price=False)
    assert found.sources() == []
    assert "no influence of sources on barbar" in found.notes_on("no-influence")[0]
    with pytest.raises(rb.InputError, match="cannot be replayed without some rows: its epochs"):
        rb.audit(played.table, "barbar:scale=1", without=["source=user-1"])


def test_a_witness_set_that_a_replay_contradicts_is_an_error(turned: Played, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever flags Python runs with: "verified by replay" stands in the report."""
    leader = turned.table.arms.index(rb.audit(turned.table, "samba", price=False, replays=1).belief.leader)
    monkeypatch.setattr("robandit.forensics.audit.Auditor.leader_replayed", lambda self, codes: leader)
    with pytest.raises(PlayError, match="has the same leader"):
        rb.audit(turned.table, "samba", price=False, replays=10)


def test_what_a_policy_cannot_see_is_said(turned: Played) -> None:
    few = replace(turned.table)
    notes = rb.audit(few, "samba", price=False, replays=2).notes
    assert any("learns next to nothing from a reward of 0" in note.text for note in notes)
    assert not any("from a reward of 1" in note.text for note in notes)
    blind = {
        name: blind_to(rb.policy(name), rb.Setting(3, 1000)) for name in ("exp3", "tsallis-inf-iw", "epsilon-greedy")
    }
    assert blind == {"exp3": [1.0], "tsallis-inf-iw": [1.0], "epsilon-greedy": []}
