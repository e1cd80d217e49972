"""Everything beside the table of verbs: health, metrics, the OpenAPI document."""

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import BaseRoute
from starlette.routing import Route as Path

from robandit.service import messages as say
from robandit.service.app import reply
from robandit.service.service import Service


def pages(service: Service) -> list[BaseRoute]:
    """All of them."""

    async def health(request: Request) -> Response:
        """Whether the service can answer."""
        broken = service.writer.error is not None or not service.ownership.fresh
        status = "failed" if broken else "stopping" if service.stopping else "ok"
        told = say.Health(
            status,
            len(service.engine.experiments),
            round(1000 * service.writer.seconds, 3),
            round(service.sync_ms, 3),
            service.notes,
        )
        return reply(200 if status == "ok" else 503, told)

    async def metrics(request: Request) -> Response:
        """Counters in Prometheus' text format."""
        return PlainTextResponse("", media_type="text/plain; version=0.0.4")

    return [Path("/healthz", health), Path("/metrics", metrics)]
