"""Decision ids that only the service can make: experiment, number and epoch, signed.

A forged id is refused without a look at the disk. There is one spelling of each id. The epoch is new whenever a backup
is restored, so an id given out after that backup was made does not name another decision of the same number.
"""

import hmac
import struct
from base64 import urlsafe_b64encode
from binascii import a2b_base64
from hashlib import blake2b
from typing import NamedTuple

BODY = struct.Struct(">BIIQ")  # version, epoch, experiment, number
VERSION = 1
SIGNATURE = 13  # bytes: with the body 30, which base64 spells without padding
LETTERS = 40
URL_SAFE = str.maketrans("-_", "+/")


class Named(NamedTuple):
    """What an id says."""

    epoch: int
    experiment: int
    number: int


def issued(key: bytes, epoch: int, experiment: int, number: int) -> str:
    """The id of a decision."""
    body = BODY.pack(VERSION, epoch, experiment, number)
    return urlsafe_b64encode(body + blake2b(body, digest_size=SIGNATURE, key=key).digest()).decode()


def read_id(key: bytes, text: str) -> Named | None:
    """What an id says, or None if this service never gave it out."""
    if len(text) != LETTERS or not text.isascii() or "+" in text or "/" in text:
        return None  # what is left has one spelling: 30 bytes fill their letters
    try:
        raw = a2b_base64(text.translate(URL_SAFE), strict_mode=True)
    except ValueError:
        return None
    body, signature = raw[: BODY.size], raw[BODY.size :]
    if not hmac.compare_digest(blake2b(body, digest_size=SIGNATURE, key=key).digest(), signature):
        return None
    version, *rest = BODY.unpack(body)
    return Named(*rest) if version == VERSION else None
