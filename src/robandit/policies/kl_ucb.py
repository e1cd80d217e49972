"""KL-UCB: optimism by the Kullback-Leibler confidence bound (Garivier & Cappe 2011), exploration ln t."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import kl_upper_bound, negative_entropy
from robandit.parts import About, parameter

MARGIN = 1e-9  # an arm this close to the best bound is solved for rather than ruled out
TINY = 1e-300  # keeps a logarithm finite


@dataclass
class State:
    """Pulls, reward sums and negative entropies of the means, rounds played, and the arm that comes next."""

    chances: Floats
    pulls: Floats
    sums: Floats
    entropies: Floats
    rounds: int = 0
    next_arm: int = 0


@dataclass(frozen=True)
class KlUcb(Policy[State]):
    """Each arm once, then the largest q with n kl(mean, q) <= scale ln t."""

    about = About(
        name="kl-ucb",
        summary="optimism with the tightest bound for Bernoulli rewards; close to optimal without corruption",
        reference="Garivier & Cappe 2011",
        fidelity="recalled",
        bound="sum over arms of Delta_a ln(T)/kl(r_a, r*) without corruption; none with it",
        cost="O(K), a Newton solve for each arm that could win",
    )
    scale: float = parameter(1.0, "factor on the exploration ln t", above=0, published=1.0)

    def start(self, setting: Setting) -> State:
        arms = setting.arms
        return State(np.eye(arms)[0], np.zeros(arms), np.zeros(arms), np.zeros(arms))

    def learn(self, state: State, choice: Choice, reward: float, random: Random) -> None:
        arm = choice.arm
        state.pulls[arm] += 1.0
        state.sums[arm] += reward
        state.entropies[arm] = negative_entropy(state.sums[arm] / state.pulls[arm])
        state.rounds += 1
        state.chances[state.next_arm] = 0.0
        state.next_arm = self.largest_bound(state)
        state.chances[state.next_arm] = 1.0

    def largest_bound(self, state: State) -> int:
        """The arm with the largest bound, lowest index on ties; an arm never pulled comes first.

        Against the bound q of the last winner, an arm with kl(mean, q) above its level cannot win,
        which costs two products to see; only the others are solved for.
        """
        for arm in range(len(state.pulls)):
            if state.pulls[arm] == 0.0:
                return arm
        level = self.scale * math.log(state.rounds)
        best = state.next_arm
        bound = self.bound(state, best, level)
        log_bound, log_rest = math.log(max(bound, TINY)), math.log(max(1.0 - bound, TINY))
        for arm in range(len(state.pulls)):
            mean = state.sums[arm] / state.pulls[arm]
            if mean < bound:
                divergence = state.entropies[arm] - mean * log_bound - (1.0 - mean) * log_rest
                if divergence > level / state.pulls[arm] + MARGIN:
                    continue
            index = self.bound(state, arm, level)
            if index > bound or (index == bound and arm < best):
                best, bound = arm, index
                log_bound, log_rest = math.log(max(bound, TINY)), math.log(max(1.0 - bound, TINY))
        return best

    def bound(self, state: State, arm: int, level: float) -> float:
        """The arm's upper confidence bound."""
        pulls = state.pulls[arm]
        return kl_upper_bound(state.sums[arm] / pulls, state.entropies[arm], level / pulls)
