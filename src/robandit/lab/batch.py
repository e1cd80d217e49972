"""Replications on a thread pool: the same bits for every number of threads and every chunk size."""

import math
import os
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple, Unpack, overload

from robandit.errors import InputError, whole
from robandit.game import Adversary, Environment, Policy
from robandit.lab.counts import ABOVE, play_counts, why_not_counts
from robandit.lab.paused import PausedPlay
from robandit.lab.pool import run_jobs
from robandit.lab.preflight import check_user_parts
from robandit.lab.runner import LoopCall, Runner, prepare
from robandit.lab.scenario import Scenario, ScenarioTerms
from robandit.lab.trace import Trace
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
    agents, slate, state. A policy may be its text ("samba:learning_rate=0.1"), an environment by its means
    (Bernoulli rewards). The numbers depend on the scenario and the checkpoints only, never on `threads`.

    With several `agents` round t is that of agent t mod V, the horizon counts the rounds of each, regret and bill are
    the team's, and `trace.team` says what each did and how much was sent. A policy for arms then is one that all share,
    and every reward reaches all at once.

    With a `slate` of m items each round shows m arms and is paid for each (semi-bandit); regret is against the best m,
    or the best of the slates that the environment lists. To an adversary a slate is m rounds in a row: one of model B
    sees and pays for each item, one of model A moves the means before each item and pays for each.

    Args:
        policy: a scenario, or a policy followed by an environment and the rest of a scenario.
        environment: see `Scenario`.
        adversary: see `Scenario`.
        threads: how many play at once; as many as there are cores by default.
        checkpoints: how many evenly spaced rounds are recorded, "log", or a list of them; the last one always is.
        engine: "rounds" (one round after another, compiled), "plain" (the same loop as plain Python, for parts that
            cannot be compiled: the same bits), "counts" (phased policies, exact in law whatever the horizon, not
            paired with other plays) or "auto": counts above 1e7 rounds where they apply, else rounds.
        until: leaves the play before that round; a later play whose `state` is `trace.state` goes on to the same
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
    runner = prepare(scenario, checkpoints, until)
    in_parts = until is not None or isinstance(scenario.state, PausedPlay)
    engine = chosen_engine(engine, scenario, until is not None or scenario.state is not None)
    check_user_parts(runner)
    if engine == "rounds" and runner.work < BRIEF and threads in (None, 1):
        workers = 0
    # each run has a state or counts of its own, which are read afterwards
    is_alone = in_parts or scenario.turns > 1 or scenario.policy.is_watched
    runs = scenario.runs
    slices = [slice(run, run + 1) for run in range(runs)] if is_alone else list(chunks(runs, workers))
    with report_to(progress) as report:
        played = run_chunks(runner, engine, slices, workers, report)
    buffers, calls = runner.buffers, [chunk.call for chunk in played if chunk.call is not None]
    return Trace(
        buffers.checkpoints // scenario.turns,
        buffers.regret,
        buffers.paid,
        buffers.pulls,
        buffers.changed,
        gaps=scenario.gaps,
        engine=engine,
        nanoseconds=1e9 * sum(chunk.seconds for chunk in played) / runner.rounds,
        state=runner.pause(calls) if until is not None else None,
        road=calls[0].road if calls else "",
        team=runner.team(calls) if scenario.agents > 1 else None,
        best_rounds=runner.best_rounds(calls),
        best_pulls=buffers.best_pulls,
        checks=buffers.checks if scenario.policy.asks else None,
        alarms=runner.alarms(calls) if scenario.policy.is_watched else None,
    )


def chosen_engine(engine: str, scenario: Scenario, in_part: bool = False) -> str:
    """The engine that will play; raises InputError for one that cannot."""
    if engine not in ENGINES:
        raise InputError(f"engine must be one of {', '.join(ENGINES)}, not {engine!r}")
    reason = why_not_counts(scenario)
    reason = "plays in parts meet rounds" if in_part else reason
    reason = "agents and slates take turns, round by round" if scenario.turns > 1 else reason
    if engine == "counts" and reason:
        raise InputError(f"engine counts cannot play this: {reason}")
    if engine == "auto" and not reason and scenario.rounds > ABOVE:
        return "counts"
    if engine in ("auto", "rounds"):
        from robandit.lab.compile.kernel import can_compile

        return "rounds" if can_compile() else "plain"
    return engine


def chunks(runs: int, workers: int) -> Iterator[slice]:
    """Runs in slices: several for each worker, so that none waits long for the others; one without workers."""
    size = max(1, math.ceil(runs / (8 * workers))) if workers else runs
    return (slice(first, min(first + size, runs)) for first in range(0, runs, size))


class Chunk(NamedTuple):
    """Some runs, played."""

    call: LoopCall | None  # None by counts
    seconds: float  # of CPU


def play_chunk(runner: Runner, engine: str, runs: slice) -> Chunk:
    """Play some runs with an engine."""
    begun, call = time.thread_time(), None
    if engine == "counts":
        for run in range(runs.start, runs.stop):
            play_counts(runner, run)
    else:
        call = runner.play_interpreted(runs) if engine == "plain" else runner.play_compiled(runs)
    seconds = time.thread_time() - begun
    runner.check_faults(runs)
    return Chunk(call, seconds)


def run_chunks(
    runner: Runner, engine: str, slices: list[slice], workers: int, progress: Progress = ignore
) -> list[Chunk]:
    """Play all chunks on a thread pool, or here, one after another, without workers. Ctrl-C stops within a second."""
    if not workers:
        played = [play_chunk(runner, engine, runs) for runs in slices]
        progress(1.0)
        return played
    if engine == "rounds":
        runner.play_compiled(slice(0, 0))  # compiles, or loads from the cache, before the threads start
    jobs = [partial(play_chunk, runner, engine, runs) for runs in slices]
    first, buffers = runner.scenario.first, runner.buffers
    return run_jobs(jobs, workers, buffers.stop, lambda: progress(buffers.done(first) / runner.rounds))
