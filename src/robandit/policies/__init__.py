"""Policies: one file each, found by walking this folder; `robandit.policies.Samba` is imported when first used."""

from typing import TYPE_CHECKING, Any

from robandit.lazy import find_class, part_names

if TYPE_CHECKING:  # a class that is not listed here is there too, and untyped
    from robandit.policies.aae import Aae as Aae
    from robandit.policies.barbar import Barbar as Barbar
    from robandit.policies.barbat import Barbat as Barbat
    from robandit.policies.batched import Batched as Batched
    from robandit.policies.bonus_thompson import BonusThompson as BonusThompson
    from robandit.policies.capped_thompson import CappedThompson as CappedThompson
    from robandit.policies.cbarbar import Cbarbar as Cbarbar
    from robandit.policies.discount import Discount as Discount
    from robandit.policies.draa import Draa as Draa
    from robandit.policies.epsilon_greedy import EpsilonGreedy as EpsilonGreedy
    from robandit.policies.exp3 import Exp3 as Exp3
    from robandit.policies.exp3 import Exp3Ix as Exp3Ix
    from robandit.policies.exponential_samba import BalancedSamba as BalancedSamba
    from robandit.policies.exponential_samba import ExponentialSamba as ExponentialSamba
    from robandit.policies.fast_slow_aae import FastSlowAae as FastSlowAae
    from robandit.policies.floor import Floor as Floor
    from robandit.policies.ftpl import Ftpl as Ftpl
    from robandit.policies.ftrl_hybrid import FtrlHybrid as FtrlHybrid
    from robandit.policies.kl_ucb import KlUcb as KlUcb
    from robandit.policies.known_c_aae import KnownCAae as KnownCAae
    from robandit.policies.linear.linear_samba import LinearSamba as LinearSamba
    from robandit.policies.linear.linear_softmax import LinearSoftmax as LinearSoftmax
    from robandit.policies.linear.linear_thompson import LinearThompson as LinearThompson
    from robandit.policies.linear.linucb import CwOful as CwOful
    from robandit.policies.linear.linucb import LinUcb as LinUcb
    from robandit.policies.linear.squarecb import CwSquareCb as CwSquareCb
    from robandit.policies.linear.squarecb import SquareCb as SquareCb
    from robandit.policies.ms_se_wr import MsSeWr as MsSeWr
    from robandit.policies.multi_layer_aae import MultiLayerAae as MultiLayerAae
    from robandit.policies.optimistic_thompson import OptimisticThompson as OptimisticThompson
    from robandit.policies.optimistic_ucb import OptimisticUcb as OptimisticUcb
    from robandit.policies.restart import Restart as Restart
    from robandit.policies.samba import Samba as Samba
    from robandit.policies.slates.bar import SlateBar as SlateBar
    from robandit.policies.slates.counting import CombUcb1 as CombUcb1
    from robandit.policies.slates.counting import SlateThompson as SlateThompson
    from robandit.policies.slates.listed_samba import ListedSamba as ListedSamba
    from robandit.policies.slates.slate_cbarbar import SlateCbarbar as SlateCbarbar
    from robandit.policies.slates.slate_hybrid import SlateHybrid as SlateHybrid
    from robandit.policies.slates.slate_samba import SlateSamba as SlateSamba
    from robandit.policies.softmax_gradient import SoftmaxGradient as SoftmaxGradient
    from robandit.policies.teams.independent import Independent as Independent
    from robandit.policies.teams.team_draa import TeamDraa as TeamDraa
    from robandit.policies.teams.team_samba import TeamSamba as TeamSamba
    from robandit.policies.thompson import TemperedThompson as TemperedThompson
    from robandit.policies.thompson import Thompson as Thompson
    from robandit.policies.trimmed_ucb import TrimmedUcb as TrimmedUcb
    from robandit.policies.tsallis_inf import TsallisInfIw as TsallisInfIw
    from robandit.policies.tsallis_inf import TsallisInfRv as TsallisInfRv
    from robandit.policies.ucb1 import Ucb1 as Ucb1
    from robandit.policies.uniform import Uniform as Uniform
    from robandit.policies.window import SlidingWindow as SlidingWindow


def __getattr__(name: str) -> Any:
    return find_class(__name__, __path__, name)


def __dir__() -> list[str]:
    return part_names(__name__, __path__)
