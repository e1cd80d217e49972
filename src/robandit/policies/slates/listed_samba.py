"""Exponential SAMBA on a list of super-arms, such as paths: what an item pays counts for all that hold it."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random, draw
from robandit.errors import InputError
from robandit.game import Floats, Setting
from robandit.numerics import argmax
from robandit.parts import About, parameter
from robandit.policies.exponential_samba import LARGEST
from robandit.policies.slates.slate import DRAWN, Members, Slate, SlatePolicy, check_rate, even_slate, share_out


@dataclass
class ListedSambaState(Slate):
    """A slate, the list with the probability of each of its slates, and what each item and slate gained."""

    members: Members
    listed: Floats
    item_gains: Floats
    gains: Floats


@dataclass(frozen=True)
class ListedSamba(SlatePolicy[ListedSambaState]):
    """p_Z *= exp(alpha p_Z (G_Z - G_L)), G_Z = sum of R/x over items of Z that were shown; L leads and has the rest.

    On the simplex for alpha d < ln 2. With slates of one item it is `exponential-samba`, bit for bit.
    """

    takes = "lists"
    about = About(
        name="listed-samba",
        family="SAMBA",
        summary="exponential SAMBA on listed super-arms (paths, matchings), each learns from all that share its items",
        reference="a variant of Denisov & Walton 2020, ours",
        needs=("slots", "family"),
        bound="none proved; p stays on the simplex for learning_rate < ln(2)/d",
        cost="O(N d) per slate, N the list's length",
        waived=DRAWN,
    )
    learning_rate: float = parameter(0.1, "step alpha, below ln(2)/d", above=0, below=LARGEST)

    def start(self, setting: Setting) -> ListedSambaState:
        if setting.family is None and setting.slots > 1:
            raise InputError(f"{self.name} needs a list of slates: give an environment that has one, such as paths")
        check_rate(self.name, self.learning_rate, math.log(2.0) / setting.slots, setting.slots)
        members = np.array(np.arange(setting.arms)[:, None] if setting.family is None else setting.family, np.int64)
        listed, gains = np.full(len(members), 1.0 / len(members)), np.zeros(len(members))
        state = ListedSambaState(
            *even_slate(setting), members=members, listed=listed, item_gains=np.zeros(setting.arms), gains=gains
        )
        self.show(state)
        return state

    def draw_slate(self, state: ListedSambaState, random: Random) -> None:
        chosen = draw(state.listed, random)
        for slot in range(len(state.shown)):
            state.shown[slot] = state.members[chosen, slot]

    def learn_slate(self, state: ListedSambaState, random: Random) -> None:
        p, slots, total = state.listed, len(state.shown), 0.0
        for item in range(len(state.item_gains)):
            state.item_gains[item] = 0.0
        for slot in range(slots):
            item = state.shown[slot]
            total += state.paid[slot]
            state.item_gains[item] = state.paid[slot] / state.marginals[item]
        if total == 0.0:
            return
        for number in range(len(p)):
            state.gains[number] = 0.0
            for slot in range(slots):
                state.gains[number] += state.item_gains[state.members[number, slot]]
        leader = argmax(p)
        down = self.learning_rate * state.gains[leader]
        others = 0.0
        for number in range(len(p)):
            if number == leader:
                continue
            p[number] *= math.exp(self.learning_rate * state.gains[number] * p[number] - down * p[number])
            others += p[number]
        p[leader] = 1.0 - others
        self.show(state)

    def show(self, state: ListedSambaState) -> None:
        """Marginals and probabilities of the items."""
        for item in range(len(state.marginals)):
            state.marginals[item] = 0.0
        for number in range(len(state.listed)):
            for slot in range(len(state.shown)):
                state.marginals[state.members[number, slot]] += state.listed[number]
        share_out(state)
