"""Which policy to take against one's attacker: a short list, measured on the user's own means, and a choice.

Against a number of forged rewards the question is the attack price, against a ring (a group of accounts that one
attacker controls, a share of all rounds) it is the regret while the ring is at work. In a world that changes by itself
it is the regret there, under attack. All are measured here, never looked up.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from robandit.capability import Capability
from robandit.catalogue import SHIPPED, Catalogue
from robandit.errors import InputError
from robandit.estimates import summarise
from robandit.game import Environment
from robandit.lab.comparison import finite_or_none
from robandit.lab.scenario import Scenario
from robandit.progress import Progress, part_of, report_to
from robandit.redteam.candidate import Candidate
from robandit.redteam.changing import changing_attacks, changing_policies, choose_where_it_changes
from robandit.redteam.checking import Checking, measure_checking
from robandit.redteam.elsewhere import answer_elsewhere
from robandit.redteam.evaluate import Evaluator, Play, block_seed
from robandit.redteam.measured import MARGIN, MeasuredPolicy, highest, lowest, with_interval
from robandit.redteam.price import CHOOSING, PriceOptions, attack_price, planned_runs, pricing_attacks
from robandit.version import __version__

CANDIDATES = (
    "thompson",
    *(f"bonus-thompson:linear={linear}" for linear in (10, 20, 50, 100)),
    "optimistic-ucb",
    "balanced-samba",
    "samba",
    "samba:learning_rate=0.02",
    "tsallis-inf-rv",
    "ucb1",
)
RUNS, BLOCKS, FRESH = 8, 3, 24
RARE = 1000  # without a number, one reward in so many is taken to be forged


@dataclass(frozen=True)
class Advice:
    """What to take, and why; None where nothing that was tried helps."""

    scenario: Scenario  # what was measured, with the first policy of the list
    budget: float
    limit: float | None
    chosen: MeasuredPolicy | None
    reason: str
    helps: str  # what would help beyond the choice of a policy
    checking: Checking  # what verified rewards buy instead
    tried: list[MeasuredPolicy] = field(default_factory=list)

    @property
    def capability(self) -> Capability:
        """What the attacker can do."""
        return self.scenario.capability

    def to_json(self) -> dict[str, Any]:
        """The advice with everything it rests on."""
        return {
            "version": __version__,
            "means": list(self.scenario.environment.means),
            "changes": str(self.scenario.environment) if self.scenario.environment.changes else None,
            "horizon": self.scenario.horizon,
            "seed": self.scenario.seed,
            "capability": {**self.capability.parameters(), "words": self.capability.words()},
            "budget": finite_or_none(self.budget),
            "limit": self.limit,
            "advice": None if self.chosen is None else str(self.chosen.policy),
            "reason": self.reason,
            "helps": self.helps,
            "checking": self.checking.to_json(),
            "results": [one.to_json(self.capability) for one in self.tried],
        }


def advise(
    environment: Environment[Any] | Sequence[float] | str,
    capability: Capability | str = "both",
    *,
    horizon: float,
    budget: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    catalogue: Catalogue = SHIPPED,
    scheduler: str | None = None,
    progress: Progress | bool | None = None,
) -> Advice:
    """Measure a short list of policies against one attacker on one environment, and choose.

    Args:
        environment: an environment, its text, or a list of means; one that changes by itself, such as
            `rb.environments.Shifts(means, every=5000)`, asks for policies that forget.
        capability: what the attacker can do, such as "add" or "both:share=0.05".
        horizon: the rounds of a run.
        budget: how many rewards can be forged; one in a thousand if not given, unlimited for a ring.
        seed: of the random streams.
        threads: how many play at once; as many as there are cores if not given.
        catalogue: where text is looked up.
        scheduler: the address of a Dask scheduler, whose workers play instead.
        progress: called with the share that is done; True draws a line on stderr.

    Returns:
        The policy to take, the reason, and what each policy of the list does.

    Raises:
        InputError: if something cannot be played, or there is nothing to learn.
    """
    first = first_scenario(environment, horizon=horizon, seed=seed, capability=capability, catalogue=catalogue)
    can = first.capability
    limit, is_ring, changes = can.limit(first.means), can.share < 1.0, first.environment.changes
    forged = forged_rewards(can, budget, first.horizon)
    if is_ring and not changes and limit is not None and can.share >= limit and math.isinf(forged):
        return Advice(
            first, forged, limit, None, beyond(can, limit), HELPS_ALWAYS, measure_checking(first, None, threads)
        )
    attacks = changing_attacks(first) if changes else pricing_attacks(first, "B")
    texts, planned = planned_work(first, budget)
    evaluators = [Evaluator(replace(first, policy=catalogue.policy(text)), threads=threads) for text in texts]
    is_priced, tried = not is_ring and not changes, list[MeasuredPolicy]()
    measure, rest = (measure_price, (attacks,)) if is_priced else (measure_ring, (attacks, forged))
    answer_elsewhere(measure, [(evaluator, rest) for evaluator in evaluators], scheduler)
    with report_to(progress) as report:
        for number, evaluator in enumerate(evaluators):
            evaluator.check()
            evaluator.progress = part_of(report, number / len(texts), (number + 1) / len(texts))
            evaluator.planned = planned
            tried.append(measure(evaluator, *rest))
    chosen: MeasuredPolicy | None
    if changes:
        chosen, reason = choose_where_it_changes(tried, forged)
    else:
        chosen, reason = choose_under_ring(tried, can, limit) if is_ring else choose_by_price(tried, forged)
    helps, checking = HELPS_ALWAYS if chosen is None else HELPS_TOO, measure_checking(first, chosen, threads)
    return Advice(first, forged, limit, chosen, reason, helps, checking, tried)


def policies_to_try(budget: float) -> tuple[str, ...]:
    """The short list; against a number of forged rewards also the policy that is set to withstand that number."""
    if not math.isfinite(budget):
        return CANDIDATES
    return tuple(dict.fromkeys((*CANDIDATES, f"bonus-thompson:linear={math.ceil(MARGIN * budget)}")))


def forged_rewards(capability: Capability, budget: float | None, horizon: int) -> float:
    """How many rewards can be forged: if not given, as many as a ring's share allows, otherwise one in a thousand."""
    if budget is not None:
        return budget
    return math.inf if capability.share < 1.0 else horizon / RARE


def first_scenario(environment: Any, **terms: Any) -> Scenario:
    """What is measured, with the first policy of the list; raises InputError if there is nothing to learn."""
    scenario = Scenario(CANDIDATES[0], environment, **{**terms, "runs": RUNS})
    if scenario.arms < 2 or np.ptp(scenario.means) <= 1e-12:
        raise InputError("advice needs at least 2 arms whose means differ")
    return scenario


def planned_work(scenario: Scenario, budget: float | None) -> tuple[tuple[str, ...], int]:
    """The policies to try, and about how many runs each takes."""
    can, forged = scenario.capability, forged_rewards(scenario.capability, budget, scenario.horizon)
    if scenario.environment.changes:
        return changing_policies(scenario.horizon, forged), RUNS * len(changing_attacks(scenario)) + 2 * FRESH
    attacks, policies = len(pricing_attacks(scenario, "B")), policies_to_try(forged)
    return policies, RUNS * attacks + 2 * FRESH if can.share < 1.0 else planned_runs(attacks, RUNS, BLOCKS)


def measure_price(evaluator: Evaluator, attacks: list[Candidate]) -> MeasuredPolicy:
    """Clean regret and price."""
    price = attack_price(evaluator, attacks, PriceOptions(blocks=BLOCKS))
    return MeasuredPolicy(evaluator.scenario.policy, price.clean, price.learns, price, attack=price.attack)


def measure_ring(evaluator: Evaluator, attacks: list[Candidate], budget: float) -> MeasuredPolicy:
    """Clean regret, and regret under the worst attack of the ring: chosen on some seeds, measured on others."""
    own = evaluator.scenario.seed
    seed = block_seed(own, CHOOSING)
    harm = {one: np.mean(evaluator.outcome(Play(one, budget, seed, RUNS))["regret"]) for one in attacks}
    worst = max(harm, key=lambda one: harm[one])
    clean, hit = (evaluator.outcome(Play(one, budget, own, FRESH)) for one in (None, worst))
    return MeasuredPolicy(
        evaluator.scenario.policy,
        summarise(clean["regret"]),
        learns=float(np.mean(clean["best_share"])) >= 0.5,
        attacked=summarise(hit["regret"]),
        best_share=float(np.mean(hit["best_share"])),
        attack=worst,
    )


def choose_by_price(tried: list[MeasuredPolicy], budget: float) -> tuple[MeasuredPolicy | None, str]:
    """The one with the least clean regret of those that withstand the budget with room to spare."""
    learning = [one for one in tried if one.learns]
    fit = sorted((one for one in learning if one.withstands(budget)), key=lambda one: one.clean["mean"])
    need = f"{budget:,.3g} forged rewards (a price of {MARGIN * budget:,.3g} or more, which leaves room)"
    if not learning:
        return None, "no policy of the list learns within the horizon: nothing to protect yet, give it more rounds"
    if not fit:
        firmest = max(learning, key=lambda one: one.price.low or 0.0)  # type: ignore[union-attr]
        costs = f"the one that costs most to fool is {firmest.policy}, {price_in_words(firmest)}"
        return None, f"no policy of the list withstands {need}; {costs}"
    level = [one for one in fit if lowest(one.clean) <= highest(fit[0].clean)]  # intervals overlap: equally cheap
    chosen = max(level, key=lambda one: math.inf if one.price is None or one.price.low is None else one.price.low)
    weak = [one for one in learning if one not in fit and highest(one.clean) < lowest(chosen.clean)]
    cheaper = f". Policies with less regret, such as {weak[0].policy}, do not withstand them" if weak else ""
    return chosen, f"of the policies that withstand {need}, {lowest_regret(chosen, level)}{cheaper}"


def lowest_regret(chosen: MeasuredPolicy, level: list[MeasuredPolicy]) -> str:
    """What the chosen policy costs without an attack, beside those that cost the same within the error; its price."""
    if chosen is level[0]:
        price = f"Fooling it takes {price_in_words(chosen)}"
        return f"it has the lowest regret without an attack, {with_interval(chosen.clean)}. {price}"
    others = ", ".join(f"{one.policy} {with_interval(one.clean)}" for one in level if one is not chosen)
    return (
        f"those with the lowest regret without an attack are level within the error: {others}, this one "
        f"{with_interval(chosen.clean)}. Of these it costs most to fool, {price_in_words(chosen)}"
    )


def choose_under_ring(
    tried: list[MeasuredPolicy], capability: Capability, limit: float | None
) -> tuple[MeasuredPolicy | None, str]:
    """The least regret while the ring is at work."""
    chosen = min(tried, key=lambda one: one.attacked["mean"])  # type: ignore[index]
    if (chosen.best_share or 0.0) < 0.5:
        return None, (
            f"no policy of the list plays the best arm in half of the rounds under the share {capability.share:g}"
            + ("" if limit is None else f" (the limit is {limit:.3g})")
            + f"; the least bad is {chosen.policy}"
        )
    assert chosen.attacked is not None
    return chosen, (
        f"with {100 * capability.share:.3g} % of the rounds forged it has the least regret of the list, "
        f"{with_interval(chosen.attacked)}, and plays the best arm in {100 * (chosen.best_share or 0):.0f} % of the "
        f"rounds; without an attack its regret is {with_interval(chosen.clean)}"
        + ("" if limit is None else f". No policy survives a share above {limit:.3g}")
    )


def beyond(capability: Capability, limit: float) -> str:
    """Why no policy can help."""
    return (
        f"with {100 * capability.share:.3g} % of the rounds this attacker can make the runner-up look as good as the "
        f"best arm: from a share of {limit:.3g} on the rewards are those of another game, and no policy can know better"
    )


def price_in_words(one: MeasuredPolicy) -> str:
    """A price with its range over blocks and the attack."""
    price = one.price
    assert price is not None
    if price.estimate is None:
        return "more than any attack tried spent"
    high = "more" if price.high is None else f"{price.high:,.3g}"
    return f"{price.estimate:,.3g} ({price.low:,.3g} to {high}) by {price.attack.attack}"


HELPS_TOO = "cap what one source can report, and check a sample of rewards: both lower what an attacker can place"
HELPS_ALWAYS = (
    "what would help: a cap on what one source can report (it turns a ring's share into a number), rewards that are "
    "verified (purchases rather than clicks), or fewer arms with larger differences"
)
