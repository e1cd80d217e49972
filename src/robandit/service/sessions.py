"""Who uses the page: a cookie in the browser, its hash here, and what prevents other sites from using it.

Where tokens are on, a session is begun by showing one; it ends after twelve hours, when the person leaves, when the
service starts anew, or when the token goes from its file. Where everybody on this machine may do everything, a session
is only the cookie that a form's secret hangs on.

A form is taken only from this site (Origin) and only with the secret that belongs to the cookie: another site can make
a browser send the form, but can neither read that secret nor send a `SameSite=Strict` cookie.
"""

import hmac
import secrets
import time
from hashlib import blake2b, sha256
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from robandit.service.problems import Problem
from robandit.service.tokens import LOCAL, Token, Tokens

LASTS = 12 * 3600.0
MOST = 1000  # sessions; the oldest goes when there are more
LOGIN = "show a token to see this page"


class Visitor(NamedTuple):
    """Who looks at a page."""

    token: Token
    cookie: str

    @property
    def acts(self) -> bool:
        """Whether the visitor may change things."""
        return self.token.may("admin")


class Sessions:
    """All sessions of a service."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens, self.key = tokens, secrets.token_bytes(32)
        self.by_cookie: dict[bytes, tuple[bytes, float]] = {}  # by the cookie's hash: the token's, and until when

    def begin(self, secret: str) -> str:
        """Returns a cookie for a token that may read. Raises a Problem."""
        token = self.tokens.find(secret.strip().encode())
        if token is None:
            raise Problem(401, "nobody has this token")
        if not token.may("read"):
            raise Problem(403, "this token may not read, so there is nothing to see for it")
        cookie = secrets.token_urlsafe(32)
        while len(self.by_cookie) >= MOST:
            del self.by_cookie[next(iter(self.by_cookie))]
        self.by_cookie[hash_cookie(cookie)] = (sha256(secret.strip().encode()).digest(), time.monotonic() + LASTS)
        return cookie

    def end(self, cookie: str) -> None:
        """Leave."""
        self.by_cookie.pop(hash_cookie(cookie), None)

    def visitor(self, request: Request) -> Visitor:
        """Returns who asks, by the cookie. Raises a Problem where a token is needed first."""
        cookie = request.cookies.get(cookie_name(request), "")
        if self.tokens.open:
            return Visitor(LOCAL, cookie if len(cookie) == 43 else secrets.token_urlsafe(32))
        digest, until = self.by_cookie.get(hash_cookie(cookie), (b"", 0.0))
        token = self.tokens.by_hash.get(digest)
        if token is None or time.monotonic() > until:
            self.end(cookie)
            raise Problem(401, LOGIN)
        return Visitor(token, cookie)

    def form_secret(self, cookie: str) -> str:
        """Returns the secret that a form of the holder of a cookie must have."""
        return blake2b(cookie.encode(), key=self.key, digest_size=24).hexdigest()

    def check_form(self, request: Request, visitor: Visitor, secret: str) -> None:
        """Raises a Problem for a form that is not from a page of this visitor."""
        check_same_site(request)
        cookie = request.cookies.get(cookie_name(request), "")
        if not (cookie and hmac.compare_digest(self.form_secret(cookie).encode(), secret.encode())):
            raise Problem(403, "this form is not from a page of this service, or is too old: go back and try again")


def check_same_site(request: Request) -> None:
    """Raises a Problem for what another site sent, by the headers that a page cannot set."""
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    if origin is None or origin.partition("://")[2] != host:
        raise Problem(403, "forms from other sites are refused")


def set_cookie(request: Request, response: Response, cookie: str) -> None:
    """Set the browser's cookie, or remove it where it is empty."""
    name, safe = cookie_name(request), request.scope["scheme"] == "https"
    age = int(LASTS) if cookie else 0
    response.set_cookie(name, cookie, max_age=age, secure=safe, httponly=True, samesite="strict")


def cookie_name(request: Request) -> str:
    """Returns a name that distinguishes two services of one machine: cookies ignore ports."""
    return f"robandit_{request.scope['server'][1]}"


def hash_cookie(cookie: str) -> bytes:
    """Returns what is stored of a cookie."""
    return sha256(cookie.encode()).digest()
