"""The two questions in one call each, for Python: the worst attack within a budget, and the price of a policy."""

import math
from pathlib import Path
from typing import Any

from robandit.capability import ANYTHING, Capability
from robandit.catalogue import SHIPPED, read_capability
from robandit.game import Environment, Policy
from robandit.redteam.candidate import Candidate
from robandit.redteam.evaluate import Evaluator, Game, journal_for
from robandit.redteam.frontier import with_told
from robandit.redteam.price import Price, attack_price, pricing_attacks
from robandit.redteam.search import EVALUATIONS, Finding, worst_attack
from robandit.store.journal import Journal


def find_worst_attack(
    policy: Policy[Any],
    environment: Environment[Any],
    *,
    budget: float,
    threat: str = "A",
    horizon: int,
    agents: int = 1,
    slate: int = 1,
    runs: int = 100,
    seed: int = 1,
    threads: int | None = None,
    evaluations: int = EVALUATIONS,
    quick: bool = False,
    capability: str | Capability = ANYTHING,
    out: str | None = None,
) -> Finding:
    """The worst attack found within a budget, chosen on other seeds than `seed`; `out` keeps what was tried.

    In threat model B it stays within what its attacker can do, such as "add" or "both:share=0.05".
    """
    game = Game(policy, environment, horizon, seed, agents=agents, slate=slate)
    journal = kept_in(game, out, f"redteam-{threat}-{budget:g}")
    evaluator = Evaluator(game, journal, threads, capability=read_capability(capability))
    return worst_attack(evaluator, threat, budget, runs=runs, evaluations=evaluations, quick=quick)


def find_price(
    policy: Policy[Any],
    environment: Environment[Any],
    *,
    threat: str = "B",
    attack: str | None = None,
    schedule: str = "start",
    size: str = "full",
    horizon: int,
    agents: int = 1,
    slate: int = 1,
    runs: int = 60,
    blocks: int = 3,
    seed: int = 1,
    threads: int | None = None,
    capability: str | Capability = ANYTHING,
    share: bool = False,
    budget: float = math.inf,
    turned: str = "share",
    out: str | None = None,
) -> Price:
    """The smallest budget that turns a policy, for one attack or the cheapest of all its attacker can carry out.

    With `share` the smallest share of all rounds, within a budget. `turned` is "share" (the best arm in fewer than half
    of the rounds) or "regret" (more than half of what always playing the runner-up costs), in half of the runs. A
    policy that must be told C and is not is told 100, in peace as in war.
    """
    game = Game(with_told(policy), environment, horizon, seed, agents=agents, slate=slate)
    can = read_capability(capability)
    attacks = (
        [Candidate(attack, schedule, size)] if attack else pricing_attacks(threat, environment, SHIPPED, can, slate)
    )
    evaluator = Evaluator(game, kept_in(game, out, f"price-{threat}"), threads, capability=can)
    terms: dict[str, Any] = {"share": share, "budget": budget, "reading": turned}
    return attack_price(evaluator, threat, attacks, runs=runs, blocks=blocks, **terms)


def kept_in(game: Game, out: str | None, question: str) -> Journal:
    """A memory on disk, or one that ends with the call."""
    return Journal(None) if out is None else journal_for(game, Path(out), question)
