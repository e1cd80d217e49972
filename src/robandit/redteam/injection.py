"""The price of a poisoned history: how many rows, appended to an honest one, fool a policy that learns it first.

The attacker never touches a live reward. Their rows are valid ones (an arm, a reward of 0 or 1, the probability of an
even draw) and stand after the honest ones. Each also adds a pull, so their price is not that of forging live.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from robandit.adversaries.attacks import runner_up
from robandit.errors import InputError
from robandit.estimates import summarise
from robandit.game import Floats, Policy
from robandit.lab.batch import simulate
from robandit.lab.log import Log, replay_log
from robandit.lab.scenario import Scenario
from robandit.redteam.evaluate import block_seed
from robandit.redteam.price import CHOOSING, HALF, PRICING
from robandit.state import save_state
from robandit.version import __version__

PATTERNS = ("bury", "praise", "both")  # zeros for the best arm, ones for the runner-up, or one of each in turn
TOLERANCE = 1.05
BLOCKS = 3
FIRST = 8  # rows that are tried first
MOST = 10  # times the horizon: no price is sought beyond


@dataclass(frozen=True)
class InjectionPrice:
    """What it costs to fool a policy through its history, in rows."""

    policy: Policy[Any]
    history: int  # honest rows
    pattern: str
    clean: dict[str, Any]  # regret after the honest history alone
    blocks: tuple[float | None, ...]  # rows by block; 0 where there is nobody to fool, None where no number is enough
    by_pattern: dict[str, float | None]  # on the block that chose; None: not cheaper than the best so far

    @property
    def learns(self) -> bool:
        """Whether there is a policy to fool after the honest history."""
        return 2 * self.blocks.count(0.0) < len(self.blocks)

    def to_json(self) -> dict[str, Any]:
        """The price with its range."""
        rows = [math.inf if price is None else price for price in self.blocks]
        ends = {"low": min(rows), "estimate": float(np.median(rows)), "high": max(rows)}
        price = {name: value if math.isfinite(value) else None for name, value in ends.items()} | {"unit": "rows"}
        return {
            "label": str(self.policy),
            "policy": self.policy.name,
            "history": self.history,
            "pattern": self.pattern,
            "clean_regret": self.clean,
            "learns": self.learns,
            "price": price if self.learns else None,
            "blocks": list(self.blocks),
            "by_pattern": self.by_pattern,
        }


@dataclass(frozen=True)
class Injection:
    """A scenario whose policy learns a history of so many honest rows before it begins."""

    scenario: Scenario
    history: int

    def check(self) -> None:
        """Raise InputError for what has no history, or none that could be poisoned."""
        scenario = self.scenario
        if isinstance(self.history, bool) or self.history < 0 or self.history != int(self.history):
            raise InputError(f"history must be a whole number of rows, at least 0, not {self.history!r}")
        if scenario.policy.reads_note:
            raise InputError(
                f"{scenario.policy.name} learns from the notes of its own choices: a history without notes says nothing"
            )
        if scenario.turns > 1 or scenario.has_best_by_round or scenario.arms < 2:
            raise InputError("a history is poisoned on two or more arms that stay the same, one item at a time")

    def log(self, rows: int, pattern: str, seed: int) -> Log:
        """Honest rows, drawn evenly, and after them those of the attacker."""
        means, count = self.scenario.means, self.history
        random = np.random.default_rng(seed)
        arms = random.integers(len(means), size=count)
        rewards = (random.random(count) < means[arms]).astype(np.float64)
        targets, values = poison(means, rows, pattern)
        every = np.concatenate([arms, targets])
        return Log(every, np.full(len(every), 1.0 / len(means)), np.concatenate([rewards, values]))

    def play(self, rows: int, pattern: str, seed: int) -> tuple[list[float], list[float]]:
        """Best-arm share and regret of each run that begins with such a history; the rounds themselves are honest."""
        scenario, shares, regrets = self.scenario, list[float](), list[float]()
        for run in range(scenario.runs):
            own = block_seed(seed, run)
            log = self.log(rows, pattern, own)
            state = replay_log(scenario.policy, log, arms=scenario.arms, horizon=scenario.horizon, seed=own % 2**63)
            trace = simulate(
                scenario.policy,
                scenario.environment,
                horizon=scenario.horizon,
                runs=1,
                seed=own % 2**63,
                state=save_state(scenario.policy, state),
                checkpoints=1,
                threads=1,
            )
            shares.append(float(trace.best_shares[0]))
            regrets.append(float(trace.regret[0, -1]))
        return shares, regrets

    def fools(self, rows: int, pattern: str, seed: int) -> bool:
        """Whether at least half of the runs play the best arm in fewer than half of the rounds."""
        return float(np.mean(np.array(self.play(rows, pattern, seed)[0]) < HALF)) >= HALF

    def price(self, pattern: str, seed: int, below: float | None = None) -> float | None:
        """Rows that fool the policy, to the tolerance; None if no number does, or none that is less than `below`."""
        if self.fools(0, pattern, seed):
            return 0.0
        most = MOST * self.scenario.horizon if below is None else int(below / TOLERANCE)
        if below is not None and (most < 1 or not self.fools(most, pattern, seed)):
            return None
        low, high = 0, min(FIRST, most)
        while not self.fools(high, pattern, seed):
            if high >= most:
                return None
            low, high = high, min(4 * high, most)
        while high - low > 1 and high > TOLERANCE * low:
            middle = max(low + 1, min(high - 1, round(math.sqrt(max(low, 1) * high))))
            low, high = (low, middle) if self.fools(middle, pattern, seed) else (middle, high)
        return float(high)


def poison(means: Floats, rows: int, pattern: str) -> tuple[Any, Floats]:
    """The arms and rewards of the attacker's rows."""
    if pattern not in PATTERNS:
        raise InputError(f"pattern must be one of {', '.join(PATTERNS)}, not {pattern!r}")
    best, second = int(means.argmax()), runner_up(means)
    buried = {"bury": np.ones(rows, np.bool_), "praise": np.zeros(rows, np.bool_)}.get(
        pattern, np.arange(rows) % 2 == 0
    )
    return np.where(buried, best, second).astype(np.int64), np.where(buried, 0.0, 1.0)


def injection_record(scenario: Scenario, prices: list[InjectionPrice]) -> dict[str, Any]:
    """Prices on one environment under the names of the contract."""
    return {
        "version": __version__,
        "environment": {"name": scenario.environment.name, "means": list(scenario.environment.means)},
        "horizon": scenario.horizon,
        "history": prices[0].history,
        "runs": scenario.runs,
        "blocks": BLOCKS,
        "seed": scenario.seed,
        "results": [price.to_json() for price in prices],
    }


def injection_price(scenario: Scenario, history: int) -> InjectionPrice:
    """Choose the cheapest pattern on one block of seeds, price it on three others.

    Args:
        scenario: what is played after the history; its runs are those of a block.
        history: how many honest rows come first, drawn evenly from the arms.

    Raises:
        InputError: if the policy takes no history, or the game has no second arm.
    """
    injection = Injection(scenario, history)
    injection.check()
    seed, by_pattern = scenario.seed, dict[str, float | None]()
    chosen, cheapest = PATTERNS[0], None
    for pattern in PATTERNS:
        by_pattern[pattern] = injection.price(pattern, block_seed(seed, CHOOSING), cheapest)
        if by_pattern[pattern] is not None:
            chosen, cheapest = pattern, by_pattern[pattern]
    blocks = tuple(injection.price(chosen, block_seed(seed, PRICING + block)) for block in range(BLOCKS))
    regrets = [
        value for block in range(BLOCKS) for value in injection.play(0, chosen, block_seed(seed, PRICING + block))[1]
    ]
    return InjectionPrice(scenario.policy, history, chosen, summarise(regrets), blocks, by_pattern)
