"""KL-UCB: optimism by the Kullback-Leibler confidence bound (Garivier & Cappe 2011), exploration ln t."""

import math
from dataclasses import dataclass

from robandit.game import About
from robandit.numerics import kl_upper_bound
from robandit.policies.ucb1 import State, Ucb1


@dataclass(frozen=True)
class KlUcb(Ucb1):
    """Each arm once, then the largest q with n kl(mean, q) <= scale ln t."""

    about = About(
        name="kl-ucb",
        summary="optimism with the tightest bound for Bernoulli rewards; close to optimal without corruption",
        reference="Garivier & Cappe 2011",
        fidelity="recalled",
        bound="sum over arms of Delta_a ln(T)/kl(r_a, r*) without corruption; none with it",
        cost="O(K), a Newton solve for each arm that could win",
    )

    def largest_index(self, state: State) -> int:
        """The arm with the largest bound; an arm is solved for only if Pinsker's cheaper bound could win."""
        level = self.scale * math.log(state.rounds)
        best, best_index = -1, -1.0
        for turn in range(-1, len(state.pulls)):
            arm = state.next_arm if turn < 0 else turn  # the last winner first: it rules out most others
            pulls = state.pulls[arm]
            if pulls == 0.0:
                if turn >= 0:
                    return arm
                continue
            mean = state.sums[arm] / pulls
            if mean + math.sqrt(0.5 * level / pulls) < best_index:
                continue
            index = kl_upper_bound(mean, level / pulls)
            if index > best_index or (index == best_index and arm < best):
                best, best_index = arm, index
        return best
