"""A random tenth of the suite's stored results, played again."""

import random

from robandit.suite.results import read_stored
from robandit.suite.spec import read_suite
from tests.test_suite import check_row


def test_a_tenth_of_the_stored_results_is_played_again_to_the_bit() -> None:
    suite = read_suite()
    rows = read_stored(suite).rows
    for row in random.Random(2026).sample(rows, len(rows) // 10):
        check_row(suite, row)
