"""What a policy would have earned on logged contexts: by replay of the rounds in which it takes the logged arm.

Each row of the log is offered once (Li, Chu, Langford & Wang 2011). A row is taken with probability q/p, p the one
it was logged with and q the smallest in the log, so that every arm is as likely to be taken in every context: the
rounds that are left are those the policy would have met. What is measured is the mean reward over that many rounds,
about q times the rows; not regret, because a log does not say which arm was best.
"""

import csv
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robandit.adversaries.nobody import Nobody
from robandit.csv_files import read_csv_rows, to_number
from robandit.dice import Random, seed_words
from robandit.environments.contexts import Contexts
from robandit.errors import InputError
from robandit.game import Adversary, Floats, Policy, Setting
from robandit.lab import matching
from robandit.lab.parts import MatchParts
from robandit.lab.scenario import check_contexts
from robandit.numerics import student_quantile

NEEDED = ("arm", "reward", "probability")
FAR_OFF = 6.0  # standard errors: with true probabilities one arm of a log is so far off with probability below 1e-8


@dataclass(frozen=True)
class ContextLog:
    """One row per decision: who came, which arm was taken with which probability, what it paid.

    Args:
        users: the features of whoever came, (rows, dimension).
        arms: the numbers of the arms, from 0.
        rewards: from 0 to 1.
        probabilities: with which the arms were chosen, above 0.
        names: of the arms.
    """

    users: Floats  # (rows, dimension)
    arms: NDArray[np.int64]
    rewards: Floats
    probabilities: Floats
    names: tuple[str, ...]  # of the arms

    def __post_init__(self) -> None:
        rows = {len(column) for column in (self.users, self.arms, self.rewards, self.probabilities)}
        if len(rows) != 1 or 0 in rows or self.users.ndim != 2 or self.users.shape[1] == 0:
            raise InputError("a log must have rows, each with a user, an arm, a reward and a probability")
        wrong = {
            f"arm must be from 0 to {len(self.names) - 1}": (self.arms < 0) | (self.arms >= len(self.names)),
            "reward must be a number from 0 to 1": ~((self.rewards >= 0) & (self.rewards <= 1)),
            "probability must be above 0 and at most 1": ~((self.probabilities > 0) & (self.probabilities <= 1)),
            "features must be finite numbers": ~np.isfinite(self.users).all(axis=1),
        }
        for rule, where in wrong.items():
            if where.any():
                raise InputError(f"log: {rule}; row {int(np.argmax(where)) + 1} is not so")
        self.check_probabilities()

    def check_probabilities(self) -> None:
        """Refuse a log from which nothing follows: 1/p summed over an arm's rows must be near the number of rows."""
        if len(self.names) < 2:
            raise InputError(f"log: one arm ({self.names[0]}) was ever taken: there is nothing to choose")
        for arm, name in enumerate(self.names):
            weights = np.where(self.arms == arm, 1.0 / self.probabilities, 0.0)
            mean, error = float(weights.mean()), float(weights.std()) / math.sqrt(len(weights))
            if abs(mean - 1.0) > FAR_OFF * error:
                why = "it could not be taken everywhere" if mean < 1.0 else "it was taken more often than they say"
                raise InputError(
                    f"log: the probabilities of arm {name} add up to {mean:.3g} per row in place of 1, so {why}: "
                    "what another policy would have earned does not follow from this log"
                )

    @property
    def least(self) -> float:
        """The smallest probability."""
        return float(self.probabilities.min())

    def by_arm(self) -> Floats:
        """What each arm pays over all users, by importance weights, held to [0, 1]."""
        weights = self.rewards / self.probabilities
        sums = np.bincount(self.arms, weights=weights, minlength=len(self.names))
        return np.clip(sums / len(self.arms), 0.0, 1.0)

    def save(self, path: str | Path) -> None:
        """Write it as a CSV that `read_context_log` reads."""
        with Path(path).open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow([*NEEDED, *(f"x{i + 1}" for i in range(self.users.shape[1]))])
            columns = (self.arms, self.rewards, self.probabilities, self.users)
            for arm, reward, probability, user in zip(*columns, strict=True):
                writer.writerow([self.names[arm], float(reward), float(probability), *user.tolist()])


class ContextRows(NamedTuple):
    """The columns of a log as the loop reads them."""

    users: Any
    arms: Any
    rewards: Any
    probabilities: Any


class MatchArena(NamedTuple):
    """Room for the features of a row, and what each arm pays over all users."""

    features: Floats
    means: Floats


class MatchRules(NamedTuple):
    """When a row is accepted, and how the adversary is charged."""

    least: float  # the smallest logged probability
    by_rounds: bool


class MatchRecord(NamedTuple):
    """What the loop writes."""

    taken: NDArray[np.int64]  # 1 for each row that counts
    paid: Floats  # one number


@dataclass(frozen=True)
class Matched:
    """The rounds of a log that a policy took as the logger did."""

    rewards: Floats  # as they are logged, whatever the policy saw
    rows: int
    paid: float

    @property
    def rounds(self) -> int:
        """How many were taken."""
        return len(self.rewards)

    @property
    def mean(self) -> float | None:
        """The mean reward over them; None where there are none."""
        return float(self.rewards.mean()) if self.rounds else None

    @property
    def half_width_95(self) -> float | None:
        """Half of its 95 % interval, rounds taken for independent; None for fewer than two."""
        if self.rounds < 2:
            return None
        return float(student_quantile(self.rounds - 1) * self.rewards.std(ddof=1)) / math.sqrt(self.rounds)


def replay_contexts(
    policy: Policy[Any],
    log: ContextLog,
    adversary: Adversary[Any] | None = None,
    *,
    seed: int = 1,
    engine: str = "rounds",
) -> Matched:
    """Replay a log of contexts with a policy that learns as it goes.

    Args:
        policy: the policy that learns.
        log: one row per decision, with the probability of its arm.
        adversary: of threat model B: it changes the rewards that the policy sees in rounds that are taken, not those
            that are counted. One that must know the means of a round is refused: a log does not hold them.
        seed: of the random streams.
        engine: "rounds" (compiled) or "plain".

    Returns:
        The rounds that were taken, and the mean reward over them.

    Raises:
        InputError: if the policy or the adversary cannot be played on a log.
    """
    against = Nobody() if adversary is None else adversary
    check_contexts(policy, against, 1, False)
    about = getattr(getattr(against, "inner", against), "about", None)
    if about is not None and "means" in about.sees:
        raise InputError(f"{about.name} must know the means of each round, and a log does not hold them")
    if engine not in ("rounds", "plain"):
        raise InputError(f"engine must be rounds or plain, not {engine!r}")
    arms, size = len(log.names), log.users.shape[1]
    expected = max(1, round(log.least * len(log.arms)))
    features, means = np.zeros((1, size)), log.by_arm()
    state = policy.start(Setting(arms, expected, against.budget, features.copy()))
    memory = against.start(means, expected)
    record = MatchRecord(np.zeros(len(log.arms), np.int64), np.zeros(1))
    arguments = (
        ContextRows(*map(np.ascontiguousarray, (log.users, log.arms, log.rewards, log.probabilities))),
        seed_words(seed, range(1))[0],
        MatchArena(features, means),
        MatchRules(log.least, against.charge == "rounds"),
        record,
    )
    parts = MatchParts(policy, state, against, memory)
    loop: Any = matching.match_rows
    if engine == "rounds":
        from robandit.lab.compile.kernel import effort_for, kernel_for

        loop = kernel_for(matching.match_rows, parts, arguments, effort_for(len(log.arms) * arms))
    loop(parts, *arguments)
    return Matched(log.rewards[record.taken == 1], len(log.arms), float(record.paid[0]))


def read_context_log(path: str | Path) -> ContextLog:
    """Read a log of contexts from a CSV file.

    Args:
        path: the file. It has the columns arm, reward and probability; every other one is a feature of the user.

    Returns:
        The log, one row per decision.

    Raises:
        InputError: if a column is missing or there twice, or a cell is not what it must be.
    """
    path = Path(path)
    (_, first), *rows = read_csv_rows(path)
    header = [name.strip() for name in first]
    header = ["probability" if name == "chance" and "probability" not in header else name for name in header]
    if any(header.count(name) != 1 for name in NEEDED) or len(header) < 4 or not rows:
        raise InputError(f"log: {path.name} must have one column each named {', '.join(NEEDED)}, features, and rows")
    places = [header.index(name) for name in NEEDED]
    columns = [*places[1:], *(place for place in range(len(header)) if place not in places)]
    named, numbers = [], []
    for line, cells in rows:
        numbers.append([to_number(cells[place], header[place], path, line) for place in columns])
        named.append(cells[places[0]].strip())
    names = tuple(sorted(set(named)))
    place = {name: number for number, name in enumerate(names)}
    table = np.array(numbers)
    return ContextLog(table[:, 2:].copy(), np.array([place[name] for name in named]), table[:, 0], table[:, 1], names)


def logged_by_probability(environment: Contexts, rows: int, probabilities: Any, seed: int = 1) -> ContextLog:
    """The log that a logger leaves who draws every arm with a probability of its own, whoever comes."""
    population, random = environment.start(), Random(*map(int, seed_words(seed, range(1))[0, 0]))
    shares = np.asarray(probabilities, np.float64)
    if shares.shape != (environment.count,) or not (shares > 0).all() or abs(shares.sum() - 1.0) > 1e-9:
        raise InputError(
            f"probabilities must be {environment.count} numbers above 0 that add up to 1, not {probabilities!r}"
        )
    users = np.array([int(random.uniform() * len(population.users)) for _ in range(rows)])
    arms = np.searchsorted(np.cumsum(shares)[:-1], [random.uniform() for _ in range(rows)], side="right")
    paid = np.array([random.uniform() for _ in range(rows)]) < population.means[users, arms]
    names = tuple(str(arm + 1) for arm in range(environment.count))
    return ContextLog(population.users[users], arms.astype(np.int64), paid.astype(float), shares[arms], names)
