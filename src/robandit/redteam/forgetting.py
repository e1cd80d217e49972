"""The price of forgetting: two prices that must not be mixed, and how long a lie lasts.

To fool a policy for good, so that the best arm gets fewer than half of all rounds, a lie must be repeated each time
it is forgotten: the less is remembered, the more it costs. To flip the leader once, in the middle of a settled game,
only what is remembered must be outweighed: the less is remembered, the less it costs. Afterwards the policy recovers
as fast as it forgets.
"""

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from robandit.capability import Capability
from robandit.errors import InputError
from robandit.game import Can, Policy
from robandit.lab.batch import simulate
from robandit.lab.scenario import Scenario
from robandit.lab.trace import Trace
from robandit.policies.discount import Discount
from robandit.policies.thompson import Thompson
from robandit.policies.window import SlidingWindow
from robandit.progress import Progress, ignore, part_of
from robandit.redteam.candidate import Candidate
from robandit.redteam.evaluate import Evaluator, block_seed
from robandit.redteam.memory_law import price_of_memory
from robandit.redteam.price import Price, PriceOptions, attack_price
from robandit.store.journal import Journal
from robandit.version import __version__

SINK = Candidate("sink-shown")
STEP, SPAN = 20, 200  # rounds from one look to the next, and over which a share is taken
LED, LEADS = 0.5, 0.9  # of the last rounds: below the first the leader has fallen, from the second on it leads again
SETTLED = 0.2  # of the horizon is over when the leader is flipped
ONCE, HELD = 30_000, 40_000  # numbers of the blocks of seeds, far from those of prices
LONG = 0.1  # of the horizon for which a lie is held


@dataclass(frozen=True)
class Spread:
    """Median and quartiles over runs; None where as many runs never came to it."""

    median: float | None
    low: float | None
    high: float | None

    @classmethod
    def of(cls, values: Any) -> "Spread":
        """Of one number per run, infinite where a run never came to it."""
        ends = np.quantile(np.asarray(values, np.float64), (0.5, 0.25, 0.75), method="nearest")
        return cls(*(float(end) if math.isfinite(end) else None for end in ends))

    def to_json(self) -> dict[str, float | None]:
        """Under the names of a price."""
        return {"low": self.low, "estimate": self.median, "high": self.high}


@dataclass(frozen=True)
class ForgettingPrice:
    """What one policy costs to fool, for good and once, and how it comes back."""

    scenario: Scenario
    price: Price  # to fool it for good
    once: Spread  # forged rewards that flip the leader once
    recovery: Spread  # rounds from then until the best arm leads again
    held_recovery: Spread  # the same after the attacker went on for a tenth of the horizon
    held_paid: Spread = field(default_factory=lambda: Spread(None, None, None))

    @property
    def memory(self) -> float | None:
        """How many rewards count, where a window or a discount says it."""
        return memory_of(self.scenario.policy)

    @property
    def law(self) -> tuple[float, float] | None:
        """Both prices by the law, for Thompson sampling inside a window or a discount."""
        inner, memory = getattr(self.scenario.policy, "inner", None), self.memory
        if memory is None or type(inner) is not Thompson:
            return None
        means, horizon = sorted(self.scenario.environment.means), self.scenario.horizon
        return price_of_memory(means, horizon, memory), memory * (means[-1] - means[-2])

    def to_json(self) -> dict[str, Any]:
        """One row."""
        policy, law = self.scenario.policy, self.law
        return {
            "policy": policy.name,
            "label": str(policy),
            "parameters": policy.parameters(),
            "memory": self.memory,
            "clean_regret": self.price.clean,
            "learns": self.price.learns,
            "price": self.price.to_json(),
            "flip": self.once.to_json(),
            "law": None if law is None else {"price": law[0], "flip": law[1]},
            "recovery_rounds": self.recovery.to_json(),
            "held": {"forged": self.held_paid.to_json(), "recovery_rounds": self.held_recovery.to_json()},
        }


def memory_of(policy: Policy[Any]) -> float | None:
    """How many rewards a window or a discount remembers, about; None for other policies."""
    if isinstance(policy, SlidingWindow):
        return float(policy.size)
    return 1.0 / (1.0 - policy.rate) if isinstance(policy, Discount) else None


def forgetting_price(
    scenario: Scenario, journal: Journal | None = None, threads: int | None = None, progress: Progress = ignore
) -> ForgettingPrice:
    """Measure both prices and the recoveries of a policy; raises InputError for a game it cannot be asked of."""
    check_game(scenario)
    evaluator = Evaluator(scenario, journal or Journal(None), threads, part_of(progress, 0.0, 0.7))
    price = attack_price(evaluator, [SINK], PriceOptions())
    settled, runs = int(SETTLED * scenario.horizon), 3 * scenario.runs
    block = replace(scenario, runs=runs, seed=block_seed(scenario.seed, ONCE))
    deposed = watch(block.attacked_by(f"depose:first={settled},span={SPAN}", math.inf), threads)
    progress(0.85)
    stop = settled + int(LONG * scenario.horizon)
    lying = Capability(can=Can.ERASE, first=settled, stop=stop)
    block = replace(block, seed=block_seed(scenario.seed, HELD), capability=lying)
    held = watch(block.attacked_by(SINK.attack, math.inf), threads)
    progress(1.0)
    fell = [first_round(trail, settled, below=LED) for trail in trails(deposed)]
    back = [first_round(trail, begin, least=LEADS) - begin for trail, begin in zip(trails(deposed), fell, strict=True)]
    paid = [cost if math.isfinite(begin) else math.inf for cost, begin in zip(spent(deposed), fell, strict=True)]
    after = [first_round(trail, stop, least=LEADS) - stop for trail in trails(held)]
    return ForgettingPrice(scenario, price, Spread.of(paid), Spread.of(back), Spread.of(after), Spread.of(spent(held)))


def prices_record(prices: list[ForgettingPrice]) -> dict[str, Any]:
    """What was measured, as JSON: the game, and one entry per policy."""
    scenario = prices[0].scenario
    environment = scenario.environment
    return {
        "version": __version__,
        "environment": {"name": environment.name, "means": list(environment.means)},
        "horizon": scenario.horizon,
        "runs": scenario.runs,
        "seed": scenario.seed,
        "settled": int(SETTLED * scenario.horizon),
        "held": int(LONG * scenario.horizon),
        "span": SPAN,
        "results": [one.to_json() for one in prices],
    }


def usual_policies(memories: tuple[float, ...], inner: str) -> list[str]:
    """A policy as it is, with windows and discounts of several memories, and with a restart."""
    windows = [f"window:size={memory:.0f},inner=({inner})" for memory in memories]
    discounts = [f"discount:rate={1.0 - 1.0 / memory!r},inner=({inner})" for memory in memories]
    return [inner, *windows, *discounts, f"restart:inner=({inner})"]


def check_game(scenario: Scenario) -> None:
    """Raise InputError where the leader cannot be flipped in the middle of a settled game."""
    if scenario.has_best_by_round or scenario.turns > 1:
        raise InputError(
            "the price of forgetting is asked of one agent, one arm at a time, in a world that stands still"
        )
    if scenario.horizon < 100 * STEP:
        raise InputError(f"horizon must be at least {100 * STEP:,} here, not {scenario.horizon:,}")
    if scenario.arms < 2:
        raise InputError("a price needs at least 2 arms; 1 was given")


def watch(scenario: Scenario, threads: int | None) -> Trace:
    """A play with a look every few rounds."""
    looks = np.arange(STEP, scenario.horizon + 1, STEP)
    return simulate(scenario, threads=threads, checkpoints=looks, engine="rounds")


def spent(trace: Trace) -> list[float]:
    """What the attacker paid, by run."""
    paid: list[float] = trace.corruption_paid[:, -1].tolist()
    return paid


def trails(trace: Trace) -> list[NDArray[np.float64]]:
    """Of each run, at each look the best arm's share of the last rounds; the whole share before there are so many."""
    assert trace.best_pulls is not None
    counts, back = trace.best_pulls[:, : trace.horizon // STEP], SPAN // STEP
    before = np.concatenate([np.zeros((len(counts), back), np.int64), counts[:, :-back]], axis=1)
    return list((counts - before) / SPAN)


def first_round(trail: NDArray[np.float64], since: float, below: float = math.inf, least: float = -1.0) -> float:
    """The first look after a round at which the share is in the range; infinite if there is none."""
    if not math.isfinite(since):
        return math.inf
    rounds = STEP * np.arange(1, len(trail) + 1)
    found = (rounds > since) & (trail < below) & (trail >= least)
    return float(rounds[found][0]) if found.any() else math.inf
