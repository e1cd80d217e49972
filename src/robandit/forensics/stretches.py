"""A journal in which arms came or went, folded again and again: the stretches between two changes, one after another.

Each stretch is folded at compiled speed; at a change the state is moved as the learner moved it (online/fold.py), so
that nothing left out gives the learner's own state, bit for bit.
"""

from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from robandit.dice import Role, decision_key, decision_stream
from robandit.errors import InputError
from robandit.forensics.reward_log import Changes, Codes, final_rewards
from robandit.game import Floats, Policy
from robandit.lab import leave_out
from robandit.lab.folds import Folding, ReplayControl
from robandit.online.fold import Fold
from robandit.online.lists import as_arrays, as_lists
from robandit.online.roster import Roster
from robandit.online.terms import Terms
from robandit.online.warm import fold_rows


@dataclass(frozen=True)
class StretchFolding(Folding):
    """A folding whose arms change; beliefs are about all arms there ever were, 0 for those that are not there."""

    terms: Terms = field(kw_only=True)
    changes: Changes = field(kw_only=True)

    @property
    def trials(self) -> int:
        """Fewer than elsewhere: they are drawn interpreted, for no compiled policy chooses among some arms."""
        return 250

    def looks(self, count: int) -> int:
        """Fewer too: a look ends a stretch, and some policies draw trial choices for it."""
        return min(count, 100 if self.policy.explicit else 40)

    @cached_property
    def fresh(self) -> Any:
        """The state before the first row, of the arms there were then."""
        fold = Fold(self.policy, self.terms)
        return as_arrays(self.policy, fold.setting, fold.state)

    def fold(
        self,
        left: Codes,
        marks: Codes,
        kind: int,
        codes: Codes,
        *,
        control: ReplayControl | None = None,
        watched: tuple[Floats, Floats] | None = None,
        since: tuple[Any, int] | None = None,
    ) -> tuple[Floats, Any]:
        """As `Folding.fold`, stretch by stretch, always from the first row and without a record of each row."""
        if watched is not None or since is not None:
            raise InputError(
                "a journal in which arms came or went is replayed from its first row, without a shadow policy"
            )
        beliefs, state = np.zeros((len(left), len(marks), self.setting.arms)), self.fresh
        for number, source in enumerate(left):
            for mark, (state, fold) in enumerate(self.states(int(source), marks, codes, control)):
                rest = np.where(codes[: marks[mark]] == source, -1, codes[: marks[mark]])
                present = fold.roster.present
                beliefs[number, mark, present] = self.belief(state, present, kind, rest)
            if control and control.stop[0]:
                break
        return beliefs, state

    def states(
        self, source: int, marks: Codes, codes: Codes, control: ReplayControl | None
    ) -> Iterator[tuple[Any, Fold]]:
        """Yield the state at each mark without a source, and a fold with the arms there are then."""
        fold = Fold(self.policy, replace(self.terms, state=None))
        state, done, changes = deepcopy(self.fresh), 0, list(self.changes)

        def learn_until(stop: int) -> Any:
            if stop == done:
                return state
            ends, alone = np.array([stop]), np.array([source])
            since = (state, done)
            return Folding.fold(self, alone, ends, leave_out.PRESENT, codes, control=control, since=since)[1]

        for mark in marks:
            while changes and changes[0][0] <= mark:
                row, change, name = changes.pop(0)
                state, done = learn_until(row), row
                fold.state = as_lists(state, tables=self.policy.looks)
                is_new, own = change == "added", self.log.own
                fold.change_arm(
                    name, change, own[len(fold.roster.names)].tolist() if is_new and own is not None else None
                )
                state = as_arrays(self.policy, fold.setting, fold.state)
            state, done = learn_until(int(mark)), int(mark)
            yield state, fold

    def belief(self, state: Any, present: list[int], kind: int, codes: Codes) -> Any:
        """Return the belief in the arms that are there: p among them, the best mean, or the share of trial choices."""
        if kind == leave_out.TRIALS:
            return trial_shares(self.policy, state, present, self.seed, self.trials)
        if kind == leave_out.MEANS:
            learnt = final_rewards({name: column[: len(codes)] for name, column in self.columns.items()}, codes)
            arms, rewards = (self.columns[name][: len(codes)][learnt] for name in ("arms", "rewards"))
            pulls = np.bincount(arms, minlength=self.setting.arms)[present]
            sums = np.bincount(arms, rewards, self.setting.arms)[present]
            means = np.where(pulls > 0, sums / np.maximum(pulls, 1), -1.0)
            return np.eye(len(present))[int(means.argmax())]
        self.policy.refresh(state)
        if len(present) == len(state.probabilities):
            return state.probabilities
        return np.array(self.policy.probabilities_among(state, present))

    def replay_rows(self, rows: Any) -> Floats:
        """Return what is believed after a log of these rows (a mask) alone, by the loop that knows of no sources."""
        before = np.concatenate([[0], np.cumsum(rows)])
        changes = tuple((int(before[row]), change, name) for row, change, name in self.changes)
        log = self.log.select(rows)
        rest = replace(self, log=log, codes=self.codes[rows], changes=changes)
        belief, present = np.zeros(self.setting.arms), roster_after(self.terms, changes).present
        state = fold_rows(self.policy, self.terms, log, changes)
        belief[present] = rest.belief(state, present, self.kind, rest.codes)
        return belief


def trial_shares(policy: Policy[Any], state: Any, present: list[int], seed: int, trials: int) -> Floats:
    """Return how often each arm that is there comes in trial choices."""
    random = decision_stream(decision_key(seed, Role.CHOOSING), 0)
    lists = as_lists(deepcopy(state), tables=policy.looks)
    drawn = [policy.choose_among(lists, present, random).arm for _ in range(trials)]
    shares: Floats = np.bincount(drawn, minlength=max(present) + 1)[present] / trials
    return shares


def roster_after(terms: Terms, changes: Changes) -> Roster:
    """Return the arms after the last row."""
    roster = Roster(terms.arms)
    for _, change, name in changes:
        roster = roster.after(name, change)
    return roster
