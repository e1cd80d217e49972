"""Verified rewards end to end: a server that is killed, liars, a bank that checks, a database that verifies."""

from pathlib import Path

from verification.checked_shop import main


def test_a_shop_whose_rewards_are_verified(tmp_path: Path) -> None:
    result = main(400, 1, tmp_path)
    assert (result["kills"], result["verify_exit_code"]) == (2, 0), result["verify"]
    assert all(journal["compiled"] for journal in result["verify"]["journals"])
    assert result["verified_by_a_token_that_may_not"] == 403
    assert result["share_of_best"]["asks"] > 0.6 > result["share_of_best"]["believes"]
    forged = result["forged"]["difference"]
    assert forged["low"] <= result["true_difference"] <= forged["high"]
