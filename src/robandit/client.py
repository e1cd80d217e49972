"""A client of the decision service, plain and asynchronous: `pip install 'robandit[client]'`.

    with Client("http://127.0.0.1:8470") as service:
        offers = service.create("offers", ["red", "green"], policy="samba")
        decision = offers.decide(unit="visitor 17")
        offers.reward(decision.id, 1.0, source="visitor 17")

What fails on the way is tried again, for `retry_for` seconds: a decision carries a key, so a retry gets the same one; a
reward is the same however often it is told.
"""

import asyncio
import time
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote
from uuid import uuid4

import httpx

RETRY_FOR = 20.0  # seconds: longer than another process needs to take over from one that died (10 and a few)
AGAIN = (429, 502, 503, 504)
MOVES = 3  # from one process of several to another


class Decision(NamedTuple):
    """What was decided; `probability` is None where the policy has none."""

    id: str
    arm: str
    probability: float | None
    holdout: bool


class ServiceError(Exception):
    """The service said no; `status` and `detail` say why."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(f"{status}: {detail}")
        self.status, self.detail = status, detail


class Ask(NamedTuple):
    """One request, before anything is sent."""

    method: str
    path: str
    body: Any = None
    key: str | None = None


def waits(retry_for: float) -> Iterator[float]:
    """Seconds to wait before each retry: twice as long each time, at most two, and so long in all."""
    waited, wait = 0.0, 0.1
    while waited < retry_for:
        yield wait
        waited, wait = waited + wait, min(2.0 * wait, 2.0)


def told(response: httpx.Response) -> Any:
    """What an answer says, or the error it is."""
    if response.is_success:
        return response.json()
    try:
        detail = response.json()["detail"]
    except (ValueError, KeyError, TypeError):
        detail = response.text[:200]
    raise ServiceError(response.status_code, str(detail))


def decision_from(answer: Any) -> Decision:
    """A decision from its JSON."""
    return Decision(answer["id"], answer["arm"], answer["probability"], answer["holdout"])


def creating(name: str, arms: Sequence[str], policy: str, more: dict[str, Any]) -> Ask:
    """A new experiment."""
    return Ask("POST", "/v1/experiments", {"name": name, "arms": list(arms), "policy": policy, **more})


class Asks:
    """What can be asked of one experiment."""

    def __init__(self, experiment: str | int) -> None:
        self.base = f"/v1/experiments/{quote(str(experiment), safe='')}"

    def decide(self, eligible: Sequence[str] | None, unit: str | None, key: str | None) -> Ask:
        """A decision; a key of its own if none is given, so that it can be asked again."""
        body = {"eligible": None if eligible is None else list(eligible), "unit": unit}
        return Ask("POST", f"{self.base}/decisions", body, key or uuid4().hex)

    def reward(self, id: str, reward: float, source: str | None, part: str | None) -> Ask:
        """A reward."""
        return Ask("PUT", f"{self.base}/decisions/{id}/reward", {"reward": reward, "source": source, "part": part})

    def activate(self, id: str) -> Ask:
        """It was shown."""
        return Ask("POST", f"{self.base}/decisions/{id}/activation")

    def source(self, name: str, change: str, more: dict[str, Any]) -> Ask:
        """What becomes of a source."""
        return Ask("POST", f"{self.base}/sources/{quote(name, safe='')}", {"change": change, **more})


class Client:
    """The service at an address."""

    def __init__(self, url: str, token: str | None = None, timeout: float = 10.0, retry_for: float = RETRY_FOR) -> None:
        self.retry_for = retry_for
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self.http = httpx.Client(base_url=url, headers=headers, timeout=timeout)

    def once(self, ask: Ask) -> httpx.Response:
        """Ask once, or where another process serves; with the token, which a redirect of httpx would leave behind."""
        headers, path = {} if ask.key is None else {"idempotency-key": ask.key}, ask.path
        for _ in range(MOVES):
            response = self.http.request(ask.method, path, json=ask.body, headers=headers)
            if response.status_code != 307:
                break
            path = response.headers["location"]
        return response

    def send(self, ask: Ask) -> Any:
        """Ask, again if need be."""
        for wait in waits(self.retry_for):
            try:
                response = self.once(ask)
                if response.status_code not in AGAIN:
                    return told(response)
            except httpx.TransportError:
                pass
            time.sleep(wait)
        return told(self.once(ask))

    def create(self, name: str, arms: Sequence[str], policy: str = "samba", **more: Any) -> "ExperimentClient":
        """Begin an experiment; `more` are the other fields of the request, such as rules."""
        return self.experiment(self.send(creating(name, arms, policy, more))["id"])

    def experiment(self, id: str | int) -> "ExperimentClient":
        """An experiment that exists, by id or name."""
        return ExperimentClient(self, id)

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: Any) -> None:
        self.http.close()


class ExperimentClient:
    """One experiment of a service."""

    def __init__(self, client: Client, id: str | int) -> None:
        self.client, self.asks = client, Asks(id)

    def decide(
        self, eligible: Sequence[str] | None = None, *, unit: str | None = None, key: str | None = None
    ) -> Decision:
        """Choose an arm."""
        return decision_from(self.client.send(self.asks.decide(eligible, unit, key)))

    def reward(self, id: str, reward: float, source: str | None = None, part: str | None = None) -> bool:
        """Tell what a decision earned; False if it was told before."""
        return bool(self.client.send(self.asks.reward(id, reward, source, part))["new"])

    def activate(self, id: str) -> bool:
        """Say that a decision was shown."""
        return bool(self.client.send(self.asks.activate(id))["new"])

    def source(self, name: str, change: str, **more: Any) -> None:
        """Quarantine, release, cap or weigh a source."""
        self.client.send(self.asks.source(name, change, more))

    def about(self) -> dict[str, Any]:
        """The experiment as it stands."""
        found: dict[str, Any] = self.client.send(Ask("GET", self.asks.base))
        return found


class AsyncClient:
    """The service at an address, for programs with an event loop."""

    def __init__(self, url: str, token: str | None = None, timeout: float = 10.0, retry_for: float = RETRY_FOR) -> None:
        self.retry_for = retry_for
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        self.http = httpx.AsyncClient(base_url=url, headers=headers, timeout=timeout)

    async def once(self, ask: Ask) -> httpx.Response:
        """Ask once, or where another process serves; with the token, which a redirect of httpx would leave behind."""
        headers, path = {} if ask.key is None else {"idempotency-key": ask.key}, ask.path
        for _ in range(MOVES):
            response = await self.http.request(ask.method, path, json=ask.body, headers=headers)
            if response.status_code != 307:
                break
            path = response.headers["location"]
        return response

    async def send(self, ask: Ask) -> Any:
        """Ask, again if need be."""
        for wait in waits(self.retry_for):
            try:
                response = await self.once(ask)
                if response.status_code not in AGAIN:
                    return told(response)
            except httpx.TransportError:
                pass
            await asyncio.sleep(wait)
        return told(await self.once(ask))

    async def create(self, name: str, arms: Sequence[str], policy: str = "samba", **more: Any) -> "AsyncExperiment":
        """Begin an experiment."""
        return self.experiment((await self.send(creating(name, arms, policy, more)))["id"])

    def experiment(self, id: str | int) -> "AsyncExperiment":
        """An experiment that exists, by id or name."""
        return AsyncExperiment(self, id)

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *error: Any) -> None:
        await self.http.aclose()


class AsyncExperiment:
    """One experiment of a service."""

    def __init__(self, client: AsyncClient, id: str | int) -> None:
        self.client, self.asks = client, Asks(id)

    async def decide(
        self, eligible: Sequence[str] | None = None, *, unit: str | None = None, key: str | None = None
    ) -> Decision:
        """Choose an arm."""
        return decision_from(await self.client.send(self.asks.decide(eligible, unit, key)))

    async def reward(self, id: str, reward: float, source: str | None = None, part: str | None = None) -> bool:
        """Tell what a decision earned; False if it was told before."""
        return bool((await self.client.send(self.asks.reward(id, reward, source, part)))["new"])

    async def activate(self, id: str) -> bool:
        """Say that a decision was shown."""
        return bool((await self.client.send(self.asks.activate(id)))["new"])

    async def about(self) -> dict[str, Any]:
        """The experiment as it stands."""
        found: dict[str, Any] = await self.client.send(Ask("GET", self.asks.base))
        return found
