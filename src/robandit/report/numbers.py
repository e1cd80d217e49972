"""Numbers as people read them, alike in every table: thousands with commas, no exponent below a billion."""

from typing import Any

BILLION = 1e9


def tenths(value: float | None) -> str:
    """A regret or a bill."""
    if value is None:
        return "-"
    return f"{value:,.1f}" if abs(value) < BILLION else scientific(value)


def short(value: float | None) -> str:
    """Three digits, or all before the point; what was not reached is a dash."""
    if value is None:
        return "-"
    if abs(value) >= BILLION:
        return scientific(value)
    return f"{value:,.0f}" if abs(value) >= 99.95 or value == 0 else f"{value:#.3g}" if abs(value) >= 1e-3 else "0.000"


def scientific(value: float) -> str:
    """A number too long to read."""
    digits, _, power = f"{value:.1e}".partition("e")
    return f"{digits}e{int(power)}"


def percent(share: float) -> str:
    """A share of rounds, three digits."""
    return f"{short(100 * share)} %"


def with_half(summary: dict[str, Any]) -> str:
    """A mean with half of its 95 % interval."""
    mean, half = short(summary["mean"]), summary["half_width_95"]
    if half is None or "e" in mean:
        return mean if half is None else f"{mean} ± {short(half)}"
    return f"{mean} ± {half:,.{len(mean.partition('.')[2])}f}"
