"""A discount around any policy whose rewards can fade: each counts less with every one that follows."""

from dataclasses import dataclass
from typing import Any

from robandit.dice import Random
from robandit.game import Choice, Policy, Setting
from robandit.parts import About, parameter
from robandit.policies.wrapped import INSIDE, THOMPSON, WrappedState, Wrapper


@dataclass(frozen=True)
class Discount(Wrapper[WrappedState]):
    """Before every reward that comes, all that is remembered is multiplied by `rate`."""

    about = About(
        name="discount",
        summary="wraps a policy so that rewards fade with time, to track a world that changes",
        reference="discounted UCB: Kocsis & Szepesvari 2006; discounted Thompson sampling: Raj & Kalyani 2017",
        fidelity="recalled",
        bound="none proved around any policy; it behaves like a window of 1/(1 - rate) rewards",
        cost="the inner policy's + O(K)",
        late="as the inner policy",
    )
    rate: float = parameter(
        0.9997, "what is kept of the past with each reward; 1 - 1/3000 is 0.99967", above=0, below=1
    )
    inner: Policy[Any] = parameter(THOMPSON, INSIDE)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("can_fade")

    def start(self, setting: Setting) -> WrappedState:
        inner = self.inner.start(setting)
        return WrappedState(inner.probabilities.copy(), inner)

    def learn(self, state: WrappedState, choice: Choice, reward: float, random: Random) -> None:
        if choice.note < 0:  # nothing is learnt from this
            return
        self.inner.fade(state.inner, self.rate)
        self.inner.learn(state.inner, choice, reward, random)
        self.show(state)
