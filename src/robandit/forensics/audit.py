"""A log audited: what the policy believes, who moved it, what if they had not, and the price of another leader."""

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import replace
from pathlib import Path
from typing import Any, TypedDict, Unpack

import numpy as np

from robandit.dice import Random
from robandit.errors import InputError, PlayError
from robandit.forensics.alarms import LEVEL, find_signals
from robandit.forensics.findings import ArmBelief, Audit, LogWithout, Note
from robandit.forensics.forged import estimate_forged
from robandit.forensics.grouped import grouped_means
from robandit.forensics.influence import Influence, find_witness, influence_of, leader_of, without
from robandit.forensics.log_files import read_log
from robandit.forensics.off_policy import Estimator, why_not
from robandit.forensics.price import AHEAD, price_from_here
from robandit.forensics.reward_log import Codes, ColumnNames, RewardLog, final_rewards, fit_log
from robandit.forensics.segments import price_for, references_of, rows_within, seen_features, users_in
from robandit.forensics.statistics import ALARMS, ALL, STATISTICS, ReportedRows, evidence_of, reported_rows
from robandit.forensics.stretches import StretchFolding, roster_after
from robandit.forensics.what_if import first_other_leader, leave_rows_out
from robandit.game import Choice, Floats, Policy, Setting
from robandit.lab.folds import Folding
from robandit.lab.leave_out import MEANS, PRESENT, TRIALS
from robandit.lab.log import replay_log
from robandit.online.learner import as_policy
from robandit.online.terms import ONLY, Terms
from robandit.progress import Progress, part_of, report_to
from robandit.state import save_state

LOOKS = 400  # marks of the belief over time
FORGED = (
    "How much of the feedback is forged cannot be known from it: a source that lies all the time is another mean. "
    "Influence says who moved the belief, an e-value who differs; neither says why."
)


class AuditOptions(TypedDict, total=False):
    """How a log is audited."""

    columns: ColumnNames | None  # of a CSV or Parquet file
    without: Sequence[str]  # taken as fake: source=NAME, time=FROM..TO or rows=FROM..TO
    shadow: Sequence[str | Policy[Any]]  # other policies, folded over the same log
    segment: str | None  # where contexts came: visitors of one kind only, such as device=phone or age=18..30
    horizon: int | None  # what the policy counted with; by default the journal's, or the rows
    ahead: int | None  # rounds over which the price is sought
    price: bool  # False leaves the price out
    replays: int | None  # sources the log is folded without; by default as many as two cores fold in minutes
    seed: int | None  # of what the policy draws while it learns; by default the journal's, or 1
    threads: int | None
    progress: Progress | bool | None


def audit(
    log: str | Path | RewardLog, policy: str | Policy[Any] | None = None, **options: Unpack[AuditOptions]
) -> Audit:
    """Audit a log.

    Args:
        log: a journal, a CSV or Parquet file, or a `RewardLog`.
        policy: what decided, by name or as it is; by default the policy that a journal names.
        **options: what `AuditOptions` names.

    Returns:
        The findings: plain values in `as_json()`.

    Raises:
        InputError: if the log cannot be read, or not be learnt by the policy.
    """
    unexpected = options.keys() - AuditOptions.__annotations__.keys()
    if unexpected:
        raise TypeError(f"audit() takes {', '.join(AuditOptions.__annotations__)}, not {', '.join(unexpected)}")
    rewards = log if isinstance(log, RewardLog) else read_log(log, options.get("columns"))
    chosen = policy or (None if rewards.terms is None else rewards.terms.policy)
    if chosen is None:
        raise InputError("this log does not say which policy decided: name one, such as samba")
    with report_to(options.get("progress")) as progress:
        return Auditor(rewards, as_policy(chosen), options, progress).run()


class Auditor:
    """One audit under way: the log as it was, the log as the policy can learn it, and the notes so far."""

    def __init__(self, log: RewardLog, policy: Policy[Any], options: AuditOptions, progress: Progress) -> None:
        self.original, self.policy, self.options, self.progress = log, policy, options, progress
        self.log = fit_log(log, policy)
        terms = log.terms or Terms("", log.arms, 1, max(log.rows, 1))
        seed = options.get("seed")
        self.seed = terms.seed if seed is None else seed
        features = seen_features(log, terms)
        self.setting = Setting(len(log.arms), options.get("horizon") or terms.horizon, terms.corruption, features)
        segment = options.get("segment")
        self.within = users_in(log, segment) if segment is not None or log.log.users is not None else None
        if log.changes and log.log.own is not None:
            raise InputError("a journal in which arms with features of their own came or went cannot be audited yet")
        self.start = terms.state if str(policy) == terms.policy else None  # of another policy it says nothing
        self.terms = replace(terms, horizon=self.setting.horizon, seed=self.seed, state=self.start)
        parts = (policy, self.log.log, log.codes, self.setting, self.seed, options.get("threads"), self.start)
        stretches: dict[str, Any] = {"terms": self.terms, "changes": log.changes}
        references = None if self.within is None else references_of(log, self.within)
        stretches |= {"references": references}
        self.folding: Folding = (
            StretchFolding(*parts, **stretches) if log.changes else Folding(*parts, references=references)
        )
        self.notes: list[Note] = []

    def note(self, code: str, text: str, subject: str = "") -> None:
        """Add a note, unless it is there already."""
        note = Note(code, text, subject)
        if note not in self.notes:
            self.notes.append(note)

    def run(self) -> Audit:
        """Do all of it, cheap parts first."""
        log, folding, names = self.log, self.folding, list(self.options.get("without", ()))
        shadows = [as_policy(one) for one in self.options.get("shadow", ())]
        codes = leave_rows_out(log, names)
        if names and self.policy.rewards_fixed:
            raise InputError(f"{self.policy} cannot be replayed without some rows: {self.policy.rewards_fixed}")
        marks = folding.marks(LOOKS)
        over_time = folding.over_time(marks)
        belief, leader = self.belief(over_time[-1]), leader_of(over_time[-1])
        state = folding.state()
        self.say_how_p_is_read()
        influence = self.influence(leader, part_of(self.progress, 0.0, 0.7))
        witness, witness_leader = self.witness(leader, influence)
        self.progress(0.75)
        what_if = self.what_if(codes) if names else None
        reported = reported_rows(log, log.codes if self.within is None else rows_within(log, log.codes, self.within))
        evidence = evidence_of(reported, log.rows)
        again = None if self.policy.rewards_fixed else folding
        signals = find_signals(log, reported, evidence, again, over_time[-1])
        self.say_what_cannot_be_tested(reported)
        self.progress(0.8)
        price = self.price(what_if, state, leader, codes)
        self.progress(0.95)
        off_policy = self.off_policy(shadows, codes if names else self.suspects(witness))
        findings = Audit(
            log,
            self.policy,
            belief,
            marks,
            over_time,
            influence,
            evidence,
            signals,
            witness,
            witness_leader,
            what_if,
            price,
            off_policy,
            state,
            self.notes,
            grouped_means(reported),
            estimate_forged(log.pairs, log.arms, self.terms.high - self.terms.low),
        )
        self.say_what_differs(findings)
        self.note("forged", FORGED if findings.forged is None else f"Beyond the decisions verified, h{FORGED[1:]}")
        self.progress(1.0)
        return findings

    def belief(self, probabilities: Floats) -> ArmBelief:
        """Return p by the arms' names."""
        named = dict(zip(self.log.arms, (float(probability) for probability in probabilities), strict=True))
        return ArmBelief(self.log.arms[leader_of(probabilities)], named)

    def say_how_p_is_read(self) -> None:
        """Note what the probabilities of the belief are, where they are not simply p."""
        if self.folding.kind == MEANS:
            text = f"{self.policy} leaves nothing to chance: its belief is the arm with the best mean reward"
            self.note("belief-is-best-mean", text)
        if self.within is not None:
            who = self.options.get("segment") or "all who came"
            self.note("belief-is-mean", f"contexts came: the belief is the mean over visitors of the log ({who})")
        if self.folding.kind == TRIALS:
            share = f"the share of {self.folding.trials:,} trial choices"
            self.note("belief-is-trials", f"{self.policy} has no explicit probabilities: its belief is {share}")
        if not self.folding.columns["rewarded"].all():
            self.note("rows-of-decisions", "a journal has a row for each decision and one for each reward")
        if self.original.changes:
            names = ", ".join(dict.fromkeys(name for _, _, name in self.original.changes))
            self.note(
                "arms-changed",
                f"arms came or went ({names}): what is believed of an arm that was not there is 0, and a state written "
                "to a file holds all arms there ever were",
            )
        if not self.original.sources:
            self.note("no-sources", "the log has no sources: nothing can be said about who moved the belief")
        for reward in blind_to(self.policy, self.setting) if self.folding.kind == PRESENT else ():
            self.note(
                "blind",
                f"{self.policy} learns next to nothing from a reward of {reward:g}: rewards that were forged to be "
                f"{reward:g} leave little influence to see, and leaving them out does not bring back what they hid",
            )

    def influence(self, leader: int, progress: Progress) -> Influence | None:
        """Return what leaving one source out does, for each of them; None where it cannot be computed."""
        if not self.log.sources:
            return None
        if self.policy.rewards_fixed:
            self.note("no-influence", f"no influence of sources on {self.policy}: {self.policy.rewards_fixed}")
            return None
        influence = influence_of(self.folding, self.log, leader, self.options.get("replays"), progress)
        if influence.left_out:
            count = len(influence.order)
            self.note(
                "influence-of-some",
                f"the log was replayed without {count:,} of {count + influence.left_out:,} sources, "
                "those that moved the arms' means most",
            )
        return influence

    def witness(self, leader: int, influence: Influence | None) -> tuple[tuple[str, ...] | None, str | None]:
        """Return a set without which another arm leads, and that arm, by a replay of a log that never held its rows."""
        if influence is None or len(influence.order) == 0:
            return None, None
        codes = find_witness(self.folding, leader, influence)
        if codes is None:
            self.note("no-witness", "no witness set: no set of sources was found without which another arm leads")
            return None, None
        other = self.leader_replayed(without(self.log.codes, codes))
        if other == leader:
            raise PlayError(f"{self.policy}: a replay of the log without the witness set has the same leader")
        names = tuple(self.log.sources[code] for code in codes)
        return names, self.log.arms[other]

    def leader_replayed(self, codes: Codes) -> int:
        """Return the leader after a log in which the left-out rows are not there at all."""
        present = codes >= 0
        if isinstance(self.folding, StretchFolding):
            return leader_of(self.folding.replay_rows(present))
        rest = replace(self.folding, log=self.folding.log.select(present), codes=codes[present])
        if self.folding.kind != PRESENT or self.within is not None:
            return leader_of(rest.over_time(np.array([rest.rows]))[0])
        state = replay_log(
            self.policy,
            rest.log,
            arms=self.setting.arms,
            horizon=self.setting.horizon,
            corruption=self.setting.corruption,
            seed=self.seed,
            state=self.start,
        )
        return leader_of(state.probabilities)

    def what_if(self, codes: Codes) -> LogWithout:
        """Return the belief, its course and the state without some rows."""
        over_time = self.folding.over_time(self.folding.marks(LOOKS), codes)
        state = self.folding.state(codes)
        rows = int((codes < 0).sum())
        self.note(
            "what-if",
            "leaving rewards out takes back what was learnt from them, not what was chosen because of them: "
            "the rest of the log is what a policy saw that had learnt them",
        )
        return LogWithout(self.belief(over_time[-1]), over_time, rows, first_other_leader(self.folding, codes), state)

    def suspects(self, witness: tuple[str, ...] | None) -> Codes | None:
        """Return the rows without the witness set, which is suspected for want of anything better."""
        if not witness or len(witness) > len(self.log.sources) // 10:
            return None
        return without(self.log.codes, np.array([self.log.sources.index(name) for name in witness]))

    def price(self, what_if: LogWithout | None, state: Any, leader: int, codes: Codes) -> dict[str, Any] | None:
        """Return the future fakes needed from the present state, or from the one without the rows that were named."""
        if not self.options.get("price", True) or self.options.get("ahead") == 0:
            return None
        gone = sorted(set(self.log.arms) - set(roster_after(self.terms, self.log.changes).active))
        if gone:
            names = ", ".join(gone)
            self.note("no-price", f"no price: {names} cannot be chosen now, and the play from here would choose it")
            return None
        if self.terms.verified == ONLY:
            self.note(
                "no-price",
                "no price: it learns from verified rewards only, so that forged unverified ones change nothing, "
                "however many they are",
            )
            return None
        if what_if is not None:
            state, leader = what_if.state, self.log.arms.index(what_if.belief.leader)
            self.note("price-without", "the price is that of the state without the rows that were named")
        if self.within is not None and self.policy.looks:
            return self.price_with_contexts(save_state(self.policy, state), codes)
        columns, arms = self.folding.columns, self.setting.arms
        learnt = final_rewards(columns, codes)
        pulls = np.bincount(columns["arms"][learnt], minlength=arms).astype(np.float64)
        sums = np.bincount(columns["arms"][learnt], columns["rewards"][learnt], arms).astype(np.float64)
        rounds = self.options.get("ahead") or min(max(int(columns["rewarded"].sum()), 1000), AHEAD)
        price, reason = price_from_here(
            self.policy,
            save_state(self.policy, state),
            leader,
            sums,
            pulls,
            ahead=rounds,
            seed=self.seed,
            threads=self.options.get("threads"),
        )
        if reason:
            self.note("no-price" if price is None else "no-attack", reason)
        return price

    def price_with_contexts(self, state: dict[str, Any], codes: Codes) -> dict[str, Any] | None:
        """Return the future fakes needed for all who came, or for the visitors of the segment alone."""
        references = self.folding.view().references
        rounds = self.options.get("ahead") or min(max(int(self.folding.columns["rewarded"].sum()), 1000), AHEAD)
        terms = {"ahead": rounds, "seed": self.seed, "threads": self.options.get("threads")}
        price, reason = price_for(self.policy, self.log, state, codes, references, **terms)
        if reason:
            self.note("no-price" if price is None else "no-attack", reason)
        return price

    def off_policy(self, shadows: list[Policy[Any]], suspected: Codes | None) -> dict[str, Any] | None:
        """Return values of arms and of shadow policies, with everyone and without the suspects."""
        reason = why_not(self.original, self.log.codes)
        if reason:
            self.note("no-off-policy", reason + (", so no shadow policies either" if shadows else ""))
            return None
        values: dict[str, Any] = {**self.values(shadows, self.log.codes), "without_suspects": None}
        if suspected is not None and not why_not(self.original, suspected):
            values["without_suspects"] = self.values(shadows, suspected)
        return values

    def values(self, shadows: list[Policy[Any]], codes: Codes) -> dict[str, Any]:
        """Return estimates from some of the rows."""
        estimator = Estimator(self.original, codes)
        arms = dict(zip(self.log.arms, estimator.by_arm(), strict=True))
        policies = {}
        for one in shadows:
            deployed = one.as_deployed()
            log = fit_log(self.original, deployed)
            folding = Folding(deployed, log.log, log.codes, self.setting, self.seed, self.options.get("threads"))
            shadow = folding.shadow(np.array([folding.rows]), np.where(log.codes < 0, -1, codes))
            value = estimator.of(shadow) if deployed.explicit else None
            if value is None:
                text = f"{one}: no off-policy value, for it has no explicit probabilities"
                self.note("no-value", text, subject=str(one))
            policies[str(one)] = {**self.belief(shadow.beliefs[-1]).as_json(), "value": value}
        rewards = estimator.rewards
        return {"rows": len(rewards), "mean_reward": float(rewards.mean()), "arms": arms, "policies": policies}

    def say_what_cannot_be_tested(self, reported: ReportedRows) -> None:
        """Note the alarms that this log cannot carry, and why."""
        for statistic in ALL:
            reason = statistic.why_not(reported) if statistic.is_alarm and reported.sources else ""
            if reason:
                self.note("cannot-test", f"{statistic.name}: it cannot be tested: {reason}", subject=statistic.name)

    def say_what_differs(self, findings: Audit) -> None:
        """Note what rings and what is quiet, with the level that the alarms share."""
        shared = f"at level {LEVEL:g}, shared by {len(ALARMS)} alarms, over all looks"
        for name, row in findings.alarms().items():
            if row is None and name not in findings.notices():
                self.note("quiet", f"{name}: nothing differs for sure {shared}", subject=name)
        for signal in findings.signals:
            title = STATISTICS[signal.statistic].title
            how = f"alarm, seen by row {signal.row:,}" if signal.is_alarm else "notice, no alarm"
            text = f"{signal.statistic} ({how}): {title}. {signal.text} Assumed of honest logs: {signal.assumption}"
            self.note("alarm" if signal.is_alarm else "notice", text, subject=signal.statistic)
        grouped = findings.grouped
        if grouped is not None and grouped.leaders[0] != grouped.leaders[1]:
            all_rows, by_group = (self.log.arms[leader] for leader in grouped.leaders)
            text = f"{all_rows} paid most by all rows, {by_group} by the median of {grouped.groups} groups of sources"
            self.note("grouped", f"{text}: few sources carry {all_rows}, or rewards are too rare to distinguish them")
        flags = findings.flagged()
        if flags:
            names = ", ".join(flags[:10]) + (f" and {len(flags) - 10} more" if len(flags) > 10 else "")
            sources = f"{len(flags)} of {len(self.log.sources):,} sources"
            self.note("flagged", f"{sources} differ in rate or selection (e-BH): {names}")


def blind_to(policy: Policy[Any], setting: Setting) -> list[float]:
    """Return the reward, 0 or 1, after which p hardly moves beside the other; forged, it works by what did not happen.

    Tried on a state that has seen each arm's failures and successes.
    """
    state, random = policy.start(setting), Random(1, 2, 3, 4)
    policy.begin(state, random)
    for row in range(20 * setting.arms):
        policy.learn(state, Choice(row % setting.arms, 1.0 / setting.arms, 0), float(row // setting.arms % 2), random)
    policy.refresh(state)
    moved = []
    for reward in (0.0, 1.0):
        after = deepcopy(state)
        policy.learn(after, Choice(0, 1.0 / setting.arms, 0), reward, random)
        policy.refresh(after)
        moved.append(float(np.abs(after.probabilities - state.probabilities).sum()))
    return [reward for reward, here, there in zip((0.0, 1.0), moved, moved[::-1], strict=True) if here < 0.1 * there]
