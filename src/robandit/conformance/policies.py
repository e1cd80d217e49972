"""Laws of policies."""

import json
from functools import partial
from typing import Any

import numpy as np

from robandit.catalogue import attack, scaled
from robandit.conformance.law import Law, check, require, require_distribution, require_same_play
from robandit.dice import Random, seed_words
from robandit.environments.bernoulli import Bernoulli
from robandit.game import Choice, Policy, Setting
from robandit.lab.table import Table, set_table
from robandit.layout import layout_of, packed
from robandit.state import load_state, save_state, saved

AnyPolicy = Policy[Any]
MEANS = (0.2, 0.5, 0.8)


def streams(seed: int) -> tuple[Random, Random]:
    """A stream for the policy and one for the rewards."""
    words = seed_words(seed, range(1))[0]
    return Random(*map(int, words[1])), Random(*map(int, words[0]))


def walk(policy: AnyPolicy, state: Any, rounds: int, policy_random: Random, reward_random: Random) -> list[Choice]:
    """Interpreted rounds on rewards anywhere in [0, 1], good arms last."""
    choices = []
    for _ in range(rounds):
        choice = policy.choose(state, policy_random)
        pay = reward_random.uniform() ** (1.0 + len(state.chances) - choice.arm)
        policy.learn(state, choice, round(pay) if reward_random.uniform() < 0.5 else pay, policy_random)
        choices.append(choice)
    return choices


def begun(policy: AnyPolicy, arms: int, horizon: int, random: Random) -> Any:
    """A state ready for round one."""
    state = policy.start(Setting(arms, horizon, 0.0))
    policy.begin(state, random)
    return state


def table(
    policy: AnyPolicy, means: tuple[float, ...], horizon: int, runs: int, adversary: Any = None, seed: int = 7
) -> Table:
    """A small game on Bernoulli arms."""
    return set_table(policy, Bernoulli(means), adversary, horizon, runs, seed, 20)


def simplex(policy: AnyPolicy) -> None:
    """p(t) is a distribution before every round."""
    chosen, paid = streams(1)
    state = begun(policy, 4, 1000, chosen)
    for t in range(400):
        require_distribution(state.chances, f"before round {t}")
        walk(policy, state, 1, chosen, paid)


def same_seed(policy: AnyPolicy) -> None:
    """The same seed gives the same choices."""
    plays = []
    for _ in range(2):
        chosen, paid = streams(2)
        plays.append(walk(policy, begun(policy, 5, 300, chosen), 300, chosen, paid))
    require(plays[0] == plays[1], "two plays with the same seed differ")


def compiled_equals_interpreted(policy: AnyPolicy) -> None:
    """Bit for bit, without corruption, on fixed rounds and watched."""
    for adversary in (
        None,
        attack("flip", schedule="random", budget=5.5),
        attack("invert", schedule="leading:theta=0.3", budget=10, size=0.4),
    ):
        require_same_play(partial(table, scaled(policy), MEANS, 400, 2, adversary), f"under {adversary}")


def save_and_load(policy: AnyPolicy) -> None:
    """A state written as JSON in the middle of a play and read back goes on as if nothing had happened."""
    chosen, paid = streams(3)
    state = begun(policy, 3, 400, chosen)
    walk(policy, state, 150, chosen, paid)
    text = json.dumps(save_state(policy, state), allow_nan=False)
    words = [(r.s0, r.s1, r.s2, r.s3) for r in (chosen, paid)]
    expected = walk(policy, state, 150, chosen, paid)
    other = load_state(policy, Setting(3, 400, 0.0), json.loads(text))
    require(
        walk(policy, other, 150, Random(*words[0]), Random(*words[1])) == expected, "it chose differently after loading"
    )
    require(saved(other) == saved(state), "its state differs after loading and playing on")


def relabelling(policy: AnyPolicy) -> None:
    """Renaming the arms renames the behaviour, in law.

    The mean regrets of 400 runs on the arms in two orders differ by less than 6.5 standard errors,
    which chance exceeds with probability below 1e-9; an index tie-break in the first rounds shifts
    the means by far less than that.
    """
    means, order = (0.1, 0.3, 0.5, 0.9), (2, 3, 0, 1)
    ends = []
    for names, seed in ((range(4), 11), (order, 12)):
        play = table(scaled(policy), tuple(means[arm] for arm in names), 1500, 400, seed=seed)
        play.play_compiled(slice(0, 400))
        ends.append(play.regret[:, -1])
    gap = abs(ends[0].mean() - ends[1].mean())
    error = np.sqrt(ends[0].var() / 400 + ends[1].var() / 400)
    require(
        gap <= 6.5 * error + 1e-9, f"mean regret {ends[0].mean():.2f} in one order, {ends[1].mean():.2f} in another"
    )


def bounded_memory(policy: AnyPolicy) -> None:
    """The state is as large after many rounds as before the first."""
    chosen, paid = streams(4)
    state = begun(policy, 3, 2000, chosen)
    layout = layout_of(state)
    before = [np.asarray(value).nbytes for value in flat(packed(state, layout))]
    walk(policy, state, 1000, chosen, paid)
    after = [np.asarray(value).nbytes for value in flat(packed(state, layout))]
    require(layout_of(state) == layout and before == after, f"its state grew from {sum(before)} to {sum(after)} bytes")


def flat(values: tuple[Any, ...]) -> list[Any]:
    """Nested tuples as one list."""
    return [leaf for value in values for leaf in (flat(value) if isinstance(value, tuple) else [value])]


def few_and_many_arms(policy: AnyPolicy) -> None:
    """One arm and a thousand arms work."""
    for arms, horizon in ((1, 200), (1000, 1500)):
        play = table(scaled(policy), tuple(np.linspace(0.1, 0.9, arms)), horizon, 1)
        state = play.play_compiled(slice(0, 1))[1]
        require_distribution(state.chances, f"with {arms} arms after {horizon} rounds")
        require(play.pulls.sum() == horizon, f"with {arms} arms it made {play.pulls.sum()} of {horizon} choices")


def extreme_rewards(policy: AnyPolicy) -> None:
    """Nothing but zeros, nothing but ones, or one good arm for ever: p(t) stays a distribution."""
    for means in ((0.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.0, 1.0, 0.0)):
        for variant in (policy, scaled(policy)):
            state = table(variant, means, 30_000, 1).play_compiled(slice(0, 1))[1]
            require_distribution(state.chances, f"after 30,000 rounds on means {means}")
            finite = all(np.isfinite(value).all() for value in flat(packed(state, layout_of(state))))
            require(finite, f"its state is not finite after 30,000 rounds on means {means}")


def learns(policy: AnyPolicy) -> None:
    """It finds the better of two very different arms.

    A policy that truly spends 90 % of 20,000 rounds on it falls below 75 % over 500 runs with
    probability below exp(-2 * 500 * 0.15^2) < 1e-9 (Hoeffding).
    """
    play = table(scaled(policy), (0.1, 0.9), 20_000, 500)
    play.play_compiled(slice(0, 500))
    share = play.pulls[:, 1].sum() / play.pulls.sum()
    require(share > 0.75, f"only {100 * share:.1f} % of 20,000 rounds went to the better arm")


class Overheard(Setting):
    """A setting that notes what a policy looks at."""

    def __getattribute__(self, name: str) -> Any:
        if name in ("horizon", "corruption"):
            object.__getattribute__(self, "__dict__").setdefault("asked", set()).add(name)
        return object.__getattribute__(self, name)


def needs_are_declared(policy: AnyPolicy) -> None:
    """It looks at the horizon and at C only if its catalogue entry says so."""
    setting = Overheard(3, 1000, 10.0)
    policy.start(setting)
    needs = set(policy.about.needs) if hasattr(type(policy), "about") else {"horizon", "corruption"}
    asked = vars(setting).get("asked", set())
    require(asked <= needs, f"it looks at {', '.join(sorted(asked - needs))}, which it does not declare")


def choosing_changes_nothing(policy: AnyPolicy) -> None:
    """`choose` leaves the state alone, so that an adversary may throw trial choices."""
    chosen, paid = streams(5)
    state = begun(policy, 4, 400, chosen)
    for _ in range(20):
        walk(policy, state, 10, chosen, paid)
        before = saved(state)
        policy.choose(state, chosen)
        require(saved(state) == before, "choosing changed its state")


POLICY_LAWS: dict[str, Law] = {
    law.__name__: law
    for law in (
        simplex,
        same_seed,
        compiled_equals_interpreted,
        save_and_load,
        relabelling,
        bounded_memory,
        few_and_many_arms,
        extreme_rewards,
        learns,
        needs_are_declared,
        choosing_changes_nothing,
    )
}


def check_policy(policy: AnyPolicy) -> None:
    """Hold a policy to every law."""
    check(policy, POLICY_LAWS)
