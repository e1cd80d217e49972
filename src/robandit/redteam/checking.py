"""What verified rewards buy: a policy that learns from those alone, and up to which cost of a check it is cheaper.

What nobody verified does not move it, so it is measured without an attack, whoever the attacker is.
"""

from dataclasses import dataclass, replace
from typing import Any

from robandit.estimates import summarise
from robandit.lab.comparison import mean_checks
from robandit.lab.scenario import Scenario
from robandit.redteam.evaluate import Evaluator, Play
from robandit.redteam.measured import MeasuredPolicy, with_interval

ASKING = "verified-thompson"
RUNS = 24


@dataclass(frozen=True)
class Checking:
    """The policy that asks for checks, as it was measured, beside the one that is advised."""

    policy: str
    regret: dict[str, Any]
    checks: dict[str, float | None]  # per run
    horizon: int
    instead_of: str | None  # the policy that is advised; None where none is
    instead_regret: float | None  # its regret, under attack where that was measured
    changes: bool = False  # the means change by themselves, and it never forgets

    @property
    def worth(self) -> float | None:
        """Up to which cost of a check, in rewards, it is the cheaper way; None where nothing else is advised."""
        if self.instead_regret is None:
            return None
        return float(max(self.instead_regret - self.regret["mean"], 0.0) / max(self.checks["mean"] or 0.0, 1.0))

    @property
    def reason(self) -> str:
        """The same in words."""
        share = 100 * (self.checks["mean"] or 0.0) / self.horizon
        said = (
            f"If rewards can be verified: {self.policy} asks for {self.checks['mean']:,.0f} checks ({share:.1f} % of "
            f"the rounds), learns from those alone, and has a regret of {with_interval(self.regret)} whatever is "
            "forged of the rest"
        )
        if self.changes:
            return f"{said}. It never forgets, so it suits a world that does not change."
        if self.worth is None:
            return f"{said}."
        if self.worth == 0.0:
            return f"{said}; {self.instead_of} has no more, without a check."
        limit = f"while a check costs less than {self.worth:.2g} of a reward"
        return f"{said}. That is cheaper than {self.instead_of} {limit}."

    def to_json(self) -> dict[str, Any]:
        """Everything it rests on."""
        names = ("policy", "regret", "checks", "instead_of", "instead_regret", "worth", "reason")
        return {name: getattr(self, name) for name in names}


def measure_checking(scenario: Scenario, advised: MeasuredPolicy | None, threads: int | None = None) -> Checking:
    """Play the policy that asks for checks, without an attack, beside the one that is advised."""
    asking = replace(scenario, policy=scenario.catalogue.policy(ASKING))
    outcome = Evaluator(asking, threads=threads).outcome(Play(None, 0.0, scenario.seed, RUNS))
    cost = None if advised is None else float((advised.attacked or advised.clean)["mean"])
    return Checking(
        ASKING,
        summarise(outcome["regret"]),
        mean_checks(outcome["checks"]),
        scenario.horizon,
        None if advised is None else str(advised.policy),
        cost,
        scenario.environment.changes,
    )
