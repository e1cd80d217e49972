"""HYBRID (Zimmert, Luo & Wei 2019): FTRL for slates, regularised by -sqrt(x) and gamma (1 - x) ln(1 - x)."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Floats, Setting
from robandit.parts import About
from robandit.policies.slates.slate import DRAWN, Slate, SlatePolicy, even_slate, share_out

CERTAIN = 30.0  # an item within exp(-30) of certainty is certain


@dataclass
class SlateHybridState(Slate):
    """A slate, estimated losses, the weight gamma of the second half, the last level, the count of slates."""

    losses: Floats
    gamma: float
    level: float = 0.0
    rounds: int = 1


@dataclass(frozen=True)
class SlateHybrid(SlatePolicy[SlateHybridState]):
    """x minimises <x, L> + sqrt(t) sum(-sqrt(x) + gamma (1 - x) ln(1 - x)) over sum x = m; L grows by 2 (1 - R)/x."""

    about = About(
        name="slate-hybrid",
        family="FTRL",
        summary="HYBRID, FTRL for slates: good in every world, cheap to fool",
        reference="Zimmert, Luo & Wei 2019",
        fidelity="exact",
        basis="the authors' code (diku-dk/CombSemiBandits), run beside it: the same marginals for m < K/2, above it "
        "another gamma; slates are drawn by Madow's method",
        needs=("slots",),
        bound="sum over items beyond the best m of ln(T)/Delta_i, and sqrt(T K m) against any rewards",
        cost="O(K), some 50 logarithms per item and slate",
        waived=DRAWN,
    )

    def start(self, setting: Setting) -> SlateHybridState:
        arms, slots = setting.arms, setting.slots
        rest = math.log(arms / (arms - slots)) if slots < arms else math.inf
        return SlateHybridState(*even_slate(setting), losses=np.zeros(arms), gamma=min(1.0, 1.0 / math.sqrt(rest)))

    def learn_slate(self, state: SlateHybridState, random: Random) -> None:
        for slot in range(len(state.shown)):
            item = state.shown[slot]
            state.losses[item] += 2.0 * (1.0 - state.paid[slot]) / state.marginals[item]
        state.rounds += 1
        if len(state.shown) < len(state.marginals):
            self.minimise(state, 1.0 / math.sqrt(state.rounds))
            share_out(state)

    def minimise(self, state: SlateHybridState, rate: float) -> None:
        """The level at which the marginals sum to m, by Newton's method within a bracket, from the last one."""
        x, slots = state.marginals, len(state.shown)
        low, high, level = -math.inf, math.inf, state.level
        for _ in range(100):
            total, slope = 0.0, 0.0
            for item in range(len(x)):
                x[item] = marginal(rate * (state.losses[item] + level), state.gamma, x[item])
                total += x[item]
                if x[item] < 1.0:
                    curve = 0.25 / (x[item] * math.sqrt(x[item])) + state.gamma / (1.0 - x[item])
                    slope += rate / curve
            if abs(total - slots) <= 1e-12 * slots:
                break
            if total > slots:
                low = level
            else:
                high = level
            step = level + (total - slots) / slope if slope > 0.0 else math.inf
            if not low < step < high:
                if high == math.inf:
                    step = level + 2.0 * (1.0 + abs(level))
                elif low == -math.inf:
                    step = level - 2.0 * (1.0 + abs(level))
                else:
                    step = 0.5 * (low + high)
            if step in (level, low, high):
                break
            level = step
        state.level = level
        for item in range(len(x)):
            x[item] = min(x[item] * (slots / total), 1.0)


def marginal(wanted: float, gamma: float, guess: float) -> float:
    """The x at which 1/(2 sqrt(x)) + gamma (ln(1 - x) + 1), which falls, is `wanted`; 1 where it is as good as that."""
    if (0.5 - wanted) / gamma - 1.0 > CERTAIN:
        return 1.0
    low, high, x = 0.0, 1.0, guess if guess < 1.0 else 0.5
    for _ in range(200):
        root = math.sqrt(x)
        excess = 0.5 / root + gamma * (math.log1p(-x) + 1.0) - wanted
        if excess > 0.0:
            low = x
        else:
            high = x
        step = x + excess / (0.25 / (x * root) + gamma / (1.0 - x))
        if not low < step < high:
            step = 0.5 * (low + high)
        done = abs(step - x) <= 1e-9 * min(x, 1.0 - x)  # Newton's next step would be the square of that
        x = step
        if done:
            break
    return x
