"""A client of the decision service, plain and asynchronous: `pip install '.[client]'` in a clone.

    with Client("http://127.0.0.1:8470") as service:
        offers = service.create("offers", ["red", "green"], policy="samba")
        decision = offers.decide(unit="visitor 17")
        offers.reward(decision.id, 1.0, source="visitor 17")

What fails on the way is tried again for `retry_for` seconds: a decision carries a key, so a retry gets the same one; a
reward counts once however often it is sent.
"""

import asyncio
import time
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote
from uuid import uuid4

from robandit.errors import InputError
from robandit.extras import missing_extra

try:
    import httpx
except ModuleNotFoundError as error:
    raise missing_extra(error, "the client") or error from error

RETRY_FOR = 20.0  # seconds: longer than another process needs to take over from one that died (10 and a few)
AGAIN = (429, 502, 503, 504)
MOVES = 3  # from one process of several to another


class ServedDecision(NamedTuple):
    """A decision; `probability` is None where the policy has none, `check` asks for a verified reward."""

    id: str
    arm: str
    probability: float | None
    holdout: bool
    check: bool = False


class ServiceError(Exception):
    """The service refused; `status` and `detail` say why."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"{status}: {detail}")
        self.status, self.detail = status, detail


class ServiceRequest(NamedTuple):
    """One request, before anything is sent."""

    method: str
    path: str
    body: Any = None
    key: str | None = None


def waits(retry_for: float) -> Iterator[float]:
    """Yields the seconds to wait before each retry: twice as long each time, at most two, `retry_for` in all."""
    waited, wait = 0.0, 0.1
    while waited < retry_for:
        yield wait
        waited, wait = waited + wait, min(2.0 * wait, 2.0)


def checked_address(url: str) -> str:
    """Returns the address of a service. Raises InputError for what is none."""
    if not url.startswith(("http://", "https://")):
        raise InputError(f"a service has an address such as http://127.0.0.1:8470, not {url!r}")
    return url


def no_answer(url: httpx.URL, error: httpx.TransportError) -> ConnectionError:
    """Returns an error that says where nothing answered."""
    where = str(url).rstrip("/")
    return ConnectionError(f"nothing answers at {where}: is `robandit serve` running, and at this port? ({error})")


def read_reply(response: httpx.Response) -> Any:
    """Returns the body of a success. Raises ServiceError for a refusal."""
    if response.is_success:
        return response.json()
    try:
        detail = response.json()["detail"]
    except (ValueError, KeyError, TypeError):
        detail = response.text[:200]
    raise ServiceError(response.status_code, str(detail))


def read_decision(body: Any) -> ServedDecision:
    """Returns a decision from its JSON."""
    return ServedDecision(body["id"], body["arm"], body["probability"], body["holdout"], body.get("check", False))


def creation(name: str, arms: Sequence[str], policy: str, more: dict[str, Any]) -> ServiceRequest:
    """Returns the request for a new experiment."""
    return ServiceRequest("POST", "/v1/experiments", {"name": name, "arms": list(arms), "policy": policy, **more})


class ExperimentRequests:
    """The requests to one experiment."""

    def __init__(self, experiment: str | int) -> None:
        self.base = f"/v1/experiments/{quote(str(experiment), safe='')}"

    def decide(
        self,
        eligible: Sequence[str] | None,
        unit: str | None,
        key: str | None,
        source: str | None,
        context: Mapping[str, Any] | None,
    ) -> ServiceRequest:
        """For a decision; with a new key if there is none, so that it can be sent again."""
        body: dict[str, Any] = {"eligible": None if eligible is None else list(eligible), "unit": unit}
        body |= {} if context is None else {"context": dict(context)}
        body |= {} if source is None else {"source": source}
        return ServiceRequest("POST", f"{self.base}/decisions", body, key or uuid4().hex)

    def reward(self, id: str, reward: float, source: str | None, part: str | None, verified: bool) -> ServiceRequest:
        """For a reward."""
        body = {"reward": reward, "source": source, "part": part, **({"verified": True} if verified else {})}
        return ServiceRequest("PUT", f"{self.base}/decisions/{id}/reward", body)

    def guard(self, id: str, value: float) -> ServiceRequest:
        """For the second metric of a decision."""
        return ServiceRequest("PUT", f"{self.base}/decisions/{id}/guardrail", {"value": value})

    def activate(self, id: str) -> ServiceRequest:
        """For a decision that was shown."""
        return ServiceRequest("POST", f"{self.base}/decisions/{id}/activation")

    def source(self, name: str, change: str, more: dict[str, Any]) -> ServiceRequest:
        """For a change of a source."""
        return ServiceRequest("POST", f"{self.base}/sources/{quote(name, safe='')}", {"change": change, **more})

    def arm(self, name: str, change: str) -> ServiceRequest:
        """For a change of an arm."""
        return ServiceRequest("PATCH", f"{self.base}/arms/{quote(name, safe='')}", {"change": change})

    def breaker(self, change: str) -> ServiceRequest:
        """For stopping to learn, and going on."""
        return ServiceRequest("POST", f"{self.base}/breaker", {"change": change})

    def what_if(self, sources: Sequence[str]) -> ServiceRequest:
        """For the experiment without some sources."""
        return ServiceRequest("POST", f"{self.base}/what-if", {"sources": list(sources)})

    def watch(self, method: str = "GET") -> ServiceRequest:
        """For what the last audit found, or for another one (POST)."""
        return ServiceRequest(method, f"{self.base}/watch")


class Client:
    """The service at an address."""

    def __init__(self, url: str, token: str | None = None, timeout: float = 10.0, retry_for: float = RETRY_FOR) -> None:
        self.retry_for = retry_for
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self.http = httpx.Client(base_url=checked_address(url), headers=headers, timeout=timeout)

    def once(self, request: ServiceRequest) -> httpx.Response:
        """Send once, also to where another process serves: with the token, which httpx's redirects leave out."""
        headers, path = {} if request.key is None else {"idempotency-key": request.key}, request.path
        for _ in range(MOVES):
            response = self.http.request(request.method, path, json=request.body, headers=headers)
            if response.status_code != 307:
                break
            path = response.headers["location"]
        return response

    def send(self, request: ServiceRequest) -> Any:
        """Send, again if need be; returns the reply. Raises ServiceError, or ConnectionError where nothing answers."""
        for wait in waits(self.retry_for):
            try:
                response = self.once(request)
                if response.status_code not in AGAIN:
                    return read_reply(response)
            except httpx.TransportError:
                pass
            time.sleep(wait)
        try:
            return read_reply(self.once(request))
        except httpx.TransportError as error:
            raise no_answer(self.http.base_url, error) from error

    def create(self, name: str, arms: Sequence[str], policy: str = "samba", **more: Any) -> "ExperimentClient":
        """Begin an experiment; `more` are the other fields of the request, such as rules."""
        return self.experiment(self.send(creation(name, arms, policy, more))["id"])

    def experiment(self, id: str | int) -> "ExperimentClient":
        """Returns an experiment that exists, by id or name."""
        return ExperimentClient(self, id)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: Any) -> None:
        self.http.close()


class ExperimentClient:
    """One experiment of a service."""

    def __init__(self, client: Client, id: str | int) -> None:
        self.client, self.requests = client, ExperimentRequests(id)

    def decide(
        self,
        eligible: Sequence[str] | None = None,
        *,
        unit: str | None = None,
        key: str | None = None,
        source: str | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> ServedDecision:
        """Choose an arm; `source` says who will report, `context` who comes, where features were declared."""
        return read_decision(self.client.send(self.requests.decide(eligible, unit, key, source, context)))

    def reward(
        self, id: str, reward: float, source: str | None = None, part: str | None = None, *, verified: bool = False
    ) -> bool:
        """Report what a decision earned; returns False if that was reported before.

        `verified` says that you made sure of it; the token needs the role verify.
        """
        request = self.requests.reward(id, reward, source, part, verified)
        return bool(self.client.send(request)["new"])

    def guard(self, id: str, value: float) -> bool:
        """Report the second metric of a decision, the guardrail; returns False if that was reported before."""
        return bool(self.client.send(self.requests.guard(id, value))["new"])

    def activate(self, id: str) -> bool:
        """Report that a decision was shown; returns False if that was reported before."""
        return bool(self.client.send(self.requests.activate(id))["new"])

    def source(self, name: str, change: str, **more: Any) -> None:
        """Quarantine, release, cap or weigh a source."""
        self.client.send(self.requests.source(name, change, more))

    def arm(self, name: str, change: str) -> None:
        """Pause, resume or retire an arm (`change` is paused, resumed or retired)."""
        self.client.send(self.requests.arm(name, change))

    def breaker(self, change: str) -> None:
        """Stop learning (`change` is tripped), or go on (released)."""
        self.client.send(self.requests.breaker(change))

    def what_if(self, sources: Sequence[str]) -> dict[str, Any]:
        """Returns the experiment now, and then without some sources."""
        reply: dict[str, Any] = self.client.send(self.requests.what_if(sources))
        return reply

    def watch(self) -> dict[str, Any]:
        """Returns what the last audit found."""
        reply: dict[str, Any] = self.client.send(self.requests.watch())
        return reply

    def look(self, wait: float = 300.0) -> dict[str, Any]:
        """Audit now, at the lowest priority, and return what it found. Raises TimeoutError after so many seconds."""
        about, ends = self.about(), time.monotonic() + wait
        lines = about["lines"] if about["rewards"] else 0  # nothing is audited before the first reward
        self.client.send(self.requests.watch("POST"))
        while (reply := self.watch())["line"] < lines:
            if time.monotonic() > ends:
                raise TimeoutError(f"the audit has not come as far as line {lines:,} within {wait:g} seconds")
            time.sleep(0.1)
        return reply

    def about(self) -> dict[str, Any]:
        """Returns the experiment as it stands."""
        reply: dict[str, Any] = self.client.send(ServiceRequest("GET", self.requests.base))
        return reply


class AsyncClient:
    """The service at an address, for programs with an event loop."""

    def __init__(self, url: str, token: str | None = None, timeout: float = 10.0, retry_for: float = RETRY_FOR) -> None:
        self.retry_for = retry_for
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self.http = httpx.AsyncClient(base_url=checked_address(url), headers=headers, timeout=timeout)

    async def once(self, request: ServiceRequest) -> httpx.Response:
        """Send once, also to where another process serves: with the token, which httpx's redirects leave out."""
        headers, path = {} if request.key is None else {"idempotency-key": request.key}, request.path
        for _ in range(MOVES):
            response = await self.http.request(request.method, path, json=request.body, headers=headers)
            if response.status_code != 307:
                break
            path = response.headers["location"]
        return response

    async def send(self, request: ServiceRequest) -> Any:
        """Send, again if need be; returns the reply. Raises ServiceError, or ConnectionError where nothing answers."""
        for wait in waits(self.retry_for):
            try:
                response = await self.once(request)
                if response.status_code not in AGAIN:
                    return read_reply(response)
            except httpx.TransportError:
                pass
            await asyncio.sleep(wait)
        try:
            return read_reply(await self.once(request))
        except httpx.TransportError as error:
            raise no_answer(self.http.base_url, error) from error

    async def create(self, name: str, arms: Sequence[str], policy: str = "samba", **more: Any) -> "AsyncExperiment":
        """Begin an experiment."""
        return self.experiment((await self.send(creation(name, arms, policy, more)))["id"])

    def experiment(self, id: str | int) -> "AsyncExperiment":
        """Returns an experiment that exists, by id or name."""
        return AsyncExperiment(self, id)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.http.aclose()


class AsyncExperiment:
    """One experiment of a service."""

    def __init__(self, client: AsyncClient, id: str | int) -> None:
        self.client, self.requests = client, ExperimentRequests(id)

    async def decide(
        self,
        eligible: Sequence[str] | None = None,
        *,
        unit: str | None = None,
        key: str | None = None,
        source: str | None = None,
        context: Mapping[str, Any] | None = None,
    ) -> ServedDecision:
        """Choose an arm; `source` says who will report, `context` who comes, where features were declared."""
        return read_decision(await self.client.send(self.requests.decide(eligible, unit, key, source, context)))

    async def reward(
        self, id: str, reward: float, source: str | None = None, part: str | None = None, *, verified: bool = False
    ) -> bool:
        """Report what a decision earned; returns False if that was reported before.

        `verified` says that you made sure of it; the token needs the role verify.
        """
        request = self.requests.reward(id, reward, source, part, verified)
        return bool((await self.client.send(request))["new"])

    async def guard(self, id: str, value: float) -> bool:
        """Report the second metric of a decision, the guardrail; returns False if that was reported before."""
        return bool((await self.client.send(self.requests.guard(id, value)))["new"])

    async def activate(self, id: str) -> bool:
        """Report that a decision was shown; returns False if that was reported before."""
        return bool((await self.client.send(self.requests.activate(id)))["new"])

    async def source(self, name: str, change: str, **more: Any) -> None:
        """Quarantine, release, cap or weigh a source."""
        await self.client.send(self.requests.source(name, change, more))

    async def arm(self, name: str, change: str) -> None:
        """Pause, resume or retire an arm (`change` is paused, resumed or retired)."""
        await self.client.send(self.requests.arm(name, change))

    async def breaker(self, change: str) -> None:
        """Stop learning (`change` is tripped), or go on (released)."""
        await self.client.send(self.requests.breaker(change))

    async def what_if(self, sources: Sequence[str]) -> dict[str, Any]:
        """Returns the experiment now, and then without some sources."""
        reply: dict[str, Any] = await self.client.send(self.requests.what_if(sources))
        return reply

    async def watch(self) -> dict[str, Any]:
        """Returns what the last audit found."""
        reply: dict[str, Any] = await self.client.send(self.requests.watch())
        return reply

    async def look(self, wait: float = 300.0) -> dict[str, Any]:
        """Audit now, at the lowest priority, and return what it found. Raises TimeoutError after so many seconds."""
        about, ends = await self.about(), time.monotonic() + wait
        lines = about["lines"] if about["rewards"] else 0  # nothing is audited before the first reward
        await self.client.send(self.requests.watch("POST"))
        while (reply := await self.watch())["line"] < lines:
            if time.monotonic() > ends:
                raise TimeoutError(f"the audit has not come as far as line {lines:,} within {wait:g} seconds")
            await asyncio.sleep(0.1)
        return reply

    async def about(self) -> dict[str, Any]:
        """Returns the experiment as it stands."""
        reply: dict[str, Any] = await self.client.send(ServiceRequest("GET", self.requests.base))
        return reply
