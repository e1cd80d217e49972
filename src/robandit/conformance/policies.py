"""Laws of policies."""

import json
import math
from functools import partial
from typing import Any

import numpy as np

from robandit.catalogue import attack, scaled
from robandit.conformance.late import deferring_is_harmless, late_rewards, replay_equals_learning
from robandit.conformance.law import (
    BrokenLaw,
    Law,
    abouts,
    check,
    divergence,
    require,
    require_distribution,
    require_same_play,
)
from robandit.conformance.online import (
    arms_come_and_go,
    eligible_probability_is_true,
    journal_is_the_learner,
    verified_rewards_are_replayed,
)
from robandit.conformance.walks import (
    AnyPolicy,
    begun,
    features_for,
    ground_for,
    reward_of,
    setting_for,
    streams,
    teach,
    walk,
)
from robandit.dice import Random
from robandit.game import Setting
from robandit.lab.batch import simulate
from robandit.lab.paused import PausedPlay
from robandit.lab.runner import Runner, prepare
from robandit.lab.scenario import Scenario
from robandit.lab.trace import Trace
from robandit.layout import layout_of, pack
from robandit.state import load_state, save_state, save_values

MEANS = (0.2, 0.5, 0.8)


def small_game(
    policy: AnyPolicy, means: tuple[float, ...], horizon: int, runs: int, adversary: Any = None, seed: int = 7
) -> Runner:
    """A small game on Bernoulli arms, with features where the policy needs them."""
    return prepare(Scenario(policy, ground_for(policy, means), adversary, horizon=horizon, runs=runs, seed=seed), 20)


def simplex(policy: AnyPolicy) -> None:
    """p(t) is a distribution before every round."""
    chosen, paid = streams(1)
    for variant in (policy, scaled(policy)):
        state = begun(variant, 4, 1000, chosen)
        for t in range(400):
            variant.refresh(state)
            require_distribution(state.probabilities, f"before round {t}")
            walk(variant, state, 1, chosen, paid)


def moves(policy: AnyPolicy) -> None:
    """An explicit p(t) reacts to what is seen: no law about it is empty."""
    if not policy.explicit:
        return
    chosen, paid = streams(6)
    variant = scaled(policy)
    state = begun(variant, 4, 3000, chosen)
    variant.refresh(state)
    before = state.probabilities.copy()
    for _ in range(30):
        walk(variant, state, 100, chosen, paid)
        variant.refresh(state)
        if not np.array_equal(before, state.probabilities):
            return
    raise BrokenLaw("p(t) stood still for 3,000 rounds")


def probability_is_true(policy: AnyPolicy) -> None:
    """The probability a choice reports is the one its arm had, or NaN where p(t) has no closed form; JSON can hold it.

    And it really is: of 5,000 choices in one state, n kl(frequency, probability) exceeds ln(8e9) with probability below
    1e-9 over all four arms (Chernoff).
    """
    chosen, paid = streams(8)
    variant = scaled(policy)
    state = begun(variant, 4, 2000, chosen)
    for t in range(1, 1501):
        choice = policy.choose(state, chosen)
        json.dumps(choice)
        true = state.probabilities[choice.arm] if policy.explicit else math.nan
        same = choice.probability == true or (math.isnan(choice.probability) and not policy.explicit)
        require(same, f"in round {t} arm {choice.arm} reports the probability {choice.probability!r}, true is {true!r}")
        teach(variant, state, choice, reward_of(choice.arm, 4, paid), chosen)
        if policy.explicit and t in (3, 150, 1500):
            variant.refresh(state)
            draws = np.bincount([policy.choose(state, chosen).arm for _ in range(5000)], minlength=4) / 5000
            for arm, (seen, probability) in enumerate(zip(draws, state.probabilities, strict=True)):
                off = 5000 * divergence(float(seen), float(probability))
                require(
                    off <= math.log(8e9),
                    f"arm {arm} with probability {probability:.4f} came in {seen:.4f} of 5,000 draws",
                )


def same_seed(policy: AnyPolicy) -> None:
    """The same seed gives the same choices."""
    plays = []
    for _ in range(2):
        chosen, paid = streams(2)
        plays.append(walk(policy, begun(policy, 5, 300, chosen), 300, chosen, paid))
    require(plays[0] == plays[1], "two plays with the same seed differ")


def compiled_equals_interpreted(policy: AnyPolicy) -> None:
    """Bit for bit, without corruption and watched, with and without the compiler's whole effort."""
    watching = attack("invert", schedule="leading:theta=0.3", budget=10, size=0.4)
    for adversary, effort in ((None, "full"), (watching, "brief")):
        require_same_play(partial(small_game, scaled(policy), MEANS, 400, 2, adversary), f"under {adversary}", effort)


def save_and_load(policy: AnyPolicy) -> None:
    """A state written as JSON in the middle of a play and read back goes on as if nothing had happened."""
    chosen, paid = streams(3)
    state = begun(policy, 3, 400, chosen)
    walk(policy, state, 150, chosen, paid)
    text = json.dumps(save_state(policy, state), allow_nan=False)
    words = [(r.s0, r.s1, r.s2, r.s3) for r in (chosen, paid)]
    expected = walk(policy, state, 150, chosen, paid)
    other = load_state(policy, setting_for(policy, 3, 400), json.loads(text))
    require(
        walk(policy, other, 150, Random(*words[0]), Random(*words[1])) == expected, "it chose differently after loading"
    )
    require(save_values(other) == save_values(state), "its state differs after loading and playing on")


def in_parts(policy: AnyPolicy) -> None:
    """A play that is left, written down as JSON and taken up again ends with the same bits as one in one piece."""
    environment = ground_for(policy, MEANS)
    terms: dict[str, Any] = {"horizon": 1200, "runs": 2, "seed": 31, "threads": 1}
    adversary = attack("invert", schedule="leading:theta=0.3", budget=10, size=0.4)
    whole = simulate(scaled(policy), environment, adversary, **terms)
    first = simulate(scaled(policy), environment, adversary, until=501, **terms)
    assert first.state is not None
    left = PausedPlay.from_json(json.loads(json.dumps(first.state.to_json(), allow_nan=False)))
    for engine in ("rounds", "plain"):
        rest = simulate(scaled(policy), environment, adversary, state=left, engine=engine, **terms)
        counts = [None if trace.checks is None else trace.checks.tolist() for trace in (rest, whole)]
        require(counts[0] == counts[1], f"checks of a play in two parts ({engine}) differ")
        for name in ("regret", "corruption_paid"):
            joined = np.concatenate([getattr(first, name)[:, :-1], getattr(rest, name)], axis=1)
            same = np.array_equal(joined[:, np.isin(joined_rounds(first, rest), whole.rounds)], getattr(whole, name))
            require(same, f"{name} of a play in two parts ({engine}) differs")
        require(np.array_equal(rest.pulls, whole.pulls), f"pulls of a play in two parts ({engine}) differ")
        require(np.array_equal(rest.rounds_changed, whole.rounds_changed), f"the bill in two parts ({engine}) differs")


def joined_rounds(first: Trace, rest: Trace) -> Any:
    """The checkpoints of a play in two parts, but for the one where it was left."""
    return np.concatenate([first.rounds[:-1], rest.rounds])


def relabelling(policy: AnyPolicy) -> None:
    """Renaming the arms renames the behaviour, in law.

    The mean regrets of 200 runs on the arms in two orders differ by less than 6.5 standard errors,
    which chance exceeds with probability below 1e-9; an index tie-break in the first rounds shifts
    the means by far less than that.
    """
    means, order = (0.1, 0.3, 0.5, 0.9), (2, 3, 0, 1)
    ends = []
    for names, seed in ((range(4), 11), (order, 12)):
        play = small_game(scaled(policy), tuple(means[arm] for arm in names), 1500, 200, seed=seed)
        play.play_compiled(slice(0, 200))
        ends.append(play.buffers.regret[:, -1])
    gap = abs(ends[0].mean() - ends[1].mean())
    error = np.sqrt(ends[0].var() / 200 + ends[1].var() / 200)
    require(
        gap <= 6.5 * error + 1e-9, f"mean regret {ends[0].mean():.2f} in one order, {ends[1].mean():.2f} in another"
    )


def bounded_memory(policy: AnyPolicy) -> None:
    """The state is as large after many rounds as before the first."""
    chosen, paid = streams(4)
    state = begun(policy, 3, 2000, chosen)
    layout = layout_of(state)
    before = [np.asarray(value).nbytes for value in flat(pack(state, layout))]
    walk(policy, state, 1000, chosen, paid)
    after = [np.asarray(value).nbytes for value in flat(pack(state, layout))]
    require(layout_of(state) == layout and before == after, f"its state grew from {sum(before)} to {sum(after)} bytes")


def flat(values: tuple[Any, ...]) -> list[Any]:
    """Nested tuples as one list."""
    return [leaf for value in values for leaf in (flat(value) if isinstance(value, tuple) else [value])]


def few_and_many_arms(policy: AnyPolicy) -> None:
    """One arm and a thousand arms work."""
    for arms, horizon in ((1, 200), (1000, 1500)):
        play = small_game(scaled(policy), tuple(np.linspace(0.1, 0.9, arms)), horizon, 1)
        state = play.play_compiled(slice(0, 1)).parts.state
        policy.refresh(state)
        require_distribution(state.probabilities, f"with {arms} arms after {horizon} rounds")
        require(
            play.buffers.pulls.sum() == horizon,
            f"with {arms} arms it made {play.buffers.pulls.sum()} of {horizon} choices",
        )


def extreme_rewards(policy: AnyPolicy) -> None:
    """Nothing but zeros, nothing but ones, or one good arm for ever: p(t) stays a distribution."""
    for means in ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.0, 1.0, 0.0)):
        for variant in (policy, scaled(policy)):
            state = small_game(variant, means, 30_000, 1).play_compiled(slice(0, 1)).parts.state
            variant.refresh(state)
            require_distribution(state.probabilities, f"after 30,000 rounds on means {means}")
            finite = all(np.isfinite(value).all() for value in flat(pack(state, layout_of(state))))
            require(finite, f"its state is not finite after 30,000 rounds on means {means}")


def learns(policy: AnyPolicy) -> None:
    """It finds the better of two very different arms.

    A policy that truly spends 90 % of 4,000 rounds on it falls below 75 % over 230 runs with
    probability below exp(-230 kl(0.75, 0.9)) < 1e-9 (Chernoff).
    """
    play = small_game(scaled(policy), (0.1, 0.9), 4000, 230)
    play.play_compiled(slice(0, 230))
    share = play.buffers.pulls[:, 1].sum() / play.buffers.pulls.sum()
    require(share > 0.75, f"only {100 * share:.1f} % of 4,000 rounds went to the better arm")


class Overheard(Setting):
    """A setting that notes what a policy looks at."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("horizon", "corruption", "features", "agents", "slots", "family"):
            object.__getattribute__(self, "__dict__").setdefault("read", set()).add(name)
        return object.__getattribute__(self, name)


def needs_are_declared(policy: AnyPolicy) -> None:
    """It looks beyond the number of arms only if its catalogue entry says so."""
    setting = Overheard(3, 1000, 10.0, features_for(policy, 3))
    policy.start(setting)
    needs = {need for about in abouts(policy) for need in about.needs} if abouts(policy) else {"horizon", "corruption"}
    read = vars(setting).get("read", set())
    require(
        read <= needs,
        f"it looks at {', '.join(sorted(read - needs))}, which it does not declare: name it in needs of its About",
    )


def choosing_changes_nothing(policy: AnyPolicy) -> None:
    """`choose` leaves the state alone, so that trial choices can be drawn."""
    chosen, paid = streams(5)
    state = begun(policy, 4, 400, chosen)
    for _ in range(20):
        walk(policy, state, 10, chosen, paid)
        policy.refresh(state)
        before = save_values(state)
        choice = policy.choose(state, chosen)
        require(save_values(state) == before, "choosing changed its state")
        wanted = policy.wants_check(state, choice)
        require(save_values(state) == before, "asking for a check changed its state")
        require(wanted == policy.wants_check(state, choice), "it asks for a check once and not again")
        require(policy.asks or not wanted, "it asks for a check though it says it never does")


PLAIN_LAWS = (
    simplex,
    moves,
    probability_is_true,
    same_seed,
    save_and_load,
    bounded_memory,
    late_rewards,
    deferring_is_harmless,
    needs_are_declared,
    choosing_changes_nothing,
    eligible_probability_is_true,
)
COMPILED_LAWS = (
    compiled_equals_interpreted,
    replay_equals_learning,
    journal_is_the_learner,
    verified_rewards_are_replayed,
    arms_come_and_go,
    in_parts,
    relabelling,
    few_and_many_arms,
    extreme_rewards,
    learns,
)
POLICY_LAWS: dict[str, Law] = {law.__name__: law for law in (*PLAIN_LAWS, *COMPILED_LAWS)}


def check_policy(policy: AnyPolicy) -> None:
    """Hold a policy to every law."""
    check(policy, POLICY_LAWS)
