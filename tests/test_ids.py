"""Decision ids: what the service issued is read back, and nothing else is taken for an id."""

import random
from base64 import urlsafe_b64decode, urlsafe_b64encode

import pytest

from robandit.service.ids import DecisionId, issue_id, read_id

KEY = bytes(range(32))


def spell(raw: bytes) -> str:
    """Bytes as an id is written."""
    return urlsafe_b64encode(raw).decode()


@pytest.mark.parametrize("place", range(30))
def test_an_id_with_one_byte_changed_is_refused(place: int) -> None:
    """Every byte, to every other value, in two ids: 15,300 forged ids in all, no luck involved."""
    for number in (0, 2**63):
        raw = bytearray(urlsafe_b64decode(issue_id(KEY, 3, 7, number)))
        assert len(raw) == 30
        for change in range(1, 256):
            forged = bytearray(raw)
            forged[place] ^= change
            assert read_id(KEY, spell(bytes(forged))) is None


def test_signatures_that_agree_in_part_are_refused() -> None:
    """A forger who guesses some bytes of the signature: each proper part of it, filled up at random."""
    dice = random.Random(5)
    raw = urlsafe_b64decode(issue_id(KEY, 1, 2, 12_345))
    for cut in range(17, 30):
        for _ in range(400):
            tail = dice.randbytes(30 - cut)
            if tail != raw[cut:]:
                assert read_id(KEY, spell(raw[:cut] + tail)) is None
            head = dice.randbytes(cut - 16)
            if head != raw[17 : cut + 1]:
                assert read_id(KEY, spell(raw[:17] + head + raw[cut + 1 :])) is None


def test_ids_are_read_back_by_their_own_key_alone() -> None:
    dice = random.Random(6)
    for _ in range(1_000):
        said = DecisionId(dice.randrange(2**32), dice.randrange(2**32), dice.randrange(2**64))
        text = issue_id(KEY, *said)
        assert read_id(KEY, text) == said
        assert read_id(KEY[::-1], text) is None
        assert read_id(KEY, text[:-1]) is None
        assert read_id(KEY, text + "A") is None
        assert read_id(KEY, text.replace("-", "+").replace("_", "/")) == (
            said if "-" not in text and "_" not in text else None
        )
