"""Who sits before the page: a cookie in the browser, its hash here, and what keeps other sites from using it.

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
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from robandit.service.problems import Problem
from robandit.service.tokens import LOCAL, Token, Tokens

LASTS = 12 * 3600.0
MOST = 1000  # sessions; the oldest goes when there are more
LOGIN = "show a token to see this page"


class Visitor(NamedTuple):
    """One who looks at a page."""

    token: Token
    cookie: str

    @property
    def acts(self) -> bool:
        """Whether this is one who may change things."""
        return self.token.may("admin")


class Sessions:
    """All sessions of a service."""

    def __init__(self, tokens: Tokens) -> None:
        self.tokens, self.key = tokens, secrets.token_bytes(32)
        self.known: dict[bytes, tuple[bytes, float]] = {}  # by the cookie's hash: the token's, and until when

    def begin(self, secret: str) -> str:
        """A cookie for one who shows a token that may read."""
        found = self.tokens.find(secret.strip().encode())
        if found is None:
            raise Problem(401, "nobody has this token")
        if not found.may("read"):
            raise Problem(403, "this token may not read, so there is nothing to see for it")
        cookie = secrets.token_urlsafe(32)
        while len(self.known) >= MOST:
            del self.known[next(iter(self.known))]
        self.known[hashed(cookie)] = (sha256(secret.strip().encode()).digest(), time.monotonic() + LASTS)
        return cookie

    def end(self, cookie: str) -> None:
        """Leave."""
        self.known.pop(hashed(cookie), None)

    def visitor(self, request: Request) -> Visitor:
        """Who asks, by the cookie; refused where a token was to be shown first."""
        cookie = request.cookies.get(cookie_name(request), "")
        if self.tokens.open:
            return Visitor(LOCAL, cookie if len(cookie) == 43 else secrets.token_urlsafe(32))
        digest, until = self.known.get(hashed(cookie), (b"", 0.0))
        token = self.tokens.known.get(digest)
        if token is None or time.monotonic() > until:
            self.end(cookie)
            raise Problem(401, LOGIN)
        return Visitor(token, cookie)

    def form_secret(self, cookie: str) -> str:
        """What a form must bring along, of one who holds a cookie."""
        return blake2b(cookie.encode(), key=self.key, digest_size=24).hexdigest()

    def check_form(self, request: Request, visitor: Visitor, given: str) -> None:
        """Refuse a form that this site did not give to this visitor."""
        check_same_site(request)
        held = request.cookies.get(cookie_name(request), "")
        if not (held and hmac.compare_digest(self.form_secret(held).encode(), given.encode())):
            raise Problem(403, "this form is not from a page of this service, or is too old: go back and try again")


def check_same_site(request: Request) -> None:
    """Refuse what another site sent, by the headers that a page cannot set."""
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    if origin is None or urlsplit(origin).netloc != host:
        raise Problem(403, "forms from other sites are refused")


def set_cookie(request: Request, response: Response, cookie: str) -> None:
    """Give the browser its cookie, or take it back where it is empty."""
    name, safe = cookie_name(request), request.url.scheme == "https"
    age = int(LASTS) if cookie else 0
    response.set_cookie(name, cookie, max_age=age, secure=safe, httponly=True, samesite="strict")


def cookie_name(request: Request) -> str:
    """Cookies know no ports, so that the name has to tell two services of one machine apart."""
    return f"robandit_{request.scope['server'][1]}"


def hashed(cookie: str) -> bytes:
    """What is kept of a cookie."""
    return sha256(cookie.encode()).digest()
