"""CBARBAR (Xu & Li 2021) for slates of several items, a reconstruction.

Known are its bound, C + d^2 K/Delta, one call of the oracle for each item and epoch, and how d enters an epoch: gaps of
slates begin at 1, item i is wanted lambda d^2/gap^2 times, the best slate d^2 K lambda 2^((m-1)/2) times. The sides
of the band are rebuilt; d = 1 is `cbarbar`.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from robandit.dice import Random, draw
from robandit.game import Floats, Setting
from robandit.parts import About, parameter
from robandit.policies.phased import log_factor, whole
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

STAR = 0  # the entry that shows the best slate of the last epoch; entry i + 1 shows one that holds item i


@dataclass
class SlateCbarbarState(Slate):
    """A slate, and an epoch: which slate each entry shows, how often it shall, what item i paid through entry i + 1."""

    entries: Floats
    slates: NDArray[np.int64]  # (entries, slots)
    expected: Floats
    sums: Floats
    gaps: Floats  # of the slates that hold each item
    values: Floats
    trial: NDArray[np.int64]
    anyone: Members
    log_term: float
    entry: int = 0
    number: int = 0
    left: int = 0


@dataclass(frozen=True)
class SlateCbarbar(SlatePolicy[SlateCbarbarState]):
    """An epoch shows the last best slate n_* times, and for each item a slate that holds it lambda d^2/gap^2 times."""

    about = About(
        name="slate-cbarbar",
        family="BARBAR",
        summary="CBARBAR for slates: epochs, C enters without K; needs far longer than the others to learn",
        reference="Xu & Li 2021",
        fidelity="reconstruction",
        needs=("slots", "horizon", "delta"),
        bound="C + d^2 K log^2(T)/Delta",
        cost="O(K) and a draw per slate",
        waived=DRAWN,
    )
    scale: float = parameter(
        1024.0, "factor in lambda = scale ln((8K/delta) log2 T)", above=0, published=1024.0, scaled=1.0
    )
    delta: float | None = parameter(None, "failure probability; 1/T by default", above=0, below=1)

    def start(self, setting: Setting) -> SlateCbarbarState:
        arms, slots = setting.arms, setting.slots
        entries, expected, sums = np.zeros((3, arms + 1))
        shape = (arms + 1, slots)
        state = SlateCbarbarState(
            *even_slate(setting),
            entries=entries,
            slates=np.zeros(shape, np.int64),
            expected=expected,
            sums=sums,
            gaps=np.ones(arms),
            values=np.zeros(arms),
            trial=np.zeros(slots, np.int64),
            anyone=anything(setting),
            log_term=log_factor(self.scale, self.delta, setting),
        )
        self.open_epoch(state)
        return state

    def begin(self, state: SlateCbarbarState, random: Random) -> None:
        """The first best slate and those that hold each item are any."""
        for item in range(len(state.gaps)):
            state.values[item] = random.uniform()
        self.aim(state, 0.0)
        self.show(state)
        self.draw_slate(state, random)

    def open_epoch(self, state: SlateCbarbarState) -> None:
        """Plan the next epoch."""
        state.number += 1
        arms, slots = len(state.gaps), len(state.shown)
        state.expected[STAR] = state.log_term * slots * slots * arms * math.pow(2.0, 0.5 * (state.number - 1))
        total = state.expected[STAR]
        for item in range(arms):
            state.expected[item + 1] = state.log_term * (slots / state.gaps[item]) ** 2
            total += state.expected[item + 1]
        state.left = whole(total)
        for entry in range(arms + 1):
            state.entries[entry] = state.expected[entry] / total
            state.expected[entry] *= state.left / total
            state.sums[entry] = 0.0
        self.show(state)

    def show(self, state: SlateCbarbarState) -> None:
        """Marginals from the entries' probabilities."""
        for item in range(len(state.marginals)):
            state.marginals[item] = 0.0
        for entry in range(len(state.entries)):
            for slot in range(len(state.shown)):
                state.marginals[state.slates[entry, slot]] += state.entries[entry]
        share_out(state)

    def aim(self, state: SlateCbarbarState, side: float) -> float:
        """The best slate by the band's lower side into STAR; for each item, by its upper side, the best that holds it.

        Returns the first one's value; `side` is the half width of the band over the gap.
        """
        slots = len(state.shown)
        for item in range(len(state.gaps)):
            state.values[item] -= side * state.gaps[item]
        best_slate(state.values, state.anyone, state.trial)
        best = 0.0
        for slot in range(slots):
            state.slates[STAR, slot] = state.trial[slot]
            best += state.values[state.trial[slot]]
        for item in range(len(state.gaps)):
            state.values[item] += 2.0 * side * state.gaps[item]
        best_slate(state.values, state.anyone, state.trial)
        for item in range(len(state.gaps)):
            inside = False
            for slot in range(slots):
                state.slates[item + 1, slot] = state.trial[slot]
                inside = inside or state.trial[slot] == item
            if not inside:
                state.slates[item + 1, slots - 1] = item  # in the place of the weakest
        return best

    def draw_slate(self, state: SlateCbarbarState, random: Random) -> None:
        state.entry = draw(state.entries, random)
        for slot in range(len(state.shown)):
            state.shown[slot] = state.slates[state.entry, slot]

    def learn_slate(self, state: SlateCbarbarState, random: Random) -> None:
        for slot in range(len(state.shown)):
            if state.shown[slot] == state.entry - 1:
                state.sums[state.entry] += state.paid[slot]
        state.left -= 1
        if state.left > 0:
            return
        slots = len(state.shown)
        for item in range(len(state.gaps)):
            state.values[item] = state.sums[item + 1] / state.expected[item + 1]
        best = self.aim(state, 1.0 / (16.0 * slots))
        floor = math.pow(2.0, -0.25 * state.number)
        for item in range(len(state.gaps)):
            value = 0.0
            for slot in range(slots):
                value += state.values[state.slates[item + 1, slot]]
            state.gaps[item] = max(floor, best - value, 0.5 * state.gaps[item])
        self.open_epoch(state)
