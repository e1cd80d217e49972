"""Slates by counts: CombUCB1 (Kveton et al. 2015) and Thompson sampling, the best slate for an index of each item."""

import math
from dataclasses import dataclass

import numpy as np

from robandit.dice import Random
from robandit.game import Choice, Floats, Setting
from robandit.numerics import FAR
from robandit.parts import About, parameter
from robandit.policies.slates.slate import (
    DRAWN,
    Members,
    Slate,
    SlatePolicy,
    best_slate,
    certain,
    even_slate,
    members_of,
)
from robandit.variates import bernoulli_draw, beta_draw


@dataclass
class SlateCountState(Slate):
    """A slate, each item's rewards (sum, and how many), its index, and the list of slates, if there is one."""

    sums: Floats
    pulls: Floats
    index: Floats
    members: Members
    rounds: int = 0


def new_counts(setting: Setting) -> SlateCountState:
    """Nothing seen."""
    sums, pulls, index = np.zeros((3, setting.arms))
    return SlateCountState(*even_slate(setting), sums=sums, pulls=pulls, index=index, members=members_of(setting))


@dataclass(frozen=True)
class CombUcb1(SlatePolicy[SlateCountState]):
    """The slate with the largest sum of mean + sqrt(scale ln t/n); items never shown come first."""

    takes = "both"
    about = About(
        name="comb-ucb1",
        family="UCB",
        summary="UCB for each item, the best slate for the sum; deterministic",
        reference="Kveton, Wen, Ashkan & Szepesvari 2015",
        fidelity="exact",
        basis="the code of Zimmert, Luo & Wei 2019 (diku-dk/CombSemiBandits), run beside it",
        needs=("slots", "family"),
        bound="K m ln(T)/Delta without corruption; none with it",
        cost="O(K m) per slate, or the list's length times m",
        waived=DRAWN,
    )
    scale: float = parameter(1.5, "factor in the bonus", above=0, published=1.5)

    def start(self, setting: Setting) -> SlateCountState:
        state = new_counts(setting)
        self.aim(state)
        return state

    def learn_slate(self, state: SlateCountState, random: Random) -> None:
        state.rounds += 1
        for slot in range(len(state.shown)):
            state.sums[state.shown[slot]] += state.paid[slot]
            state.pulls[state.shown[slot]] += 1.0
        self.aim(state)

    def aim(self, state: SlateCountState) -> None:
        """The next slate, which is certain."""
        bonus = self.scale * math.log(max(state.rounds, 1))
        for item in range(len(state.index)):
            n = state.pulls[item]
            state.index[item] = state.sums[item] / n + math.sqrt(bonus / n) if n > 0.0 else FAR
        best_slate(state.index, state.members, state.shown)
        certain(state)

    def draw_slate(self, state: SlateCountState, random: Random) -> None:
        """It is there already."""


@dataclass(frozen=True)
class SlateThompson(SlatePolicy[SlateCountState]):
    """The slate that is best in one draw from all items' posteriors; with one slot `thompson`, bit for bit."""

    takes = "both"
    explicit = False
    about = About(
        name="slate-thompson",
        family="Thompson",
        summary="the slate that is best in a posterior draw; strongest without corruption, cheap to fool",
        reference="Wang & Chen 2018",
        fidelity="exact",
        basis="the code of Zimmert, Luo & Wei 2019 (diku-dk/CombSemiBandits), run beside it",
        needs=("slots", "family"),
        bound="K m ln(T)/Delta without corruption; none with it",
        cost="O(K) beta draws per slate",
        waived=DRAWN,
    )

    def start(self, setting: Setting) -> SlateCountState:
        return new_counts(setting)

    def choose(self, state: SlateCountState, random: Random) -> Choice:
        return Choice(int(state.shown[state.slot]), math.nan, state.slot)

    def learn_slate(self, state: SlateCountState, random: Random) -> None:
        for slot in range(len(state.shown)):
            state.sums[state.shown[slot]] += bernoulli_draw(state.paid[slot], random)  # as in thompson
            state.pulls[state.shown[slot]] += 1.0

    def draw_slate(self, state: SlateCountState, random: Random) -> None:
        for item in range(len(state.index)):
            wins, pulls = state.sums[item], state.pulls[item]
            state.index[item] = beta_draw(1.0 + wins, 1.0 + (pulls - wins), random)
        best_slate(state.index, state.members, state.shown)
