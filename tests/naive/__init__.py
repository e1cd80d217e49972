"""Naive reference implementations of the bandit policies: NaiveKlUcb, in any file of this folder, is that of kl-ucb."""

import importlib
import pkgutil
import re

from .base import NaivePolicy
from .optimistic import LinearKlUcb as LinearKlUcb

for item in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{item.name}")


def naive_policies(base: type[NaivePolicy] = NaivePolicy) -> dict[str, type[NaivePolicy]]:
    """Every naive policy for arms by its name in the catalogue; those of other games have tables of their own."""
    twins: dict[str, type[NaivePolicy]] = {}
    for cls in base.__subclasses__():
        twins |= naive_policies(cls)
        if cls.__name__.startswith("Naive") and not cls.__module__.endswith(".teams"):
            twins[re.sub(r"(?<!^)(?=[A-Z])", "-", cls.__name__.removeprefix("Naive")).lower()] = cls
    return dict(sorted(twins.items()))


NAIVE = naive_policies()
