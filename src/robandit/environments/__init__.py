"""Environments: where rewards come from, one file each; classes are imported when first used."""

from typing import TYPE_CHECKING, Any

from robandit.lazy import find_class, part_names

if TYPE_CHECKING:  # a class that is not listed here is there too, and untyped
    from robandit.environments.bernoulli import Bernoulli as Bernoulli
    from robandit.environments.beta import Beta as Beta
    from robandit.environments.contexts import Contexts as Contexts
    from robandit.environments.drift import Drift as Drift
    from robandit.environments.linear import LinearRewards as LinearRewards
    from robandit.environments.paths import PathRewards as PathRewards
    from robandit.environments.samples import Samples as Samples
    from robandit.environments.season import Season as Season
    from robandit.environments.shifts import Shifts as Shifts


def __getattr__(name: str) -> Any:
    return find_class(__name__, __path__, name)


def __dir__() -> list[str]:
    return part_names(__name__, __path__)
