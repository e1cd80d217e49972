"""Send somebody else's program events: alarms, stopped learning, quarantines, a service that is degraded.

Acts are read from the journals, so that each is sent at least once, whatever dies meanwhile: the database remembers the
last line that was delivered, and which alarms were. No request waits for it. An event is a CloudEvent in JSON, signed
as Standard Webhooks are: HMAC-SHA256 over its id, the time and the body.
"""

import asyncio
import base64
import hmac
import json
import secrets
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPException
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from robandit.errors import InputError
from robandit.service.experiment import Experiment
from robandit.service.stores.base import Unreachable

if TYPE_CHECKING:
    from robandit.service.service import Service

EVERY = 1.0  # seconds between two searches for news
FIRST, LONGEST = 1.0, 300.0  # seconds before a delivery is tried again: at first, and at most
TIMEOUT = 10.0  # seconds of one delivery
NAMED = 20  # sources named in an event
DEGRADED = b"degraded"  # in the database, while the other program was sent no recovery
SENT = ("breaker", "source")  # kinds of entries that become events


class NotDelivered(Exception):
    """The other program did not take an event."""


@dataclass(frozen=True)
class Receiver:
    """The program that gets the events."""

    url: str
    secret: bytes

    def __post_init__(self) -> None:
        """Raises InputError for an address that is none."""
        try:
            parts = urlsplit(self.url)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:  # brackets without an end, a port that is no number
            is_address = False
        if not is_address or not self.url.isascii() or not self.url.isprintable() or " " in self.url:
            raise InputError(f"a webhook must be an address such as https://HOST/PATH, not {self.url!r}")
        if len(self.secret) < 16:
            raise InputError(f"a webhook's secret must have at least 16 bytes, not {len(self.secret)}")

    def headers(self, id: str, body: bytes, now: int) -> dict[str, str]:
        """Returns the headers of one delivery, with its signature."""
        digest = hmac.digest(self.secret, f"{id}.{now}.".encode() + body, "sha256")
        return {
            "content-type": "application/cloudevents+json",
            "webhook-id": id,
            "webhook-timestamp": str(now),
            "webhook-signature": f"v1,{base64.b64encode(digest).decode()}",
            "user-agent": "robandit",
        }

    def deliver(self, event: dict[str, Any]) -> None:
        """Send an event once. Raises NotDelivered unless the answer is a success."""
        body = json.dumps(event, ensure_ascii=False).encode()
        request = Request(self.url, body, self.headers(event["id"], body, int(time.time())), method="POST")
        try:
            with build_opener(NoRedirect).open(request, timeout=TIMEOUT) as response:
                response.read(1024)
        except HTTPError as error:
            error.close()
            raise NotDelivered(f"it answered {error.code}") from error
        except (OSError, HTTPException) as error:
            raise NotDelivered(str(getattr(error, "reason", error)) or type(error).__name__) from error


class NoRedirect(HTTPRedirectHandler):
    """An event goes to the address that was given, and to no other."""

    def redirect_request(self, *_: Any) -> None:
        """Follow nobody."""


@dataclass
class DeliveryMark:
    """What was delivered of one experiment."""

    line: int = 0  # of its journal
    alarms: list[str] = field(default_factory=list)  # that rang when they were last sent

    @property
    def body(self) -> bytes:
        """Returns it as the database has it."""
        return json.dumps({"line": self.line, "alarms": self.alarms}).encode()


@dataclass
class Webhook:
    """All deliveries of a service."""

    service: "Service"
    receiver: Receiver
    marks: dict[int, DeliveryMark] = field(default_factory=dict)  # by experiment
    was_degraded: bool | None = None  # when the other program was last sent word; None: that is still to be read

    async def run(self) -> None:
        """Deliver what is new, rest, repeat."""
        while True:
            await asyncio.sleep(EVERY)
            await self.deliver_degraded()
            for experiment in list(self.service.engine.experiments.values()):
                if self.service.ownership.holds(experiment.id):
                    try:
                        await self.deliver_experiment(experiment)
                    except Unreachable:
                        break  # the database is away, and what is new stays new

    async def deliver_degraded(self) -> None:
        """Send word when the service becomes degraded, and when it is well again."""
        store = self.service.store
        key = "webhook/degraded" if store.leased is None else f"webhook/degraded/{store.leased.address}"
        if self.was_degraded is None:
            with suppress(Unreachable):
                self.was_degraded = await asyncio.to_thread(store.meta, key, b"") == DEGRADED
        problems = self.service.supervisor.problems
        if bool(problems) != bool(self.was_degraded):
            kind, data = "degraded" if problems else "recovered", {"problems": problems}
            await self.deliver(self.event(kind, secrets.token_hex(16), None, data, time.time()))
            self.was_degraded = bool(problems)
            with suppress(Unreachable):  # it may be the database that is away: then a restart sends no recovery
                await asyncio.to_thread(store.replace_meta, key, DEGRADED if problems else b"")

    async def deliver_experiment(self, experiment: Experiment) -> None:
        """Send what is new in one experiment."""
        store, key = self.service.store, f"webhook/{experiment.id}"
        mark = self.marks.get(experiment.id)
        if mark is None:
            stored = await asyncio.to_thread(store.meta, key, DeliveryMark().body)
            mark = self.marks[experiment.id] = DeliveryMark(**json.loads(stored))
        if experiment.acts and experiment.acts[-1][0] > mark.line:
            last = experiment.acts[-1][0]
            await self.service.writer.commit([])  # only what is durable is sent
            for line, body in await asyncio.to_thread(lambda: list(store.lines(experiment.id, mark.line, acts=True))):
                event = self.act_event(experiment, line, json.loads(body))
                if event is not None:
                    await self.deliver(event)
                mark.line = line
                await asyncio.to_thread(store.replace_meta, key, mark.body)
            mark.line = max(mark.line, last)
        audit = self.service.watch.audits.get(experiment.id)
        if audit is not None and audit.alarms != mark.alarms:
            new = [name for name in audit.alarms if name not in mark.alarms]
            if new:
                data = {"alarms": audit.alarms, "new": new, **named(audit.flagged), "line": audit.line}
                id = f"alarm-{experiment.id}-{audit.line}"
                await self.deliver(self.event("alarm", id, experiment, data, audit.time))
            mark.alarms = audit.alarms
            await asyncio.to_thread(store.replace_meta, key, mark.body)

    def act_event(self, experiment: Experiment, line: int, entry: dict[str, Any]) -> dict[str, Any] | None:
        """Returns an operator's act, or the watch's, as an event; None for one that is not sent."""
        if entry["entry"] not in SENT:
            return None
        data = {name: value for name, value in entry.items() if name not in ("entry", "time")}
        kind = f"{entry['entry']}.{entry['change']}"
        return self.event(kind, f"act-{experiment.id}-{line}", experiment, {**data, "line": line}, entry.get("time"))

    def event(
        self, kind: str, id: str, experiment: Experiment | None, data: dict[str, Any], when: float | None
    ) -> dict[str, Any]:
        """Returns a CloudEvent."""
        event = {"specversion": "1.0", "id": id, "source": "robandit", "type": f"robandit.{kind}"}
        if experiment is not None:
            event |= {"source": f"robandit/experiments/{experiment.id}", "subject": experiment.name}
        if when is not None:
            event["time"] = datetime.fromtimestamp(when, UTC).isoformat().replace("+00:00", "Z")
        return event | {"datacontenttype": "application/json", "data": data}

    async def deliver(self, event: dict[str, Any]) -> None:
        """Send an event until it is taken, each time a little later."""
        for pause in pauses():
            try:
                await asyncio.to_thread(self.receiver.deliver, event)
            except NotDelivered as error:
                self.service.supervisor.note("webhook", f"an event could not be delivered: {error}")
                await asyncio.sleep(pause)
            else:
                self.service.supervisor.note("webhook", "")
                return


def named(sources: list[str]) -> dict[str, Any]:
    """Returns some sources by name, and how many there are."""
    return {"flagged": len(sources), "sources": sources[:NAMED]}


def pauses() -> Iterator[float]:
    """Yields the seconds before each retry: twice as long each time, up to the longest."""
    pause = FIRST
    while True:
        yield pause
        pause = min(2.0 * pause, LONGEST)
