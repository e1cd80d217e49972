"""Decision ids that only the service can issue: experiment, number and epoch, signed.

A forged id is refused without a read of the disk. There is one spelling of each id. The epoch is new whenever a backup
is restored, so an id issued after that backup was taken does not name another decision of the same number.
"""

import struct
from binascii import a2b_base64, b2a_base64
from hashlib import blake2b
from hmac import compare_digest
from typing import NamedTuple

BODY = struct.Struct(">BIIQ")  # version, epoch, experiment, number
SIZE = BODY.size
VERSION = 1
SIGNATURE = 13  # bytes: with the body 30, which base64 spells without padding
LETTERS = 40
TO_URL = bytes.maketrans(b"+/", b"-_")
FROM_URL = bytes.maketrans(b"-_+/", b"+/!!")  # what base64 has and an id has not is none of its letters


class DecisionId(NamedTuple):
    """What an id says."""

    epoch: int
    experiment: int
    number: int


def issue_id(key: bytes, epoch: int, experiment: int, number: int) -> str:
    """Returns the id of a decision."""
    body = BODY.pack(VERSION, epoch, experiment, number)
    raw = body + blake2b(body, digest_size=SIGNATURE, key=key).digest()
    return b2a_base64(raw, newline=False).translate(TO_URL).decode()


def read_id(key: bytes, text: str) -> DecisionId | None:
    """Returns what an id says, or None if this service never issued it."""
    if len(text) != LETTERS:
        return None  # what is left has one spelling: 30 bytes fill their letters
    try:
        raw = a2b_base64(text.encode("ascii").translate(FROM_URL), strict_mode=True)
    except ValueError:
        return None
    body = raw[:SIZE]
    if not compare_digest(blake2b(body, digest_size=SIGNATURE, key=key).digest(), raw[SIZE:]):
        return None
    version, epoch, experiment, number = BODY.unpack(body)
    return DecisionId(epoch, experiment, number) if version == VERSION else None
