"""The two questions in one call each, for Python: the worst attack within a budget, and the price of a policy."""

from collections.abc import Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, Unpack

from robandit.adversaries.nobody import Nobody
from robandit.errors import InputError
from robandit.executor import open_executor
from robandit.game import Environment, Policy
from robandit.lab.scenario import Scenario, ScenarioTerms
from robandit.progress import Progress, report_to
from robandit.redteam import PRICE_RUNS
from robandit.redteam.candidate import Candidate
from robandit.redteam.elsewhere import answer_elsewhere
from robandit.redteam.evaluate import Evaluator, journal_for
from robandit.redteam.frontier import with_assumed_corruption
from robandit.redteam.price import Price, PriceOptions, attack_price, check_pricing, pricing_attacks
from robandit.redteam.search import AttackFinding, SearchOptions, worst_attack


class SearchTerms(ScenarioTerms, total=False):
    """The rest of a scenario, and the fields of `SearchOptions`."""

    threat: str
    evaluations: int
    quick: bool
    undetected: float


class PriceTerms(ScenarioTerms, total=False):
    """The rest of a scenario, schedule and size of one attack, and the fields of `PriceOptions`."""

    schedule: str
    size: str
    threat: str
    blocks: int
    unit: str
    budget: float
    search: int
    tolerance: float
    fooled: str
    undetected: float


def find_worst_attack(
    policy: Scenario | Policy[Any] | str,
    environment: Environment[Any] | Sequence[float] | str | None = None,
    *,
    budget: float,
    threads: int | None = None,
    out: str | Path | None = None,
    scheduler: str | None = None,
    progress: Progress | bool | None = None,
    **terms: Unpack[SearchTerms],
) -> AttackFinding:
    """The worst attack within a budget, chosen on other seeds than the scenario's, on which it is reported.

    Args:
        policy: a scenario without an adversary, or a policy (object or text) followed by the rest of a scenario.
        environment: an environment, its text, or a list of means.
        budget: what the attacker may spend.
        threads: how many play at once; as many as there are cores if not given.
        out: a folder that remembers what was tried; a later call goes on from there.
        scheduler: the address of a Dask scheduler, whose workers play instead.
        progress: called with the share that is done; True draws a line on stderr.
        **terms: of the scenario (horizon, runs, seed, agents, slate, charge, capability, ...), and of the search:
            threat "A" (before the draw, the default) or "B" (sees the draw), evaluations, quick, undetected (the level
            of a homogeneity test; a run in which it rings counts for nothing).

    Returns:
        The attack, its regret on fresh seeds and on those that chose it, and the regret without an attack.

    Raises:
        InputError: if something cannot be played; the message says what is allowed.
    """
    level = terms.pop("undetected", None)
    own, rest = split_terms(SearchOptions, terms)
    options, scenario = SearchOptions(**own), scenario_of(policy, environment, rest)
    journal = journal_for(scenario, out, f"redteam-{options.threat}-{budget:g}")
    with report_to(progress) as report, open_executor(threads or 1, scheduler) as executor:
        evaluator = Evaluator(scenario, journal, threads, report, undetected=level, executor=executor)
        return worst_attack(evaluator, budget, options)


def find_price(
    policy: Scenario | Policy[Any] | str,
    environment: Environment[Any] | Sequence[float] | str | None = None,
    *,
    attack: str | None = None,
    threads: int | None = None,
    out: str | Path | None = None,
    scheduler: str | None = None,
    progress: Progress | bool | None = None,
    **terms: Unpack[PriceTerms],
) -> Price:
    """The attack price: the smallest budget that fools a policy.

    A policy is fooled if the best arm gets fewer than half of the rounds in at least half of the runs; with
    `fooled="regret"`, if regret exceeds half of what always playing the runner-up costs. A policy that needs to know
    the corruption and is not given it assumes 100, with and without an attack.

    Args:
        policy: a scenario without an adversary, or a policy (object or text) followed by the rest of a scenario.
        environment: an environment, its text, or a list of means.
        attack: price this one, with `schedule` and `size` in threat model A; else the cheapest of all.
        threads: how many play at once; as many as there are cores if not given.
        out: a folder that remembers what was played; a later call goes on from there.
        scheduler: the address of a Dask scheduler, whose workers play instead.
        progress: called with the share that is done; True draws a line on stderr.
        **terms: of the scenario (horizon, runs in each block, seed, agents, slate, capability, ...), and of the price:
            threat "B" (sees the draw, the default) or "A", blocks, unit ("reward", or "share" for the smallest share
            of all rounds within `budget`), search, tolerance, fooled, undetected (the level of a homogeneity test: the
            smallest budget that fools the policy in at least half of the runs without an alarm).

    Returns:
        The price with its range over blocks, the attack, and the clean regret.

    Raises:
        InputError: if something cannot be played; the message says what is allowed.
    """
    level = terms.pop("undetected", None)
    own, rest = split_terms(PriceOptions, terms)
    aim = {name: rest.pop(name) for name in ("schedule", "size") if name in rest}
    if aim and attack is None:
        raise InputError(f"{' and '.join(aim)} without an attack: name an attack too")
    rest = rest if isinstance(policy, Scenario) else {"runs": PRICE_RUNS, **rest}
    options, scenario = PriceOptions(**own), scenario_of(policy, environment, rest)
    scenario = replace(scenario, policy=with_assumed_corruption(scenario.policy))
    attacks = [Candidate(attack, **aim)] if attack else pricing_attacks(scenario, options.threat, level is not None)
    journal = journal_for(scenario, out, f"price-{options.threat}")
    evaluator = Evaluator(scenario, journal, threads, undetected=level)
    check_pricing(evaluator, attacks, options)
    answer_elsewhere(attack_price, [(evaluator, (attacks, options))], scheduler)
    with report_to(progress) as evaluator.progress:
        return attack_price(evaluator, attacks, options)


def split_terms(options: type, terms: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Terms that are fields of a dataclass of options, and the others."""
    names = {item.name for item in fields(options)}
    own = {name: value for name, value in terms.items() if name in names}
    return own, {name: value for name, value in terms.items() if name not in names}


def scenario_of(policy: Any, environment: Any, terms: dict[str, Any]) -> Scenario:
    """The scenario itself, or one of its parts; raises InputError if both are given, or an adversary."""
    scenario: Scenario = policy if isinstance(policy, Scenario) else Scenario(policy, environment, **terms)
    if scenario is policy and (environment is not None or terms):
        raise InputError("a scenario says all that is played: leave out the other parts, or use dataclasses.replace")
    if type(scenario.adversary) is not Nobody:
        raise InputError(f"the attack is searched for here: leave out the adversary {scenario.adversary}")
    return scenario
