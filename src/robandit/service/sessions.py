"""Who uses the page: a signed cookie in the browser, and what prevents other sites from using it.

Where tokens are on, a session is begun by showing one; it ends after twelve hours, when the person leaves, or when the
token goes from its file. The key that signs is a process's own, so that a new start ends all sessions; processes that
share a database share the key and a list of those who left, so that each knows the sessions of all. Where everybody on
this machine may do everything, a session is only the cookie that a form's secret hangs on.

A form is taken only from this site (Origin) and only with the secret that belongs to the cookie: another site can make
a browser send the form, but can neither read that secret nor send a `SameSite=Strict` cookie.
"""

import hmac
import secrets
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from hashlib import blake2b, sha256
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from robandit.service.problems import Problem
from robandit.service.tokens import LOCAL, Token, Tokens

LASTS = 12 * 3600.0
MOST = 10_000  # sessions that were left, remembered until they would end
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
    """All sessions of a service; `shared` is the key of processes that share a database."""

    def __init__(self, tokens: Tokens, shared: bytes | None = None) -> None:
        self.tokens, self.key, self.is_shared = tokens, shared or secrets.token_bytes(32), shared is not None
        self.left: dict[str, None] = {}  # cookies, as hashes, of those who left

    def begin(self, secret: str) -> str:
        """Returns a cookie for a token that may read. Raises a Problem."""
        token = self.tokens.find(secret.strip().encode())
        if token is None:
            raise Problem(401, "nobody has this token")
        if not token.may("read"):
            raise Problem(403, "this token may not read, so there is nothing to see for it")
        until = int(time.time() + LASTS).to_bytes(8, "big")
        session = sha256(secret.strip().encode()).digest() + until + secrets.token_bytes(8)
        return urlsafe_b64encode(session + self.sign(session)).decode()

    def sign(self, session: bytes) -> bytes:
        """Returns the signature of a session."""
        return blake2b(session, key=self.key, person=b"session", digest_size=24).digest()

    def end(self, *hashes: str) -> None:
        """End sessions, by the hashes of their cookies."""
        self.left |= dict.fromkeys(hashes)
        while len(self.left) > MOST:
            del self.left[next(iter(self.left))]

    def token_of(self, cookie: str) -> Token | None:
        """Returns the token that a session was begun with; None if it is none, or has ended."""
        try:
            text = urlsafe_b64decode(cookie)
        except ValueError:
            return None
        session, until = text[:-24], int.from_bytes(text[32:40], "big")
        if not hmac.compare_digest(self.sign(session), text[-24:]) or len(session) != 48:
            return None
        if time.time() > until or hash_cookie(cookie) in self.left:
            return None
        return self.tokens.by_hash.get(session[:32])

    def cookie_name(self, request: Request) -> str:
        """Returns a name that distinguishes two services of one machine: cookies ignore ports."""
        own = blake2b(self.key, person=b"name", digest_size=4).hexdigest()
        return f"robandit_{own if self.is_shared else request.scope['server'][1]}"

    def cookie_of(self, request: Request) -> str:
        """Returns the cookie that a browser sent; empty if none."""
        return request.cookies.get(self.cookie_name(request), "")

    def set_cookie(self, request: Request, response: Response, cookie: str) -> None:
        """Set the browser's cookie, or remove it where it is empty."""
        name, safe = self.cookie_name(request), request.scope["scheme"] == "https"
        age = int(LASTS) if cookie else 0
        response.set_cookie(name, cookie, max_age=age, secure=safe, httponly=True, samesite="strict")

    def visitor(self, request: Request) -> Visitor:
        """Returns who asks, by the cookie. Raises a Problem where a token is needed first."""
        cookie = self.cookie_of(request)
        if self.tokens.open:
            return Visitor(LOCAL, cookie if len(cookie) == 43 else secrets.token_urlsafe(32))
        token = self.token_of(cookie)
        if token is None:
            raise Problem(401, LOGIN)
        return Visitor(token, cookie)

    def form_secret(self, cookie: str) -> str:
        """Returns the secret that a form of the holder of a cookie must have."""
        return blake2b(cookie.encode(), key=self.key, digest_size=24).hexdigest()

    def check_form(self, request: Request, visitor: Visitor, secret: str) -> None:
        """Raises a Problem for a form that is not from a page of this visitor."""
        check_same_site(request)
        cookie = self.cookie_of(request)
        if not (cookie and hmac.compare_digest(self.form_secret(cookie).encode(), secret.encode())):
            raise Problem(403, "this form is not from a page of this service, or is too old: go back and try again")


def check_same_site(request: Request) -> None:
    """Raises a Problem for what another site sent, by the headers that a page cannot set."""
    origin, host = request.headers.get("origin"), request.headers.get("host", "")
    if origin is None or origin.partition("://")[2] != host:
        raise Problem(403, "forms from other sites are refused")


def hash_cookie(cookie: str) -> str:
    """Returns what is stored of a cookie."""
    return sha256(cookie.encode()).hexdigest()
