"""One policy as it was measured for advice."""

from dataclasses import dataclass
from typing import Any

from robandit.capability import Capability
from robandit.game import Policy
from robandit.redteam.candidate import Candidate
from robandit.redteam.price import Price

MARGIN = 1.2  # a price is an upper bound on what an attacker needs: the advice leaves room


@dataclass(frozen=True)
class MeasuredPolicy:
    """One policy of the list as it was measured."""

    policy: Policy[Any]
    clean: dict[str, Any]
    learns: bool
    price: Price | None = None  # against a number of forged rewards
    attacked: dict[str, Any] | None = None  # regret under a ring
    best_share: float | None = None  # of the rounds, under a ring
    attack: Candidate | None = None

    def withstands(self, budget: float) -> bool:
        """Whether every block took more than this many forged rewards to fool, with room to spare."""
        assert self.price is not None
        return self.learns and (self.price.low is None or self.price.low >= MARGIN * budget)

    def to_json(self, capability: Capability) -> dict[str, Any]:
        """One row under the names of the contract."""
        return {
            "label": str(self.policy),
            "policy": self.policy.name,
            "parameters": self.policy.parameters(),
            "clean_regret": self.clean,
            "learns": self.learns,
            "price": None if self.price is None else self.price.to_json(),
            "attacked_regret": self.attacked,
            "best_share": self.best_share,
            "attack": None if self.attack is None else self.attack.flags(capability),
        }


def lowest(summary: dict[str, Any]) -> float:
    """The lower end of a 95 % interval."""
    return float(summary["mean"] - (summary["half_width_95"] or 0.0))


def highest(summary: dict[str, Any]) -> float:
    """The upper end of a 95 % interval."""
    return float(summary["mean"] + (summary["half_width_95"] or 0.0))


def with_interval(summary: dict[str, Any]) -> str:
    """A mean with its 95 % interval."""
    half = summary["half_width_95"]
    return f"{summary['mean']:,.0f}" + ("" if half is None else f" ± {half:,.0f}")
