"""A learner: a policy that decides and learns in the world, by arms' names, with rewards that come late or never.

What happens to it is a fold (fold.py); here is its edge: what a user may say, a sentence where it cannot be, and the
journal, which is written before anything changes.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple, Unpack

from robandit.catalogue import SHIPPED
from robandit.errors import InputError, PlayError
from robandit.game import Policy
from robandit.lab.log import Log
from robandit.online.fold import Fold
from robandit.online.journal import read_entries, read_standing
from robandit.online.rebuild import rebuild
from robandit.online.saving import load_fold, save_fold
from robandit.online.terms import LearnerTerms, check_same, is_finite_number, make_terms
from robandit.online.warm import warm_terms
from robandit.online.writer import JournalWriter, claim_journal
from robandit.store.files import write_atomically


class Decision(NamedTuple):
    """A decision; its reward is reported under its id.

    Args:
        id: its number, from 0.
        arm: the arm to show.
        probability: the one the arm had in the draw; None where the policy cannot compute it.
        check: whether the policy asks for the reward to be verified.
    """

    id: int
    arm: str
    probability: float | None  # the probability the arm had in the draw; None where the policy cannot compute it
    check: bool = False  # whether the policy asks for the reward to be verified


class Learner:
    """A policy that decides and learns; docs/deploy.md shows how to use it.

    Calls from several threads wait for each other.

    Args:
        policy: a policy or its text.
        arms: the arms' names.
        journal: the file to write; one that exists is gone on with, and `state` and `history` are then left aside.
        sync: whether a line is on the disk before a call returns.
        state: a state to begin with, from `save_state`.
        history: a log to learn first, as a `Log` or the path of another journal.
        **options: seed (None takes a fresh one that nobody can guess), horizon and corruption (for policies that need
            them), reward_range, and patience: a decision waits for its reward until so many more were made. features
            declares what a context has: {"age": [18, 99], "device": ["phone", "desktop"]}; arm_features and
            arm_values (by arm) do the same for the arms. verified says what verified rewards mean to a policy that does
            not ask for them: "only" learns no others, "prefer" lets one replace the unverified reward of its decision.

    Raises:
        InputError: if anything does not fit, or the journal cannot be written or was begun with other terms.
    """

    __slots__ = ("_fold", "_lock", "_writer")

    def __init__(
        self,
        policy: Policy[Any] | str,
        arms: Sequence[str],
        *,
        journal: Path | str | None = None,
        sync: bool = True,
        state: dict[str, Any] | None = None,
        history: Log | Path | str | None = None,
        **options: Unpack[LearnerTerms],
    ) -> None:
        policy = as_policy(policy)
        own = policy.as_deployed()
        terms = make_terms(str(own), arms, **options)
        self._lock = RLock()
        self._writer: JournalWriter | None = None
        self._fold = Fold(own, terms)  # what cannot be is refused before there is a file
        if journal is None:
            self._warm(state, history)
            return
        with claim_journal(journal, sync) as writer:
            if writer.lines:
                begun = read_entries(journal)[0]
                if begun.policy == str(policy):  # as it was begun it goes on, though a new one would be deployed
                    own, terms = policy, replace(terms, policy=str(policy))
                check_same(begun, terms, str(journal), but="seed" if options.get("seed") is None else "")
                self._fold = rebuild(journal, own)
            else:
                self._warm(state, history)
                writer.begin(self._fold.terms)
        self._writer = writer

    def _warm(self, state: dict[str, Any] | None, history: Log | Path | str | None) -> None:
        """Begin with a saved state or with a history."""
        if state is not None or history is not None:
            policy = self._fold.policy
            self._fold = Fold(policy, warm_terms(policy, self._fold.terms, state, history))

    @classmethod
    def open(
        cls, journal: Path | str, policy: Policy[Any] | str | None = None, *, read_only: bool = False, sync: bool = True
    ) -> "Learner":
        """Return the learner of a journal, to go on with or only to look at; a policy of your own must be handed in."""
        text = read_entries(journal)[0].policy
        own = as_policy(text if policy is None else policy)
        if str(own) != text:
            own = own.as_deployed()
        if str(own) != text:
            raise InputError(f"{journal}: its policy is {text}, not {own}")
        learner = cls.__new__(cls)
        learner._lock, learner._writer = RLock(), None
        if read_only:
            learner._fold = rebuild(journal, own)
            return learner
        with claim_journal(journal, sync) as writer:
            learner._fold = rebuild(journal, own)
        learner._writer = writer
        return learner

    @classmethod
    def load(cls, saved: dict[str, Any] | Path | str, policy: Policy[Any] | str | None = None) -> "Learner":
        """Return the learner that `save` wrote, without a journal."""
        learner = cls.__new__(cls)
        learner._fold = load_fold(saved, lambda text: as_policy(text if policy is None else policy))
        learner._lock, learner._writer = RLock(), None
        return learner

    def save(self, path: Path | str | None = None) -> dict[str, Any]:
        """Return the whole learner as plain values that JSON can hold; written into a file if one is named."""
        with self._lock:
            values = save_fold(self._fold)
        if path is not None:
            write_atomically(Path(path), json.dumps(values, allow_nan=False).encode(), 0o600)  # it has the seed
        return values

    def decide(
        self,
        eligible: Iterable[str] | None = None,
        *,
        context: Mapping[str, Any] | None = None,
        time: float | None = None,
    ) -> Decision:
        """Choose an arm, one of the eligible if they are named; the decision is in the journal when this returns.

        `context` has a value of every feature that was declared, None where it is not known.
        """
        with self._lock:
            fold = self._fold
            among, number, names = fold.roster.among(eligible), fold.decisions, fold.roster.names
            user, moment = fold.read(context), checked_time(time)
            choice = fold.choose(among, user)
            if not 0 <= choice.arm < len(names):
                raise PlayError(f"policy {fold.policy} chose arm {choice.arm}, allowed are 0 to {len(names) - 1}")
            arm, drawn = names[choice.arm], choice.probability
            probability = None if drawn != drawn else float(drawn)
            entry = {"entry": "decide", "id": number, "arm": arm, "chance": probability, "note": int(choice.note)}
            entry["eligible"] = None if among is None else [names[index] for index in among]
            entry["time"] = moment
            if context is not None:
                entry["context"] = dict(context)
            check = fold.wants_check(choice)
            if check:
                entry["check"] = True
            if self._writer is not None:
                self._writer.append(entry)
            fold.record_decision(choice, True, entry)
        return Decision(number, arm, probability, check)

    def learn(
        self,
        id: int,
        reward: float,
        source: str | None = None,
        *,
        time: float | None = None,
        truth: float | None = None,
        verified: bool = False,
    ) -> bool:
        """Learn a decision's reward; True if it was recorded, False if it had one already or waits no more.

        `source` says who reported it and `time` when, for the journal; `truth` is for simulations, which know it.
        `verified` says that somebody made sure of it. Where verified rewards are preferred, or the policy asked for a
        check, one may follow an unverified reward of the same decision.
        """
        with self._lock:
            fold = self._fold
            value = fold.terms.inside(reward)
            number = fold.number(id)
            if source is not None and not isinstance(source, str):
                raise InputError(f"a source must be text, not {source!r}")
            if not isinstance(verified, bool):
                raise InputError(f"verified must be True or False, not {verified!r}")
            moment = checked_time(time)
            if not fold.waits(number, verified):
                return False
            if self._writer is not None:
                entry = {"entry": "reward", "id": number, "value": float(reward), "source": source, "time": moment}
                if verified:
                    entry["verified"] = True
                if truth is not None:
                    entry |= {"truth": float(truth), "fake": fold.terms.inside(truth) != value}
                self._writer.append(entry)
            fold.take_reward(number, value, verified)
        return True

    def add_arm(self, name: str, values: Mapping[str, Any] | None = None) -> None:
        """A new arm, with features of its own where they were declared; its first share is the policy's to say."""
        self._change(name, "added", None if values is None else dict(values))

    def pause_arm(self, name: str) -> None:
        """Do not choose an arm until it is resumed; rewards of earlier decisions are still learnt."""
        self._change(name, "paused")

    def resume_arm(self, name: str) -> None:
        """Choose a paused arm again."""
        self._change(name, "resumed")

    def retire_arm(self, name: str) -> None:
        """Never choose an arm again; its name stays taken."""
        self._change(name, "retired")

    def _change(self, name: str, change: str, values: dict[str, Any] | None = None) -> None:
        with self._lock:
            self._fold.check_change(name, change, values)  # refused here if at all
            if self._writer is not None:
                entry = {"entry": "arm", "arm": name, "change": change}
                self._writer.append(entry if values is None else {**entry, "values": values})
            self._fold.change_arm(name, change, values)

    def retract(self, id: int | None = None, *, source: str | None = None) -> int:
        """Take back a decision's reward, or all that a source reported so far, and learn anew; returns how many.

        The journal is read again for it. What a source reports later counts; the decisions concerned stay without
        reward.
        """
        if (id is None) == (source is None):
            raise InputError("retract takes the id of a decision, or a source")
        policy = self._fold.policy
        if self._writer is None:
            raise InputError("only a learner with a journal can take a reward back")
        if policy.rewards_fixed:
            raise InputError(f"{policy.name} cannot take a reward back: {policy.rewards_fixed}")
        with self._lock:
            path, key = self._writer.path, "id" if source is None else "source"
            value = self._fold.number(id) if source is None else source
            standing, count = read_standing(path), 0
            for line, entry in read_entries(path)[1]:
                is_meant = entry["entry"] == "reward" and entry[key] == value
                count += is_meant and not standing.leaves_out(line, entry["id"], entry["source"])
            if count == 0:
                raise InputError(f"there is no reward of the {key} {value!r} to take back")
            self._writer.append({"entry": "retract", key: value})
            self._fold = rebuild(path, policy)
        return count

    def probabilities(self, trials: int = 1000, *, context: Mapping[str, Any] | None = None) -> dict[str, float]:
        """Return each active arm's probability in the next decision; its share of trials where p(t) is unknown.

        Without a context it is that of somebody of whom nothing is known.
        """
        with self._lock:
            user = None if context is None else self._fold.read(context)
            return self._fold.probabilities(user) or self._fold.trial_shares(trials, user)

    @property
    def arms(self) -> dict[str, str]:
        """Every arm there ever was: active, paused or retired."""
        return dict(zip(self._fold.roster.names, self._fold.roster.status, strict=True))

    @property
    def policy(self) -> Policy[Any]:
        """The policy that decides."""
        return self._fold.policy

    @property
    def decisions(self) -> int:
        """How many decisions were made; the next one has this id."""
        return self._fold.decisions

    @property
    def pending(self) -> int:
        """How many decisions wait for a reward."""
        return len(self._fold.pending)

    def save_state(self) -> dict[str, Any]:
        """The policy's state as `save_state` writes it: to simulate from it, or to begin another learner with."""
        with self._lock:
            return self._fold.save_state()

    def close(self) -> None:
        """Let the journal go."""
        if self._writer is not None:
            self._writer.close()

    def __enter__(self) -> "Learner":
        return self

    def __exit__(self, *error: Any) -> None:
        self.close()


def as_policy(policy: Policy[Any] | str) -> Policy[Any]:
    """Return a policy as it is, or the one that a text names."""
    return policy if isinstance(policy, Policy) else SHIPPED.policy(policy)


def checked_time(time: Any) -> float | None:
    """Return a time as a number, or None; raises InputError if it is neither."""
    if time is not None and not is_finite_number(time):
        raise InputError(f"a time must be a number, such as seconds since 1970, not {time!r}")
    return None if time is None else float(time)
