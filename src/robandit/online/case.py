"""A decision that is not settled yet: what was reported about it so far."""

from math import inf
from typing import Any

from robandit.online.standing import Entry

NO_REWARD: Entry = {"source": None}


class Case:
    """A decision that is not settled yet."""

    __slots__ = (
        *("active", "arm", "asker", "check", "claimed", "count", "ends", "entry", "learns", "line", "parts", "proof"),
        *("reward", "token"),
    )
    parts: dict[str, tuple[int, float, str | None]] | None  # by their ids: line, value, source

    def __init__(self, arm: int, learns: bool, active: bool, token: str, count: int, asker: str | None) -> None:
        self.arm, self.learns, self.active, self.ends = arm, learns, active, inf
        self.token, self.count = token, count  # who asked for it ("": no token), and how many it had asked for before
        self.asker = asker  # the source that the decision named
        self.line, self.reward, self.entry = 0, 0.0, NO_REWARD  # line 0: no reward yet
        self.parts = None
        self.check = False  # the policy asked for a verified reward
        self.claimed = False  # the target has the unverified reward, and the verified one is waited for
        self.proof: tuple[int, float, Entry] | None = None  # line, reward and entry of the verified one

    def as_list(self) -> list[Any]:
        """Return plain values."""
        source, time = self.entry["source"], self.entry.get("time")
        ends = None if self.ends == inf else self.ends
        report = [self.line, self.reward, source, time, self.parts]
        proof = None
        if self.proof is not None:
            line, reward, entry = self.proof
            proof = [line, reward, entry["source"], entry.get("time")]
        checks = [self.check, self.claimed, proof]
        return [self.arm, self.learns, self.active, self.token, self.count, ends, *report, self.asker, *checks]

    @classmethod
    def from_list(cls, values: list[Any]) -> "Case":
        """Return the case whose `as_list` these values are."""
        arm, learns, active, token, count, ends, line, reward, source, time, parts, asker, *checks = values
        case = cls(arm, learns, active, token, count, asker)
        case.ends = inf if ends is None else ends
        case.line, case.reward, case.entry = line, reward, {"source": source, "time": time}
        case.parts = None if parts is None else {name: tuple(part) for name, part in parts.items()}
        case.check, case.claimed, proof = checks
        if proof is not None:
            case.proof = (*proof[:2], {"source": proof[2], "time": proof[3], "verified": True})
        return case
