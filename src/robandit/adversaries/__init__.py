"""Adversaries: attacks, schedules and whole adversaries, one idea per file; classes are imported when first used."""

from typing import TYPE_CHECKING, Any

from robandit.lazy import find_class, part_names

if TYPE_CHECKING:  # a class that is not listed here is there too, and untyped
    from robandit.adversaries.attacks import Blackout as Blackout
    from robandit.adversaries.attacks import CloseGap as CloseGap
    from robandit.adversaries.attacks import Decoy as Decoy
    from robandit.adversaries.attacks import Flip as Flip
    from robandit.adversaries.attacks import Invert as Invert
    from robandit.adversaries.attacks import LiftOthers as LiftOthers
    from robandit.adversaries.attacks import Reverse as Reverse
    from robandit.adversaries.attacks import Sink as Sink
    from robandit.adversaries.band import Band as Band
    from robandit.adversaries.contested import WhileContested as WhileContested
    from robandit.adversaries.epochs import InEpoch as InEpoch
    from robandit.adversaries.leading import Leading as Leading
    from robandit.adversaries.push import Push as Push
    from robandit.adversaries.push_shown import PushShown as PushShown
    from robandit.adversaries.rewards import Oracle as Oracle
    from robandit.adversaries.rewards import Promote as Promote
    from robandit.adversaries.rewards import SinkBest as SinkBest
    from robandit.adversaries.rewards import SinkNear as SinkNear
    from robandit.adversaries.rewards import SinkShown as SinkShown
    from robandit.adversaries.schedules import Always as Always
    from robandit.adversaries.schedules import AtRandom as AtRandom
    from robandit.adversaries.schedules import Even as Even
    from robandit.adversaries.schedules import Middle as Middle
    from robandit.adversaries.schedules import Periodic as Periodic
    from robandit.adversaries.schedules import Start as Start
    from robandit.adversaries.schedules import Window as Window
    from robandit.adversaries.tracking import Ace as Ace
    from robandit.adversaries.tracking import JunEpsilonGreedy as JunEpsilonGreedy
    from robandit.adversaries.tracking import JunUcb as JunUcb


def __getattr__(name: str) -> Any:
    return find_class(__name__, __path__, name)


def __dir__() -> list[str]:
    return part_names(__name__, __path__)
