"""What an attack does to a policy, on blocks of common seeds; every result is remembered, nothing is played twice."""

import hashlib
import json
import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from robandit.adversaries.nobody import Nobody
from robandit.capability import ANYTHING
from robandit.errors import InputError
from robandit.executor import Executor, check_same_code
from robandit.game import Adversary, Floats
from robandit.lab.batch import simulate
from robandit.lab.counts import ABOVE
from robandit.lab.scenario import Scenario
from robandit.lab.trace import Trace
from robandit.lab.watched import Watched
from robandit.progress import Progress, ignore
from robandit.redteam.candidate import Candidate
from robandit.redteam.plain import identity_of, make_scenario, plain_scenario, scenario_text
from robandit.store.code import code_hash
from robandit.store.journal import Journal

SENT = 2 * 10**7  # rounds times arms of the plays that a worker of a cluster gets at once: some tenths of a second
SHORT = 3 * 10**4  # rounds times arms of a block: it takes less time than threads lose by waiting for each other


def block_seed(seed: int, block: int) -> int:
    """The seed of a block of runs for choosing attacks; the user's own seed is kept for reporting."""
    words = np.random.SeedSequence(seed, spawn_key=(0x5EED, block)).generate_state(2, np.uint64)
    return int(words[0]) << 64 | int(words[1])


class Play(NamedTuple):
    """One attack, or none, on one block of runs; its text is part of the keys of journals on disk."""

    candidate: Candidate | None
    budget: float
    seed: int
    runs: int
    share: float | None = None  # of the rounds, in place of the capability's


@dataclass
class Evaluator:
    """Plays attacks on a scenario and remembers what they did.

    The scenario has no adversary; its charge and capability hold for every attack, its runs and seed for the report.
    """

    scenario: Scenario
    journal: Journal = field(default_factory=lambda: Journal(None))
    threads: int | None = None
    progress: Progress = ignore
    planned: int = 0  # runs that all the work is expected to take; 0 until somebody has counted them
    played: int = 0  # runs so far, those remembered included
    tried: set[Candidate] = field(default_factory=set)
    undetected: float | None = None  # the level of a homogeneity test; runs in which it rings do not count
    executor: Executor | None = None  # a cluster that plays what is asked for together

    def check(self) -> None:
        """Raise InputError for what could not be played, before anything is."""
        from robandit.lab.compile.kernel import can_compile

        can_compile()  # its warning is this thread's to give
        if self.undetected is not None:
            check_undetected(self.scenario, self.undetected)
        horizon = self.scenario.horizon
        if horizon > ABOVE:
            raise InputError(
                f"horizon must be at most {ABOVE:,} here, not {horizon:,}: attacks meet rounds, not counts"
            )
        if self.threads is not None and self.threads < 1:
            raise InputError(f"threads must be a whole number of at least 1, not {self.threads}")

    def key(self, play: Play) -> str:
        """What a play is remembered by."""
        scenario, adversary = self.scenario, self.opponent(play)
        code = code_hash(scenario.policy, scenario.environment, adversary) if self.journal.lasts else ""
        can = str(ANYTHING if adversary is None else scenario.capability)  # nobody's play is the same for all attackers
        watched = [] if self.undetected is None else [self.undetected]
        text = json.dumps([scenario_text(scenario), str(play), can, code, *watched])
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def outcome(self, play: Play, threads: int | None = None) -> dict[str, Any]:
        """Return final regret, best-arm share and payment of each run."""
        scenario, key = self.scenario, self.key(play)
        record: dict[str, Any] | None = self.journal.get(key)
        if record is None:
            adversary = self.opponent(play)
            attacked = replace(scenario, adversary=adversary or Nobody(), runs=play.runs, seed=play.seed)
            if self.undetected is not None:
                attacked = replace(attacked, policy=Watched(inner=scenario.policy, level=self.undetected))
            record = final_values(simulate(attacked, threads=threads or self.threads, checkpoints=1, engine="rounds"))
            self.journal.put(key, record)
        self.played += play.runs
        self.progress(min(self.played / max(self.planned, 1), 1.0))
        return record

    def opponent(self, play: Play) -> Adversary[Any] | None:
        """Who attacks in a play, None if nobody does."""
        return None if play.candidate is None else self.adversary(play.candidate, play.budget, play.share)

    def adversary(self, candidate: Candidate, budget: float, share: float | None = None) -> Adversary[Any]:
        """An attack within a budget, held to what its attacker can do; `share` replaces the capability's."""
        can = self.scenario.capability if share is None else replace(self.scenario.capability, share=share)
        return candidate.adversary(budget, self.scenario.charge, self.scenario.catalogue, can)

    def mean_regrets(self, attacks: list[Candidate], budget: float, blocks: int, size: int) -> dict[Candidate, float]:
        """Mean regret on the first so many blocks of the seeds for choosing, the same blocks for every attack."""
        self.tried.update(attacks)
        seeds = [block_seed(self.scenario.seed, block) for block in range(blocks)]
        plays = [Play(one, budget, seed, size) for one in attacks for seed in seeds]
        means = np.array(self.regrets(plays)).reshape(len(attacks), blocks).mean(axis=1)
        return dict(zip(attacks, means.tolist(), strict=True))

    def regrets(self, plays: list[Play]) -> list[float]:
        """The mean regret of each play; a run in which an alarm rang counts 0.

        Short plays keep the cores busier side by side than one after another on all of them; very short ones do not.
        """

        def regret(play: Play) -> float:
            return float(np.mean(undetected_regret(self.outcome(play, 1))))

        self.remember(plays)
        work = self.scenario.rounds * self.scenario.arms
        if work * max((play.runs for play in plays), default=0) < SHORT:
            return [regret(play) for play in plays]
        with ThreadPoolExecutor(self.threads or os.cpu_count() or 1) as pool:
            try:
                return list(pool.map(regret, plays))
            except BaseException:
                pool.shutdown(wait=True, cancel_futures=True)
                raise

    def remember(self, plays: list[Play]) -> None:
        """Have a cluster play what is not remembered, if there is one; on threads plays are played when asked for."""
        if self.executor is None or not self.executor.remote:
            return
        missing = {self.key(play): play for play in plays}
        missing = {key: play for key, play in missing.items() if self.journal.get(key) is None}
        keys, sent, jobs = list(missing), send(self), dict[str, tuple[Any, ...]]()
        work = self.scenario.rounds * self.scenario.arms * max((play.runs for play in plays), default=1)
        size = max(SENT // work, 1)
        for first in range(0, len(keys), size):
            some = keys[first : first + size]
            name = hashlib.sha256(" ".join([sent["identity"], *some]).encode()).hexdigest()[:24]
            jobs[name] = sent, [missing[key] for key in some]
        with self.executor.running(play_there, jobs) as answers:
            for _, answer in answers:
                self.take(answer())

    def take(self, records: dict[str, Any]) -> None:
        """Remember what was played elsewhere."""
        for key, record in records.items():
            if self.journal.get(key) is None:
                self.journal.put(key, record)


def send(evaluator: Evaluator) -> dict[str, Any]:
    """What another machine needs to play as an evaluator does; raises InputError for what text cannot say."""
    scenario = evaluator.scenario
    return {
        "scenario": plain_scenario(scenario),
        "lasts": evaluator.journal.lasts,
        "identity": identity_of(scenario),
        "undetected": evaluator.undetected,
    }


def receive(sent: dict[str, Any]) -> Evaluator:
    """The evaluator on the other machine, which remembers nothing; raises InputError if its code is another."""
    scenario = make_scenario(sent["scenario"])
    check_same_code(identity_of(scenario), sent["identity"])
    return Evaluator(scenario, Journal(None, lasts=sent["lasts"]), threads=1, undetected=sent["undetected"])


def play_there(sent: dict[str, Any], plays: list[Play]) -> dict[str, Any]:
    """Play on a worker of a cluster; returns what is to be remembered, by key."""
    evaluator = receive(sent)
    for play in plays:
        evaluator.outcome(play)
    return evaluator.journal.values


def final_values(trace: Trace) -> dict[str, Any]:
    """What later questions need of a play: the last column, run by run."""
    return {
        "regret": trace.regret[:, -1].tolist(),
        "best_share": trace.best_shares.tolist(),
        "paid": trace.corruption_paid[:, -1].tolist(),
        **({} if trace.checks is None else {"checks": trace.checks.tolist()}),
        **({} if trace.alarms is None else {"alarms": trace.alarms.tolist()}),
    }


def undetected_regret(outcome: dict[str, Any]) -> Floats:
    """The regret of each run; 0 where an alarm rang."""
    regret: Floats = np.array(outcome["regret"]) * is_quiet(outcome)
    return regret


def is_quiet(outcome: dict[str, Any]) -> NDArray[np.bool_]:
    """Whether no alarm rang, run by run; one True for all where nobody tests."""
    quiet: NDArray[np.bool_] = np.equal(outcome.get("alarms", 0), 0)
    return quiet


def check_undetected(scenario: Scenario, level: float) -> None:
    """Raise InputError where rewards of one arm need not have one mean, so that the test would say nothing."""
    Watched(inner=scenario.policy, level=level)
    if scenario.has_best_by_round or scenario.turns > 1:
        raise InputError(
            "undetected: the rewards of each arm are tested for one mean, so the game must be of one agent, one arm at "
            "a time, and must not change by itself or by who comes"
        )
    if scenario.state is not None:
        raise InputError("undetected: the test begins with the policy, so leave out the saved state")


def journal_for(scenario: Scenario, folder: str | Path | None, question: str) -> Journal:
    """The memory of a question about a scenario: a file in a folder, or one that ends with the process."""
    if folder is None:
        return Journal(None)
    digest = hashlib.sha256(scenario_text(scenario).encode()).hexdigest()[:8]
    return Journal(Path(folder) / f"{question}-{scenario.policy.name}-{digest}.jsonl")
