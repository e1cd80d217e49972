"""Rules of a service's journal: how long a reward is waited for, which rewards count, and how they add up."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from robandit.errors import InputError, is_number, unknown

FIRST, SUM, MAX = "first", "sum", "max"
AGGREGATES = (FIRST, SUM, MAX)
DAY = 86_400.0


@dataclass(frozen=True)
class Rules:
    """What a service asks of rewards; times are seconds, on the clock of the journal's entries."""

    window: float | None = None  # a reward that comes later than this after its decision is refused
    default: float | None = None  # learnt when the window ends and none has come; in the range of rewards
    # a reward is learnt so long after it came and could count (it was displayed, the window of its sum has ended), and
    # not at all if its source is caught meanwhile
    hold: float = 0.0
    aggregate: str = FIRST  # what counts: the first report, or the sum or the largest of all within the window
    activation: bool = False  # a decision counts only once it was reported as displayed
    cap: int | None = None  # rewards of one source that are learnt in a day; those without a source are one
    token_cap: int | None = None  # the same for all sources behind one token (what stands before the first /)
    holdout: float = 0.0  # a share of decisions drawn uniformly, of which nothing is learnt
    sticky: bool = False  # a unit that comes back within the window gets the decision it had

    def __post_init__(self) -> None:
        for name, least, most in (("window", 0.001, 1e9), ("hold", 0.0, 1e9), ("holdout", 0.0, 1.0)):
            number = getattr(self, name)
            if number is not None and not (is_number(number) and least <= number <= most):
                raise InputError(f"{name} must be a number from {least:g} to {most:g}, not {number!r}")
        for name in ("cap", "token_cap"):
            number = getattr(self, name)
            if number is not None and not (type(number) is int and 0 <= number <= 10**9):
                raise InputError(f"{name} must be a whole number from 0 to 1,000,000,000, not {number!r}")
        for name in ("activation", "sticky"):
            if type(getattr(self, name)) is not bool:
                raise InputError(f"{name} must be true or false, not {getattr(self, name)!r}")
        if self.aggregate not in AGGREGATES:
            raise unknown("aggregate", str(self.aggregate), AGGREGATES)
        for name, needs_window in (("default", self.default is not None), ("aggregate", self.aggregate != FIRST)):
            if needs_window and self.window is None:
                raise InputError(f"{name} {getattr(self, name)!r} needs a window, at whose end it is settled")

    def as_json(self) -> dict[str, Any]:
        """Return plain values for a journal's first line."""
        return asdict(self)


def read_rules(values: Any) -> Rules | None:
    """Return rules from plain values; raises InputError if they are none."""
    if values is None or isinstance(values, Rules):
        return values
    names = [item.name for item in fields(Rules)]
    if not isinstance(values, dict):
        raise InputError(f"rules must be an object with {', '.join(names)}, not {values!r}")
    for name in values:
        if name not in names:
            raise unknown("rule", str(name), names)
    return Rules(**values)
