"""What a learner was begun with: the first line of its journal, checked wherever it comes from."""

import math
from dataclasses import asdict, dataclass, fields
from typing import Any

from robandit.errors import InputError
from robandit.online.rules import Rules, read_rules
from robandit.version import __version__

FORMAT = 1
KIND = {"robandit": "journal", "format": FORMAT}
MOST_SEED = 2**128
PATIENCE = 100_000


@dataclass(frozen=True)
class Terms:
    """Everything a state depends on besides the entries that follow."""

    policy: str
    arms: tuple[str, ...]
    seed: int
    horizon: int = 100_000
    corruption: float = 0.0
    low: float = 0.0  # the range of rewards as they are given; inside they are in [0, 1]
    high: float = 1.0
    patience: int = PATIENCE  # decisions after which a reward is not waited for any more
    state: dict[str, Any] | None = None  # a saved state to begin with, in place of a fresh one
    rules: Rules | None = None  # of a service's journal: docket.py reads it by them

    def __post_init__(self) -> None:
        check_names(self.arms)
        for name, least, most in (("seed", 0, MOST_SEED), ("horizon", 1, 10**15), ("patience", 1, 10**9)):
            number = getattr(self, name)
            if isinstance(number, bool) or not isinstance(number, int) or not least <= number <= most:
                raise InputError(f"{name} must be a whole number from {least} to {most:,}, not {number!r}")
        for name in ("corruption", "low", "high"):
            if not is_finite_number(getattr(self, name)):
                raise InputError(f"{name} must be a finite number, not {getattr(self, name)!r}")
            object.__setattr__(self, name, float(getattr(self, name)))
        if self.corruption < 0:
            raise InputError(f"corruption must be at least 0, not {self.corruption:g}")
        if not self.low < self.high or not math.isfinite(self.high - self.low):
            raise InputError(f"the range of rewards must go up, not from {self.low:g} to {self.high:g}")
        if self.rules is not None and self.rules.default is not None:
            self.inside(self.rules.default)

    def header(self) -> dict[str, Any]:
        """The first line of a journal."""
        told = asdict(self)
        low, high, rules = told.pop("low"), told.pop("high"), told.pop("rules")
        told |= {} if rules is None else {"rules": rules}
        return {**KIND, "version": __version__, **told, "arms": list(self.arms), "range": [low, high]}

    def inside(self, value: Any) -> float:
        """A reward as given, as a number in [0, 1]; refused outside its range."""
        low, high = self.low, self.high
        try:
            good = low <= value <= high
        except TypeError:
            good = False
        if not good:
            raise InputError(f"a reward must be a number from {low:g} to {high:g}, not {value!r}")
        return (float(value) - low) / (high - low)


def read_terms(told: Any) -> Terms:
    """Terms from a journal's first line."""
    if not isinstance(told, dict) or told.get("robandit") != "journal":
        raise InputError("this is no journal: its first line does not say so")
    if told.get("format") != FORMAT:
        raise InputError(f"a journal's format must be {FORMAT} here, not {told.get('format')!r}")
    given = {name: value for name, value in told.items() if name not in (*KIND, "version")}
    try:
        low, high = given.pop("range")
        rules = read_rules(given.pop("rules", None))
        return Terms(**{**given, "arms": tuple(given["arms"]), "low": low, "high": high, "rules": rules})
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"a journal's first line cannot be read: {error}") from error


def check_names(arms: Any) -> None:
    """Arms are texts, all different."""
    for name in arms:
        if not isinstance(name, str) or not name:
            raise InputError(f"an arm's name must be text, not {name!r}")
    if not arms:
        raise InputError("arms must name at least one arm, none was given")
    for name in {name for name in arms if arms.count(name) > 1}:
        raise InputError(f"the arm {name!r} is named twice")


def is_finite_number(value: Any) -> bool:
    """Whether a value is a finite number; a truth value is one too."""
    try:
        return math.isfinite(value)
    except (TypeError, OverflowError):
        return False


def check_same(kept: Terms, given: Terms, where: str, but: str) -> None:
    """Refuse to go on with a journal that was begun with other terms; the state it began with is its own matter."""
    for item in fields(Terms):
        old, new = getattr(kept, item.name), getattr(given, item.name)
        if old != new and item.name not in ("state", but):
            raise InputError(f"{where}: it was begun with {item.name} {old!r}, not {new!r}")
