"""A long journal read again: the commonest kind in one loop.

Where nothing waits for a clock or an operator, a decision opens a case and its reward is learnt at once. The loop does
for these lines what experiment.py, docket.py and fold.py do, to the bit, in little more than half of their time. Lines
of any other kind, and journals with other rules, are theirs.
"""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import replace
from math import nan
from typing import TYPE_CHECKING, Protocol

from robandit.dice import LaterStream
from robandit.errors import InputError
from robandit.game import Choice
from robandit.online.case import Case
from robandit.online.docket import make_choice
from robandit.online.rules import Rules
from robandit.online.standing import Entry, Standing

if TYPE_CHECKING:
    from robandit.service.experiment import Experiment

Numbered = tuple[int, Entry]


class RowSink(Protocol):
    """What also gets the rows of what a journal teaches (online/verify.py)."""

    def add_row(self, number: int, choice: Choice, reward: float, place: int, drawn: bool) -> None:
        """Take a decision's number and choice; its reward, NaN if none; its user; whether it was drawn of all arms."""


def read_entries(experiment: "Experiment", entries: Iterable[Numbered], both: RowSink | None = None) -> None:
    """Apply the lines of a journal to an experiment, in order; `both` also gets the rows of what it learns."""
    numbered = iter(entries)
    while is_plain(experiment):
        other = read_plain(experiment, numbered, both)
        if other is None:
            return
        experiment.apply(*other)
    for line, entry in numbered:
        experiment.apply(line, entry)


def is_plain(experiment: "Experiment") -> bool:
    """Whether every reward is learnt at once, nobody waits for a verified one, and nobody has features."""
    rules, is_free = experiment.terms.rules, experiment.standing == Standing() and experiment.fold.sight is None
    is_free = is_free and experiment.terms.verified is None and not experiment.policy.asks
    is_free = is_free and experiment.guardrail is None
    return rules is not None and is_free and replace(rules, holdout=0.0, sticky=False) == Rules()


def read_plain(experiment: "Experiment", entries: Iterator[Numbered], both: RowSink | None) -> Numbered | None:
    """Apply decisions and rewards; returns the first other line, or verified reward, which is not applied."""
    docket, fold, tally, policy, terms = (
        *(experiment.docket, experiment.fold, experiment.tally, experiment.policy, experiment.terms),
    )
    state, lift, learning, index = fold.state, fold.lift, fold.learning, fold.roster.index
    asked, queues, patience, inside = docket.asked, docket.queues, terms.patience, terms.inside
    chosen, recorded, sums, line, clock = tally.chosen, tally.recorded, tally.sums, experiment.line, docket.clock
    waiting = {
        number: (fold.pending.get(number) or Choice(case.arm, nan, 0), case.token, case.count, case.asker, case.learns)
        for number, case in docket.cases.items()
    }
    other = None
    for numbered in entries:
        entry = numbered[1]
        kind = entry["entry"]
        if kind == "reward" and "verified" not in entry:
            number, value, _ = entry["id"], entry["value"], entry["source"]
            if number not in waiting:
                raise InputError(f"decision {number!r} does not wait for a reward")
            reward = inside(value)
            choice, _, _, _, learns = waiting.pop(number)
            arm = choice[0]
            if learns:
                policy.learn(state, choice, reward, LaterStream(learning, number))
                if lift is not None:
                    lift.take(arm, reward)
                if both is not None:
                    both.add_row(number, choice, reward, 0, False)
            recorded[arm] += 1
            sums[arm] += value
        elif kind == "decide":
            number, probability = entry["id"], entry["chance"]
            if number != fold.decisions:
                raise InputError(f"decision {fold.decisions} must come next, not {number!r}")
            arm, learns = index[entry["arm"]], not entry.get("holdout", False)
            choice = make_choice((arm, nan if probability is None else probability, entry["note"]))
            if learns:
                if policy.defers:
                    policy.defer(state, choice)
                if both is not None:
                    both.add_row(number, choice, nan, 0, entry["eligible"] is None)
            token = entry.get("by", "")
            count = asked.get(token, 0)
            asked[token] = count + 1
            waiting[number] = choice, token, count, entry.get("source"), learns
            queue = queues.get(token)
            if queue is None:
                queue = queues[token] = deque()
            queue.append(number)
            while queue[0] not in waiting:
                queue.popleft()
            if waiting[queue[0]][2] == count - patience:
                del waiting[queue.popleft()]
            fold.decisions = number + 1
            chosen[arm] += 1
            if number - tally.last >= tally.stride:
                tally.add_point(number, entry["time"], experiment.probabilities_of_all())
        else:
            other = numbered
            break
        line, time = numbered[0], entry["time"]
        if time > clock:
            clock = time
    docket.cases = {
        number: Case(choice.arm, learns, True, token, count, source)
        for number, (choice, token, count, source, learns) in waiting.items()
    }
    fold.pending = {number: choice for number, (choice, _, _, _, learns) in waiting.items() if learns}
    docket.decisions, docket.clock = fold.decisions, clock
    docket.line = experiment.line = line
    return other
