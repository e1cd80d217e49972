"""KL-UCB: optimism by the Kullback-Leibler confidence bound (Garivier & Cappe 2011), exploration ln t."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import (
    choices_remembered,
    fade_counts,
    mean_of_all,
    narrowed,
    no_longer_awaited,
    one_hot,
    point_at,
    uncount,
)
from robandit.parts import About, parameter

MARGIN = 1e-9  # an arm this close to the best bound is solved for rather than ruled out
TINY = 1e-300  # keeps a logarithm finite


@dataclass
class KlUcbState:
    """Per arm the rewards seen, their sum, mean and its negative entropy, and those awaited; choices; the next arm."""

    probabilities: Floats
    pulls: Floats
    sums: Floats
    means: Floats
    entropies: Floats
    waiting: Floats
    rounds: int = 0
    next_arm: int = 0


@dataclass(frozen=True)
class KlUcb(Policy[KlUcbState]):
    """Each arm once, then the largest q + linear/n with n kl(mean, q) <= scale ln t."""

    about = About(
        name="kl-ucb",
        family="UCB",
        summary="optimism with the tightest bound for Bernoulli rewards; close to optimal without corruption",
        reference="Garivier & Cappe 2011",
        fidelity="exact",
        basis="SMPyBandits' klUCB, run beside it: exploration ln t, which the paper calls c = 0",
        bound="sum over arms of Delta_a ln(T)/kl(r_a, r*) without corruption; none with it",
        cost="O(K), a Newton solve for each arm that could win",
        late="exact",
    )
    scale: float = parameter(1.0, "factor on the exploration ln t", above=0, published=1.0)
    linear: float = parameter(0.0, "of a bonus linear/n: about the forged rewards to withstand", least=0, published=0.0)

    def start(self, setting: Setting) -> KlUcbState:
        pulls, sums, means, entropies, waiting = np.zeros((5, setting.arms))
        return KlUcbState(np.eye(setting.arms)[0], pulls, sums, means, entropies, waiting)

    def learn(self, state: KlUcbState, choice: Choice, reward: float, random: Random) -> None:
        arm = choice.arm
        state.rounds += no_longer_awaited(state.waiting, arm)
        state.pulls[arm] += 1.0
        state.sums[arm] += reward
        self.show(state, arm, state.sums[arm] / state.pulls[arm])

    def defer(self, state: KlUcbState, choice: Choice) -> None:
        arm = choice.arm
        state.rounds += 1
        state.waiting[arm] += 1.0
        self.show(state, arm, state.means[arm] if state.pulls[arm] > 0.0 else mean_of_all(state.sums, state.pulls))

    def probabilities_among(self, state: KlUcbState, eligible: list[int]) -> list[float]:
        return one_hot(self.largest_bound(narrowed(state, eligible), 0), len(eligible))

    def admit(self, state: KlUcbState, arm: int, present: list[int]) -> None:
        """A new arm is tried first; one that comes back has its counts."""
        point_at(state, self.largest_bound(state, arm))

    def restart(self, state: KlUcbState) -> None:
        self.fade(state, 0.0)
        for arm in range(len(state.means)):
            state.means[arm] = state.entropies[arm] = 0.0
        point_at(state, self.largest_bound(state, 0))

    def fade(self, state: KlUcbState, share: float) -> None:
        fade_counts(state.pulls, state.sums, state.waiting, share)
        state.rounds = choices_remembered(state.pulls, state.waiting)

    def unlearn(self, state: KlUcbState, arm: int, outcome: float) -> None:
        state.means[arm] = uncount(state.pulls, state.sums, state.waiting, arm, outcome)
        state.rounds = choices_remembered(state.pulls, state.waiting)
        state.entropies[arm] = negative_entropy(state.means[arm])

    def show(self, state: KlUcbState, arm: int, mean: float) -> None:
        """The next arm as a one-hot p(t), after an arm's mean has changed."""
        state.means[arm] = mean
        state.entropies[arm] = negative_entropy(mean)
        point_at(state, self.largest_bound(state, arm))

    def largest_bound(self, state: KlUcbState, start: int) -> int:
        """The arm with the largest bound, lowest index on ties; an arm never chosen comes first.

        Against the bound q of one arm, the last one heard of, an arm with kl(mean, q) above its level cannot win,
        which costs two products to see; only the others are solved for. A linear bonus lowers the q to be reached.
        """
        for arm in range(len(state.pulls)):
            if state.pulls[arm] + state.waiting[arm] == 0.0:
                return arm
        level = self.scale * math.log(state.rounds)
        best = start
        bound = self.bound(state, best, level)
        log_bound, log_rest = math.log(max(bound, TINY)), math.log(max(1.0 - bound, TINY))
        for arm in range(len(state.pulls)):
            mean, reached = state.means[arm], bound
            if self.linear > 0.0:
                reached = bound - self.linear / (state.pulls[arm] + state.waiting[arm])
                log_bound, log_rest = math.log(max(reached, TINY)), math.log(max(1.0 - reached, TINY))
            if mean < reached:
                divergence = state.entropies[arm] - mean * log_bound - (1.0 - mean) * log_rest
                if divergence > level / (state.pulls[arm] + state.waiting[arm]) + MARGIN:
                    continue
            index = self.bound(state, arm, level)
            if index > bound or (index == bound and arm < best):
                best, bound = arm, index
                log_bound, log_rest = math.log(max(bound, TINY)), math.log(max(1.0 - bound, TINY))
        return best

    def bound(self, state: KlUcbState, arm: int, level: float) -> float:
        """The arm's upper confidence bound and bonus; awaited rewards count as seen."""
        chosen = state.pulls[arm] + state.waiting[arm]
        bound = kl_upper_bound(state.means[arm], state.entropies[arm], level / chosen)
        return float(bound + self.linear / chosen)


def negative_entropy(mean: float) -> float:
    """m ln m + (1 - m) ln(1 - m), 0 at the ends."""
    if mean <= 0.0 or mean >= 1.0:
        return 0.0
    return mean * math.log(mean) + (1.0 - mean) * math.log(1.0 - mean)


def kl_upper_bound(mean: float, entropy: float, level: float) -> float:
    """The largest q with kl(mean, q) <= level, for Bernoulli laws; `entropy` is the mean's negative entropy.

    The divergence is convex in q, so Newton's method started above the root comes down to it. It grows by
    (x - mean)/(x (1 - x)), so the largest x (1 - x) up to a first bound gives a second one close to the root.
    """
    if mean >= 1.0:
        return 1.0
    if mean <= 0.0:
        return 1.0 - math.exp(-level)
    q = min(mean + math.sqrt(0.5 * level), 1.0 - math.exp((entropy - level) / (1.0 - mean)))
    widest = max(mean, min(q, 0.5))
    q = min(q, mean + math.sqrt(2.0 * level * widest * (1.0 - widest)))
    for _ in range(50):
        if q <= mean:
            return mean
        if q >= 1.0:
            return 1.0
        excess = entropy - mean * math.log(q) - (1.0 - mean) * math.log(1.0 - q) - level
        step = excess * q * (1.0 - q) / (q - mean)
        q -= step
        if step <= 1e-13:
            break
    return q
