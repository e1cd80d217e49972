"""A refusal of the service: one sentence, as problem details (RFC 9457)."""

import msgspec

TITLES = {
    307: "Temporary Redirect",
    400: "Bad Request",
    401: "Unauthorized",
    403: "Forbidden",
    404: "Not Found",
    405: "Method Not Allowed",
    408: "Request Timeout",
    409: "Conflict",
    410: "Gone",
    413: "Content Too Large",
    415: "Unsupported Media Type",
    421: "Misdirected Request",
    422: "Unprocessable Content",
    429: "Too Many Requests",
    431: "Request Header Fields Too Large",
    500: "Internal Server Error",
    503: "Service Unavailable",
}
MEDIA = "application/problem+json"


class Details(msgspec.Struct):
    """The body of every answer that is not a success."""

    title: str
    status: int
    detail: str
    type: str = "about:blank"


class Problem(Exception):
    """A request that is refused; it changed nothing."""

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.detail, self.headers = status, detail, headers or {}

    def headers_at(self, target: str) -> dict[str, str]:
        """Returns the headers of the answer to a request for a path."""
        return self.headers

    def body(self) -> bytes:
        """Returns the body as JSON."""
        return msgspec.json.encode(Details(TITLES[self.status], self.status, self.detail))


class Moved(Problem):
    """The same request belongs to another process."""

    def __init__(self, name: str, address: str) -> None:
        super().__init__(307, f"the experiment {name!r} is served at {address}")
        self.address = address

    def headers_at(self, target: str) -> dict[str, str]:
        """Returns where the same path is served."""
        return {"location": f"{self.address}{target}"}
