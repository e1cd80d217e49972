"""Who may do what: tokens of 256 random bits, stored as hashes, each with a name, roles and, maybe, its experiments.

A line of the token file reads `name roles hash [experiments=a,b] [rate=100]`; `robandit service token` writes it.
"""

import math
import os
import re
import secrets
import time
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from robandit.errors import InputError, unknown

ROLES = ("decide", "reward", "verify", "read", "admin")
RATE = 50_000.0  # requests, decisions and rewards per second, unless the file says otherwise
SLOWEST = 1e-6  # the lowest rate
PREFIX = "rb_"


@dataclass
class Token:
    """Who asks: one line of the file, and how much of its rate is left."""

    name: str
    roles: frozenset[str]
    experiments: frozenset[str] | None = None  # ids or names; None: all
    rate: float = RATE
    left: float = field(default=0.0, compare=False)
    filled: float = field(default=0.0, compare=False)

    def may(self, role: str) -> bool:
        """Whether a role is held; an admin holds all, and whoever verifies rewards may report them."""
        return role in self.roles or "admin" in self.roles or (role == "reward" and "verify" in self.roles)

    def sees(self, id: int, name: str) -> bool:
        """Whether this token may see an experiment."""
        return self.experiments is None or name in self.experiments or str(id) in self.experiments

    def wait(self) -> float:
        """Returns the seconds until this token may ask again; 0 if now, which is then counted."""
        now = time.monotonic()
        most = max(self.rate, 1.0)  # a rate below 1 still saves up for one request
        self.left = min(most, self.left + (now - self.filled) * self.rate) if self.filled else most
        self.filled = now
        if self.left < 1.0:
            return (1.0 - self.left) / self.rate
        self.left -= 1.0
        return 0.0

    def charge(self, more: int) -> None:
        """Count what one request asks for beyond the first decision or reward; later requests wait until it is paid."""
        self.left -= more


LOCAL = Token("local", frozenset(["admin"]), rate=float("inf"))  # without a token file: whoever is on this machine


class Tokens:
    """The tokens of a file, read again whenever it changes."""

    def __init__(self, path: Path | str | None) -> None:
        self.path = None if path is None else Path(path)
        self.open = path is None  # everybody on this machine may do everything
        self.by_hash: dict[bytes, Token] = {}
        self.stamp: tuple[float, int] = (0.0, 0)
        self.refresh()

    def refresh(self) -> None:
        """Read the file if it has changed."""
        if self.path is None:
            return
        try:
            status = os.stat(self.path)
            stamp = (status.st_mtime, status.st_size)
            if stamp == self.stamp:
                return
        except OSError as error:
            raise InputError(f"the token file {str(self.path)!r} cannot be read: {error.strerror}") from error
        tokens = read_tokens(read_text(self.path), str(self.path))
        self.by_hash, self.stamp = tokens, stamp

    def find(self, secret: bytes) -> Token | None:
        """Returns whose token this is; looked up by its hash, so that the time it takes says nothing of the secret."""
        return self.by_hash.get(sha256(secret).digest())


def read_text(path: Path) -> str:
    """Returns the text of a token file. Raises InputError, in which nothing of the text stands."""
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"the token file {str(path)!r} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        place = error.object[: error.start].count(b"\n") + 1
        raise InputError(f"the token file {str(path)!r} is no UTF-8 text: see line {place}") from None


def read_tokens(text: str, where: str) -> dict[bytes, Token]:
    """Returns tokens by hash. Raises InputError, with the line."""
    tokens: dict[bytes, Token] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.split()
        if not words or words[0].startswith("#"):
            continue
        try:
            name, roles, digest, *rest = words
            options = dict(word.split("=", 1) for word in rest)
            token = Token(name, check_roles(roles))
            if "experiments" in options:
                token.experiments = frozenset(options.pop("experiments").split(","))
            token.rate = float(options.pop("rate", RATE))
            raw = bytes.fromhex(digest)
            if options or len(raw) != 32 or not is_rate(token.rate) or "/" in name:
                raise ValueError
        except InputError as error:  # it says more than the line's form
            raise InputError(f"{where}, line {number}: {error}") from error
        except ValueError as error:
            raise InputError(
                f"{where}, line {number}: it must read `name roles hash [experiments=] [rate=]`"
            ) from error
        tokens[raw] = token
    return tokens


def is_rate(rate: float) -> bool:
    """Whether a token may have a rate, in requests per second."""
    return SLOWEST <= rate < math.inf


def check_roles(text: str) -> frozenset[str]:
    """Returns roles from text with commas between them. Raises InputError."""
    roles = frozenset(text.split(","))
    for role in roles - set(ROLES):
        raise unknown("role", role, ROLES)
    return roles


def new_token(path: Path | str, name: str, roles: str, experiments: str = "", rate: float | None = None) -> str:
    """Returns a new token, and adds its hash to the file. Raises InputError."""
    check_roles(roles)
    if not name or not name.isprintable() or any(letter in " /#" for letter in name):
        raise InputError(f"a token's name must be one word without / and #, not {name!r}")
    if experiments and not re.fullmatch(r"[^\s,#]+(,[^\s,#]+)*", experiments):
        raise InputError(
            "experiments must be names or numbers without spaces and #, with commas between them, "
            f"not {experiments!r}; an experiment with a space in its name is named by its number"
        )
    if rate is not None and not is_rate(rate):
        raise InputError(f"rate must be a number from {SLOWEST:g} on, not {rate:g}")
    old = read_text(Path(path)) if Path(path).exists() else ""
    if any(token.name == name for token in read_tokens(old, str(path)).values()):
        raise InputError(f"a token has the name {name!r} already")
    secret = PREFIX + secrets.token_urlsafe(32)
    words = [name, roles, sha256(secret.encode()).hexdigest()]
    words += [f"experiments={experiments}"] if experiments else []
    words += [f"rate={rate:g}"] if rate else []
    file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    with os.fdopen(file, "w", encoding="utf-8") as out:
        out.write(" ".join(words) + "\n")
    return secret
