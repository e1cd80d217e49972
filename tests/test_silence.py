"""Clients that report only sales: the default is learnt of the rest, and whose decisions those were is known."""

import random
from pathlib import Path
from typing import Any

import pytest

import robandit as rb
from robandit.online.verify import verify_journal
from robandit.service import messages
from robandit.service.engine import Engine
from robandit.service.export import journal
from robandit.service.stores.memory import MemoryStore
from robandit.service.verify import verify_store

MEANS = {"a": 0.10, "b": 0.15, "c": 0.25}
RULES = messages.ExperimentRules(window=60.0, default=0.0)
VISITORS = 40


class Shop:
    """An experiment in memory whose visitors report sales only."""

    def __init__(self, policy: str = "samba", rules: messages.ExperimentRules = RULES) -> None:
        self.now, self.luck = 1.7e9, random.Random(3)
        self.engine = Engine(MemoryStore(), lambda: self.now)
        self.engine.create(messages.NewExperiment("x", list(MEANS), policy, seed=4, rules=rules, trip=True))
        self.one = self.engine.find("x")

    def commit(self, answer: Any) -> Any:
        self.engine.store.commit(answer.rows)
        return answer.message

    def visit(self, count: int, asked: bool, ring: int = 0) -> None:
        """So many visits; of some visitors, a ring reports a sale of the first arm each time, and no other."""
        for _ in range(count):
            self.now += 5.0
            visitor = self.luck.randrange(VISITORS)
            name = f"v{visitor}"
            request = messages.DecisionRequest(source=name if asked else None)
            decision = self.commit(self.engine.decide(self.one, request, None))
            sold = self.luck.random() < MEANS[decision.arm]
            if decision.arm == "a" if visitor < ring else sold:
                self.commit(self.engine.reward(self.one, decision.id, messages.Reward(1.0), name))
        self.now += 100.0
        self.engine.store.commit(self.engine.ticks())

    def audit(self, folder: Path) -> rb.Audit:
        path = folder / "x.journal"
        path.write_bytes(b"".join(journal(self.engine.store, 1)))
        return rb.audit(path, price=False, replays=3, threads=1)


@pytest.mark.parametrize("asked", [False, True])
def test_honest_visitors_who_report_only_sales_are_not_named(asked: bool, tmp_path: Path) -> None:
    shop = Shop()
    shop.visit(4000, asked)
    found = shop.audit(tmp_path)
    assert set(found.alarms().values()) == {None}
    assert found.flagged() == []
    assert ("rate" in found.alarms()) is asked
    assert bool(found.notes_on("cannot-test")) is not asked or "exposure" in found.notes_on("cannot-test")[0]
    rows = {row["source"]: row["rows"] for row in found.sources()}
    assert (max(rows.values()) > 60) is asked  # with its decisions, or with its sales alone


def test_a_ring_among_them_is_named_by_its_decisions(tmp_path: Path) -> None:
    shop = Shop()
    shop.visit(5000, asked=True, ring=8)
    found = shop.audit(tmp_path)
    assert found.alarms()["rate"] is not None
    assert set(found.flagged()) == {f"v{number}" for number in range(8)}


def test_quarantine_takes_a_source_out_with_its_silence(tmp_path: Path) -> None:
    """Sales and decisions of v0 are gone from the columns; released, everything is as it was, to the bit."""
    shop = Shop("thompson")
    shop.visit(600, asked=True)
    before, whole = shop.one.fold.save_state(), shop.audit(tmp_path).log
    entry = {"entry": "source", "source": "v0", "change": "quarantined"}
    shop.engine.store.commit(shop.engine.act(shop.one, entry, "boss").rows)
    rest = shop.audit(tmp_path).log
    assert "v0" in whole.sources
    assert "v0" not in rest.sources
    own = int((whole.codes[whole.columns["rewarded"]] == whole.sources.index("v0")).sum())
    assert own > 5
    assert rest.columns["rewarded"].sum() == whole.columns["rewarded"].sum() - own
    assert all(one.sound for one in verify_store(shop.engine.store))
    shop.engine.store.commit(shop.engine.act(shop.one, {**entry, "change": "released"}, "boss").rows)
    again = shop.audit(tmp_path).log
    assert again.columns["rewarded"].sum() == whole.columns["rewarded"].sum()
    (tmp_path / "y.journal").write_bytes(b"".join(journal(shop.engine.store, 1)))
    assert verify_journal(str(tmp_path / "y.journal")).sound
    assert before == shop.one.fold.save_state()  # the experiment in memory was not rebuilt by hand here


def test_lost_exposures_of_an_arm_ring_and_those_of_all_do_not(tmp_path: Path) -> None:
    """A third of the second arm's displays is never reported; then the same share of every arm's."""

    def lossy(arms: str) -> rb.Audit:
        shop = Shop(rules=messages.ExperimentRules(window=60.0, activation=True))
        for _ in range(3000):
            shop.now += 5.0
            decision = shop.commit(shop.engine.decide(shop.one, messages.DecisionRequest(), None))
            if decision.arm in arms and shop.luck.random() < 0.33:
                continue
            shop.commit(shop.engine.activate(shop.one, decision.id))
            value = float(shop.luck.random() < 0.2)
            shop.commit(shop.engine.reward(shop.one, decision.id, messages.Reward(value), f"v{shop.luck.randrange(9)}"))
        shop.now += 100.0
        shop.engine.store.commit(shop.engine.ticks())
        return shop.audit(tmp_path)

    found = lossy("b")
    assert found.alarms()["exposure"] is not None
    signal = found.signals[0]
    assert (signal.statistic, signal.subjects) == ("exposure", ("b",))
    assert "% of the decisions for b were not displayed, 0.0% of those for the others" in signal.text
    assert found.flagged() == []
    assert lossy("abc").alarms()["exposure"] is None
