"""Forged thumbs against a router of requests: a replica of a public one, and robandit's policies in its place.

    pip install '.[lab]'
    python recipes/router.py              # all tables, some minutes
    python recipes/router.py --quick      # the same with few runs

The replica follows LiteLLM's adaptive router as of litellm 1.109.1, files README.md, bandit.py, config.py, hooks.py and
adaptive_router.py of litellm/router_strategy/adaptive_router. Its authors call every one of its constants unvalidated.
It has the request types, the Beta cells, the prior, the cap, the costs, the gate of short conversations, the credit
that a conversation gives once, and thumbs that come with the next turn. `verification/router_package.py` holds it to
the package, pick by pick and cell by cell.

It leaves out how words become thumbs (no regular expression is here: a user is satisfied or not, and says so or not),
signals of tools and of repeated answers, tiers that callers ask for, several processes and their database, and all that
stands in front of a router: accounts, keys, limits. So it says how many thumbs move a cell, not how to send one.
What people are like (satisfaction, how often they say so, how long they talk) is ours and marked so.
"""

import argparse
import random
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import robandit as rb
from robandit.dice import Random
from robandit.estimates import estimate

TYPES = (  # litellm/types/router.py, RequestType
    "code_generation",
    "code_understanding",
    "technical_design",
    "analytical_reasoning",
    "writing",
    "factual_lookup",
    "general",
)
QUALITY_WEIGHT, COST_WEIGHT = 0.7, 0.3  # config.py, DEFAULT_QUALITY_WEIGHT and DEFAULT_COST_WEIGHT
TIER_MEANS = {1: 0.3, 2: 0.5, 3: 0.7}  # config.py, BASE_TIER_WEIGHT: the prior's mean
STRENGTH, LARGEST_MEAN = 0.3, 0.95  # config.py, STRENGTH_BONUS; bandit.py, initial_cell
MASS, CAP = 10.0, 200  # config.py, COLD_START_MASS and SAMPLE_CAP, on alpha + beta
GATE = 4  # config.py, SIGNAL_GATE_MIN_MESSAGES: shorter requests say nothing
CREDIT = 3  # config.py, MIN_TURNS_FOR_CLEAN_CREDIT: recorded turns before a thumb up counts, once per conversation
SAYS_SO = 0.5  # ours: how often a user reacts to an answer
STOPS = 1 / 8  # ours: how likely a conversation ends after a turn
OPEN = 20  # ours: conversations at a time


@dataclass(frozen=True)
class Model:
    """A model of the router."""

    name: str
    cost: float  # per token
    tier: int
    strengths: tuple[str, ...] = ()


@dataclass(frozen=True)
class World:
    """Models, and how satisfied users are with each by request type; the attacker is after one type."""

    title: str
    models: tuple[Model, ...]
    satisfaction: Mapping[str, tuple[float, ...]]  # ours
    target: str

    def cheapness(self) -> list[float]:
        """Returns 1 for the cheapest model, 0 for the most expensive (bandit.py, normalized_cost)."""
        costs = [model.cost for model in self.models]
        low, high = min(costs), max(costs)
        return [0.5 if high == low else 1.0 - (cost - low) / (high - low) for cost in costs]

    def best(self, kind: str) -> int:
        """Returns the model with the largest true score for a type."""
        scores = [
            QUALITY_WEIGHT * mean + COST_WEIGHT * cheap
            for mean, cheap in zip(self.satisfaction[kind], self.cheapness(), strict=True)
        ]
        return scores.index(max(scores))


EQUAL = World(
    "two models of equal cost, 80 % and 60 % of users satisfied",
    (Model("one", 1e-6, 2), Model("two", 1e-6, 2)),
    dict.fromkeys(TYPES, (0.8, 0.6)),
    "writing",
)
PRICED = World(  # models, costs, tiers and strengths: the example of README.md
    "the two models of the package's example, and the type that only the expensive one is good at",
    (
        Model("large", 2.5e-6, 3, ("code_generation", "analytical_reasoning")),
        Model("small", 0.15e-6, 2, ("general", "factual_lookup")),
    ),
    dict.fromkeys(TYPES, (0.85, 0.8)) | {"code_generation": (0.95, 0.35)},
    "code_generation",
)


class Router(Protocol):
    """Picks a model for a request; a ticket says later which pick a thumb is for."""

    checks: int

    def pick(self, kind: str) -> tuple[int, Any]:
        """Returns the model, and a ticket."""

    def learn(self, kind: str, ticket: Any, thumb: bool, truth: bool) -> None:
        """Learn a thumb for a pick; `truth` is what a check of it would find."""


class Replica:
    """Thompson sampling as the package has it: one draw per model, weighted with its cost."""

    def __init__(self, world: World, stream: random.Random) -> None:
        self.cheapness, self.stream, self.checks = world.cheapness(), stream, 0
        self.cells = {kind: [self.prior_cell(model, kind) for model in world.models] for kind in TYPES}

    @staticmethod
    def prior_cell(model: Model, kind: str) -> list[float]:
        """Returns the prior's successes and failures (bandit.py, initial_cell)."""
        mean = min(LARGEST_MEAN, TIER_MEANS[model.tier] + (STRENGTH if kind in model.strengths else 0.0))
        return [mean * MASS, (1.0 - mean) * MASS]

    def pick(self, kind: str) -> tuple[int, Any]:
        """Returns the model with the largest score; the first of equal ones (bandit.py, pick_best)."""
        scores = [
            QUALITY_WEIGHT * self.stream.betavariate(*cell) + COST_WEIGHT * cheap
            for cell, cheap in zip(self.cells[kind], self.cheapness, strict=True)
        ]
        best = scores.index(max(scores))
        return best, best

    def learn(self, kind: str, ticket: int, thumb: bool, truth: bool) -> None:
        """Count a thumb, unless the cell is full (bandit.py, apply_delta)."""
        cell = self.cells[kind][ticket]
        if sum(cell) + 1.0 <= CAP:
            cell[0 if thumb else 1] += 1.0


class PolicyRouter:
    """A policy of robandit for each request type; the reward is the score, as a thumb and the cost make it."""

    def __init__(self, text: str, world: World, stream: random.Random) -> None:
        self.policy, self.cheapness, self.checks = rb.policy(text), world.cheapness(), 0
        self.stream = Random(*(stream.getrandbits(64) for _ in range(4)))
        setting = rb.Setting(len(world.models), 10_000)
        self.states = {kind: self.policy.start(setting) for kind in TYPES}

    def pick(self, kind: str) -> tuple[int, Any]:
        """Draw once; whether its thumb shall be checked is decided at once."""
        state = self.states[kind]
        choice = self.policy.choose(state, self.stream)
        self.policy.defer(state, choice)  # its thumb comes later, or never
        return choice.arm, (choice, self.policy.wants_check(state, choice))

    def learn(self, kind: str, ticket: Any, thumb: bool, truth: bool) -> None:
        """Learn the reward of a thumb; of what it should have been, where the policy asked for a check."""
        choice, is_checked = ticket
        self.checks += is_checked
        reward = QUALITY_WEIGHT * (truth if is_checked else thumb) + COST_WEIGHT * self.cheapness[choice.arm]
        self.policy.learn_any(self.states[kind], choice, reward, is_checked, self.stream)


@dataclass
class Conversation:
    """What a router remembers of a conversation (adaptive_router.py, record_turn)."""

    kind: str
    turns: int = 0
    recorded_turns: int = 0
    has_credited: bool = False
    ticket: Any = None
    model: int = -1

    def turn(self, router: Router, says: bool | None, truth: bool) -> bool:
        """Send a request, which says something about the answer before or nothing; returns whether that counted."""
        model, ticket = router.pick(self.kind)
        self.turns += 1
        is_counted = False
        if 2 * self.turns - 1 >= GATE:  # its messages: a question and an answer per turn before, and a question
            if self.recorded_turns and says is not None:
                is_counted = not says or (not self.has_credited and self.recorded_turns + 1 >= CREDIT)
            if is_counted:
                router.learn(self.kind, self.ticket, bool(says), truth)
                self.has_credited |= bool(says)
            self.recorded_turns += 1
        self.ticket, self.model = ticket, model
        return is_counted


def play(world: World, router: Router, forged: int, horizon: int, stream: random.Random) -> float:
    """Returns the share of honest requests of the attacked type that the best model answers.

    The attacker's conversations are as long as others'. Until so many of their thumbs have counted, every second
    request is theirs: they call each answer of the best model bad, and say nothing of others.
    """
    target, best = world.target, world.best(world.target)
    honest = [Conversation(stream.choice(TYPES)) for _ in range(OPEN)]
    liar, left, requests, good = Conversation(target), forged, 0, 0
    for _ in range(horizon):
        while left and stream.random() < 0.5:
            truth = liar.model >= 0 and stream.random() < world.satisfaction[target][liar.model]
            left -= liar.turn(router, False if liar.model == best else None, truth)
            if stream.random() < STOPS:
                liar = Conversation(target)
        place = stream.randrange(OPEN)
        talk = honest[place]
        is_satisfied = talk.model >= 0 and stream.random() < world.satisfaction[talk.kind][talk.model]
        talk.turn(router, is_satisfied if stream.random() < SAYS_SO else None, is_satisfied)
        if talk.kind == target:
            requests, good = requests + 1, good + (talk.model == best)
        if stream.random() < STOPS:
            honest[place] = Conversation(stream.choice(TYPES))
    return good / requests


def runs_of(name: str, world: World, forged: int, horizon: int, runs: int) -> Iterator[tuple[float, float]]:
    """Yields one share per run, and the checks per request; the same seeds for everybody."""
    for run in range(runs):
        stream = random.Random(f"{run} {forged}")
        router: Router = Replica(world, stream) if name == "the replica" else PolicyRouter(name, world, stream)
        yield play(world, router, forged, horizon, stream), router.checks / horizon


def verdict(shares: Sequence[float], forged: int) -> str:
    """Returns whether most runs are fooled, by Wilson's 95 % interval for the proportion with a share below half."""
    n, fooled, z = len(shares), sum(share < 0.5 for share in shares), 1.96
    middle = (fooled / n + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * ((fooled / n) * (1 - fooled / n) / n + z * z / (4 * n * n)) ** 0.5
    if not forged:
        return f"{fooled} of {n}"
    word = "fooled" if middle - half > 0.5 else "not fooled" if middle + half < 0.5 else "open"
    return f"{word}, {fooled} of {n}"


NAMES = (
    "the replica",
    "thompson",
    "ucb1",
    "samba",
    "tsallis-inf-rv",
    "bonus-thompson:withstand=20",
    "bonus-thompson:withstand=50",
    "verified-thompson",
)


def main() -> None:
    """Print one table per world: share of the best model with its interval, verdict, runs with a share below half."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="five runs of 2,000 requests in place of 40 of 10,000")
    horizon, runs = (2_000, 5) if parser.parse_args().quick else (10_000, 40)
    for world in (EQUAL, PRICED):
        print(f"\n{world.title}; {horizon:,} requests of seven types, attacked: {world.target}; {runs} runs")
        print(f"{'':28}{'without an attack':>22}" + "".join(f"{f'{n} forged thumbs':>38}" for n in (10, 20, 50)))
        for name in NAMES:
            line, checks = f"{name:28}", 0.0
            for forged in (0, 10, 20, 50):
                shares, rates = zip(*runs_of(name, world, forged, horizon, runs), strict=True)
                checks = max(checks, statistics.fmean(rates))
                words = f"{estimate(shares):.2f} {verdict(shares, forged)}"
                line += f"{words:>38}" if forged else f"{words:>22}"
            print(line + (f"   checks: {checks:.1%} of requests" if checks else ""), flush=True)


if __name__ == "__main__":
    main()
