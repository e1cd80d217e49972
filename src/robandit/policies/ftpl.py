"""Follow the perturbed leader with Frechet(2) noise (Honda, Ito & Tsuchiya 2023), two ways of resampling."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Policy, Setting
from robandit.numerics import FAR, level_with_least, narrowed, share_evenly
from robandit.parts import About, Word, parameter

CERTAINLY = 1.000001  # above 1 by more than rounding can take away


class Resampling(Word):
    """How the weight of a choice is estimated."""

    CONDITIONAL = 0
    GEOMETRIC = 1


@dataclass
class FtplState:
    """Estimated cumulative losses and the round t counted from 1; p(t) has no closed form."""

    probabilities: Floats
    losses: Floats
    round: int = 1


@dataclass(frozen=True)
class Ftpl(Policy[FtplState]):
    """Pulls the arm with the least perturbed loss.

    The note of a choice is its weight, unbiased for 1/p: not a propensity, never to be exported as one.
    """

    about = About(
        name="ftpl",
        family="FTRL",
        summary="follow the perturbed leader; needs no optimisation, but resampling makes the cost of a round random",
        reference="Honda, Ito & Tsuchiya 2023; conditional resampling: Chen, Lee & Honda 2025",
        fidelity="recalled",
        basis="the abstract, read: Frechet noise of shape 2; the rest from memory",
        bound="sum over arms of log(T)/Delta_a + C (regret on true means)",
        cost="K log K noises expected (conditional) or K^2 (geometric), no upper limit",
        late="weighted",
    )
    explicit = False
    reads_note = True
    resampling: Resampling = parameter(Resampling.CONDITIONAL, "conditional (cheap) or geometric (as first published)")

    @property
    def waived(self) -> dict[str, str]:
        """Geometric resampling draws as often as an arm is unlikely."""
        if self.resampling == Resampling.CONDITIONAL:
            return {}
        return {
            "few_and_many_arms": "with a thousand arms a round takes a million draws; conditional resampling does not"
        }

    def start(self, setting: Setting) -> FtplState:
        return FtplState(np.full(setting.arms, 1.0 / setting.arms), np.zeros(setting.arms))

    def choose(self, state: FtplState, random: Random) -> Choice:
        scale = math.sqrt(state.round)  # 1/eta_t
        arm, best = 0, math.inf
        for index in range(len(state.losses)):
            uniform = random.uniform()
            if stays_below(uniform, (state.losses[index] - best) / scale):
                continue
            perturbed = state.losses[index] - scale * frechet(uniform)
            if perturbed < best:
                arm, best = index, perturbed
        tries = 1
        while not self.wins_again(state, arm, scale, random):
            tries += 1
        if self.resampling == Resampling.CONDITIONAL:
            tries *= at_most(state.losses, state.losses[arm])
        return Choice(arm, math.nan, tries)

    def choose_among(self, state: FtplState, eligible: list[int], random: Random) -> Choice:
        own = self.choose(narrowed(state, eligible), random)
        return Choice(eligible[own.arm], math.nan, own.note)

    def admit(self, state: FtplState, arm: int, present: list[int]) -> None:
        level_with_least(state.losses, arm, present)
        share_evenly(state.probabilities)

    def withdraw(self, state: FtplState, arm: int, present: list[int]) -> None:
        state.losses[arm] = FAR

    def wins_again(self, state: FtplState, arm: int, scale: float, random: Random) -> bool:
        """Whether the arm has the least perturbed loss under fresh noise.

        Conditional: the arm first swaps its noise with the largest among the arms whose loss is at
        most its own. One pass over fresh noise suffices: which arm holds that largest noise is clear only at
        the end, so the holder so far is set apart and compared with the noise it gets in exchange.
        """
        limit = state.losses[arm] if self.resampling == Resampling.CONDITIONAL else -math.inf
        own, most, holder = 0.0, 0.0, arm
        rival = math.inf  # least perturbed loss among the arms outside the swap
        inside = math.inf  # ... and among those inside it, the holder of the largest noise left out
        held = math.inf  # ... and of the holder so far, in case a larger noise is met
        for index in range(len(state.losses)):
            uniform, loss = random.uniform(), state.losses[index]
            swaps = index == arm or loss <= limit
            if not swaps and stays_below(uniform, (loss - state.losses[arm]) / scale + most):
                continue  # the arm wins with the largest noise so far already, and only a larger one can come
            noise = frechet(uniform)
            if index == arm:
                own = noise
            if swaps:
                if noise > most:
                    inside = min(inside, held)
                    most, holder = noise, index
                    held = math.inf if index == arm else loss - scale * noise
                elif index != arm:
                    inside = min(inside, loss - scale * noise)
            else:
                rival = min(rival, loss - scale * noise)
        mine = state.losses[arm] - scale * most
        swapped = math.inf if holder == arm else state.losses[holder] - scale * own
        return bool(mine < min(rival, inside, swapped))

    def learn(self, state: FtplState, choice: Choice, reward: float, random: Random) -> None:
        state.losses[choice.arm] += (1.0 - reward) * choice.note
        state.round += 1


def at_most(values: Floats, limit: float) -> int:
    """How many values do not exceed the limit."""
    count = 0
    for index in range(len(values)):
        if values[index] <= limit:
            count += 1
    return count


def frechet(uniform: float) -> float:
    """A perturbation with distribution function exp(-1/x^2)."""
    return 1.0 / math.sqrt(-math.log(uniform))


def stays_below(uniform: float, limit: float) -> bool:
    """Whether frechet(uniform) is surely below the limit, without its logarithm: -ln u >= 1 - u."""
    return limit > 0.0 and (1.0 - uniform) * limit * limit > CERTAINLY
