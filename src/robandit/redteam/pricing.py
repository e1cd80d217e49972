"""A plan of prices carried out: every policy on every environment against every attacker, with the front of each."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from robandit.lab.comparison import shape_record
from robandit.lab.scenario import Scenario
from robandit.progress import Progress, ignore, part_of, report_to
from robandit.redteam.candidate import Candidate
from robandit.redteam.elsewhere import answer_elsewhere
from robandit.redteam.evaluate import Evaluator, journal_for
from robandit.redteam.frontier import Attacker, FrontierSpec, PolicyVariant, TitledEnvironment
from robandit.redteam.plain import scenario_text
from robandit.redteam.price import (
    Price,
    PriceOptions,
    attack_price,
    check_pricing,
    planned_runs,
    pricing_attacks,
)
from robandit.store.journal import Journal
from robandit.version import __version__


@dataclass(frozen=True)
class PolicyPrice:
    """One policy's price against one attacker on one environment."""

    attacker: Attacker
    environment: TitledEnvironment
    variant: PolicyVariant
    scenario: Scenario
    price: Price

    def notes(self) -> list[str]:
        """What a price does not say by itself."""
        price, remarks = self.price, list[str]()
        missed = sum(block is None for block in price.blocks)
        if not price.learns:
            wrong = {
                "share": "plays the best arm in fewer than half of the rounds",
                "regret": "has more than half of the runner-up's regret",
            }
            remarks.append(f"{wrong[price.fooled]} without any attack: no price, there is nobody to fool")
        elif missed:
            blocks = len(price.blocks)
            where = f"on {blocks - missed} of {blocks} blocks only" if missed < blocks else "on no block"
            remarks.append(f"fooled {where}, whatever the attack {'owns' if price.unit == 'share' else 'spends'}")
        if hasattr(self.scenario.policy, "corruption"):
            remarks.append(f"assumes C = {self.scenario.policy.corruption:g}, with and without an attack")
        return remarks

    def to_json(self, on_front: bool) -> dict[str, Any]:
        """One row under the names of the contract."""
        policy, price = self.scenario.policy, self.price
        return {
            "attacker": self.attacker.to_json(),
            "environment": {
                "name": self.environment.name,
                "title": self.environment.title,
                "means": list(self.environment.environment.means),
            },
            "horizon": self.environment.horizon,
            "policy": policy.name,
            "label": str(policy),
            "line": self.variant.line,
            "parameters": policy.parameters(),
            "fidelity": policy.about.fidelity,
            "attack": price.attack.flags(self.attacker.capability),
            "clean_regret": price.clean,
            "checks": price.checks,
            "learns": price.learns,
            "spending": price.spending,
            "price": price.to_json(),
            "limit": price.limit,
            "front": on_front,
            "blocks": list(price.blocks),
            "by_attack": {attack.flags(): cost for attack, cost in price.by_attack.items()},
            "notes": self.notes(),
        }


@dataclass(frozen=True)
class PricingTask:
    """One price that is still to be found, checked already."""

    attacker: Attacker
    environment: TitledEnvironment
    variant: PolicyVariant
    evaluator: Evaluator
    attacks: list[Candidate]
    options: PriceOptions

    @property
    def runs(self) -> int:
        """About how many runs it takes."""
        return planned_runs(len(self.attacks), self.evaluator.scenario.runs, self.options.blocks)

    @property
    def rounds(self) -> int:
        """About how many rounds it takes: what its share of the work is measured by."""
        return self.runs * self.environment.horizon

    @property
    def label(self) -> str:
        """What is priced, in a few words."""
        return f"{self.variant.policy} on {self.environment.title.partition(':')[0]}, {self.attacker.title}"

    def run(self, progress: Progress) -> PolicyPrice:
        """Find the price."""
        self.evaluator.progress = progress
        price = attack_price(self.evaluator, self.attacks, self.options)
        return PolicyPrice(self.attacker, self.environment, self.variant, self.evaluator.scenario, price)


@dataclass(frozen=True)
class PricePlan:
    """What is priced: the policies, environments and attackers of a frontier, and how each price is found."""

    spec: FrontierSpec
    attack: Candidate | None = None  # this one only; else the cheapest of all
    search: int = 0
    fooled: str = "share"
    terms: dict[str, Any] = field(default_factory=dict)  # of every scenario: seed, agents, slate, catalogue
    undetected: float | None = None  # the level of a homogeneity test that must not ring

    def tasks(self, out: str | Path | None = None, threads: int | None = None) -> list[PricingTask]:
        """One task per attacker, environment and policy; raises InputError for what has no price."""
        spec, tasks, journals = self.spec, list[PricingTask](), dict[str, Journal]()
        for attacker in spec.attackers:
            limits = attacker.threat, spec.blocks, attacker.unit, attacker.budget
            options = PriceOptions(*limits, self.search, spec.tolerance, self.fooled)
            for place in spec.environments:
                terms = {**self.terms, "runs": spec.runs, "horizon": place.horizon, "capability": attacker.capability}
                for variant in spec.policies:
                    scenario = Scenario(variant.policy, place.environment, **terms)
                    steady = self.undetected is not None
                    attacks = [self.attack] if self.attack else pricing_attacks(scenario, attacker.threat, steady)
                    name = f"{attacker.threat} {scenario_text(scenario)}"
                    journals[name] = journals.get(name) or journal_for(scenario, out, f"price-{attacker.threat}")
                    evaluator = Evaluator(scenario, journals[name], threads, undetected=self.undetected)
                    check_pricing(evaluator, attacks, options)
                    tasks.append(PricingTask(attacker, place, variant, evaluator, attacks, options))
        return tasks


@dataclass(frozen=True)
class Prices:
    """All prices of a plan, in the order of its attackers, environments and policies."""

    plan: PricePlan
    rows: list[PolicyPrice]

    def to_json(self) -> dict[str, Any]:
        """The prices under the names of the contract; what differs from row to row is null at the top."""
        from robandit.redteam.dominance import fronts

        spec, front = self.plan.spec, fronts(self.rows)
        attackers = [attacker.to_json() for attacker in spec.attackers]
        only = attackers[0] if len(attackers) == 1 else dict.fromkeys(attackers[0])
        horizons = {place.horizon for place in spec.environments}
        return {
            "version": __version__,
            **{name: only[name] for name in ("threat", "capability", "budget")},
            "horizon": next(iter(horizons)) if len(horizons) == 1 else None,
            **shape_record(self.rows[0].scenario),
            "fooled": self.plan.fooled,
            "undetected": self.plan.undetected,
            "runs": spec.runs,
            "blocks": spec.blocks,
            "tolerance": spec.tolerance,
            "seed": self.rows[0].scenario.seed,
            "results": [row.to_json(number in front) for number, row in enumerate(self.rows)],
        }


def price_elsewhere(tasks: list[PricingTask], scheduler: str | None, progress: Progress = ignore) -> None:
    """Have the workers of a Dask scheduler, if one is given, play what the prices need."""
    questions = [(task.evaluator, (task.attacks, task.options)) for task in tasks]
    answer_elsewhere(attack_price, questions, scheduler, progress)


def find_prices(
    plan: PricePlan,
    *,
    out: str | Path | None = None,
    threads: int | None = None,
    scheduler: str | None = None,
    progress: Progress | bool | None = None,
) -> Prices:
    """Find every price of a plan; `out` is a folder that remembers what was played.

    They are found one after another on threads, or side by side on the workers of a Dask scheduler.
    """
    tasks, rows, done = plan.tasks(out, threads), list[PolicyPrice](), 0
    total = sum(task.rounds for task in tasks)
    with report_to(progress) as report:
        price_elsewhere(tasks, scheduler, report)
        for task in tasks:
            rows.append(task.run(part_of(report, done / total, (done + task.rounds) / total)))
            done += task.rounds
    return Prices(plan, rows)
