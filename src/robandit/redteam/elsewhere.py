"""Questions of the red team answered on a cluster: what a worker plays for one comes back as entries of a journal.

Whoever asks the same question afterwards finds every play remembered, so that the answer is that of one machine, to the
bit; and whoever was killed in between goes on with what had come back.
"""

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from robandit.executor import open_executor
from robandit.progress import Progress, ignore
from robandit.redteam.evaluate import Evaluator, Play, receive, send

Question = tuple[Evaluator, tuple[Any, ...]]  # who asks, and the other arguments of what is asked


class Forgotten(Exception):
    """A play is not remembered."""


@dataclass
class Remembering(Evaluator):
    """Never plays: raises Forgotten for what it does not remember."""

    def outcome(self, play: Play, threads: int | None = None) -> dict[str, Any]:
        record: dict[str, Any] | None = self.journal.get(self.key(play))
        if record is None:
            raise Forgotten
        return record


def answer_elsewhere(
    ask: Callable[..., Any], questions: list[Question], scheduler: str | None, progress: Progress = ignore
) -> None:
    """Have the workers of a Dask scheduler, if one is given, play what some questions need, side by side.

    Args:
        ask: what is asked, such as `attack_price`: a function of a module that takes an evaluator first.
        questions: each with an evaluator of its own, which remembers afterwards what was played.
        scheduler: the address of the scheduler; without one nothing is done.
        progress: called with the share of the questions that are answered.

    Raises:
        InputError: if no scheduler answers, a scenario cannot be sent, or a worker runs other code.
    """
    if scheduler is None:
        return
    jobs, askers = dict[str, tuple[Any, ...]](), dict[str, Evaluator]()
    for evaluator, rest in questions:
        if not is_answered(ask, evaluator, rest):
            sent = send(evaluator)
            key = hashlib.sha256(repr((ask.__name__, sent, rest)).encode()).hexdigest()[:24]
            jobs[key], askers[key] = (ask, sent, *rest), evaluator
    with open_executor(1, scheduler) as executor, executor.running(answer_there, jobs) as answers:
        for done, (key, answer) in enumerate(answers, 1):
            askers[key].take(answer())
            progress(done / len(jobs))


def is_answered(ask: Callable[..., Any], evaluator: Evaluator, rest: tuple[Any, ...]) -> bool:
    """Whether all that a question needs is remembered."""
    try:
        ask(Remembering(evaluator.scenario, evaluator.journal, 1, undetected=evaluator.undetected), *rest)
    except Forgotten:
        return False
    return True


def answer_there(ask: Callable[..., Any], sent: dict[str, Any], *rest: Any) -> dict[str, Any]:
    """Ask on a worker of a cluster; returns all that was played for the answer, by key."""
    evaluator = receive(sent)
    ask(evaluator, *rest)
    return evaluator.journal.values
