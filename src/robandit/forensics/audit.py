"""A log audited: what the policy believes, who moved it, what if they had not, and how far the next turn is."""

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from robandit.catalogue import policy as named_policy
from robandit.dice import Random
from robandit.errors import InputError
from robandit.forensics.findings import LEVEL, Audit, Belief, WhatIf
from robandit.forensics.influence import Influence, influence_of, leader_of, without, witness_of
from robandit.forensics.off_policy import Estimator, why_not
from robandit.forensics.price import AHEAD, price_from_here
from robandit.forensics.readers import read_table
from robandit.forensics.statistics import all_evidence
from robandit.forensics.stretches import Stretched, roster_after
from robandit.forensics.tables import Codes, Columns, Table, fitted
from robandit.forensics.what_if import first_other_leader, left_out
from robandit.game import Choice, Floats, Policy, Setting
from robandit.lab.folds import Folding
from robandit.lab.leave_out import MEANS, PRESENT, TRIALS
from robandit.lab.log import Log, replay_log
from robandit.online.terms import Terms
from robandit.state import save_state

LOOKS = 400  # marks of the belief over time
UNKNOWN = (
    "How much of the feedback is forged cannot be known from it: a source that lies all the time is another mean. "
    "Influence says who moved the belief, an e-value who differs; neither says why."
)

Tell = Callable[[float, str], None]  # told the share of the work done since the last word, and what is being done


def audit(
    log: str | Path | Table,
    policy: str | Policy[Any] | None = None,
    *,
    columns: Columns | None = None,
    without: list[str] | tuple[str, ...] = (),
    shadow: list[str | Policy[Any]] | tuple[str | Policy[Any], ...] = (),
    horizon: int | None = None,
    ahead: int | None = None,
    price: bool = True,
    replays: int | None = None,
    seed: int | None = None,
    threads: int | None = None,
    tell: Tell | None = None,
) -> Audit:
    """Audit a log: a file (CSV or Parquet, columns as `columns` says) or a `Table`, folded by a policy.

    `without` names what shall be taken as fake: `source=NAME`, `time=FROM..TO` or `rows=FROM..TO`. `shadow` names other
    policies to be folded over the same log. `replays` limits the sources that the log is folded without (usually as
    many as two cores fold in minutes), `ahead` the rounds over which the price is sought; `price=False` leaves it out.
    """
    table = log if isinstance(log, Table) else read_table(log, columns)
    chosen = policy or (None if table.terms is None else table.terms.policy)
    if chosen is None:
        raise InputError("this log does not say which policy decided: name one, such as samba")
    return Auditor(table, as_policy(chosen), horizon, seed, threads, tell or (lambda share, words: None)).audited(
        list(without), [as_policy(one) for one in shadow], replays, ahead if price else 0
    )


def as_policy(given: str | Policy[Any]) -> Policy[Any]:
    """A policy by name or as it is."""
    return named_policy(given) if isinstance(given, str) else given


class Auditor:
    """One audit under way: the table as the policy can learn it, and what is said on the way."""

    def __init__(
        self, table: Table, policy: Policy[Any], horizon: int | None, seed: int | None, threads: int | None, tell: Tell
    ) -> None:
        self.given, self.policy, self.threads, self.tell = table, policy, threads, tell
        self.table = fitted(table, policy)
        terms = table.terms or Terms("", table.arms, 1, max(table.rows, 1))
        self.seed = terms.seed if seed is None else seed
        self.setting = Setting(len(table.arms), horizon or terms.horizon, terms.corruption)
        self.start = terms.state if named_like(policy, terms) else None
        self.terms = replace(terms, horizon=self.setting.horizon, seed=self.seed, state=self.start)
        given = (policy, self.table.log, table.codes, self.setting, self.seed, threads, self.start)
        self.folding = Stretched(*given, self.terms, table.changes) if table.changes else Folding(*given)
        self.notes: list[str] = []

    def audited(self, wishes: list[str], shadows: list[Policy[Any]], replays: int | None, ahead: int | None) -> Audit:
        """All of it, cheap parts first."""
        table, folding = self.table, self.folding
        codes = left_out(table, wishes)
        if wishes and self.policy.rewards_fixed:
            raise InputError(f"{self.policy} cannot be folded without some rows: {self.policy.rewards_fixed}")
        marks = folding.marks(LOOKS)
        over_time = folding.over_time(marks)
        belief, leader = self.belief(over_time[-1]), leader_of(over_time[-1])
        state = folding.state()
        self.say_how_p_is_read()
        influence = self.influence(leader, replays)
        witness, witness_leader = self.witness(leader, influence)
        what_if = self.what_if(codes) if wishes else None
        self.tell(0.0, "statistics")
        evidence = all_evidence(table, table.codes)
        found = Audit(
            table,
            self.policy,
            belief,
            marks,
            over_time,
            influence,
            evidence,
            witness,
            witness_leader,
            what_if,
            self.price(what_if, state, leader, codes, ahead),
            self.off_policy(shadows, codes if wishes else self.suspects(witness)),
            state,
        )
        return replace(found, notes=[*self.notes, *self.about_evidence(found), UNKNOWN])

    def belief(self, probabilities: Floats) -> Belief:
        """p by the arms' names."""
        named = dict(zip(self.table.arms, (float(probability) for probability in probabilities), strict=True))
        return Belief(self.table.arms[leader_of(probabilities)], named)

    def say_how_p_is_read(self) -> None:
        """What the probabilities of the belief are, where they are not simply p."""
        if self.folding.kind == MEANS:
            self.notes.append(
                f"{self.policy} leaves nothing to chance: its belief is the arm with the best mean reward"
            )
        if self.folding.kind == TRIALS:
            thrown = f"the share of {self.folding.trials:,} trial choices"
            self.notes.append(f"{self.policy} cannot tell its probabilities: its belief is {thrown}")
        if not self.folding.columns["rewarded"].all():
            self.notes.append("a journal has a row for each decision and one for each reward")
        if self.given.changes:
            names = ", ".join(dict.fromkeys(name for _, _, name in self.given.changes))
            self.notes.append(
                f"arms came or went ({names}): what is believed of an arm that was not there is 0, and a state written "
                "to a file holds all arms there ever were"
            )
        if not self.given.sources:
            self.notes.append("the log has no sources: nothing can be said about who moved the belief")
        for reward in blind_to(self.policy, self.setting) if self.folding.kind == PRESENT else ():
            self.notes.append(
                f"{self.policy} learns next to nothing from a reward of {reward:g}: rewards that were forged to be "
                f"{reward:g} leave little influence to see, and leaving them out does not bring back what they hid"
            )

    def influence(self, leader: int, replays: int | None) -> Influence | None:
        """Leave one source out, for each of them."""
        if not self.table.sources:
            return None
        if self.policy.rewards_fixed:
            self.notes.append(f"no influence of sources on {self.policy}: {self.policy.rewards_fixed}")
            return None
        done = 0.0

        def told(share: float) -> None:
            nonlocal done
            self.tell(share - done, "without one source at a time")
            done = share

        found = influence_of(self.folding, self.table, leader, replays, told)
        if found.left_out:
            self.notes.append(
                f"the log was folded without {len(found.order):,} of {len(found.order) + found.left_out:,} sources, "
                "those that moved the arms' means most"
            )
        return found

    def witness(self, leader: int, found: Influence | None) -> tuple[tuple[str, ...] | None, str | None]:
        """A set that turns the leader, made sure of by a replay of the log that never held its rows."""
        if found is None or len(found.order) == 0:
            return None, None
        self.tell(0.0, "looking for a witness set")
        codes = witness_of(self.folding, leader, found)
        if codes is None:
            self.notes.append("no witness set: no set of sources was found without which another arm leads")
            return None, None
        other = self.leader_replayed(without(self.table.codes, codes))
        assert other != leader, "a witness set did not turn the leader when the log was replayed"
        names = tuple(self.table.sources[code] for code in codes)
        return names, self.table.arms[other]

    def leader_replayed(self, codes: Codes) -> int:
        """The leader after a log in which the left-out rows are not there at all."""
        kept = codes >= 0
        if isinstance(self.folding, Stretched):
            return leader_of(self.folding.replayed(kept))
        columns = {name: column[kept] for name, column in self.folding.columns.items()}
        rest = replace(self.folding, log=Log(**columns), codes=codes[kept])
        if self.folding.kind != PRESENT:
            return leader_of(rest.over_time(np.array([rest.rows]))[0])
        how: dict[str, Any] = {"arms": self.setting.arms, "horizon": self.setting.horizon, "seed": self.seed}
        how |= {"corruption": self.setting.corruption, "state": self.start}
        state = replay_log(self.policy, rest.log, **how)
        return leader_of(state.probabilities)

    def what_if(self, codes: Codes) -> WhatIf:
        """The belief, its course and the state without some rows."""
        over_time = self.folding.over_time(self.folding.marks(LOOKS), codes)
        state = self.folding.state(codes)
        rows = int((codes < 0).sum())
        self.notes.append(
            "leaving rewards out takes back what was learnt from them, not what was chosen because of them: "
            "the rest of the log is what a policy saw that had learnt them"
        )
        return WhatIf(self.belief(over_time[-1]), over_time, rows, first_other_leader(self.folding, codes), state)

    def suspects(self, witness: tuple[str, ...] | None) -> Codes | None:
        """The rows without the witness set, which is suspected for want of anything better."""
        if not witness or len(witness) > len(self.table.sources) // 10:
            return None
        return without(self.table.codes, np.array([self.table.sources.index(name) for name in witness]))

    def price(
        self, what_if: WhatIf | None, state: Any, leader: int, codes: Codes, ahead: int | None
    ) -> dict[str, Any] | None:
        """Future fakes needed from the present state, or from the one without the rows that were named."""
        if ahead == 0:
            return None
        gone = sorted(set(self.table.arms) - set(roster_after(self.terms, self.table.changes).active))
        if gone:
            self.notes.append(
                f"no price: {', '.join(gone)} cannot be chosen now, and the play from here would choose it"
            )
            return None
        self.tell(0.0, "the price from here")
        if what_if is not None:
            state, leader = what_if.state, self.table.arms.index(what_if.belief.leader)
            self.notes.append("the price is that of the state without the rows that were named")
        columns, arms = self.folding.columns, self.setting.arms
        learnt = columns["rewarded"] & (codes >= 0)
        pulls = np.bincount(columns["arms"][learnt], minlength=arms).astype(np.float64)
        sums = np.bincount(columns["arms"][learnt], columns["rewards"][learnt], arms).astype(np.float64)
        rounds = ahead or min(max(int(columns["rewarded"].sum()), 1000), AHEAD)
        told, reason = price_from_here(
            self.policy,
            save_state(self.policy, state),
            leader,
            sums,
            pulls,
            ahead=rounds,
            seed=self.seed,
            threads=self.threads,
        )
        if reason:
            self.notes.append(reason)
        return told

    def off_policy(self, shadows: list[Policy[Any]], suspected: Codes | None) -> dict[str, Any] | None:
        """Values of arms and of shadow policies, with everyone and without the suspects."""
        reason = why_not(self.given, self.table.codes)
        if reason:
            self.notes.append(reason + (", so no shadow policies either" if shadows else ""))
            return None
        self.tell(0.0, "off-policy values")
        told: dict[str, Any] = {**self.values(shadows, self.table.codes), "without_suspects": None}
        if suspected is not None and not why_not(self.given, suspected):
            told["without_suspects"] = self.values(shadows, suspected)
        return told

    def values(self, shadows: list[Policy[Any]], codes: Codes) -> dict[str, Any]:
        """Estimates from some of the rows."""
        estimator = Estimator(self.given, codes)
        arms = dict(zip(self.table.arms, estimator.by_arm(), strict=True))
        policies = {}
        for one in shadows:
            table = fitted(self.given, one)
            folding = Folding(one, table.log, table.codes, self.setting, self.seed, self.threads)
            shadow = folding.shadow(np.array([folding.rows]), codes)
            value = estimator.of(shadow) if one.explicit else None
            if value is None and f"{one}: " not in "".join(self.notes):
                self.notes.append(f"{one}: no off-policy value, for it cannot tell its probabilities")
            policies[str(one)] = {**self.belief(shadow.beliefs[-1]).as_json(), "value": value}
        rewards = estimator.rewards
        return {"rows": len(rewards), "mean_reward": float(rewards.mean()), "arms": arms, "policies": policies}

    def about_evidence(self, found: Audit) -> list[str]:
        """Alarms and flags in words, with what each statistic assumes."""
        if not found.evidence:
            return []
        said = []
        for name, row in found.alarms().items():
            words = "no source differs for sure" if row is None else f"some source differs (seen by row {row:,})"
            said.append(f"{name}: {words} at level {LEVEL:g}, shared by {len(found.evidence)} statistics")
        flags = found.flagged()
        if flags:
            names = ", ".join(flags[:10]) + (f" and {len(flags) - 10} more" if len(flags) > 10 else "")
            said.append(
                f"{len(flags)} of {len(self.table.sources):,} sources differ in rate or selection (e-BH): {names}"
            )
        return said


def named_like(policy: Policy[Any], terms: Terms) -> bool:
    """Whether a policy is the one a journal was begun with, so that the state it began with is its own."""
    return str(policy) == terms.policy


def blind_to(policy: Policy[Any], setting: Setting) -> list[float]:
    """The reward, 0 or 1, after which p hardly moves beside the other: a forged one's effect is what did not happen.

    Tried on a state that has seen each arm's failures and successes.
    """
    state, random = policy.start(setting), Random(1, 2, 3, 4)
    policy.begin(state, random)
    for row in range(20 * setting.arms):
        policy.learn(state, Choice(row % setting.arms, 1.0 / setting.arms, 0), float(row // setting.arms % 2), random)
    moved = []
    for reward in (0.0, 1.0):
        after = deepcopy(state)
        policy.learn(after, Choice(0, 1.0 / setting.arms, 0), reward, random)
        moved.append(float(np.abs(after.probabilities - state.probabilities).sum()))
    return [reward for reward, here, there in zip((0.0, 1.0), moved, moved[::-1], strict=True) if here < 0.1 * there]
