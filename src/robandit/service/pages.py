"""Everything beside the verbs: health, metrics, export, the OpenAPI document."""

from collections.abc import Callable, Iterator
from typing import Any

from starlette.concurrency import iterate_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from robandit.errors import InputError
from robandit.service.app import guard, reply
from robandit.service.dashboard import dashboard
from robandit.service.experiment import Experiment
from robandit.service.export import check_format, export_experiment
from robandit.service.messages import Health
from robandit.service.openapi import document
from robandit.service.problems import Problem
from robandit.service.service import Service


def pages(service: Service) -> list[BaseRoute]:
    """Returns all of them."""

    async def health(request: Request) -> Response:
        """Whether the service can answer."""
        broken = service.writer.error is not None or not service.ownership.fresh
        problems = service.supervisor.problems
        status = "failed" if broken else "stopping" if service.stopping else "degraded" if problems else "ok"
        commit, sync = round(1000 * service.writer.seconds, 3), round(service.sync_ms, 3)
        body = Health(status, len(service.engine.experiments), commit, sync, service.notes + problems)
        return reply(200 if status in ("ok", "degraded") else 503, body)

    async def metrics(request: Request, token: Any, experiment: Any) -> Response:
        """Counters in Prometheus' text format."""
        return PlainTextResponse("\n".join(counters(service)) + "\n", media_type="text/plain; version=0.0.4")

    async def export(request: Request, token: Any, experiment: Any) -> Response:
        """A file, written as it is read."""
        format, unrewarded = request.query_params.get("format", "csv"), request.query_params.get("unrewarded", "false")
        try:
            media = check_format(format)
        except InputError as error:
            raise Problem(422, str(error)) from error
        if unrewarded not in ("true", "false"):
            raise Problem(422, f"unrewarded must be true or false, not {unrewarded!r}")
        await service.writer.commit([])  # what was answered is in the file
        pieces = export_experiment(service.store, experiment.id, format, unrewarded == "true")
        name = f"experiment-{experiment.id}.{format}"
        return StreamingResponse(
            iterate_in_threadpool(pieces),
            media_type=media,
            headers={"content-disposition": f'attachment; filename="{name}"'},
        )

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


def counters(service: Service) -> Iterator[str]:
    """Yields one line per number."""
    writer, engine = service.writer, service.engine
    yield from ("# TYPE robandit_requests_total counter",)
    for (kind, status), count in sorted(service.requests.items()):
        yield f'robandit_requests_total{{verb="{kind}",status="{status}"}} {count}'
    plain = {
        "commits_total": ("counter", writer.commits),
        "lines_total": ("counter", writer.lines),
        "commit_seconds": ("gauge", writer.seconds),
        "commit_seconds_peak": ("gauge", writer.longest),
        "sync_seconds": ("gauge", service.sync_ms / 1000),
        "waiting": ("gauge", len(writer.queue)),
    }
    for name, (kind, value) in plain.items():
        yield f"# TYPE robandit_{name} {kind}"
        yield f"robandit_{name} {value:g}"
    duties = service.supervisor.duties.items()
    yield "# TYPE robandit_background_restarts_total counter"
    yield from (f'robandit_background_restarts_total{{task="{task}"}} {duty.restarts}' for task, duty in duties)
    yield "# TYPE robandit_background_up gauge"
    yield from (f'robandit_background_up{{task="{task}"}} {int(not duty.problem)}' for task, duty in duties)
    by_experiment: dict[str, Callable[[Experiment], int]] = {
        "decisions": lambda one: one.fold.decisions,
        "rewards": lambda one: sum(one.tally.recorded),
        "pending": lambda one: len(one.docket.cases),
        "expired": lambda one: one.docket.expired,
        "left_out": lambda one: one.docket.left_out,
    }
    for name, of in by_experiment.items():
        yield f"# TYPE robandit_experiment_{name} gauge"
        for one in engine.experiments.values():
            yield f'robandit_experiment_{name}{{experiment="{one.id}"}} {of(one)}'
