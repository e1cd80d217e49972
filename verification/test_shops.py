"""The table of alarms, small: an honest shop of a hard kind is quiet, a ring is named, notices are no alarms."""

import pytest

from verification.shops import SHOPS, row_of

BY_NAME = {shop.name: shop for shop in SHOPS}


@pytest.mark.parametrize(
    "name",
    [
        "honest, visitors differ (sigma .6)",
        "honest, half never buy",
        "honest, time zones",
        "honest, three partners (1, 1.3, .8)",
        "honest, only sales reported, decisions name sources",
        "honest, only sales reported, sources unknown",
    ],
)
def test_honest_shops_are_quiet(name: str) -> None:
    """Six shops of 10,000 visits at level .05: two or more alarms come with a probability below .04 for all rows."""
    assert row_of(BY_NAME[name], "samba", 6, 3, 10_000)["alarms"] <= 1


def test_a_ring_from_the_start_is_named_and_nobody_else() -> None:
    row = row_of(BY_NAME["ring of 8 from the start, 20 %, both"], "thompson", 4, 3, 8_000)
    assert row["matters"] == row["alarms"] == 4
    assert row["recall"] >= 0.9
    assert row["innocents"] == 0
