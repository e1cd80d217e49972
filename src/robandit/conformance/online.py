"""Laws of policies that decide in the world: a learner is what its journal says, its probabilities are true."""

import math
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from robandit.catalogue import scaled
from robandit.conformance.law import divergence, require, require_distribution
from robandit.conformance.walks import AnyPolicy, reward_of, streams
from robandit.dice import decision_stream
from robandit.errors import InputError
from robandit.online.columns import read_columns
from robandit.online.learner import Learner
from robandit.online.rebuild import first_difference
from robandit.online.warm import fold_log
from robandit.state import save_state

NAMES = ["north", "east", "south", "west"]
DRAWS = 3000


def live(learner: Learner, rounds: int, seed: int, changes: dict[int, Any] | None = None) -> None:
    """Rounds whose rewards come up to 40 rounds later, out of order, a fifth never, a fifth twice."""
    dice, paid = streams(seed)
    due: dict[int, list[tuple[int, float, bool]]] = {}
    for t in range(rounds):
        for number, reward, first in due.pop(t, []):
            counted = learner.learn(number, reward, f"source {number % 7}")
            require(counted == first, f"the reward of decision {number} counted {'twice' if counted else 'not at all'}")
        if changes and t in changes:
            changes[t](learner)
        decision = learner.decide()
        reward, fate = reward_of(NAMES.index(decision.arm) if decision.arm in NAMES else 2, 4, paid), dice.uniform()
        if fate < 0.8:
            due.setdefault(t + 1 + int(40 * dice.uniform()), []).append((decision.id, reward, True))
        if fate < 0.2:
            due.setdefault(t + 60, []).append((decision.id, 1.0 - reward, False))


def lab_only(policy: AnyPolicy) -> bool:
    """Whether a learner refuses the policy: it cannot wait for rewards, or needs features, which it does not get."""
    return policy.late == "no" or policy.plays == "features"


def journal_is_the_learner(policy: AnyPolicy) -> None:
    """A learner, its journal read again and its journal replayed by the lab are the same to the bit."""
    variant = scaled(policy).as_deployed()
    if lab_only(variant):
        return
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        with Learner(variant, NAMES, seed=5, horizon=400, journal=path, sync=False) as learner:
            live(learner, 300, 70)
            whole, ahead = learner.save(), learner.decide()
        with Learner.open(path, variant) as again:
            require(again.decisions == whole["decisions"] + 1, "a decision is missing in the journal")
        lines = path.read_bytes().splitlines(keepends=True)
        path.write_bytes(b"".join(lines[:-1]))  # without the last decision, which must come out again
        with Learner.open(path, variant) as again:
            require(again.save() == whole, "the learner read from its journal differs from the one that lived")
            require(again.decide() == ahead, "the learner read from its journal decides otherwise")
        require(Learner.load(whole, variant).decide() == ahead, "the learner that was saved decides otherwise")
        path.write_bytes(b"".join(lines[:-1]))
        require(first_difference(path, variant) is None, "the journal holds a decision that the policy would not make")
        for engine in ("rounds", "plain"):
            state = save_state(variant, fold_log(variant, read_columns(path), engine=engine))
            require(state == whole["state"], f"the lab ({engine}) replays the journal to another state")


def arms_come_and_go(policy: AnyPolicy) -> None:
    """Arms added, paused, resumed, retired: p(t) stays a distribution, absent ones are not chosen, a replay agrees."""
    variant = scaled(policy).as_deployed()
    if lab_only(variant) or refuses(lambda: Learner(variant, NAMES).add_arm("up")):
        return
    changes = {
        60: lambda learner: learner.add_arm("up"),
        110: lambda learner: learner.pause_arm("west"),
        150: lambda learner: learner.retire_arm("east"),
        190: lambda learner: learner.resume_arm("west"),
        220: lambda learner: learner.add_arm("down"),
    }
    with TemporaryDirectory() as folder:
        path = Path(folder) / "journal"
        with Learner(variant, NAMES, seed=6, horizon=400, journal=path, sync=False) as learner:
            live(learner, 320, 71, changes)
            probabilities, whole = learner.probabilities(200), learner.save()
        require(
            list(probabilities) == ["north", "south", "west", "up", "down"],
            f"the active arms are {list(probabilities)}",
        )
        require(abs(sum(probabilities.values()) - 1.0) < 1e-9, f"their probabilities are {probabilities}")
        with Learner.open(path, variant) as again:
            require(again.save() == whole, "the learner read from its journal differs from the one that lived")
        require(first_difference(path, variant) is None, "the journal holds a decision that the policy would not make")
        log = read_columns(path)
        for engine in ("rounds", "plain"):
            state = save_state(variant, fold_log(variant, log, engine=engine))
            require(state == whole["state"], f"the lab ({engine}) replays a journal with changes to another state")
        gone = next(row for row, change, _ in log.changes if change == "retired")
        later = log.arms[gone:][~log.rewarded[gone:]]  # type: ignore[index]  # a journal's log has it
        require(not (later == NAMES.index("east")).any(), "a retired arm was chosen")
        require((later == 5).any(), "the last arm added was never chosen in 100 rounds")


def refuses(act: Callable[[], Any]) -> str:
    """The sentence with which something is refused; empty if it is not."""
    try:
        act()
    except InputError as error:
        return str(error)
    return ""


def eligible_probability_is_true(policy: AnyPolicy) -> None:
    """Among some arms only those come, as often as the probability says, or the policy refuses with a reason.

    Of 3,000 choices in one state n kl(frequency, probability) exceeds ln(1.2e10) with probability below 1e-9 over
    all six looks (Chernoff).
    """
    variant = scaled(policy).as_deployed()
    if lab_only(variant):
        return
    learner = Learner(variant, NAMES, seed=7, horizon=400)
    live(learner, 200, 72)
    if variant.arms_fixed:
        before = learner.save()
        for refused in (lambda: learner.decide(["north"]), lambda: learner.pause_arm("north")):
            said = refuses(refused)
            require(variant.arms_fixed in said, f"it needs all its arms ({variant.arms_fixed}) and says {said!r}")
        require(learner.save() == before, "a refusal changed the learner")
        return
    if refuses(lambda: learner.decide(["north"])):
        return
    state = learner._fold.state
    for among in ([0, 2, 3], [1, 2], [0]):
        drawn = [variant.choose_among(state, among, decision_stream(99, number)) for number in range(DRAWS)]
        require({choice.arm for choice in drawn} <= set(among), f"of {among} it chose others")
        if not variant.explicit:
            continue
        probabilities = variant.probabilities_among(state, among)
        require_distribution(probabilities, f"among {among}")
        for arm, probability in zip(among, probabilities, strict=True):
            reported = {choice.probability for choice in drawn if choice.arm == arm}
            require(
                reported <= {probability},
                f"arm {arm} among {among} has the probability {probability}, reported were {reported}",
            )
            seen = sum(choice.arm == arm for choice in drawn) / DRAWS
            off = DRAWS * divergence(seen, probability)
            require(
                off <= math.log(1.2e10),
                f"arm {arm} with probability {probability:.4f} came in {seen:.4f} of {DRAWS} draws",
            )


def report_and_check(learner: Learner, rounds: int, seed: int, *, is_forged: bool) -> None:
    """Rounds whose rewards come late, most of them verified later still; with `is_forged` the unverified ones are lies.

    Whether and when something is reported does not depend on what is forged.
    """
    dice, paid = streams(seed)
    due: dict[int, list[tuple[int, float, bool]]] = {}
    for t in range(rounds):
        for number, reward, verified in due.pop(t, []):
            learner.learn(number, reward, "bank" if verified else f"source {number % 7}", verified=verified)
        decision = learner.decide()
        reward = reward_of(NAMES.index(decision.arm), 4, paid)
        claim_after, check_after, fate = (dice.uniform() for _ in range(3))
        if fate < 0.8:
            claim = (decision.id, 1.0 - reward if is_forged else reward, False)
            due.setdefault(t + 1 + int(20 * claim_after), []).append(claim)
        if fate > 0.2:
            due.setdefault(t + 1 + int(50 * check_after), []).append((decision.id, reward, True))


def verified_rewards_are_replayed(policy: AnyPolicy) -> None:
    """With verified rewards a journal is the learner to the bit; forging what nobody verifies changes nothing.

    Under the rule `prefer` (policies that can take a reward back) the lie counts until it is replaced, so there only
    the first half is asked for.
    """
    variant = scaled(policy).as_deployed()
    if lab_only(variant):
        return
    for rule in (None,) if variant.asks else ("only", "prefer") if variant.can_unlearn else ("only",):
        states = []
        with TemporaryDirectory() as folder:
            for is_forged in (False, True):
                path = Path(folder) / f"{is_forged}"
                terms: dict[str, Any] = {"seed": 5, "horizon": 400, "verified": rule, "patience": 60}
                with Learner(variant, NAMES, journal=path, sync=False, **terms) as learner:
                    report_and_check(learner, 100, 73, is_forged=is_forged)
                    whole = learner.save()
                states.append(whole["state"])
            with Learner.open(path, variant) as again:
                require(again.save() == whole, f"the journal (verified: {rule}) comes to another learner")
            require(Learner.load(whole, variant).save() == whole, "the learner that was saved is another one")
            state = save_state(variant, fold_log(variant, read_columns(path)))
            require(state == states[-1], f"the lab replays the journal (verified: {rule}) to another state")
            require(first_difference(path, variant) is None, "the journal holds a decision that is not its own")
        if rule != "prefer":
            require(states[0] == states[1], f"forging unverified rewards (verified: {rule}) changed what was learnt")
