"""What an attack does to a policy, on blocks of common seeds; each answer is kept, so that nothing is played twice."""

import hashlib
import json
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from robandit.capability import ANYTHING, Capability
from robandit.catalogue import SHIPPED, Catalogue
from robandit.errors import InputError
from robandit.game import Adversary, Environment, Policy
from robandit.lab.batch import simulate
from robandit.lab.counts import ABOVE
from robandit.lab.scenario import Scenario
from robandit.lab.trace import Trace
from robandit.redteam.candidate import Candidate
from robandit.store.code import code_hash
from robandit.store.journal import Journal

SHORT = 3 * 10**4  # rounds times arms of a block: it takes less time than threads lose by waiting for each other
Tell = Callable[[int], None]  # told how many runs were played or remembered


@dataclass(frozen=True)
class Game:
    """A policy on an environment over a horizon: what an attacker is up against."""

    policy: Policy[Any]
    environment: Environment[Any]
    horizon: int
    seed: int = 1
    charge: str = "cost"
    state: dict[str, Any] | None = None  # a saved state in which every run begins, in place of a fresh one
    agents: int = 1  # the horizon is that of each
    slate: int = 1  # items shown at once

    def __str__(self) -> str:
        told: dict[str, Any] = {"charge": self.charge, "environment": repr(self.environment), "horizon": self.horizon}
        told |= {} if self.state is None else {"state": self.state}
        told |= {name: count for name, count in self.shape.items() if count > 1}
        return json.dumps({"policy": str(self.policy), "seed": self.seed, **told}, sort_keys=True)

    @property
    def shape(self) -> dict[str, Any]:
        """How many play, and how many items are shown at once."""
        return {"agents": self.agents, "slate": self.slate}

    def digest(self) -> str:
        """A name for files about this game."""
        return hashlib.sha256(str(self).encode()).hexdigest()[:8]


def block_seed(seed: int, block: int) -> int:
    """The seed of a block of runs for choosing attacks; the user's own seed is kept for reporting."""
    words = np.random.SeedSequence(seed, spawn_key=(0x5EED, block)).generate_state(2, np.uint64)
    return int(words[0]) << 64 | int(words[1])


class Play(NamedTuple):
    """One attack, or none, on one block of runs."""

    candidate: Candidate | None
    budget: float
    seed: int
    runs: int
    share: float | None = None  # of the rounds, in place of the capability's


@dataclass
class Evaluator:
    """Plays attacks, remembers what they did."""

    game: Game
    journal: Journal
    threads: int | None = None
    tell: Tell = lambda runs: None
    catalogue: Catalogue = SHIPPED  # what attacks are made from
    capability: Capability = ANYTHING  # what the attacker of model B can do
    tried: set[Candidate] = field(default_factory=set)

    def check(self, runs: int) -> None:
        """Refuse what could not be played, before anything is."""
        game = self.game
        Scenario(game.policy, game.environment, horizon=game.horizon, runs=runs, seed=game.seed, **game.shape)
        if game.horizon > ABOVE:
            raise InputError(
                f"horizon must be at most {ABOVE:,} here, not {game.horizon:,}: attacks meet rounds, not counts"
            )
        if self.threads is not None and self.threads < 1:
            raise InputError(f"threads must be a whole number of at least 1, not {self.threads}")

    def outcome(self, play: Play, threads: int | None = None) -> dict[str, Any]:
        """Final regret, best-arm share and payment of each run."""
        game = self.game
        adversary = None if play.candidate is None else self.adversary(play.candidate, play.budget, play.share)
        code = code_hash(game.policy, game.environment, adversary) if self.journal.path else ""
        can = str(ANYTHING if adversary is None else self.capability)  # what nobody does, all attackers share
        key = hashlib.sha256(json.dumps([str(game), str(play), can, code]).encode()).hexdigest()[:24]
        told = self.journal.get(key)
        if told is None:
            trace = simulate(
                game.policy,
                game.environment,
                adversary,
                horizon=game.horizon,
                runs=play.runs,
                seed=play.seed,
                threads=threads or self.threads,
                checkpoints=1,
                engine="rounds",
                state=game.state,
                **game.shape,
            )
            told = kept(trace)
            self.journal.put(key, told)
        self.tell(play.runs)
        answer: dict[str, Any] = told
        return answer

    def adversary(self, candidate: Candidate, budget: float, share: float | None = None) -> Adversary[Any]:
        """An attack on this game within a budget, and within what its attacker can do."""
        can = self.capability if share is None else replace(self.capability, share=share)
        return candidate.adversary(budget, self.game.charge, self.catalogue, can)

    def mean_regrets(self, attacks: list[Candidate], budget: float, blocks: int, size: int) -> dict[Candidate, float]:
        """Mean regret on the first so many blocks of the seeds for choosing, the same blocks for every attack.

        Short plays keep the cores busier side by side than one after another on all of them; very short ones do not.
        """
        self.tried.update(attacks)
        seeds = [block_seed(self.game.seed, block) for block in range(blocks)]
        plays = [Play(one, budget, seed, size) for one in attacks for seed in seeds]
        means = np.array(self.rows_of(plays)).reshape(len(attacks), blocks).mean(axis=1)
        return dict(zip(attacks, means.tolist(), strict=True))

    def rows_of(self, plays: list[Play]) -> list[Any]:
        """The mean regret of each play."""

        def row(play: Play) -> Any:
            return np.mean(self.outcome(play, 1)["regret"])

        work = self.game.horizon * self.game.agents * self.game.slate * len(self.game.environment.means)
        if work * max((play.runs for play in plays), default=0) < SHORT:
            return [row(play) for play in plays]
        with ThreadPoolExecutor(self.threads or os.cpu_count() or 1) as pool:
            try:
                return list(pool.map(row, plays))
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise


def kept(trace: Trace) -> dict[str, Any]:
    """What later questions need of a play."""
    return {
        "regret": trace.regret[:, -1].tolist(),
        "best_share": trace.best_shares.tolist(),
        "paid": trace.corruption_paid[:, -1].tolist(),
    }


def journal_for(game: Game, folder: Path, question: str) -> Journal:
    """The memory of a question about a game."""
    return Journal(folder / f"{question}-{game.policy.name}-{game.digest()}.jsonl")
