"""Replications on a thread pool: the same bits for every number of threads and every chunk size."""

import math
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from typing import Any, Unpack, overload

import numpy as np

from robandit.errors import InputError, whole
from robandit.game import Adversary, Environment, Policy
from robandit.lab.counts import ABOVE, play_counts, why_not_counts
from robandit.lab.position import Position
from robandit.lab.preflight import check_user_parts
from robandit.lab.scenario import Scenario, ScenarioTerms
from robandit.lab.table import Seat, Table, table_of
from robandit.lab.trace import Team, Trace
from robandit.progress import Progress, ignore, report_to

ENGINES = ("auto", "rounds", "counts", "plain")
BRIEF = 10**5  # rounds times arms of all runs: they are over before threads would have started


@overload
def simulate(
    policy: Scenario,
    *,
    threads: int | None = None,
    checkpoints: Any = 200,
    engine: str = "auto",
    until: int | None = None,
    progress: Progress | bool | None = None,
) -> Trace: ...


@overload
def simulate(
    policy: Policy[Any] | str,
    environment: Environment[Any] | Sequence[float] | str,
    adversary: Adversary[Any] | None = None,
    *,
    threads: int | None = None,
    checkpoints: Any = 200,
    engine: str = "auto",
    until: int | None = None,
    progress: Progress | bool | None = None,
    **terms: Unpack[ScenarioTerms],
) -> Trace: ...


def simulate(
    policy: Any,
    environment: Any = None,
    adversary: Any = None,
    *,
    threads: int | None = None,
    checkpoints: Any = 200,
    engine: str = "auto",
    until: int | None = None,
    progress: Progress | bool | None = None,
    **terms: Any,
) -> Trace:
    """Play a policy against an environment and an adversary, `runs` times over `horizon` rounds.

    What is played is a `Scenario`, or the arguments of one: policy, environment, adversary, horizon, runs, seed,
    agents, slate, state. A policy may be given by its text ("samba:learning_rate=0.1"), an environment by its means
    (Bernoulli rewards). The numbers depend on the scenario and the checkpoints only, never on `threads`.

    With several `agents` round t is that of agent t mod V, the horizon counts the rounds of each, regret and bill are
    the team's, and `trace.team` says what each did and how much was sent. A policy for arms then is one that all share,
    every reward told at once.

    With a `slate` of m items each round shows m arms and is paid for each (semi-bandit); regret is against the best m,
    or the best of the slates that the environment lists. To an adversary a slate is m rounds in a row: one of model B
    sees and pays for each item, one of model A moves the means before each item and pays for each.

    Args:
        policy: a scenario, or a policy followed by an environment and the rest of a scenario.
        environment: see `Scenario`.
        adversary: see `Scenario`.
        threads: how many play at once; as many as there are cores if not given.
        checkpoints: how many evenly spaced rounds are recorded, "log", or a list of them; the last one always is.
        engine: "rounds" (one round after another, compiled), "plain" (the same loop as plain Python, for parts that
            cannot be compiled: the same bits), "counts" (phased policies, exact in law whatever the horizon, not
            paired with other plays) or "auto": counts above 1e7 rounds where they apply, else rounds.
        until: leaves the play before that round; `trace.state`, given as `state` of a later play, goes on to the same
            bits as a play that was never left.
        progress: called with the share that is done; True draws a line on stderr, in a notebook too.
        **terms: horizon and the rest of a scenario.

    Returns:
        Regret, corruption paid and pulls, one row per run.

    Raises:
        InputError: if something cannot be played; the message says what is allowed.
    """
    workers = whole("threads", (os.cpu_count() or 1) if threads is None else threads, 1)
    scenario = policy if isinstance(policy, Scenario) else Scenario(policy, environment, adversary, **terms)
    if scenario is policy and (environment is not None or adversary is not None or terms):
        raise InputError("a scenario says all that is played: leave out the other parts, or use dataclasses.replace")
    in_parts = until is not None or isinstance(scenario.state, Position)
    table = table_of(scenario, checkpoints, until)
    runs = scenario.runs
    engine = chosen_engine(engine, table, until is not None or scenario.state is not None)
    check_user_parts(table)
    if engine == "rounds" and table.work < BRIEF and threads in (None, 1):
        workers = 0
    alone = in_parts or table.turns > 1  # each run has a state of its own, or books
    slices = [slice(run, run + 1) for run in range(runs)] if alone else list(chunks(runs, workers))
    with report_to(progress) as report:
        seats, spent = run_chunks(table, engine, slices, workers, report)
    return Trace(
        table.checkpoints // table.turns,
        table.regret,
        table.paid,
        table.pulls,
        table.changed,
        gaps=table.gaps,
        engine=engine,
        nanoseconds=1e9 * spent / ((table.until - table.first) * runs),
        state=table.left_at(seats) if until is not None else None,
        road=seats[0].road if seats else "",
        team=told_by_team(table, seats) if scenario.agents > 1 else None,
        best_rounds=np.array([seat.tables.counts[1] for seat in seats]) if table.slots > 1 else table.best,
    )


def told_by_team(table: Table, seats: list[Seat]) -> Team:
    """What the agents did, from the books of each run and the state it ended in."""
    return Team(
        np.array([seat.tables.pulls for seat in seats]),
        np.array([table.policy.messages(seat.state, table.horizon) for seat in seats]),
        table.policy.message_size(len(table.means)),
    )


def chosen_engine(wanted: str, table: Table, in_part: bool = False) -> str:
    """The engine that will play."""
    if wanted not in ENGINES:
        raise InputError(f"engine must be one of {', '.join(ENGINES)}, not {wanted!r}")
    reason = why_not_counts(table.policy, table.environment, table.adversary, table.horizon)
    reason = "plays in parts meet rounds" if in_part else reason
    reason = "agents and slates take turns, round by round" if table.turns > 1 else reason
    if wanted == "counts" and reason:
        raise InputError(f"engine counts cannot play this: {reason}")
    if wanted == "auto":
        return "counts" if not reason and table.horizon > ABOVE else "rounds"
    return wanted


def chunks(runs: int, workers: int) -> Iterator[slice]:
    """Runs in slices: several for each worker, so that none waits long for the others; one without workers."""
    size = max(1, math.ceil(runs / (8 * workers))) if workers else runs
    return (slice(first, min(first + size, runs)) for first in range(0, runs, size))


def run_chunks(
    table: Table, engine: str, slices: list[slice], workers: int, progress: Progress = ignore
) -> tuple[list[Seat], float]:
    """Play all chunks on a thread pool; answers their seats and the CPU time. Ctrl-C stops within a second.

    Without workers they are played here, one after another.
    """

    def one(runs: slice) -> tuple[list[Seat], float]:
        begun = time.thread_time()
        seats = []
        if engine == "counts":
            for run in range(runs.start, runs.stop):
                play_counts(table, run)
        else:
            seats.append(table.play_interpreted(runs) if engine == "plain" else table.play_compiled(runs))
        spent = time.thread_time() - begun
        table.check_faults(runs)
        return seats, spent

    if not workers:
        played = [one(runs) for runs in slices]
        progress(1.0)
        return gathered(played)
    if engine == "rounds":
        table.play_compiled(slice(0, 0))  # compiles, or loads from the cache, before the threads start
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(one, runs) for runs in slices]
        try:
            waiting = set(futures)
            while waiting:
                done, waiting = wait(waiting, timeout=0.1, return_when=FIRST_EXCEPTION)
                for future in done:
                    future.result()  # raises what a worker met, at once
                done_rounds = np.maximum(table.progress - table.first, 0).sum()
                progress(float(done_rounds) / ((table.until - table.first) * len(table.progress)))
            return gathered([future.result() for future in futures])
        except BaseException:
            table.stop[0] = 1
            pool.shutdown(wait=True, cancel_futures=True)
            raise


def gathered(played: list[tuple[list[Seat], float]]) -> tuple[list[Seat], float]:
    """The seats of all chunks, and their CPU time together."""
    return [seat for seats, _ in played for seat in seats], sum(spent for _, spent in played)
