"""The docket: which rewards count, and when, against a statement of the rules that knows no queue."""

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import robandit as rb
from robandit.catalogue import SHIPPED
from robandit.game import Choice
from robandit.online.columns import ColumnSink, read_columns
from robandit.online.docket import Docket
from robandit.online.fold import Fold
from robandit.online.rebuild import rebuild
from robandit.online.rules import Rules
from robandit.online.saving import load_fold, save_fold
from robandit.online.standing import Entry, Standing, standing_of
from robandit.online.terms import Terms
from robandit.online.warm import fold_log
from tests.journals import Writing, lines, write

JOURNALS = 1500
LATE = [name for name in SHIPPED.parts("policy") if SHIPPED.policy(name).late != "no"]


class Hearing(Fold):
    """A fold that notes down what it is told."""

    __slots__ = ("heard",)

    def __init__(self, terms: Terms) -> None:
        super().__init__(SHIPPED.policy(terms.policy), terms)
        self.heard: list[tuple[Any, ...]] = []

    def record_decision(self, choice: Choice, learns: bool = True, entry: Entry | None = None) -> None:
        self.heard.append(("decided", self.roster.names[choice.arm], choice.probability, choice.note, learns))
        super().record_decision(choice, learns, entry)

    def learn_reward(self, number: int, reward: float, entry: Entry | None = None) -> None:
        self.heard.append(("rewarded", number, reward, entry["source"], entry["time"]))
        super().learn_reward(number, reward, entry)

    def record_claim(self, number: int, reward: float | None, entry: Entry | None = None) -> None:
        self.heard.append(("claimed", number, reward))
        super().record_claim(number, reward, entry)

    def change_arm(self, name: str, change: str, values: Any = None) -> None:
        self.heard.append(("change", name, change))
        super().change_arm(name, change, values)


def docket_of(terms: Terms, entries: list[Any], fold: Fold | None = None) -> Docket:
    """A docket under what these entries' acts come to; it has read none of them yet."""
    return Docket(terms, standing_of(lines(entries)), Hearing(terms) if fold is None else fold)


def state(docket: Docket) -> Any:
    """All that decides what a docket and its fold do next; shares used up are counted only where anything is capped."""
    return docket.as_json() | {"learnt": None}, save_fold(docket.target)


def retold(policy: str, terms: Terms, heard: list[tuple[Any, ...]]) -> Any:
    """The state of a policy that is told just this."""
    fold = Fold(SHIPPED.policy(policy), terms)
    for kind, *told in heard:
        if kind == "decided":
            fold.record_decision(Choice(fold.index(told[0]), *told[1:3]), told[3])
        elif kind == "rewarded":
            fold.learn_reward(*told[:2])
        else:
            fold.change_arm(*told)
    return fold.save_state()


def test_the_docket_does_what_the_rules_say() -> None:
    """Random journals under random rules; what the rules refuse is refused, and all kinds of rules came up."""
    seen: Counter[str] = Counter()
    for seed in range(JOURNALS):
        writing = Writing(seed, timed=seed % 10 > 0).grow(50)
        journal, terms = writing.journal, writing.journal.terms
        docket, line = docket_of(terms, journal.entries), 2
        for entry, good in writing.tried:
            if good:
                docket.take(line, entry)
                line += 1
            else:
                with pytest.raises(rb.InputError, match="does not wait"):
                    docket.take(line, entry)
        told = journal.told()
        assert docket.target.heard == told.heard, seed
        assert (docket.expired, docket.left_out) == (told.expired, told.left_out), seed
        if seed % 10 == 0:
            assert docket.target.save_state() == retold(terms.policy, terms, told.heard)
        seen.update(one[0] for one in told.heard)
        seen.update({"expired": told.expired, "left out": told.left_out})
        seen.update(not good for _, good in writing.tried)
    assert min(seen[kind] for kind in ("decided", "rewarded", "change", "expired", "left out")) > JOURNALS
    assert seen[True] > JOURNALS


def test_the_docket_does_what_the_rules_about_verified_rewards_say(tmp_path: Path) -> None:
    """Random journals with checks; some are read again from a file and from a snapshot, as columns too."""
    seen: Counter[str] = Counter()
    for seed in range(JOURNALS // 2):
        writing = Writing(seed, timed=seed % 10 > 0, checks=True, policy="ucb1").grow(50)
        journal, terms = writing.journal, writing.journal.terms
        docket, line = docket_of(terms, journal.entries), 2
        for entry, good in writing.tried:
            if good:
                docket.take(line, entry)
                line += 1
                if seed % 20 == 0:  # saved and loaded after every line
                    saved, heard = json.loads(json.dumps([docket.as_json(), save_fold(docket.target)])), docket.target
                    docket = docket_of(terms, journal.entries)
                    docket.load(saved[0])
                    loaded = load_fold(saved[1], SHIPPED.policy)
                    for name in Fold.__slots__:
                        setattr(docket.target, name, getattr(loaded, name))
                    docket.target.heard = heard.heard
            else:
                with pytest.raises(rb.InputError, match="does not wait"):
                    docket.take(line, entry)
        told = journal.told()
        assert docket.target.heard == told.heard, seed
        assert (docket.expired, docket.left_out) == (told.expired, told.left_out), seed
        if seed % 20 == 0:
            path, policy = write(tmp_path / f"{seed}", terms, journal.entries), docket.target.policy
            assert save_fold(rebuild(path, policy)) == save_fold(docket.target)
            state = rb.save_state(policy, fold_log(policy, read_columns(path), engine="plain"))
            assert state == docket.target.save_state()
        seen.update(one[0] for one in told.heard)
        seen.update({"expired": told.expired, "left out": told.left_out, str(terms.verified): 1})
        seen.update(entry["entry"] + str(entry.get("verified", "")) for entry in journal.entries)
    least = ("decided", "rewarded", "claimed", "change", "expired", "left out", "rewardTrue")
    assert min(seen[kind] for kind in least) > JOURNALS // 2, seen
    assert min(seen[rule] for rule in ("None", "only", "prefer")) > JOURNALS // 10


@pytest.mark.parametrize("policy", LATE)
def test_without_rules_it_is_the_fold(policy: str) -> None:
    """The journal of a plain learner, read by a docket that asks nothing: the same bits, and the same who wait."""
    fold = Fold(SHIPPED.policy(policy), Terms(str(SHIPPED.policy(policy)), ("a", "b", "c"), 5, patience=9))
    other = Fold(fold.policy, fold.terms)
    docket = Docket(fold.terms, standing_of([]), other)
    for number in range(40):
        choice = fold.choose(None)
        arm, probability, note = choice
        told = {
            "arm": "abcd"[arm],
            "chance": None if probability != probability else float(probability),
            "note": int(note),
        }
        fold.record_decision(choice)
        docket.take(number, {"entry": "decide", "id": number, **told, "eligible": None, "time": None})
        late, value = number - number % 3, number % 5 / 4
        if number % 4 and late in fold.pending:
            fold.learn_reward(late, value)
            docket.take(number, {"entry": "reward", "id": late, "value": value, "source": "s", "time": None})
        if number == 20 and not fold.policy.arms_fixed:
            fold.change_arm("d", "added")
            docket.take(number, {"entry": "arm", "arm": "d", "change": "added"})
    assert len(fold.pending) < 9
    assert save_fold(other) == save_fold(fold)
    assert list(docket.cases) == list(fold.pending)


@pytest.mark.parametrize("policy", ["samba", "thompson", "tsallis-inf-rv"])
def test_a_file_says_the_same_to_every_reader(tmp_path: Path, policy: str) -> None:
    """Lines read one by one, and as columns, interpreted and (for one policy) compiled."""
    engines = ["plain", "rounds"] if policy == "samba" else ["plain"]
    for seed in range(8):
        writing = Writing(seed, policy=str(SHIPPED.policy(policy))).grow(80)
        terms, entries = writing.journal.terms, writing.journal.entries
        path, docket = write(tmp_path / f"{seed}", terms, entries), docket_of(terms, entries)
        for line, entry in lines(entries):
            docket.take(line, entry)
        told = docket.target.save_state()
        assert save_fold(rebuild(path, docket.target.policy)) == save_fold(docket.target)
        log = read_columns(path)
        for engine in engines:
            assert rb.save_state(docket.target.policy, fold_log(docket.target.policy, log, engine=engine)) == told


def test_a_snapshot_at_any_line_changes_nothing() -> None:
    for seed in range(12):
        writing = Writing(seed).grow(40)
        terms, entries = writing.journal.terms, writing.journal.entries
        whole = docket_of(terms, entries)
        saved = [json.dumps([whole.as_json(), save_fold(whole.target)])]
        for line, entry in lines(entries):
            whole.take(line, entry)
            saved.append(json.dumps([whole.as_json(), save_fold(whole.target)]))
        for read, text in enumerate(saved):
            told, fold = json.loads(text)
            again = docket_of(terms, entries, load_fold(fold, SHIPPED.policy))
            again.load(told)
            for line, entry in list(lines(entries))[read:]:
                again.take(line, entry)
            assert json.loads(json.dumps(again.as_json())) == json.loads(json.dumps(whole.as_json()))
            assert save_fold(again.target) == save_fold(whole.target)


def test_a_quarantine_that_was_lifted_leaves_no_trace() -> None:
    """Ticks stand where the acts stood, so that lines keep their numbers."""
    moved = 0
    for seed in range(40):
        writing = Writing(seed).grow(60)
        terms, time = writing.journal.terms, writing.time
        plain = [{"entry": "tick", "time": one["time"]} if act(one) else one for one in writing.journal.entries]
        acts = [{"entry": "source", "source": "shop", "change": "quarantined", "time": time}]
        for name in ("source", "breaker"):
            acts.append({"entry": name, "source": "shop", "change": "released", "time": time})
        ends = [{"entry": "tick", "time": time}] * 3
        found = []
        for entries in (plain + ends, plain + acts, [*plain, *acts[:1], *ends[:2]]):
            docket = docket_of(terms, entries)
            for line, entry in lines(entries):
                docket.take(line, entry)
            found.append(state(docket))
        assert found[0] == found[1], seed
        moved += found[0] != found[2]
    assert moved > 10  # as long as it holds, it takes something out


def act(entry: Any) -> bool:
    """Whether an operator's word changes what counts."""
    return entry["entry"] in ("source", "retract", "breaker")


def test_rewards_of_decisions_made_while_learning_stood_still_are_left_out_even_if_it_goes_on_meanwhile() -> None:
    """Between an operator's word and the journal folded anew, the old state lives on: nothing may break there."""
    terms = Terms("exp3", ("a", "b", "c"), 1, rules=Rules())
    docket = Docket(terms, standing_of([]), Fold(SHIPPED.policy("exp3"), terms))
    decide = {"entry": "decide", "arm": "a", "chance": 0.5, "note": 0, "eligible": None, "time": 0.0}
    docket.standing.take(2, {"entry": "breaker", "change": "tripped", "since": 1})
    docket.take(3, {**decide, "id": 0})
    docket.standing.take(4, {"entry": "breaker", "change": "released"})
    before = docket.target.save_state()
    docket.take(5, {"entry": "reward", "id": 0, "value": 1.0, "source": None, "time": 0.0})
    assert docket.target.save_state() == before
    assert not docket.cases


def test_caps_of_a_token_hold_for_who_names_no_source() -> None:
    """Leaving the label away is no way around the cap, and uses up no share of a named source."""
    for rules, sources, learnt in [
        (Rules(token_cap=2), ["shop", "shop", "shop", "shop/a", "app"], 3),
        (Rules(cap=1), ["shop/a", "shop/b", "shop", "shop", "shop/a"], 3),
        (Rules(cap=2, token_cap=3), ["shop/a"] * 3 + ["shop"] * 3, 3),
        (Rules(cap=1), [None, None, "shop"], 2),
    ]:
        terms = Terms("exp3", ("a", "b"), 1, rules=rules)
        hearing = Hearing(terms)
        docket = Docket(terms, standing_of([]), hearing)
        for number, source in enumerate(sources):
            decide = {"entry": "decide", "id": number, "arm": "a", "chance": 0.5, "note": 0, "time": 0.0}
            docket.take(2 * number + 2, decide)
            docket.take(2 * number + 3, {"entry": "reward", "id": number, "value": 1.0, "source": source, "time": 0.0})
        assert sum(one[0] == "rewarded" for one in hearing.heard) == learnt, rules


def test_what_cannot_be_read_is_refused() -> None:
    terms = Terms("exp3", ("a", "b", "c"), 1, rules=Rules())
    docket = docket_of(terms, [])
    with pytest.raises(rb.InputError, match="kind 'fudge' is unknown"):
        docket.take(2, {"entry": "fudge", "time": 1.0})
    with pytest.raises(rb.InputError, match="decision 0 must come next, not 3"):
        docket.take(2, {"entry": "decide", "id": 3, "arm": "a", "chance": 0.5, "note": 0, "time": 1.0})
    with pytest.raises(rb.InputError, match="needs a window"):
        replace(terms, rules=Rules(aggregate="sum"))


@pytest.mark.parametrize("eligible", [None, ["a"]])
def test_columns_know_whether_decisions_were_among_some_arms_only(eligible: list[str] | None) -> None:
    """Off-policy values are refused for such a journal, so the docket must hand it on."""
    terms = Terms("samba", ("a", "b"), 1, rules=Rules())
    columns = ColumnSink(terms)
    entry = {"entry": "decide", "id": 0, "arm": "a", "chance": 0.5, "note": 0, "eligible": eligible, "time": 1.0}
    Docket(terms, Standing(), columns).take(2, entry)
    assert columns.log().partial == (eligible is not None)
