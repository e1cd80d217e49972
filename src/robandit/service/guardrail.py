"""A second metric beside the reward, such as latency or refunds, with a limit that its mean must not exceed.

Each arm has bettors against "the mean of this arm's reports is at most the limit". A bettor with the stake c owns,
after a report x, (1 + c (x - limit) / limit) times what they owned before; x and the limit are counted from the lowest
value there is. While the hypothesis holds, their mean wealth ever reaches K/level with probability at most level/K,
however often one looks and however arms are chosen (Ville 1939; Waudby-Smith & Ramdas 2024). So with the K arms of the
beginning learning is ever stopped falsely with probability at most `level`; an arm that is added later adds level/K.
"""

import math
from typing import Any

import msgspec

from robandit.errors import InputError
from robandit.online.standing import Entry

STAKES = (0.02, 0.05, 0.1, 0.2, 0.4, 0.7)
WAITS = 50_000  # a decision's report is taken until so many more were made


class GuardrailTerms(msgspec.Struct, forbid_unknown_fields=True):
    """A second metric: its name, the limit of its mean, the smallest and largest value, and the level of the test."""

    name: str
    limit: float
    low: float = 0.0
    high: float = 1.0
    level: float = 0.01

    def __post_init__(self) -> None:
        """Raises ValueError for what cannot be."""
        if not 1 <= len(self.name) <= 200:
            raise ValueError(f"a guardrail's name must have 1 to 200 letters, not {len(self.name)}")
        if not all(math.isfinite(value) for value in (self.limit, self.low, self.high)):
            raise ValueError("a guardrail's limit, low and high must be finite numbers")
        if not self.low < self.limit < self.high:
            raise ValueError(
                f"a guardrail's limit must be above {self.low:g} and below {self.high:g}, not {self.limit:g}"
            )
        if not 1e-9 <= self.level <= 0.5:
            raise ValueError(f"a guardrail's level must be a number from 1e-9 to 0.5, not {self.level:g}")


class Guardrail:
    """The reports of one experiment so far, and the evidence of each arm; its fields are those of the snapshots."""

    __slots__ = ("count", "logs", "over", "sums", "terms", "threshold", "tripped", "waiting")

    def __init__(self, terms: GuardrailTerms, arms: int) -> None:
        self.terms = terms
        self.threshold = math.log(arms / terms.level)  # of the logarithm of the wealth
        self.waiting: dict[int, int] = {}  # decisions without a report, and their arms
        self.count: list[int] = []  # reports by arm
        self.sums: list[float] = []
        self.logs: list[list[float]] = []  # the bettors' wealth by arm and stake
        self.over: list[int] = []  # arms whose evidence sufficed
        self.tripped: list[int] = []  # those of them for which learning was stopped
        self.widen(arms)

    def widen(self, arms: int) -> None:
        """Make room for so many arms."""
        more = range(arms - len(self.count))
        self.count.extend(0 for _ in more)
        self.sums.extend(0.0 for _ in more)
        self.logs.extend([0.0] * len(STAKES) for _ in more)

    def apply(self, entry: Entry, index: dict[str, int]) -> None:
        """Take a line of the journal: a decision, a report, or learning that was stopped because of one."""
        kind = entry["entry"]
        if kind == "decide":
            self.open(entry["id"], index[entry["arm"]])
        elif kind == "guardrail":
            self.take(entry["id"], entry["value"])
        elif kind == "breaker" and "guardrail" in entry.get("why", ()):
            self.tripped += [index[name] for name in entry["why"]["arms"]]

    def open(self, number: int, arm: int) -> None:
        """A decision was made."""
        self.widen(arm + 1)
        self.waiting[number] = arm
        self.waiting.pop(number - WAITS, None)

    def take(self, number: int, value: float) -> None:
        """A decision's report. Raises InputError for one that is not waited for."""
        if number not in self.waiting:
            raise InputError(f"decision {number!r} does not wait for a report of {self.terms.name}")
        arm, terms = self.waiting.pop(number), self.terms
        self.count[arm] += 1
        self.sums[arm] += value
        gain = (value - terms.limit) / (terms.limit - terms.low)
        logs = self.logs[arm] = [
            log + math.log1p(stake * gain) for log, stake in zip(self.logs[arm], STAKES, strict=True)
        ]
        if log_mean(logs) >= self.threshold and arm not in self.over:
            self.over.append(arm)

    def evidence(self, arm: int) -> float:
        """Returns the mean wealth of an arm's bettors, which began with 1."""
        return math.exp(min(log_mean(self.logs[arm]), 700.0))

    @property
    def due(self) -> list[int]:
        """Returns the arms above the limit for which learning was not stopped yet."""
        return [arm for arm in self.over if arm not in self.tripped]

    def as_json(self) -> dict[str, Any]:
        """Returns plain values."""
        values = {name: getattr(self, name) for name in ("count", "sums", "logs", "over", "tripped")}
        return {**values, "waiting": list(self.waiting.items())}

    def load(self, values: dict[str, Any]) -> None:
        """Return to the values of `as_json`."""
        for name in ("count", "sums", "logs", "over", "tripped"):
            setattr(self, name, values[name])
        self.waiting = dict(values["waiting"])


def log_mean(logs: list[float]) -> float:
    """Returns the logarithm of the mean of numbers, from their logarithms."""
    most = max(logs)
    return most + math.log(math.fsum(math.exp(log - most) for log in logs) / len(logs))
