"""Explore, then commit: each arm in turn for a while, then the best of them. See docs/suite.md."""

from dataclasses import dataclass

import numpy as np

import robandit as rb


@dataclass
class CommitState:
    probabilities: np.ndarray
    sums: np.ndarray
    pulls: int = 0


@dataclass(frozen=True)
class Commit(rb.Policy[CommitState]):
    """Round robin for `trials` pulls of each arm, then the arm that paid best."""

    waivers = {"relabelling": "its round robin follows the numbers of the arms", "learns": "it may commit to a bad arm"}
    about = rb.About("commit", "round robin, then the best mean for ever", fidelity="exact", waived=waivers)
    trials: int = rb.parameter(20, "pulls of each arm before it commits", least=1)

    def start(self, setting):
        return CommitState(np.eye(setting.arms)[0], np.zeros(setting.arms))

    def learn(self, state, choice, reward, random):
        arms = len(state.sums)
        state.pulls += 1
        state.probabilities[:] = 0.0
        following = state.pulls % arms
        if state.pulls <= self.trials * arms:
            state.sums[choice.arm] += reward
        if state.pulls >= self.trials * arms:
            following = 0
            for arm in range(arms):
                if state.sums[arm] > state.sums[following]:
                    following = arm
        state.probabilities[following] = 1.0
