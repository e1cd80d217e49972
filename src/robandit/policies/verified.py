"""Thompson sampling and UCB that learn from verified rewards only: what nobody verified may be forged at will.

A challenger's reward is always checked. The leader's, which is most of them, is checked only while its verified rewards
are fewer than c times (10 + the most of any other arm), so that it stays better known than its rivals.
"""

from dataclasses import dataclass

from robandit.dice import Random
from robandit.game import Choice
from robandit.numerics import no_longer_awaited
from robandit.parts import About, parameter
from robandit.policies.thompson import Thompson, ThompsonState
from robandit.policies.ucb1 import Ucb1, Ucb1State
from robandit.variates import bernoulli_draw

FIRST = 10.0  # so many are checked for each unit of c before any rival has been
TIMES = "the leader is checked while its verified rewards are fewer than c (10 + the most of any other arm)"
FORGETS = "it learns from verified rewards only, which a wrapper does not pass on"


@dataclass(frozen=True)
class VerifiedThompson(Thompson):
    """Pulls the arm that is best in one draw from the posterior of the verified rewards."""

    about = About(
        name="verified-thompson",
        family="Thompson",
        summary="Thompson sampling on verified rewards; asks for few checks, and forging the rest changes nothing",
        reference="ours; limited verification: Rangi et al. 2022",
        fidelity="exact",
        bound="none proved; measured, Thompson sampling's without corruption, whatever is forged of the rest",
        cost="O(K) beta draws",
        late="exact",
    )
    can_restart = can_fade = can_unlearn = False
    cannot_forget = FORGETS
    c: float = parameter(4.0, TIMES, above=0)

    def wants_check(self, state: ThompsonState, choice: Choice) -> bool:
        leader, most = 0, -1.0
        for arm in range(len(state.wins)):
            mean = state.wins[arm] / (state.wins[arm] + state.losses[arm])
            if mean > most:
                leader, most = arm, mean
        if choice.arm != leader:
            return True
        rivals = 0.0
        for arm in range(len(state.wins)):
            if arm != leader:
                rivals = max(rivals, state.wins[arm] + state.losses[arm] - 2.0)
        return bool(state.wins[leader] + state.losses[leader] - 2.0 < self.c * (FIRST + rivals))

    def learn(self, state: ThompsonState, choice: Choice, reward: float, random: Random) -> None:
        """An unverified reward says nothing."""

    def learn_verified(self, state: ThompsonState, choice: Choice, reward: float, random: Random) -> None:
        self.count(state, choice.arm, bernoulli_draw(reward, random))  # as in thompson


@dataclass(frozen=True)
class VerifiedUcb(Ucb1):
    """Each arm once, then the largest verified mean + sqrt(2 scale ln t / n), n of verified rewards."""

    about = About(
        name="verified-ucb",
        family="UCB",
        summary="UCB1 on verified rewards; asks for few checks, and forging the rest changes nothing",
        reference="ours; limited verification: Rangi et al. 2022",
        fidelity="exact",
        bound="none proved; measured, UCB1's without corruption, whatever is forged of the rest",
        late="exact",
    )
    can_restart = can_fade = can_unlearn = False
    cannot_forget = FORGETS
    c: float = parameter(4.0, TIMES, above=0)

    def wants_check(self, state: Ucb1State, choice: Choice) -> bool:
        leader = 0
        for arm in range(1, len(state.pulls)):
            if state.means[arm] > state.means[leader]:
                leader = arm
        if choice.arm != leader:
            return True
        rivals = 0.0
        for arm in range(len(state.pulls)):
            if arm != leader:
                rivals = max(rivals, state.pulls[arm])
        return bool(state.pulls[leader] < self.c * (FIRST + rivals))

    def learn(self, state: Ucb1State, choice: Choice, reward: float, random: Random) -> None:
        """An unverified reward only counts the round."""
        state.rounds += no_longer_awaited(state.waiting, choice.arm)
        self.show(state)

    def learn_verified(self, state: Ucb1State, choice: Choice, reward: float, random: Random) -> None:
        arm = choice.arm
        state.rounds += no_longer_awaited(state.waiting, arm)
        state.pulls[arm] += 1.0
        state.sums[arm] += reward
        state.means[arm] = state.sums[arm] / state.pulls[arm]
        self.show(state)
