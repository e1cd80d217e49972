"""Which policy to take against the attacker one fears: a short list, measured on the user's own means, and a choice.

Against a number of forged rewards the question is the price, against a ring (a share of all rounds) it is the regret
while the ring is at work. Both are measured here, never looked up.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from robandit.capability import Capability
from robandit.catalogue import SHIPPED, Catalogue
from robandit.errors import InputError
from robandit.game import Environment, Policy
from robandit.lab.trace import summarised
from robandit.redteam.candidate import Candidate
from robandit.redteam.evaluate import Evaluator, Game, Play, Tell, block_seed
from robandit.redteam.price import CHOOSING, Price, attack_price, planned_runs, pricing_attacks
from robandit.store.journal import Journal

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
MARGIN = 1.2  # a price is an upper bound on what an attacker needs: the advice leaves room
RARE = 1000  # without a number, one reward in so many is taken to be forged


@dataclass(frozen=True)
class Weighed:
    """One policy of the list as it was measured."""

    policy: Policy[Any]
    clean: dict[str, Any]
    learns: bool
    price: Price | None = None  # against a number of forged rewards
    attacked: dict[str, Any] | None = None  # regret under a ring
    best_share: float | None = None  # of the rounds, under a ring
    attack: Candidate | None = None

    def withstands(self, budget: float) -> bool:
        """Whether every block took more than this many forged rewards to turn, with room to spare."""
        assert self.price is not None
        return self.learns and (self.price.low is None or self.price.low >= MARGIN * budget)


@dataclass(frozen=True)
class Advice:
    """What to take, and why; None where nothing tried helps."""

    capability: Capability
    budget: float
    limit: float | None
    chosen: Weighed | None
    reason: str
    helps: str  # what would help beyond the choice of a policy
    tried: list[Weighed] = field(default_factory=list)


def advise(
    environment: Environment[Any],
    capability: Capability,
    *,
    horizon: int,
    budget: float | None = None,
    seed: int = 1,
    threads: int | None = None,
    catalogue: Catalogue = SHIPPED,
    tell: Callable[[str], Tell] = lambda label: lambda runs: None,
) -> Advice:
    """Measure the short list against this attacker on this environment, and choose."""
    means = np.array(environment.means)
    if len(means) < 2 or np.ptp(means) <= 1e-12:
        raise InputError("advice needs at least 2 arms whose means differ")
    limit, ring = capability.limit(means), capability.share < 1.0
    spent = feared(capability, budget, horizon)
    if ring and limit is not None and capability.share >= limit and math.isinf(spent):
        return Advice(capability, spent, limit, None, beyond(capability, limit), HELPS_ALWAYS)
    attacks = pricing_attacks("B", environment, catalogue, capability)
    tried = []
    for text in listed(spent):
        game = Game(catalogue.policy(text), environment, horizon, seed)
        evaluator = Evaluator(game, Journal(None), threads, catalogue=catalogue, capability=capability)
        evaluator.tell = tell(text)
        evaluator.check(FRESH)
        weigh = under_ring(evaluator, attacks, spent) if ring else by_price(evaluator, attacks)
        tried.append(weigh)
    chosen, reason = choose_under_ring(tried, capability, limit) if ring else choose_by_price(tried, spent)
    return Advice(capability, spent, limit, chosen, reason, HELPS_ALWAYS if chosen is None else HELPS_TOO, tried)


def listed(budget: float) -> tuple[str, ...]:
    """The short list; against a number of forged rewards also the policy that is told that number."""
    told = f"bonus-thompson:linear={math.ceil(MARGIN * budget)}" if math.isfinite(budget) else CANDIDATES[0]
    return CANDIDATES if told in CANDIDATES else (*CANDIDATES, told)


def feared(capability: Capability, budget: float | None, horizon: int) -> float:
    """How many rewards can be forged: a ring as many as its share allows, others one in a thousand if nobody says."""
    if budget is not None:
        return budget
    return math.inf if capability.share < 1.0 else horizon / RARE


def planned(attacks: int, ring: bool) -> int:
    """About how many runs one policy takes."""
    return RUNS * attacks + 2 * FRESH if ring else planned_runs(attacks, RUNS, BLOCKS)


def by_price(evaluator: Evaluator, attacks: list[Candidate]) -> Weighed:
    """Clean regret and price."""
    found = attack_price(evaluator, "B", attacks, runs=RUNS, blocks=BLOCKS)
    return Weighed(evaluator.game.policy, found.clean, found.learns, found, attack=found.attack)


def under_ring(evaluator: Evaluator, attacks: list[Candidate], budget: float) -> Weighed:
    """Clean regret, and regret under the worst attack of the ring: chosen on some seeds, measured on others."""
    seed = block_seed(evaluator.game.seed, CHOOSING)
    harm = {one: np.mean(evaluator.outcome(Play(one, budget, seed, RUNS))["regret"]) for one in attacks}
    worst = max(harm, key=lambda one: harm[one])
    clean, hit = (evaluator.outcome(Play(one, budget, evaluator.game.seed, FRESH)) for one in (None, worst))
    return Weighed(
        evaluator.game.policy,
        summarised(np.array(clean["regret"])),
        learns=float(np.mean(clean["best_share"])) >= 0.5,
        attacked=summarised(np.array(hit["regret"])),
        best_share=float(np.mean(hit["best_share"])),
        attack=worst,
    )


def choose_by_price(tried: list[Weighed], budget: float) -> tuple[Weighed | None, str]:
    """The cheapest in peace of those that withstand the budget with room to spare."""
    learning = [one for one in tried if one.learns]
    fit = sorted((one for one in learning if one.withstands(budget)), key=lambda one: one.clean["mean"])
    need = f"{budget:,.3g} forged rewards ({MARGIN:g} times as many, to leave room)"
    if not learning:
        return None, "no policy of the list learns within the horizon: nothing to protect yet, give it more rounds"
    if not fit:
        dearest = max(learning, key=lambda one: one.price.low or 0.0)  # type: ignore[union-attr]
        return (
            None,
            f"no policy of the list withstands {need}; the dearest to turn is {dearest.policy}, {cost(dearest)}",
        )
    level = [one for one in fit if lowest(one.clean) <= highest(fit[0].clean)]  # who is cheapest cannot be told apart
    chosen = max(level, key=lambda one: math.inf if one.price is None or one.price.low is None else one.price.low)
    cheaper = [one for one in learning if highest(one.clean) < lowest(chosen.clean)]
    others = f", and each that costs less in peace, such as {cheaper[0].policy}, is turned by fewer" if cheaper else ""
    return chosen, (
        f"of the policies that withstand {need} it costs least in peace: regret {told(chosen.clean)}; "
        f"to turn it takes {cost(chosen)}{others}"
    )


def choose_under_ring(tried: list[Weighed], capability: Capability, limit: float | None) -> tuple[Weighed | None, str]:
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
        f"{told(chosen.attacked)}, and plays the best arm in {100 * (chosen.best_share or 0):.0f} % of the rounds; "
        f"in peace it costs {told(chosen.clean)}"
        + ("" if limit is None else f". No policy survives a share above {limit:.3g}")
    )


def beyond(capability: Capability, limit: float) -> str:
    """Why no policy can help."""
    return (
        f"with {100 * capability.share:.3g} % of the rounds this attacker can make the runner-up look as good as the "
        f"best arm: from a share of {limit:.3g} on the rewards are those of another game, and no policy can know better"
    )


def lowest(summary: dict[str, Any]) -> float:
    """The lower end of a 95 % interval."""
    return float(summary["mean"] - (summary["half_width_95"] or 0.0))


def highest(summary: dict[str, Any]) -> float:
    """The upper end of a 95 % interval."""
    return float(summary["mean"] + (summary["half_width_95"] or 0.0))


def told(summary: dict[str, Any]) -> str:
    """A mean with its 95 % interval."""
    half = summary["half_width_95"]
    return f"{summary['mean']:,.0f}" + ("" if half is None else f" ± {half:,.0f}")


def cost(one: Weighed) -> str:
    """A price in words, with its range over blocks and the attack."""
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
