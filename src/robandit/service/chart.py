"""The two charts of an experiment's page and the table beside them: what is believed, and what was shown, over time."""

from datetime import UTC, datetime
from typing import Any

from robandit.service.experiment import Experiment

LINES = 7  # arms that have a line of their own in a chart; the rest is one more
HISTORY = 12  # rows of the table beside a chart


def drawn_arms(count: int, chosen: list[int]) -> list[int]:
    """Returns the arms with a line of their own: those shown most, in their usual order."""
    if count <= LINES + 1:
        return list(range(count))
    return sorted(sorted(range(count), key=lambda place: -chosen[place])[:LINES])


def traffic(points: list[Any]) -> list[tuple[float, int, list[float]]]:
    """Returns the shares of what was shown between points some way apart: what happened, whatever counts today."""
    step = max(1, len(points) // 40)
    shares = []
    for place in range(len(points)):
        time, number, _, chosen = points[place]
        before = points[place - step][3] if place >= step else []
        since = [count - (before[arm] if arm < len(before) else 0) for arm, count in enumerate(chosen)]
        shares.append((time, number, [count / max(sum(since), 1) for count in since]))
    return shares


def describe_chart(one: Experiment) -> dict[str, Any]:
    """Returns two curves per arm: what is believed under what counts today, and what was shown."""
    names, points = one.fold.roster.names, one.tally.points
    places = drawn_arms(len(names), one.tally.chosen)
    rest = len(places) < len(names)

    def columns(curve: list[Any]) -> list[list[float]]:
        shares = [[round(p[arm] if arm < len(p) else 0.0, 4) for _, _, p, *_ in curve] for arm in places]
        if rest:
            shares.append([round(1.0 - sum(column[row] for column in shares), 4) for row in range(len(curve))])
        return shares

    labels = [names[arm] for arm in places] + (["all others"] if rest else [])
    times = [point[0] for point in points]
    believed, traffic_shares = columns(points), columns(traffic(points))
    rows = sorted({round(place * (len(points) - 1) / (HISTORY - 1)) for place in range(HISTORY)}) if points else []
    table = [
        {
            "time": moment(times[row])["clock"],
            "decisions": f"{points[row][1]:,}",
            "believed": [percent(column[row]) for column in believed],
            "shown": [percent(column[row]) for column in traffic_shares],
        }
        for row in rows
    ]
    return {
        "labels": labels,
        "decisions": [point[1] for point in points],
        "believed": believed,
        "shown": traffic_shares,
        "explicit": one.policy.explicit,
        "table": table,
    }


def moment(seconds: float) -> dict[str, str]:
    """Returns a time for people and for machines."""
    time = datetime.fromtimestamp(seconds, UTC)
    return {"clock": f"{time:%Y-%m-%d %H:%M:%S} UTC", "iso": f"{time:%Y-%m-%dT%H:%M:%SZ}"}


def percent(share: float | None) -> str:
    """Returns a share for people."""
    return "" if share is None else f"{100 * share:.1f} %"
