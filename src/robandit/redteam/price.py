"""Attack price: the smallest budget, or share of all rounds, that turns a policy, by bisection on blocks of seeds.

A policy is turned if it plays the best arm in fewer than half of all rounds in at least half of the runs. Where the
runner-up is nearly as good that is harsh; the second reading asks for a regret above half of what always playing the
runner-up costs.
The attack is chosen on one block of seeds and priced on others. What an attack without a budget ends up
paying is another number: an attacker need not keep paying once the learner has gone wrong.
"""

import math
from collections import deque
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from robandit.adversaries.attacks import runner_up
from robandit.capability import ANYTHING, Capability
from robandit.catalogue import SHIPPED, Catalogue
from robandit.errors import InputError
from robandit.game import Environment, Floats
from robandit.lab.trace import summarised
from robandit.redteam.candidate import Candidate, catalogue_attacks, check_threat, within
from robandit.redteam.evaluate import Evaluator, Game, Play, block_seed
from robandit.redteam.search import worst_attack

TOLERANCE = 1.02  # the bracket's ends differ by no more than this factor, unless another is asked for
CHOOSING, PRICING = 10_000, 20_000  # numbers of the blocks of seeds, far from those of the search
HALF = 0.5
READINGS = ("share", "regret")  # what counts as turned
LEAST = {"reward": 0.01, "share": 1e-4}  # no price is sought below this
SLACK = 1.15  # how far around a guess the bracket is tried first


@dataclass(frozen=True)
class Price:
    """What it costs to turn a policy, and what the policy pays in peace."""

    attack: Candidate
    clean: dict[str, Any]
    spending: dict[str, Any] | None  # of the attack without a budget; None if nothing was to be turned
    blocks: tuple[float | None, ...]  # by block: 0 where nothing is to be turned, None where no attack is enough
    by_attack: dict[Candidate, float | None]  # on the block that chose; None: not cheaper than the best so far
    unit: str = "reward"  # what the price is counted in; or "share"
    limit: float | None = None  # the share from which on no policy can know better, whatever it does
    reading: str = "share"  # what counts as turned: the share of the best arm, or the regret

    @property
    def learns(self) -> bool:
        """Whether there is anything to turn: most blocks play the best arm in half of the rounds if left alone."""
        return 2 * self.blocks.count(0.0) < len(self.blocks)

    @property
    def low(self) -> float | None:
        """The cheapest block."""
        found = [price for price in self.blocks if price is not None]
        return min(found) if found and self.learns else None

    @property
    def estimate(self) -> float | None:
        """The median block, if more than half of the blocks were turned."""
        middle = float(np.median([math.inf if price is None else price for price in self.blocks]))
        return middle if math.isfinite(middle) and self.learns else None

    @property
    def high(self) -> float | None:
        """The dearest block; None if one was not turned at any price."""
        found = [price for price in self.blocks if price is not None]
        return max(found) if len(found) == len(self.blocks) and self.learns else None


def attack_price(
    evaluator: Evaluator,
    threat: str,
    attacks: list[Candidate],
    *,
    runs: int,
    blocks: int,
    share: bool = False,
    budget: float = math.inf,
    search: int = 0,
    tolerance: float = TOLERANCE,
    reading: str = "share",
) -> Price:
    """Choose the cheapest attack on one block of seeds, price it on others.

    With `share` the price is the smallest share of all rounds that an attacker must have, spending no more than
    `budget` in them. With `search` the worst attack within the price found so far is looked for among so many of the
    adaptive family, and taken if it is cheaper.
    """
    check_pricing(evaluator, threat, attacks, runs, blocks)
    if share and threat == "A":
        raise InputError("a share of rounds is the price of an attacker who sees the draw: threat B, not A")
    unit = "share" if share else "reward"
    seed, told = evaluator.game.seed, dict[str, Any](unit=unit, reading=reading)
    most = most_regret(evaluator.game, reading)
    terms: dict[str, Any] = {"unit": unit, "budget": budget, "tolerance": tolerance, "most": most}
    if threat == "B" and (share or evaluator.capability.share < 1.0):
        told["limit"] = evaluator.capability.limit(np.array(evaluator.game.environment.means))
    clean = evaluator.outcome(Play(None, 0.0, seed, runs * blocks))
    chosen, guess, seen = attacks[0], None, dict[Candidate, float | None]()
    if turned(clean, most):
        return Price(chosen, summarised(np.array(clean["regret"])), None, (0.0,) * blocks, {}, **told)
    looked_at = deque(attacks)
    while looked_at:
        attack = looked_at.popleft()
        seen[attack] = priced(evaluator, attack, block_seed(seed, CHOOSING), runs, below=guess, **terms)
        if seen[attack] is not None:
            chosen, guess = attack, seen[attack]
        if not looked_at and search and guess is not None:
            looked_at.append(worst_at(evaluator, threat, guess, search, unit=unit, budget=budget))
            search = 0
    prices, paid = [], []
    for block in range(blocks):
        words = block_seed(seed, PRICING + block)
        paid += evaluator.outcome(Play(chosen, math.inf, words, runs))["paid"]
        prices.append(priced(evaluator, chosen, words, runs, guess=guess, **terms))
    spent = summarised(np.array(paid))
    return Price(chosen, summarised(np.array(clean["regret"])), spent, tuple(prices), seen, **told)


def worst_at(evaluator: Evaluator, threat: str, price: float, search: int, *, unit: str, budget: float) -> Candidate:
    """The worst attack within a price, of so many of the adaptive family and all of the catalogue."""
    if unit == "share":
        ring = replace(evaluator, capability=replace(evaluator.capability, share=price), tried=set())
        return worst_attack(ring, threat, budget, runs=2, evaluations=search).candidate
    return worst_attack(evaluator, threat, price, runs=2, evaluations=search).candidate


def check_pricing(evaluator: Evaluator, threat: str, attacks: list[Candidate], runs: int, blocks: int) -> None:
    """Refuse what has no price, before anything is played."""
    check_threat(threat)
    if blocks < 3:
        raise InputError(f"blocks must be at least 3, not {blocks}")
    evaluator.check(runs)
    if runs < 2:
        raise InputError(f"runs must be at least 2, not {runs}")
    for attack in attacks:
        sees_draw = evaluator.adversary(attack, 1.0).sees_draw
        if sees_draw != (threat == "B"):
            raise InputError(f"attack {attack.attack} is of threat model {'B' if sees_draw else 'A'}, not {threat}")
    if getattr(evaluator.game.policy, "corruption", 0) is None:
        raise InputError(f"{evaluator.game.policy} must be told one corruption for a price, such as corruption=100")


def planned_runs(attacks: int, runs: int, blocks: int) -> int:
    """About how many runs a price takes: a bisection to choose and one a block, and a look or two at each attack."""
    return runs * (10 + 11 * blocks + 2 * attacks)


def most_regret(game: Game, reading: str) -> float | None:
    """The regret above which a run counts as turned; None where the share of the best arm decides."""
    if reading not in READINGS:
        raise InputError(f"turned must be one of {', '.join(READINGS)}, not {reading!r}")
    if reading == "share":
        return None
    if game.slate > 1 or game.environment.family is not None:
        raise InputError("turned by regret is said of arms, against the runner-up: leave it out where slates are shown")
    if game.environment.context_size:
        raise InputError("turned by regret is said of arms, against the runner-up: leave it out where contexts come")
    means = np.sort(game.environment.means)
    gap = float(means[-1] - means[means < means[-1] - 1e-12][-1])
    return HALF * gap * game.horizon * game.agents


def turned(outcome: dict[str, Any], most: float | None = None) -> bool:
    """Whether at least half of the runs went wrong: too little of the best arm, or too much regret."""
    if most is not None:
        return float(np.mean(np.array(outcome["regret"]) > most)) >= HALF
    return float(np.mean(np.array(outcome["best_share"]) < HALF)) >= HALF


def priced(
    evaluator: Evaluator,
    attack: Candidate,
    seed: int,
    runs: int,
    *,
    guess: float | None = None,
    below: float | None = None,
    unit: str = "reward",
    budget: float = math.inf,
    tolerance: float = TOLERANCE,
    most: float | None = None,
) -> float | None:
    """The price of one attack on one block, by bisection; None if it does not turn the policy (below `below`)."""

    def turns(amount: float) -> bool:
        spent, share = (amount, None) if unit == "reward" else (budget, amount)
        return turned(evaluator.outcome(Play(attack, spent, seed, runs, share)), most)

    if turned(evaluator.outcome(Play(None, 0.0, seed, runs)), most):
        return 0.0
    if below is not None:
        if not turns(below / tolerance):
            return None
        high = below / tolerance
    else:
        unlimited = evaluator.outcome(Play(attack, budget, seed, runs))
        if not turned(unlimited, most):
            return None
        high = max(unlimited["paid"]) if unit == "reward" else 1.0  # with so much, no run feels a limit
        if guess and guess * SLACK < high and turns(guess * SLACK):
            high = guess * SLACK
    low = guess / SLACK if guess and guess / SLACK < high else high / 2.0
    while low > LEAST[unit] and turns(low):
        low, high = low / 2.0, low
    while high > tolerance * low:
        middle = math.sqrt(low * high)
        low, high = (low, middle) if turns(middle) else (middle, high)
    return high


def best_items(means: Floats, slots: int, family: Any) -> list[int]:
    """The items of the best slate."""
    found = np.argsort(-means, kind="stable")[:slots] if family is None else family[means[family].sum(axis=1).argmax()]
    return sorted(int(item) for item in found)


def pricing_attacks(
    threat: str,
    environment: Environment[Any],
    catalogue: Catalogue = SHIPPED,
    capability: Capability = ANYTHING,
    slate: int = 1,
) -> list[Candidate]:
    """The attacks tried for a price: those of model B that can be done, or the aimed ones of model A, efficient.

    On slates each item of the best one is sunk in turn: one that is missing is enough.
    """
    slots = slate if environment.family is None else environment.family.shape[1]
    check_threat(threat)
    means = np.array(environment.means)
    if len(means) < 2:
        raise InputError("a price needs at least 2 arms; 1 was given")
    if threat == "B" and slots > 1:
        best = best_items(means, slots, environment.family)
        return within([Candidate(f"sink-shown:arm={item + 1}") for item in best], capability, catalogue)
    if threat == "B":
        several = [count for count in (2, 3, len(means) - 1) if count < len(means)]
        pushes = ["push-shown:raised=1", f"push-shown:raised={len(means) - 1}"]
        pushes += [f"push-shown:lowered=0,raised={count}" for count in several]
        pushes += ["push-shown:lowered=0,raised=1,worst=true", *(f"push-shown:lowered={count}" for count in several)]
        pushes += [] if environment.features is None else ["sink-near"]
        pushes += ["sink-best"] if environment.context_size else []
        found = [*catalogue_attacks("B", False, catalogue), *map(Candidate, dict.fromkeys(pushes))]
        return within(found, capability, catalogue)
    near = runner_up(means) + 1
    return [
        Candidate(name, schedule, "efficient")
        for name in ("invert", f"decoy:arm={near}", "sink")
        for schedule in ("leading:theta=0.05", "leading:theta=0.5", "contested", "start")
    ]
