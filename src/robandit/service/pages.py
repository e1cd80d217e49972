"""Everything beside the verbs: health, metrics, export, the OpenAPI document."""

from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from robandit.errors import InputError
from robandit.service.app import NO_STORE, guard, reply
from robandit.service.dashboard import dashboard
from robandit.service.export import ROLES, check_format, export_experiment
from robandit.service.messages import Health
from robandit.service.metrics import all_families, write_metrics
from robandit.service.openapi import document
from robandit.service.problems import Problem
from robandit.service.service import Service


def pages(service: Service) -> list[BaseRoute]:
    """Returns all of them."""

    async def health(request: Request) -> Response:
        """Whether the service can answer."""
        broken = service.writer.error is not None or not service.ownership.fresh
        problems = service.supervisor.problems
        status = (
            "failed"
            if broken
            else "stopping"
            if service.stopping or service.leaving
            else "degraded"
            if problems
            else "ok"
        )
        commit, sync = round(1000 * service.writer.seconds, 3), round(service.sync_ms, 3)
        body = Health(status, len(service.engine.experiments), commit, sync, service.notes + problems)
        return reply(200 if status in ("ok", "degraded") else 503, body)

    async def metrics(request: Request, token: Any, experiment: Any) -> Response:
        """Counters in Prometheus' text format."""
        text = "\n".join(write_metrics(all_families(service, token))) + "\n"
        return PlainTextResponse(text, headers=NO_STORE, media_type="text/plain; version=0.0.4")

    async def export(request: Request, token: Any, experiment: Any) -> Response:
        """A file, written as it is read."""
        format, unrewarded = request.query_params.get("format", "csv"), request.query_params.get("unrewarded", "false")
        try:
            media = check_format(format)
        except InputError as error:
            raise Problem(422, str(error)) from error
        if not token.may(ROLES.get(format, "read")):
            raise Problem(403, f"a {format} has the seed of all decisions: this token lacks the role {ROLES[format]!r}")
        if unrewarded not in ("true", "false"):
            raise Problem(422, f"unrewarded must be true or false, not {unrewarded!r}")
        await service.writer.commit([])  # what was answered is in the file
        pieces = export_experiment(service.store, experiment.id, format, unrewarded == "true")
        name = f"experiment-{experiment.id}.{format}"
        headers = NO_STORE | {"content-disposition": f'attachment; filename="{name}"'}
        return await service.exports.respond(token, pieces, headers, media)

    async def openapi(request: Request) -> Response:
        """The document."""
        return JSONResponse(document())

    return [
        Route("/healthz", health),
        Route("/metrics", guard(service, "read", metrics)),
        Route("/openapi.json", openapi),
        Route("/v1/experiments/{experiment}/export", guard(service, "read", export)),
        *dashboard(service),
    ]
