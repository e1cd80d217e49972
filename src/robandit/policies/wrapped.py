"""What policies around another one share: they pass on what the one inside says of itself, and show its p(t)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from robandit.dice import Random
from robandit.errors import InputError
from robandit.game import Choice, Floats, Policy, Setting
from robandit.policies.thompson import Thompson

THOMPSON = Thompson()
INSIDE = "the policy inside, in parentheses: inner=(bonus-thompson:withstand=20)"
WAYS = {
    "can_unlearn": "take a reward back, such as thompson, bonus-thompson, ucb1, kl-ucb or epsilon-greedy",
    "can_fade": "let rewards fade, such as thompson, bonus-thompson, ucb1, exp3 or tsallis-inf-rv",
    "can_restart": "begin again, such as thompson, ucb1, tsallis-inf-rv or samba",
}


@dataclass
class WrappedState:
    """The inner policy's state, and its p(t)."""

    probabilities: Floats
    inner: Any


Memory = TypeVar("Memory", bound=WrappedState)


class Wrapper(Policy[Memory]):
    """Chooses as the policy inside; a subclass says what that one forgets."""

    inner: Policy[Any]

    def require(self, way: str) -> None:
        """Raise InputError if the policy inside cannot forget in this way."""
        if not getattr(self.inner, way):
            raise InputError(
                f"{self.name}: inner must be a policy that can {WAYS[way]}, not {self.inner.name}: "
                f"{self.inner.cannot_forget}"
            )

    @property
    def explicit(self) -> bool:  # type: ignore[override]  # a constant elsewhere, here the inner policy's
        """Whether p(t) has a closed form: if the inner policy's has."""
        return self.inner.explicit

    @property
    def late(self) -> str:
        """As the inner policy takes late rewards; what is forgotten goes by the order in which they come."""
        return self.inner.late

    @property
    def reads_note(self) -> bool:  # type: ignore[override]
        """Whether the inner policy needs the notes of its own choices."""
        return self.inner.reads_note

    @property
    def arms_fixed(self) -> str:  # type: ignore[override]
        """Why the inner policy needs all its arms."""
        return self.inner.arms_fixed

    @property
    def rewards_fixed(self) -> str:  # type: ignore[override]
        """Why no reward can be taken back from the inner policy."""
        return self.inner.rewards_fixed

    def show(self, state: Memory) -> None:
        """p(t) is the inner policy's."""
        for arm in range(len(state.probabilities)):
            state.probabilities[arm] = state.inner.probabilities[arm]

    def begin(self, state: Memory, random: Random) -> None:
        self.inner.begin(state.inner, random)
        self.show(state)

    def refresh(self, state: Memory) -> None:
        if self.inner.refreshes:
            self.inner.refresh(state.inner)
            self.show(state)

    def choose(self, state: Memory, random: Random) -> Choice:
        self.refresh(state)
        return self.inner.choose(state.inner, random)

    def choose_among(self, state: Memory, eligible: list[int], random: Random) -> Choice:
        return self.inner.choose_among(state.inner, eligible, random)

    def probabilities_among(self, state: Memory, eligible: list[int]) -> Any:
        return self.inner.probabilities_among(state.inner, eligible)

    def admit(self, state: Memory, arm: int, present: list[int]) -> None:
        self.inner.admit(state.inner, arm, present)
        self.show(state)

    def withdraw(self, state: Memory, arm: int, present: list[int]) -> None:
        self.inner.withdraw(state.inner, arm, present)
        self.show(state)

    def defer(self, state: Memory, choice: Choice) -> None:
        self.inner.defer(state.inner, choice)
        self.show(state)

    def notes(self, setting: Setting) -> list[str]:
        return self.inner.notes(setting)

    def notes_on_means(self, means: Sequence[float]) -> list[str]:
        return self.inner.notes_on_means(means)

    @property
    def smallest_lift(self) -> float | None:
        """As the inner policy's."""
        return self.inner.smallest_lift
