"""A table's rows counted up mark by mark, so that each statistic of evidence.py is looked at over time."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from robandit.forensics.evidence import (
    CALIBRATION,
    SHARES,
    WINDOWS,
    Evidence,
    bursts,
    delays,
    mean_of,
    rates,
    selection,
)
from robandit.forensics.tables import Codes, Table
from robandit.game import Floats

LOOKS = 100  # marks at which the evidence is shown; fewer where there are very many sources
NUMBERS = 2 * 10**7  # worked out for all marks together


def all_evidence(table: Table, codes: Codes, looks: int | None = None) -> list[Evidence]:
    """Every statistic that the table's columns allow, looked at so often; rows whose code is below 0 are left out."""
    columns = table.log.columns()
    sources, arms = len(table.sources), len(table.arms)
    rows = np.nonzero(columns["rewarded"] & (codes >= 0))[0]
    if sources < 2 or len(rows) == 0:
        return []
    count = looks or max(1, min(LOOKS, NUMBERS // (sources * arms)))
    marks = np.unique(np.linspace(0, table.rows, count + 1).round().astype(np.int64)[1:])
    given = {name: column[rows] for name, column in columns.items()}
    given |= {"rows": rows, "codes": codes[rows]}
    found = [over_time("rate", marks, rates_by_mark(given, marks, sources, arms))]
    if not np.isnan(given["probabilities"]).any() and given["probabilities"].min() < 1.0:
        found.append(over_time("selection", marks, selection_by_mark(given, marks, sources, arms)))
    found.append(over_time("bursts", marks, bursts_by_mark(given, marks, sources)))
    if table.delays is not None:
        given["delays"] = table.delays[rows]
        told = delays_by_mark(given, marks, sources)
        found += [over_time("delays", marks, told)] if told else []
    return found


def over_time(name: str, marks: Codes, logs: list[Floats]) -> Evidence:
    """One statistic from its e-values at each mark."""
    everyone = np.array([mean_of(one, 0) for one in logs])
    return Evidence(name, marks.astype(np.float64), logs[-1], everyone)


def pieces(rows: Codes, marks: Codes) -> Iterator[slice]:
    """The rows that came since the last mark, for each mark."""
    ends = np.searchsorted(rows, marks)
    for first, last in zip([0, *ends[:-1]], ends, strict=True):
        yield slice(first, last)


def counted(places: Any, size: int, weights: Any = None) -> Floats:
    """How many rows, or how much of something, fell on each place."""
    return np.bincount(places, weights, size)[:size].astype(np.float64)


def rates_by_mark(given: dict[str, Any], marks: Codes, sources: int, arms: int) -> list[Floats]:
    """Rewards by source and arm; rows of unknown sources count among all."""
    sums, pulls = np.zeros((2, (sources + 1) * arms))
    found = []
    for piece in pieces(given["rows"], marks):
        places = given["codes"][piece] * arms + given["arms"][piece]
        pulls += counted(places, len(pulls))
        sums += counted(places, len(sums), given["rewards"][piece])
        by_arm = [total.reshape(-1, arms) for total in (sums, pulls)]
        found.append(rates(by_arm[0][:-1], by_arm[1][:-1], by_arm[0].sum(axis=0), by_arm[1].sum(axis=0)))
    return found


def selection_by_mark(given: dict[str, Any], marks: Codes, sources: int, arms: int) -> list[Floats]:
    """What bettors on each arm gained while each source reported."""
    shares = np.array(SHARES)
    pulls, gains = np.zeros((sources + 1) * arms), np.zeros((len(shares), (sources + 1) * arms))
    found = []
    for piece in pieces(given["rows"], marks):
        places = given["codes"][piece] * arms + given["arms"][piece]
        pulls += counted(places, len(pulls))
        for stake, gain in zip(shares, gains, strict=True):
            gain += counted(places, len(gain), np.log1p(stake * (1.0 / given["probabilities"][piece] - 1.0)))
        found.append(selection(pulls.reshape(-1, arms)[:-1], gains.reshape(len(shares), -1, arms)[:, :-1]))
    return found


def bursts_by_mark(given: dict[str, Any], marks: Codes, sources: int) -> list[Floats]:
    """How often a source reported within a few rows of its last report, and how many such rows there were."""
    codes, windows = given["codes"], np.array(WINDOWS)[:, None]
    order = np.argsort(codes, kind="stable")
    gaps = np.zeros(len(codes), np.int64)
    same = codes[order][1:] == codes[order][:-1]
    gaps[order[1:]] = np.where(same, np.diff(order), 0)
    reports, last = np.zeros(sources), np.full(sources, -1, np.int64)
    again, closed = np.zeros((2, len(WINDOWS), sources))
    found = []
    for piece in pieces(given["rows"], marks):
        code, gap = codes[piece], gaps[piece]
        reports += counted(code, sources)
        for place, window in enumerate(WINDOWS):
            again[place] += counted(code[(gap > 0) & (gap <= window)], sources)
            closed[place] += counted(code, sources, np.minimum(gap, window))
        known = code < sources
        last[code[known]] = np.arange(piece.start, piece.stop)[known]
        opened = np.where(last >= 0, np.minimum(piece.stop - 1 - last, windows), 0)
        found.append(bursts(reports, again, closed + opened, float(piece.stop)))
    return found


def delays_by_mark(given: dict[str, Any], marks: Codes, sources: int) -> list[Floats]:
    """How often a source's reports came later than the median of the first ones."""
    known = ~np.isnan(given["delays"])
    waits, codes, rows = given["delays"][known], given["codes"][known], given["rows"][known]
    if len(waits) <= 2 * CALIBRATION or waits.min() == waits.max():
        return []
    late = (waits > np.median(waits[:CALIBRATION])).astype(np.float64)
    late, codes, rows = late[CALIBRATION:], codes[CALIBRATION:], rows[CALIBRATION:]
    counts = np.zeros((2, sources + 1))
    found = []
    for piece in pieces(rows, marks):
        counts[0] += counted(codes[piece], sources + 1, late[piece])
        counts[1] += counted(codes[piece], sources + 1, 1.0 - late[piece])
        found.append(delays(counts[0], counts[1])[:-1])
    return found
