"""SAMBA's leader rule for slates: m leaders, the weakest of which is the bar that the others must pass."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random
from robandit.game import Floats, Setting
from robandit.parts import About, Word, parameter
from robandit.policies.exponential_samba import LARGEST
from robandit.policies.slates.slate import (
    DRAWN,
    Members,
    Slate,
    SlatePolicy,
    anything,
    best_slate,
    even_slate,
    share_out,
)


class Form(Word):
    """Of a step."""

    EXPONENTIAL = 0
    LINEAR = 1


@dataclass
class SlateBarState(Slate):
    """A slate, what each item gained in it, marginals after the step, and the leaders."""

    gains: Floats
    after: Floats
    leaders: NDArray[np.int64]
    anyone: Members


@dataclass(frozen=True)
class SlateBar(SlatePolicy[SlateBarState]):
    """Outsiders rise and fall against the bar as challengers against SAMBA's leader, leaders by what they lack of 1.

    Where a marginal would go more than half of its way to 0 or 1, the whole step is shortened; that is seldom.
    With m = 1 it is `exponential-samba` (or `samba`, form linear), bit for bit, and nothing is shortened.
    """

    about = About(
        name="bar",
        family="SAMBA",
        summary="SAMBA's rule with the weakest of m leaders in the leader's place; equals SAMBA with one slot",
        reference="a variant of Denisov & Walton 2020, ours",
        needs=("slots",),
        bound="none proved",
        cost="O(K m) per slate",
        waived=DRAWN,
    )
    learning_rate: float = parameter(0.1, "step alpha", above=0, below=LARGEST)
    form: Form = parameter(Form.EXPONENTIAL, "exponential steps, as in exponential-samba, or linear ones, as in samba")

    def start(self, setting: Setting) -> SlateBarState:
        gains, after = np.zeros((2, setting.arms))
        leaders = np.zeros(setting.slots, np.int64)
        return SlateBarState(*even_slate(setting), gains=gains, after=after, leaders=leaders, anyone=anything(setting))

    def moved(self, share: float, gain: float, bar_gain: float) -> float:
        """A share after a step: it rises by its own gain, falls by the bar's; gains are alpha R/x."""
        if self.form == Form.LINEAR:
            return share + gain * share * share - bar_gain * share * share
        return share * math.exp(min(gain * share - bar_gain * share, LARGEST))

    def learn_slate(self, state: SlateBarState, random: Random) -> None:
        x, gains, after, slots = state.marginals, state.gains, state.after, len(state.shown)
        for item in range(len(x)):
            gains[item] = 0.0
        total = 0.0
        for slot in range(slots):
            item, reward = state.shown[slot], state.paid[slot]
            total += reward
            if self.form == Form.LINEAR:  # rounded as in samba and in exponential-samba
                gains[item] = self.learning_rate * reward / x[item]
            else:
                gains[item] = self.learning_rate * (reward / x[item])
        if total == 0.0:
            return
        best_slate(x, state.anyone, state.leaders)
        bar = state.leaders[slots - 1]
        others = 0.0
        for item in range(len(x)):
            leads = False
            for slot in range(slots):
                leads = leads or state.leaders[slot] == item
            if item == bar:
                continue
            if leads:
                after[item] = 1.0 - self.moved(1.0 - x[item], gains[bar], gains[item])
            else:
                after[item] = self.moved(x[item], gains[item], gains[bar])
            others += after[item]
        after[bar] = slots - others
        shortest = 1.0
        for item in range(len(x)):
            shortest = min(shortest, shortened(x[item], after[item]) if slots > 1 else 1.0)
        for item in range(len(x)):
            x[item] = after[item] if shortest == 1.0 else x[item] + shortest * (after[item] - x[item])
        share_out(state)


def shortened(before: float, after: float) -> float:
    """The share of a step that keeps a marginal from going more than half of the way to 0 or 1."""
    if after < 0.5 * before:
        return 0.5 * before / (before - after)
    if 1.0 - after < 0.5 * (1.0 - before):
        return 0.5 * (1.0 - before) / (after - before)
    return 1.0
