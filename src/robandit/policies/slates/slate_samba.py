"""SAMBA for slates: a natural gradient on the items' marginals, drawn by Madow's method."""

import math
from dataclasses import dataclass

from robandit.dice import Random
from robandit.game import Setting
from robandit.parts import About, parameter
from robandit.policies.slates.slate import DRAWN, Slate, SlatePolicy, check_rate, even_slate, share_out


@dataclass(frozen=True)
class SlateSamba(SlatePolicy[Slate]):
    """x_i += alpha w_i (g_i - mean of g under w), w_i = (x_i (1 - x_i))^2, g_i = R_i/x_i for what was shown, else 0.

    The sum of x does not change, and 0 < x < 1 stays true for alpha < 1/sqrt(m), whatever is paid: there is no
    projection, no leader and no tie. With m = 1 it is not SAMBA, though it behaves alike.
    """

    about = About(
        name="slate-samba",
        family="SAMBA",
        summary="a gradient on the items' probabilities; level with CombUCB1 where means differ, ahead if many agree",
        reference="a variant of Denisov & Walton 2020, ours",
        needs=("slots",),
        bound="none proved; 0 < x < 1 is, for learning_rate < 1/sqrt(m)",
        cost="O(K) per slate",
        waived=DRAWN,
    )
    learning_rate: float = parameter(0.2, "step alpha, below 1/sqrt(m)", above=0, below=1)

    def start(self, setting: Setting) -> Slate:
        check_rate(self.name, self.learning_rate, 1.0 / math.sqrt(setting.slots), setting.slots)
        return Slate(*even_slate(setting))

    def learn_slate(self, state: Slate, random: Random) -> None:
        x, all_weights, paid = state.marginals, 0.0, 0.0
        for item in range(len(x)):
            all_weights += (x[item] * (1.0 - x[item])) ** 2
        for slot in range(len(state.shown)):
            item = state.shown[slot]
            paid += x[item] * (1.0 - x[item]) ** 2 * state.paid[slot]
        if paid == 0.0:
            return
        level = paid / all_weights
        for slot in range(len(state.shown)):  # g - level for what was shown is added in two pieces
            item = state.shown[slot]
            state.paid[slot] *= self.learning_rate * x[item] * (1.0 - x[item]) ** 2
        for item in range(len(x)):
            x[item] -= self.learning_rate * level * (x[item] * (1.0 - x[item])) ** 2
        for slot in range(len(state.shown)):
            x[state.shown[slot]] += state.paid[slot]
        share_out(state)
