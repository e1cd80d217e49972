"""Attack price: the smallest budget, or share of all rounds, that fools a policy, by bisection on blocks of seeds.

A policy is fooled if the best arm gets fewer than half of the rounds in at least half of the runs. Where the runner-up
is nearly as good that is harsh; the second criterion asks for a regret above half of what always playing the runner-up
costs. The attack is chosen on one block of seeds and priced on others. What an attack without a budget ends up
paying is another number: an attacker need not keep paying once the learner has gone wrong.
"""

import math
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robandit.adversaries.attacks import runner_up
from robandit.errors import InputError
from robandit.estimates import summarise
from robandit.game import Floats
from robandit.lab.comparison import mean_checks
from robandit.lab.scenario import Scenario
from robandit.redteam.candidate import Candidate, catalogue_attacks, check_threat, within
from robandit.redteam.evaluate import Evaluator, Play, block_seed, is_quiet
from robandit.redteam.search import SearchOptions, worst_attack

TOLERANCE = 1.02  # the bracket's ends differ by no more than this factor, unless another is asked for
CHOOSING, PRICING = 10_000, 20_000  # numbers of the blocks of seeds, far from those of the search
HALF = 0.5
CRITERIA = ("share", "regret")  # what counts as fooled
LEAST = {"reward": 0.01, "share": 1e-4}  # no price is sought below this
STEADY = [f"oracle:margin={margin}" for margin in (0.01, 0.3)] + [
    f"push-shown:size={size}" for size in (0.25, 0.5, 0.75)
]
SLACK = 1.15  # how far around a guess the bracket is tried first


@dataclass(frozen=True)
class PriceOptions:
    """What is priced, and how closely; the runs of a block are those of the scenario."""

    threat: str = "B"
    blocks: int = 3
    unit: str = "reward"  # what the price is counted in; or "share", of all rounds
    budget: float = math.inf  # what may be spent where the price is a share
    search: int = 0  # attacks of the adaptive family among which a cheaper one is looked for
    tolerance: float = TOLERANCE
    fooled: str = "share"  # by the best arm's share of the rounds, or by "regret"


USUAL = PriceOptions()


@dataclass(frozen=True)
class Price:
    """What it costs to fool a policy, and what the policy costs without an attack."""

    attack: Candidate
    clean: dict[str, Any]
    spending: dict[str, Any] | None  # of the attack without a budget; None where there is nobody to fool
    blocks: tuple[float | None, ...]  # by block: 0 where there is nobody to fool, None where no attack is enough
    by_attack: dict[Candidate, float | None]  # on the block that chose; None: not cheaper than the best so far
    unit: str = "reward"
    limit: float | None = None  # the share from which on no policy can know better, whatever it does
    fooled: str = "share"
    checks: dict[str, Any] | None = None  # rewards verified per run without an attack; None where it never asks
    undetected: float | None = None  # the level of the homogeneity test that must not ring; None without one

    def __repr__(self) -> str:
        """The price and its range in a line; the rest are attributes."""
        clean = f"clean regret {self.clean['mean']:,.1f} ± {self.clean['half_width_95']:,.1f}"
        if not self.learns:
            return f"<Price: nothing to fool, {clean}>"
        if self.estimate is None:
            return f"<Price: not fooled by any attack tried, {clean}>"
        high = "not fooled" if self.high is None else f"{self.high:,.3g}"
        words = f"{self.estimate:,.3g} ({self.low:,.3g} to {high}) {'of the rounds' * (self.unit == 'share')}".rstrip()
        return f"<Price: {words} by {self.attack.attack}, {clean}>"

    @property
    def learns(self) -> bool:
        """Whether there is a policy to fool: most blocks play the best arm in half of the rounds without an attack."""
        return 2 * self.blocks.count(0.0) < len(self.blocks)

    @property
    def low(self) -> float | None:
        """The cheapest block."""
        prices = [price for price in self.blocks if price is not None]
        return min(prices) if prices and self.learns else None

    @property
    def estimate(self) -> float | None:
        """The median block, if more than half of the blocks were fooled."""
        middle = float(np.median([math.inf if price is None else price for price in self.blocks]))
        return middle if math.isfinite(middle) and self.learns else None

    @property
    def high(self) -> float | None:
        """The most expensive block; None if one was not fooled at any price."""
        prices = [price for price in self.blocks if price is not None]
        return max(prices) if len(prices) == len(self.blocks) and self.learns else None

    def to_json(self) -> dict[str, Any] | None:
        """The price with its range and unit; None where there is nobody to fool."""
        if not self.learns:
            return None
        return {"low": self.low, "estimate": self.estimate, "high": self.high, "unit": self.unit}


@dataclass(frozen=True)
class Bisection:
    """Prices one attack on one block of seeds."""

    evaluator: Evaluator
    options: PriceOptions
    runs: int
    most_regret: float | None = None  # above which a run counts as fooled; None: the best arm's share decides

    def fools(self, attack: Candidate | None, amount: float, seed: int) -> bool:
        """Whether an attack fools the policy with so much budget, or with so large a share of the rounds."""
        spent, share = (amount, None) if self.options.unit == "reward" else (self.options.budget, amount)
        return is_fooled(self.evaluator.outcome(Play(attack, spent, seed, self.runs, share)), self.most_regret)

    def price(
        self, attack: Candidate, seed: int, guess: float | None = None, below: float | None = None
    ) -> float | None:
        """The price to the tolerance; None if the attack does not fool the policy, or not for less than `below`."""
        unit, tolerance = self.options.unit, self.options.tolerance
        if is_fooled(self.evaluator.outcome(Play(None, 0.0, seed, self.runs)), self.most_regret):
            return 0.0
        if below is not None:
            if not self.fools(attack, below / tolerance, seed):
                return None
            high = below / tolerance
        else:
            unlimited = self.evaluator.outcome(Play(attack, self.options.budget, seed, self.runs))
            if not is_fooled(unlimited, self.most_regret):
                return None
            high = max(unlimited["paid"]) if unit == "reward" else 1.0  # with so much, no run feels a limit
            if guess and guess * SLACK < high and self.fools(attack, guess * SLACK, seed):
                high = guess * SLACK
        low = guess / SLACK if guess and guess / SLACK < high else high / 2.0
        while low > LEAST[unit] and self.fools(attack, low, seed):
            low, high = low / 2.0, low
        while high > tolerance * low:
            middle = math.sqrt(low * high)
            low, high = (low, middle) if self.fools(attack, middle, seed) else (middle, high)
        return high


def attack_price(evaluator: Evaluator, attacks: list[Candidate], options: PriceOptions = USUAL) -> Price:
    """Choose the cheapest attack on one block of seeds, price it on others.

    With `options.search` the worst attack within the price so far is looked for in the adaptive family, and taken if
    it is cheaper. Raises InputError, before anything is played, for what has no price.
    """
    check_pricing(evaluator, attacks, options)
    scenario = evaluator.scenario
    evaluator.planned = evaluator.planned or planned_runs(len(attacks), scenario.runs, options.blocks)
    seed, blocks = scenario.seed, options.blocks
    limit = None
    if options.threat == "B" and (options.unit == "share" or scenario.capability.share < 1.0):
        limit = scenario.capability.limit(scenario.means)
    bisection = Bisection(evaluator, options, scenario.runs, most_regret(scenario, options.fooled))
    clean = evaluator.outcome(Play(None, 0.0, seed, scenario.runs * blocks))
    about: dict[str, Any] = {"unit": options.unit, "limit": limit, "fooled": options.fooled}
    about["checks"] = mean_checks(clean["checks"]) if "checks" in clean else None
    about["undetected"] = evaluator.undetected
    chosen, guess, by_attack = attacks[0], None, dict[Candidate, float | None]()
    if is_fooled(clean, bisection.most_regret):
        return Price(chosen, summarise(clean["regret"]), None, (0.0,) * blocks, {}, **about)
    waiting, searched = deque(attacks), not options.search
    while waiting:
        attack = waiting.popleft()
        by_attack[attack] = bisection.price(attack, block_seed(seed, CHOOSING), below=guess)
        if by_attack[attack] is not None:
            chosen, guess = attack, by_attack[attack]
        if not waiting and not searched and guess is not None:
            waiting.append(worst_within(evaluator, guess, options))
            searched = True
    prices, paid = [], []
    for block in range(blocks):
        block_of = block_seed(seed, PRICING + block)
        paid += evaluator.outcome(Play(chosen, math.inf, block_of, scenario.runs))["paid"]
        prices.append(bisection.price(chosen, block_of, guess))
    return Price(chosen, summarise(clean["regret"]), summarise(paid), tuple(prices), by_attack, **about)


def worst_within(evaluator: Evaluator, price: float, options: PriceOptions) -> Candidate:
    """The worst attack within a price, of some of the adaptive family and all of the catalogue."""
    scenario, budget = replace(evaluator.scenario, runs=2), price
    if options.unit == "share":
        scenario, budget = replace(scenario, capability=replace(scenario.capability, share=price)), options.budget
    searching = replace(evaluator, scenario=scenario, tried=set())
    finding = worst_attack(searching, budget, SearchOptions(options.threat, options.search))
    evaluator.played = searching.played
    return finding.candidate


def check_pricing(evaluator: Evaluator, attacks: list[Candidate], options: PriceOptions) -> None:
    """Raise InputError for what has no price."""
    scenario, threat = evaluator.scenario, options.threat
    check_threat(threat)
    most_regret(scenario, options.fooled)
    if options.blocks < 3:
        raise InputError(f"blocks must be at least 3, not {options.blocks}")
    if options.unit not in LEAST:
        raise InputError(f"unit must be one of {', '.join(LEAST)}, not {options.unit!r}")
    if options.unit == "share" and threat == "A":
        raise InputError("a share of rounds is the price of an attacker who sees the draw: threat B, not A")
    evaluator.check()
    if scenario.runs < 2:
        raise InputError(f"runs must be at least 2, not {scenario.runs}")
    if not attacks:
        raise InputError(f"capability {scenario.capability}: no attack of the catalogue can be carried out")
    for attack in attacks:
        sees_draw = evaluator.adversary(attack, 1.0).sees_draw
        if sees_draw != (threat == "B"):
            raise InputError(f"attack {attack.attack} is of threat model {'B' if sees_draw else 'A'}, not {threat}")
    if getattr(scenario.policy, "corruption", 0) is None:
        raise InputError(f"{scenario.policy} must be given one corruption for a price, such as corruption=100")


def planned_runs(attacks: int, runs: int, blocks: int) -> int:
    """About how many runs a price takes: a bisection to choose, one per block, one or two plays per attack."""
    return runs * (10 + 11 * blocks + 2 * attacks)


def most_regret(scenario: Scenario, criterion: str) -> float | None:
    """The regret above which a run counts as fooled; None where the share of the best arm decides."""
    if criterion not in CRITERIA:
        raise InputError(f"fooled must be one of {', '.join(CRITERIA)}, not {criterion!r}")
    if criterion == "share":
        return None
    if scenario.slots > 1:
        raise InputError("fooled by regret is said of arms, against the runner-up: leave it out where slates are shown")
    if scenario.has_best_by_round:
        raise InputError("fooled by regret is said against the runner-up: leave it out where the best arm changes")
    means = np.sort(scenario.means)
    gap = float(means[-1] - means[means < means[-1] - 1e-12][-1])
    return HALF * gap * scenario.horizon * scenario.agents


def is_fooled(outcome: dict[str, Any], most: float | None = None) -> bool:
    """Whether at least half of the runs went wrong without an alarm: too little of the best arm, or too much regret."""
    wrong = np.array(outcome["best_share"]) < HALF if most is None else np.array(outcome["regret"]) > most
    return float(np.mean(wrong & is_quiet(outcome))) >= HALF


def best_items(means: Floats, slots: int, family: Any) -> list[int]:
    """The items of the best slate."""
    items = np.argsort(-means, kind="stable")[:slots] if family is None else family[means[family].sum(axis=1).argmax()]
    return sorted(int(item) for item in items)


def pricing_attacks(scenario: Scenario, threat: str, is_steady: bool = False) -> list[Candidate]:
    """The attacks tried for a price: those of model B that can be done, or the aimed ones of model A, efficient.

    On slates each item of the best one is sunk in turn: one that is missing is enough. Where no alarm may ring, attacks
    that are the same in every round are tried at several sizes too.
    """
    check_threat(threat)
    means, environment, catalogue = scenario.means, scenario.environment, scenario.catalogue
    if len(means) < 2:
        raise InputError("a price needs at least 2 arms; 1 was given")
    if threat == "A":
        near = runner_up(means) + 1
        return [
            Candidate(name, schedule, "efficient")
            for name in ("invert", f"decoy:arm={near}", "sink")
            for schedule in ("leading:theta=0.05", "leading:theta=0.5", "contested", "start")
        ]
    if scenario.slots > 1:
        best = best_items(means, scenario.slots, environment.family)
        return within([Candidate(f"sink-shown:arm={item + 1}") for item in best], scenario.capability, catalogue)
    several = [count for count in (2, 3, len(means) - 1) if count < len(means)]
    pushes = ["push-shown:raised=1", f"push-shown:raised={len(means) - 1}"]
    pushes += [f"push-shown:lowered=0,raised={count}" for count in several]
    pushes += ["push-shown:lowered=0,raised=1,worst=true", *(f"push-shown:lowered={count}" for count in several)]
    pushes += [] if environment.features is None else ["sink-near"]
    pushes += ["sink-best"] if scenario.has_best_by_round else []
    pushes += STEADY if is_steady else []
    attacks = [*catalogue_attacks("B", False, catalogue), *map(Candidate, dict.fromkeys(pushes))]
    return within(attacks, scenario.capability, catalogue)
