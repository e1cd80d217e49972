"""Features that an experiment declares, of whoever comes or of its arms, and their values as numbers.

    {"age": [18, 99], "device": ["phone", "desktop"]}

Two numbers are a range, texts are the values of a category. A number becomes one from -1 to 1, a category one indicator
per value; before them stands a constant, and all are scaled so that a vector is at most 1 long. None says that a value
is not known: the middle of a range, no indicator of a category.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from robandit.errors import InputError, is_number, unknown

MOST_FEATURES = 100
MOST_VALUES = 100  # of a category
MOST_DIMENSION = 200  # numbers that a regression sees of one arm


@dataclass(frozen=True)
class Features:
    """Names with their ranges or their values; `features_from` checks them."""

    ranges: tuple[tuple[str, float, float], ...]
    categories: tuple[tuple[str, tuple[str, ...]], ...]
    order: tuple[str, ...]

    @property
    def size(self) -> int:
        """How many numbers `encode` returns."""
        return 1 + len(self.ranges) + sum(len(values) for _, values in self.categories)

    def encode(self, values: Any, what: str = "context") -> list[float]:
        """Return values as numbers; raises InputError for one that is missing, unknown or not allowed."""
        if not isinstance(values, Mapping):
            raise InputError(f"a {what} must have the features {', '.join(self.order)}, not be {values!r}")
        if len(values) != len(self.order) or any(name not in values for name in self.order):
            self.refuse_names(values, what)
        scale = 1.0 / math.sqrt(1.0 + len(self.order))
        numbers = [scale]
        for name, low, high in self.ranges:
            value = values[name]
            if value is None:
                numbers.append(0.0)
                continue
            if not is_number(value) or not low <= value <= high:
                raise InputError(f"{name} must be a number from {low:g} to {high:g} or null, not {value!r}")
            numbers.append(scale * (2.0 * (value - low) / (high - low) - 1.0))
        for name, allowed in self.categories:
            value = values[name]
            if value is not None and value not in allowed:
                raise InputError(f"{name} must be one of {', '.join(allowed)} or null, not {value!r}")
            numbers.extend([scale if value == one else 0.0 for one in allowed])
        return numbers

    def refuse_names(self, values: Mapping[str, Any], what: str) -> None:
        """Raise InputError: the names of the values are not those of the features."""
        for name in values:
            if name not in self.order:
                raise unknown(f"feature of a {what}", str(name), self.order)
        missing = ", ".join(name for name in self.order if name not in values)
        raise InputError(f"a {what} must have a value of every feature, null where it is not known: {missing}")

    def nothing_known(self) -> dict[str, None]:
        """Return the values of whom nothing is known."""
        return dict.fromkeys(self.order)

    def select(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Return the values of declared features only, null where there is none."""
        return {name: values.get(name) for name in self.order}

    def as_json(self) -> dict[str, list[Any]]:
        """Return the declaration as plain values, in its order."""
        kinds: dict[str, list[Any]] = {name: [low, high] for name, low, high in self.ranges}
        kinds |= {name: list(values) for name, values in self.categories}
        return {name: kinds[name] for name in self.order}


def features_from(declared: Any, what: str = "features") -> Features | None:
    """Return declared features; None for none. Raises InputError if they cannot be."""
    if declared is None or isinstance(declared, Features):
        return declared
    if not isinstance(declared, Mapping) or not 1 <= len(declared) <= MOST_FEATURES:
        raise InputError(f'{what} must be 1 to {MOST_FEATURES} names, such as {{"age": [18, 99]}}, not {declared!r}')
    ranges, categories = [], []
    for name, kind in declared.items():
        if not isinstance(name, str) or not name or isinstance(kind, str) or not isinstance(kind, Sequence):
            raise InputError(f"{what}: {name!r} must be a name with a range or a list of values, not {kind!r}")
        if len(kind) == 2 and all(is_number(one) for one in kind):
            low, high = map(float, kind)
            if not low < high or not math.isfinite(high - low):
                raise InputError(f"{what}: the range of {name} must go up, not from {low:g} to {high:g}")
            ranges.append((name, low, high))
        elif all(isinstance(one, str) for one in kind) and 1 <= len(set(kind)) == len(kind) <= MOST_VALUES:
            categories.append((name, tuple(kind)))
        else:
            raise InputError(
                f"{what}: {name} must have two numbers, its range, or 1 to {MOST_VALUES} different texts, not {kind!r}"
            )
    return Features(tuple(ranges), tuple(categories), tuple(declared))
