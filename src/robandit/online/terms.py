"""What a learner was begun with: the first line of its journal, checked wherever it comes from."""

import math
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, TypedDict, Unpack

from robandit.errors import InputError
from robandit.online.features import Features, features_from
from robandit.online.rules import FIRST, Rules, read_rules
from robandit.version import __version__

FORMAT = 1
KIND = {"robandit": "journal", "format": FORMAT}
MOST_SEED = 2**128
PATIENCE = 100_000
MOST_REWARD = 1e100  # beyond it sums of rewards may not be finite
ONLY, PREFER = "only", "prefer"


@dataclass(frozen=True)
class Terms:
    """Everything a state depends on besides the entries that follow."""

    policy: str
    arms: tuple[str, ...]
    seed: int
    horizon: int = 100_000
    corruption: float = 0.0
    low: float = 0.0  # the range of rewards outside; inside they are in [0, 1]
    high: float = 1.0
    patience: int = PATIENCE  # decisions after which a reward is not waited for any more
    state: dict[str, Any] | None = None  # a saved state to begin with, in place of a fresh one
    rules: Rules | None = None  # of a service's journal: docket.py reads it by them
    features: Features | None = None  # of whoever comes: a context has values of these
    arm_features: Features | None = None  # of the arms themselves
    arm_values: dict[str, Any] | None = None  # ... and their values, by arm
    # what verified rewards mean to a policy that does not ask for them: only they are learnt, or (prefer) one replaces
    # the unverified reward of its decision; None: whichever comes first is learnt
    verified: str | None = None

    def __post_init__(self) -> None:
        check_names(self.arms)
        object.__setattr__(self, "features", features_from(self.features))
        object.__setattr__(self, "arm_features", features_from(self.arm_features, "arm_features"))
        self.check_arm_values()
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
        self.check_verified()

    @property
    def takes_back(self) -> bool:
        """Whether an unverified reward is learnt at once, and taken back when a verified one comes."""
        return self.verified == PREFER and (self.rules is None or self.rules.hold == 0.0)

    def check_verified(self) -> None:
        """The rule about verified rewards is known and fits the other rules; raises InputError."""
        if self.verified not in (None, ONLY, PREFER):
            raise InputError(f"verified must be {ONLY} or {PREFER}, not {self.verified!r}")
        if self.verified is None or self.rules is None:
            return
        if self.rules.aggregate != FIRST:
            raise InputError(f"verified {self.verified!r} needs the aggregate {FIRST}, not {self.rules.aggregate}")
        if self.verified == ONLY and self.rules.default is not None:
            raise InputError(f"verified {ONLY!r} cannot go with a default: nobody verified what nobody reported")

    def check_arm_values(self) -> None:
        """Each arm has values of the declared features, and none has any otherwise; raises InputError."""
        names = set(self.arms) if self.arm_features is not None else set[str]()
        values = self.arm_values or {}
        if not isinstance(values, dict) or set(values) != names:
            wanted = f"values for {', '.join(self.arms)}" if names else "none, for no arm_features are declared"
            raise InputError(f"arm_values must have {wanted}, not {values!r}")
        self.rows_of_arms()

    def rows_of_arms(self) -> list[list[float]]:
        """Return the features of the first arms as numbers; empty where arms have none."""
        if self.arm_features is None or self.arm_values is None:
            return []
        return [self.arm_features.encode(self.arm_values[name], "arm") for name in self.arms]

    def header(self) -> dict[str, Any]:
        """Return the first line of a journal; what is not used is not in it."""
        values = {**vars(self)}
        low, high = values.pop("low"), values.pop("high")
        for name in ("rules", "features", "arm_features", "arm_values", "verified"):
            value = values.pop(name)
            if value is not None:
                values[name] = value if name in ("arm_values", "verified") else value.as_json()
        return {**KIND, "version": __version__, **values, "arms": list(self.arms), "range": [low, high]}

    def inside(self, value: Any) -> float:
        """Return a reward as a number in [0, 1]; raises InputError outside its range."""
        low, high = self.low, self.high
        try:
            good = low <= value <= high
        except TypeError:
            good = False
        if not good:
            raise InputError(f"a reward must be a number from {low:g} to {high:g}, not {value!r}")
        return (float(value) - low) / (high - low)


class LearnerTerms(TypedDict, total=False):
    """What a learner is begun with besides its policy and its arms."""

    seed: int | None
    horizon: int
    corruption: float
    reward_range: tuple[float, float]
    patience: int
    features: Mapping[str, Sequence[Any]] | None  # {"age": [18, 99], "device": ["phone", "desktop"]}
    arm_features: Mapping[str, Sequence[Any]] | None
    arm_values: Mapping[str, Mapping[str, Any]] | None
    verified: str | None  # only or prefer


def make_terms(policy: str, arms: Sequence[str], **options: Unpack[LearnerTerms]) -> Terms:
    """Return the terms of a learner; without a seed it gets a fresh one that nobody can guess."""
    usual: LearnerTerms = {"seed": None, "horizon": 100_000, "corruption": 0.0, "patience": PATIENCE}
    values: dict[str, Any] = {**usual, "reward_range": (0.0, 1.0), **options}
    reward_range = values.pop("reward_range")
    if isinstance(arms, str) or isinstance(reward_range, str) or len(reward_range) != 2:
        raise InputError(f"arms must be a list of names and reward_range two numbers, not {arms!r}, {reward_range!r}")
    if values["seed"] is None:
        values["seed"] = secrets.randbits(64)
    low, high = check_range(*reward_range)
    if values.get("arm_values") is not None:
        values["arm_values"] = {name: dict(own) for name, own in values["arm_values"].items()}
    return Terms(policy, tuple(arms), **values, low=low, high=high)


def check_range(low: Any, high: Any) -> tuple[Any, Any]:
    """Return the range of a new learner's rewards; raises InputError where their sums might not be finite."""
    for bound in (low, high):
        if is_finite_number(bound) and not -MOST_REWARD <= bound <= MOST_REWARD:
            raise InputError(f"reward_range must lie between -{MOST_REWARD:g} and {MOST_REWARD:g}, not at {bound:g}")
    return low, high


def read_terms(header: Any) -> Terms:
    """Return the terms in a journal's first line; raises InputError if it is none."""
    if not isinstance(header, dict) or header.get("robandit") != "journal":
        raise InputError("this is no journal: its first line does not say so")
    if header.get("format") != FORMAT:
        raise InputError(f"a journal's format must be {FORMAT} here, not {header.get('format')!r}")
    values = {name: value for name, value in header.items() if name not in (*KIND, "version")}
    try:
        low, high = values.pop("range")
        rules = read_rules(values.pop("rules", None))
        return Terms(**{**values, "arms": tuple(values["arms"]), "low": low, "high": high, "rules": rules})
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


def check_same(begun: Terms, wanted: Terms, where: str, but: str) -> None:
    """Refuse to go on with a journal that was begun with other terms; the state it began with is its own matter."""
    for item in fields(Terms):
        old, new = getattr(begun, item.name), getattr(wanted, item.name)
        if old != new and item.name not in ("state", but):
            raise InputError(f"{where}: it was begun with {item.name} {old!r}, not {new!r}")
