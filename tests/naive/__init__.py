"""Naive reference implementations of the bandit policies, one class per catalogue name."""

from .base import NaivePolicy
from .classics import (
    NaiveEpsilonGreedy,
    NaiveKlUcb,
    NaiveTemperedThompson,
    NaiveThompson,
    NaiveUcb1,
    NaiveUniform,
)
from .elimination import NaiveAae, NaiveFastSlowAae, NaiveKnownCAae, NaiveMultiLayerAae
from .epochs import NaiveBarbar, NaiveBarbat, NaiveCbarbar, NaiveDraa
from .gradient import NaiveFloor, NaiveSamba, NaiveSoftmaxGradient
from .optimistic import (
    NaiveBalancedSamba,
    NaiveBonusThompson,
    NaiveExponentialSamba,
    NaiveLinearKlUcb,
    NaiveOptimisticThompson,
    NaiveOptimisticUcb,
    NaiveTrimmedUcb,
)
from .perturbed import NaiveFtpl
from .regularised import (
    NaiveExp3,
    NaiveExp3Ix,
    NaiveFtrlHybrid,
    NaiveTsallisInfIw,
    NaiveTsallisInfRv,
)

NAIVE: dict[str, type[NaivePolicy]] = {
    "samba": NaiveSamba,
    "fast-slow-aae": NaiveFastSlowAae,
    "multi-layer-aae": NaiveMultiLayerAae,
    "barbar": NaiveBarbar,
    "draa": NaiveDraa,
    "cbarbar": NaiveCbarbar,
    "tsallis-inf-iw": NaiveTsallisInfIw,
    "tsallis-inf-rv": NaiveTsallisInfRv,
    "ftrl-hybrid": NaiveFtrlHybrid,
    "ftpl": NaiveFtpl,
    "ucb1": NaiveUcb1,
    "kl-ucb": NaiveKlUcb,
    "aae": NaiveAae,
    "thompson": NaiveThompson,
    "tempered-thompson": NaiveTemperedThompson,
    "epsilon-greedy": NaiveEpsilonGreedy,
    "exp3": NaiveExp3,
    "exp3-ix": NaiveExp3Ix,
    "uniform": NaiveUniform,
    "softmax-gradient": NaiveSoftmaxGradient,
    "barbat": NaiveBarbat,
    "known-c-aae": NaiveKnownCAae,
    "floor": NaiveFloor,
    "exponential-samba": NaiveExponentialSamba,
    "balanced-samba": NaiveBalancedSamba,
    "optimistic-thompson": NaiveOptimisticThompson,
    "bonus-thompson": NaiveBonusThompson,
    "optimistic-ucb": NaiveOptimisticUcb,
    "trimmed-ucb": NaiveTrimmedUcb,
}
LINEAR_KL_UCB = NaiveLinearKlUcb  # kl-ucb with a bonus linear/n
