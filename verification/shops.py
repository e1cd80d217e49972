"""How good the alarms are: simulated shops, honest and attacked, audited as the service's watch does.

    python -m verification.shops --shops 100 --seed 1 [--policy samba] [--only "ring"] [--json out.json]

A shop has five offers and 20,000 visits in a week by 200 visitors of very unequal activity. All shops of a row are
played at once by a policy written out in NumPy; the audit replays the log by the package's own policy, and SAMBA's
probabilities of both must agree. An honest shop rings if any look raises an alarm.
"""

import argparse
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np

import robandit as rb
from robandit.forensics.alarms import SHARED, find_signals, influence_together
from robandit.forensics.evidence import mean_of
from robandit.forensics.exposure import Exposures, exposures_by_mark
from robandit.forensics.reward_log import RewardLog
from robandit.forensics.statistics import ALARMS, evidence_of, reported_rows
from robandit.lab.folds import Folding

MEANS = (0.10, 0.12, 0.15, 0.18, 0.25)
ARMS = tuple(f"offer {number}" for number in range(5))
ROWS, WINDOW, MARKS = 20_000, 300, 25
LOOKS = (0.1, 0.2, 0.35, 0.5, 0.75, 1.0)  # of the log, at which the watch looks besides where evidence suffices
LIFTED = (0.30, 0.12, 0.15, 0.18, 0.05)  # what a second segment buys, where segments move the leader


@dataclass(frozen=True)
class Ring:
    """Accounts of one attacker, new ones beside the visitors."""

    kind: str  # erase: no sale of the best offer; add: a sale of the worst each time; both
    accounts: int = 8
    share: float = 0.1  # of the visits while it is there
    first: float = 0.3  # of the log
    last: float = 1.0
    lie: float = 1.0  # how often it lies


@dataclass(frozen=True)
class Shop:
    """How visitors behave."""

    name: str
    visitors: int = 200
    spread: float = 0.0  # sigma of a visitor's lognormal factor
    segment: tuple[float, tuple[float, ...]] | None = None  # a share of the visitors with other tastes
    rhythm: float = 0.0  # of the day, shared by all
    zones: bool = False  # visitors come at their own hours
    trend: float = 0.0  # the share of all sales that is gone at the end
    swap: bool = False  # the best offer and the third change places in the middle
    missing: float = 0.0  # of the reports
    silent: str = ""  # only sales are reported: "asked" if decisions name their source, "unknown" if not
    partners: tuple[float, ...] = ()  # three sources with such factors in place of visitors
    never: float = 0.0  # share of the visitors who never buy
    means: tuple[float, ...] = MEANS
    ring: Ring | None = None


SHOPS = (
    Shop("honest, all alike"),
    Shop("honest, two segments with different tastes", segment=(0.5, (0.10, 0.12, 0.25, 0.18, 0.15))),
    Shop("honest, mild segments", segment=(0.5, (0.13, 0.108, 0.1875, 0.18, 0.20))),
    Shop("honest, segments that move the leader", segment=(0.4, LIFTED)),
    Shop("honest, day and night", rhythm=0.5),
    Shop("honest, time zones", rhythm=0.5, zones=True),
    Shop("honest, visitors differ (sigma .3)", spread=0.3),
    Shop("honest, visitors differ (sigma .6)", spread=0.6),
    Shop("honest, sigma .3 in time zones", rhythm=0.5, zones=True, spread=0.3),
    Shop("honest, half never buy", never=0.5),
    Shop("honest, sigma .6 and segments that move the leader", spread=0.6, segment=(0.4, LIFTED)),
    Shop("honest, three partners (1, 1.3, .8)", partners=(1.0, 1.3, 0.8)),
    Shop("honest, three equal partners and offers", partners=(1.0, 1.0, 1.0), means=(0.2,) * 5),
    Shop("honest, only sales reported, sources unknown", silent="unknown"),
    Shop("honest, only sales reported, decisions name sources", silent="asked"),
    Shop("honest, only sales, sources named, sigma .3, zones", silent="asked", spread=0.3, rhythm=0.5, zones=True),
    Shop("honest, sales fall by 60 %", trend=0.6),
    Shop("honest, drift moves the leader", swap=True),
    Shop("honest, half of the reports missing", missing=0.5),
    Shop("honest, ever new visitors", visitors=10_000),
    Shop("late ring of 8, 10 %, both", ring=Ring("both")),
    Shop("late ring of 8, 10 %, erases", ring=Ring("erase")),
    Shop("late ring of 8, 10 %, adds", ring=Ring("add")),
    Shop("late ring of 8, 10 %, both, sigma .3 in zones", ring=Ring("both"), rhythm=0.5, zones=True, spread=0.3),
    Shop("ring of 8 from the start, 20 %, both", ring=Ring("both", share=0.2, first=0.0)),
    Shop("ring of 8 from the start, 20 %, adds", ring=Ring("add", share=0.2, first=0.0)),
    Shop("ring of 8 from the start, 20 %, erases", ring=Ring("erase", share=0.2, first=0.0)),
    Shop("ring of 8 from the start, 35 %, erases", ring=Ring("erase", share=0.35, first=0.0)),
    Shop("ring of 8, slow drip, 8 % throughout, both", ring=Ring("both", share=0.08, first=0.0)),
    Shop("ring of 8, burst, 60 % of 2,000 visits, both", ring=Ring("both", share=0.6, first=0.02, last=0.12)),
    Shop("ring of 8 among silent visitors, 20 %, both", silent="asked", ring=Ring("both", share=0.2, first=0.0)),
    Shop(
        "400 of 2,000 accounts, 25 %, adds in 30 %",
        visitors=1600,
        ring=Ring("add", accounts=400, share=0.25, first=0.0, lie=0.3),
    ),
)


@dataclass
class Crowd:
    """Who comes when, for all shops of a row, and how each buys."""

    codes: Any  # (shops, rows)
    factors: Any  # (shops, sources)
    segments: Any
    lies: Any  # rows of the ring that lie
    honest: int
    sources: int


def crowd_of(shop: Shop, shops: int, rows: int, random: Any) -> Crowd:
    """Draw the visitors of all shops of a row."""
    honest = len(shop.partners) or shop.visitors
    codes = np.zeros((shops, rows), np.int64)
    hours = (np.arange(rows) * 7.0 / rows % 1.0 * 96).astype(int)  # quarters of an hour
    for number in range(shops):
        weights = np.array([0.6, 0.3, 0.1]) if shop.partners else random.pareto(2.0, honest) + 0.3
        if not shop.zones:
            codes[number] = random.choice(honest, rows, p=weights / weights.sum())
            continue
        homes = random.uniform(0, 24, honest)
        for hour in range(96):
            distances = np.abs(homes - hour / 4)
            weights_now = weights * np.exp(-((np.minimum(distances, 24 - distances) / 3) ** 2)) + 1e-12
            now = hours == hour
            codes[number, now] = random.choice(honest, now.sum(), p=weights_now / weights_now.sum())
    factors = np.exp(random.normal(0, shop.spread, (shops, honest)) - shop.spread**2 / 2)
    factors = np.tile(np.array(shop.partners), (shops, 1)) if shop.partners else factors
    factors = np.where(random.random((shops, honest)) < shop.never, 0.0, factors / (1 - shop.never))
    segments = (random.random((shops, honest)) < (shop.segment[0] if shop.segment else 0.0)).astype(int)
    lies, sources = np.zeros((shops, rows), bool), honest
    if shop.ring is not None:
        ring, place = shop.ring, np.arange(rows) / rows
        is_ring = (random.random((shops, rows)) < ring.share) & (place >= ring.first) & (place < ring.last)
        codes = np.where(is_ring, honest + random.integers(0, ring.accounts, (shops, rows)), codes)
        lies, sources = is_ring & (random.random((shops, rows)) < ring.lie), honest + ring.accounts
        factors = np.concatenate([factors, np.ones((shops, ring.accounts))], axis=1)
        segments = np.concatenate([segments, np.zeros((shops, ring.accounts), int)], axis=1)
    return Crowd(codes, factors, segments, lies, honest, sources)


class Samba:
    """SAMBA for many shops at once; rewards of 0 teach nothing."""

    def __init__(self, shops: int, arms: int) -> None:
        self.p, self.every = np.full((shops, arms), 1.0 / arms), np.arange(shops)

    def choose(self, random: Any) -> tuple[Any, Any]:
        """Draw arms; returns them and their probabilities."""
        arms = (random.random(len(self.p))[:, None] > self.p.cumsum(axis=1)[:, :-1]).sum(axis=1)
        return arms, self.p[self.every, arms]

    def learn(self, arms: Any, probabilities: Any, rewards: Any, learns: Any) -> None:
        """Move probability to a leader that paid from all others, or to another arm that paid from the leader."""
        p, every = self.p, self.every
        pays, leader = (rewards > 0) & learns, p.argmax(axis=1)
        rate, cap = 0.05 * rewards / probabilities, 2.0 * probabilities
        others = np.ones(p.shape, bool)
        others[every, leader] = False
        leads = pays & (arms == leader)
        new = np.where(others & leads[:, None], p - rate[:, None] * p * np.minimum(p, cap[:, None]), p)
        movers = np.nonzero(pays & (arms != leader))[0]
        own = p[movers, arms[movers]]
        new[movers, arms[movers]] = own + rate[movers] * own * np.minimum(own, cap[movers])
        new[every, leader] = 1.0 - np.where(others, new, 0.0).sum(axis=1)
        self.p = np.where(pays[:, None], new, p)


class Thompson:
    """Thompson sampling for many shops at once."""

    def __init__(self, shops: int, arms: int) -> None:
        self.counts, self.every = np.ones((2, shops, arms)), np.arange(shops)

    def choose(self, random: Any) -> tuple[Any, Any]:
        """Draw arms; returns them and ones, for their probabilities are not known."""
        return random.beta(*self.counts).argmax(axis=1), np.ones(len(self.every))

    def learn(self, arms: Any, probabilities: Any, rewards: Any, learns: Any) -> None:
        """Count rewards and failures."""
        self.counts[0, self.every, arms] += rewards * learns
        self.counts[1, self.every, arms] += (1 - rewards) * learns


def play(shop: Shop, policy: str, shops: int, rows: int, seed: int) -> tuple[list[RewardLog], Crowd, Any]:
    """Returns the logs of all shops of a row, who came, and the policy at the end."""
    random = np.random.default_rng(seed)
    crowd = crowd_of(shop, shops, rows, random)
    tables = np.array([shop.means, shop.segment[1] if shop.segment else shop.means])
    learner: Any = {"samba": Samba, "thompson": Thompson}[policy](shops, len(shop.means))
    every, best = np.arange(shops), int(np.argmax(shop.means))
    arms, rewards, probabilities = (np.zeros((shops, rows)) for _ in range(3))
    is_learnt, times = np.ones((shops, rows), bool), np.arange(rows) / rows
    season = 1 + shop.rhythm * np.sin(2 * np.pi * (7 * times % 1)) - shop.trend * times
    for row in range(rows):
        arm, probability = learner.choose(random)
        codes = crowd.codes[:, row]
        table = tables[crowd.segments[every, codes]]
        if shop.swap and row > 0.45 * rows:
            table = table[:, [0, 1, 4, 3, 2]]
        mean = table[every, arm] * crowd.factors[every, codes] * season[row]
        reward = (random.random(shops) < np.minimum(mean, 1.0)).astype(float)
        if shop.ring is not None:
            lies, kind = crowd.lies[:, row], shop.ring.kind
            reward = np.where(lies & ((kind == "both") | ((kind == "erase") & (arm == best))), 0.0, reward)
            reward = np.where(lies & (kind != "erase") & (arm == 0), 1.0, reward)
        if shop.missing:
            is_learnt[:, row] = random.random(shops) >= shop.missing
        arms[:, row], rewards[:, row], probabilities[:, row] = arm, reward, probability
        learns = is_learnt[:, row] if not shop.silent else reward > 0  # a sale at once, silence when the window ends
        learner.learn(arm, probability, reward, learns)
        if shop.silent and row >= WINDOW:
            before = row - WINDOW
            old_arms = arms[:, before].astype(int)
            learner.learn(old_arms, probabilities[:, before], rewards[:, before], rewards[:, before] == 0)
    columns = arms.astype(np.int64), probabilities, rewards, crowd.codes, is_learnt
    return [log_of(shop, crowd, *(column[number] for column in columns)) for number in range(shops)], crowd, learner


def log_of(
    shop: Shop, crowd: Crowd, arms: Any, probabilities: Any, rewards: Any, codes: Any, is_learnt: Any
) -> RewardLog:
    """Returns the log of one shop as the audit reads it from a journal."""
    names = (
        *(f"visitor {number}" for number in range(crowd.honest)),
        *(f"ring {number}" for number in range(crowd.sources - crowd.honest)),
    )
    numbers, more = np.arange(len(arms)), {}
    if shop.silent:
        is_silent = rewards == 0
        order = np.argsort(numbers + WINDOW * is_silent, kind="stable")  # rows in the order in which they are learnt
        if shop.silent == "unknown":
            codes = np.where(is_silent, crowd.sources, codes)
        has_asked = np.full(len(arms), shop.silent == "asked")
        more = {"defaulted": is_silent[order], "asked": has_asked, "settled": len(arms) - WINDOW}
    else:
        order = np.nonzero(is_learnt)[0]
    log = rb.Log(arms[order], probabilities[order], rewards[order], numbers=numbers[order])
    return RewardLog(log, ARMS, names, codes[order], **more)


def head(log: RewardLog, rows: int) -> RewardLog:
    """Returns the first rows of a log, as a look at that time would have read them."""
    if rows >= log.rows:
        return log
    columns = {name: column[:rows] for name, column in log.columns.items()}
    parts = {name: None if (part := getattr(log, name)) is None else part[:rows] for name in ("defaulted", "asked")}
    settled = None if log.settled is None else max(rows - 2 * WINDOW, 0)
    return replace(log, log=rb.Log(**columns), codes=log.codes[:rows], settled=settled, **parts)


def look(log: RewardLog, policy: Any, marks: int) -> tuple[list[Any], Any, int | None]:
    """Returns what rings, the belief, and the first row at which evidence for an alarm sufficed."""
    reports = reported_rows(log, log.codes)
    evidence = evidence_of(reports, log.rows, marks, ALARMS)
    rows = [row for one in evidence if one.name in ALARMS and (row := one.alarm(SHARED)) is not None]
    folding = Folding(policy, log.log, log.codes, rb.Setting(len(log.arms), 100_000), threads=1)
    belief = folding.over_time(np.array([log.rows]))[0]
    return find_signals(log, reports, evidence, folding, belief), belief, min(rows, default=None)


@dataclass
class Outcome:
    """What became of one shop."""

    alarm: bool = False
    names: set[str] = field(default_factory=set)  # by an alarm or a notice of the alarms' statistics, at the end
    row: int | None = None
    shift: float = 0.0  # by the whole ring, at the end


def judge(shop: Shop, log: RewardLog, policy: Any, crowd: Crowd) -> Outcome:
    """Look at one shop, as often as it takes; returns its outcome."""
    signals, belief, row = look(log, policy, MARKS)
    outcome = Outcome(row=row)
    outcome.names = {name for signal in signals if signal.statistic in ALARMS for name in signal.subjects}
    outcome.alarm = any(signal.is_alarm for signal in signals)
    if row is not None and not outcome.alarm:
        looks = [row, *(int(share * log.rows) for share in LOOKS[:-1] if share * log.rows > row)]
        outcome.alarm = any(any(one.is_alarm for one in look(head(log, rows), policy, 1)[0]) for rows in looks)
    if shop.ring is not None:
        folding = Folding(policy, log.log, log.codes, rb.Setting(len(log.arms), 100_000), threads=1)
        leader, ring = int(belief.argmax()), np.arange(crowd.honest, crowd.sources)
        reports = reported_rows(log, log.codes)
        outcome.shift = influence_together(folding, reports, ring, leader, float(belief[leader]))
    return outcome


def row_of(shop: Shop, policy: str, shops: int, seed: int, rows: int = ROWS) -> dict[str, Any]:
    """Returns one row of the table."""
    logs, crowd, learner = play(shop, policy, shops, rows, seed)
    own = rb.policy(policy)
    outcomes = [judge(shop, log, own, crowd) for log in logs]
    ring = crowd.sources - crowd.honest
    if policy == "samba" and not shop.silent:
        folding = Folding(own, logs[0].log, logs[0].codes, rb.Setting(len(ARMS), 100_000), threads=1)
        assert np.allclose(folding.state().probabilities, learner.p[0], atol=1e-9), "the shop's SAMBA is another one"
    evidence_rows = [one.row for one in outcomes if one.row is not None]
    hits = [sum(name.startswith("ring") for name in one.names) for one in outcomes]
    return {
        "shop": shop.name,
        "policy": policy,
        "shops": shops,
        "alarms": sum(one.alarm for one in outcomes),
        "evidence": len(evidence_rows),  # shops with a notice at least
        "row": float(np.median(evidence_rows)) if evidence_rows else None,
        "recall": sum(hits) / (ring * shops) if ring else None,
        "innocents": sum(len(one.names) for one in outcomes) - sum(hits),
        "innocent_share": (sum(len(one.names) for one in outcomes) - sum(hits)) / (crowd.honest * shops),
        "matters": sum(abs(one.shift) >= 0.05 for one in outcomes) if ring else None,
    }


LOSSES = (
    ("clean, 1 to 9 % lost by the hour", 0.0, 0, "season"),
    ("clean, 1 % lost", 0.0, 0, "rare"),
    ("clean, 10 to 70 % lost by the hour", 0.0, 0, "heavy"),
    ("1 % of one arm lost besides", 0.01, 0, "season"),
    ("5 % of one arm lost besides", 0.05, 0, "season"),
    ("5 % besides 1 %", 0.05, 0, "rare"),
    ("10 % of one arm lost besides", 0.1, 0, "season"),
    ("30 % of one arm lost besides", 0.3, 0, "season"),
    ("10 % from decision 5,000 on", 0.1, 5000, "season"),
)


def exposure_rows(logs: int, seed: int, rows: int = ROWS) -> Iterator[dict[str, Any]]:
    """Yields the table of exposures: three arms at .2, .3, .5; decisions of the first are lost more often."""
    share, marks = np.array([0.2, 0.3, 0.5]), np.arange(50, rows + 1, 50)
    for name, extra, first, base in LOSSES:
        random, alarm_rows, right = np.random.default_rng(seed), [], 0
        for _ in range(logs):
            arms, numbers = random.choice(3, rows, p=share), np.arange(rows)
            wave = np.sin(numbers / 300)
            loss = {"season": 0.05 + 0.04 * wave, "rare": 0.01 + 0 * wave, "heavy": 0.4 + 0.3 * wave}[base]
            loss = np.where((arms == 0) & (numbers >= first), loss + (1 - loss) * extra, loss)
            is_lost = random.random(rows) < loss
            displays = np.bincount(arms[~is_lost], minlength=3)
            fates = Exposures(numbers[is_lost], arms[is_lost], share[arms[is_lost]], numbers[is_lost], displays)
            courses = np.array(exposures_by_mark(fates, (numbers, arms, share[arms]), marks))
            crossings = np.nonzero(mean_of(courses, 1) >= np.log(20.0))[0]  # alone, at level 5 %
            if len(crossings):
                alarm_rows.append(int(marks[crossings[0]]))
                right += int(courses[crossings[0]].argmax() == 0)
        row = float(np.median(alarm_rows)) if alarm_rows else None
        yield {"loss": name, "logs": logs, "alarms": len(alarm_rows), "row": row, "right_arm": right}


def main() -> None:
    """Print both tables, row by row."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--shops", type=int, default=100)
    parser.add_argument("--logs", type=int, default=200, help="logs per row of the table of exposures")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--policy", action="append", choices=["samba", "thompson"])
    parser.add_argument("--only", default="", help="rows whose name has this in it; exposure: that table alone")
    parser.add_argument("--part", default="0/1", help="this one of so many parts of the rows, such as 0/3")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    rows: list[dict[str, Any]] = []
    start = time.monotonic()
    part, parts = map(int, options.part.split("/"))
    for shop in [one for one in SHOPS if options.only in one.name][part::parts]:
        for policy in options.policy or ["samba", "thompson"]:
            row = row_of(shop, policy, options.shops, options.seed)
            rows.append(row)
            recall = "" if row["recall"] is None else f", recall {row['recall']:.2f}, matters in {row['matters']}"
            print(
                f"{shop.name:52}{policy:10}alarms {row['alarms']:3} of {row['shops']}, evidence {row['evidence']:3}, "
                f"median row {row['row'] or 0:6.0f}{recall}, innocents {row['innocents']} "
                f"({row['innocent_share']:.2%}) [{time.monotonic() - start:.0f} s]",
                flush=True,
            )
    if options.only in ("", "exposure"):
        for row in exposure_rows(options.logs, options.seed):
            rows.append(row)
            print(f"{row['loss']:40}{row['alarms']} of {row['logs']}, median {row['row']}, right {row['right_arm']}")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
