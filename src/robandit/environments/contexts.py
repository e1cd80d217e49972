"""Contexts: every round brings a user, who has features and a best arm of their own."""

import math
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from robandit.csv_files import read_csv_numbers
from robandit.environments.means import check_means
from robandit.errors import InputError
from robandit.game import Environment, Floats
from robandit.parts import About, parameter

ALIKE = 0.3  # how much less arms of a drawn game differ for everybody than for somebody
MARK = "mean."  # of a column that holds an arm's mean


@dataclass
class Population:
    """The users' features, and what each arm pays each user in the mean."""

    users: Floats  # (users, dimension)
    means: Floats  # (users, arms)


@dataclass(frozen=True)
class Contexts(Environment[Population]):
    """A user drawn from a population; an arm pays 1 with the mean it has for that user, else 0.

    All arms have the features of the user, and a policy learns of each arm apart (the disjoint model of Li, Chu,
    Langford & Schapire 2010): arms keep their names, so that somebody can want to harm one, and a log needs to hold
    nothing but the user.
    In a drawn game a user is a constant and a point of the unit sphere, over sqrt(2), and an arm's mean is linear in
    it; all means lie from 0.1 to 0.9. With a file nothing makes them linear.
    """

    about = About(
        name="contexts",
        summary="a user with features comes in each round, with a best arm of their own: drawn, or a CSV of users",
    )
    arms: int = parameter(5, "arms of a drawn game", least=2, most=1000)
    dimension: int = parameter(5, "features of a user, the constant among them", least=1, most=1000)
    users: int = parameter(1000, "users of a drawn game, each as likely in every round", least=1, most=100_000)
    instance: int = parameter(1, "which of the drawn games", least=0)
    file: str = parameter("", f"CSV in place of a drawn game, one row per user: columns {MARK}NAME for the arms' means")
    rows: tuple[tuple[float, ...], ...] = ()  # means, then features of each user: read, drawn, or set in Python
    count: int = 0  # how many of the columns are means

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.file and self.rows:
            raise InputError("contexts: give a file or rows, not both")
        in_memory: tuple[Any, int] = (self.rows, self.count) if self.rows else self.draw_game()
        rows, count = read_users(Path(self.file)) if self.file else in_memory
        try:
            table = np.array(rows, np.float64)
        except (TypeError, ValueError) as error:
            raise InputError("contexts: rows must hold numbers, the same for each user") from error
        if table.ndim != 2 or not 1 <= count < table.shape[1] or not np.isfinite(table).all():
            raise InputError("contexts: each user must have an arm's mean and a feature at least, all finite")
        for user in table:
            check_means(user[:count])
        object.__setattr__(self, "rows", tuple(tuple(row) for row in table.tolist()))
        object.__setattr__(self, "count", count)

    @cached_property
    def population(self) -> Population:
        """The users as arrays."""
        table = np.array(self.rows)
        return Population(table[:, self.count :].copy(), table[:, : self.count].copy())

    @property
    def means(self) -> tuple[float, ...]:  # type: ignore[override]  # read or drawn
        """Of each arm, over all users."""
        return tuple(self.population.means.mean(axis=0).tolist())

    @property
    def context_size(self) -> int:  # type: ignore[override]  # follows from the rows
        """The user's features."""
        return int(self.population.users.shape[1])

    @property
    def blind_regret(self) -> float:
        """What always playing the arm that is best on average costs per round: all that features can save."""
        return max(float(self.population.means.max(axis=1).mean()) - max(self.means), 0.0)

    def parameters(self) -> dict[str, Any]:
        """Without the rows: they follow from the others, or are a file's."""
        return {name: value for name, value in super().parameters().items() if name not in ("rows", "count")}

    def __str__(self) -> str:
        return f"contexts:file={self.file}" if self.file else f"contexts of {len(self.rows):,} users"

    def draw_game(self) -> tuple[list[list[float]], int]:
        """Means and features of each user of a drawn game."""
        shape = (self.arms, self.dimension, self.users)
        random = np.random.default_rng(np.random.SeedSequence(self.instance, spawn_key=shape))
        points = random.normal(size=(self.users, self.dimension - 1))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        features = np.column_stack([np.ones(self.users), points]) / math.sqrt(2.0)
        weights = random.normal(size=(self.dimension, self.arms))
        weights[0] *= ALIKE
        worth = features @ weights
        means = 0.1 + 0.8 * (worth - worth.min()) / max(np.ptp(worth), 1e-300)
        return np.column_stack([means, features]).tolist(), self.arms

    def start(self) -> Population:
        return self.population

    def context(self, tables: Population, uniform: float, features: Floats, means: Floats) -> float:
        place = uniform * len(tables.users)
        user = int(place)
        for arm in range(len(means)):
            means[arm] = tables.means[user, arm]
        for i in range(tables.users.shape[1]):
            features[0, i] = tables.users[user, i]
        return place - user

    def reward(self, tables: Population, arm: int, mean: float, uniform: float) -> float:
        return 1.0 if uniform < mean else 0.0


def read_users(path: Path) -> tuple[list[list[float]], int]:
    """Means, then features of each user from a CSV file, and how many are means."""
    header, rows = read_csv_numbers(path)
    arms = [place for place, name in enumerate(header) if name.startswith(MARK)]
    if not arms or not rows:
        raise InputError(f"contexts: {path.name} must have columns named {MARK}NAME, one per arm, and one row per user")
    order = [*arms, *(place for place in range(len(header)) if place not in arms)]
    return [[row[place] for place in order] for row in rows], len(arms)
