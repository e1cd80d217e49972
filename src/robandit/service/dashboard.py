"""The page: rendered here, live by one event stream, of use without scripts; acts of admins behind a confirmation."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import cache
from pathlib import Path as File
from typing import Any
from urllib.parse import parse_qsl, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount
from starlette.routing import Route as Path
from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

from robandit.service import actions, forms, view
from robandit.service.app import body_of, check_host
from robandit.service.engine import Answer
from robandit.service.experiment import Experiment
from robandit.service.problems import TITLES, Problem
from robandit.service.service import Service
from robandit.service.sessions import Sessions, Visitor, check_same_site, set_cookie

SAFE = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # with none at all a browser would not say where a form comes from
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
PARTS = ("status", "numbers", "arms", "legend", "history", "alarms", "sources", "price", "trail", "machine")
MOST_STREAMS = 100
BEAT = 1.0  # seconds between two looks at what has changed
QUIET = 15.0  # seconds after which a silent stream shows that it lives
REST = 20.0  # seconds of rest for each second spent on rendering

Work = Callable[[Request, Visitor], Awaitable[Response]]


@cache
def templates() -> Environment:
    """All templates; every value in them is escaped."""
    loader = PackageLoader("robandit.service")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


class Dashboard:
    """All pages of a service."""

    def __init__(self, service: Service) -> None:
        self.service, self.sessions, self.streams = service, Sessions(service.tokens), 0

    def page(self, name: str, visitor: Visitor | None, status: int = 200, **values: Any) -> Response:
        """A page from its template."""
        given = {"visitor": visitor, "open": self.service.tokens.open, "secret": "", **values}
        if visitor is not None:
            given["secret"] = self.sessions.form_secret(visitor.cookie)
        return HTMLResponse(templates().get_template(f"{name}.html.j2").render(given), status)

    def guarded(self, role: str, work: Work) -> Any:
        """A page for those who hold a role; refusals are pages too."""

        async def called(request: Request) -> Response:
            visitor = None
            try:
                check_host(self.service, request)
                visitor = self.sessions.visitor(request)
                self.service.admit(visitor.token, role)
                response = await work(request, visitor)
            except Problem as problem:
                if problem.status == 401 and request.method == "GET":
                    return RedirectResponse("/login", 303)
                return self.refusal(visitor, problem)
            except ClientDisconnect:
                return Response(status_code=400)
            if self.service.tokens.open and visitor.cookie not in request.cookies.values():
                set_cookie(request, response, visitor.cookie)
            return response

        return called

    def refusal(self, visitor: Visitor | None, problem: Problem) -> Response:
        """Why not, as a page."""
        title = TITLES[problem.status]
        return self.page("problem", visitor, problem.status, title=title, detail=problem.detail)

    async def form(self, request: Request, visitor: Visitor) -> dict[str, str]:
        """The fields of a form of ours."""
        fields = await fields_of(request)
        self.sessions.check_form(request, visitor, fields.get("secret", ""))
        return fields

    def experiment(self, request: Request, visitor: Visitor) -> Experiment:
        """The experiment that the path names, if the visitor may know of it."""
        return self.service.experiment(visitor.token, str(request.path_params["experiment"]))

    async def index(self, request: Request, visitor: Visitor) -> Response:
        """All experiments."""
        return self.page("index", visitor, **self.listed(visitor), address=str(request.base_url).rstrip("/"))

    def listed(self, visitor: Visitor) -> dict[str, Any]:
        """Those that a visitor may see."""
        seen = [one for one in self.service.engine.experiments.values() if visitor.token.sees(one.id, one.name)]
        return view.listed(self.service, seen)

    async def shown(self, request: Request, visitor: Visitor) -> Response:
        """One experiment."""
        told = await self.told(self.experiment(request, visitor))
        return self.page("experiment", visitor, one=told, chart=charted(told))

    async def told(self, experiment: Experiment) -> dict[str, Any]:
        """An experiment for its page; the head is read in another thread, for a database may take its time."""
        head = await asyncio.to_thread(self.service.store.head, experiment.id)
        return view.shown(self.service, experiment, head.chain.hex())

    async def events(self, request: Request, visitor: Visitor) -> Response:
        """What changes on the page of an experiment."""
        experiment = self.experiment(request, visitor)

        async def parts() -> dict[str, str]:
            one = await self.told(experiment)
            found = {name: rendered(name, one=one, visitor=visitor) for name in PARTS}
            return {**found, "chart": charted(one)}

        return self.stream(request, parts)

    async def list_events(self, request: Request, visitor: Visitor) -> Response:
        """What changes on the page of all experiments."""

        async def parts() -> dict[str, str]:
            return {"list": rendered("list", visitor=visitor, **self.listed(visitor))}

        return self.stream(request, parts)

    def stream(self, request: Request, parts: Callable[[], Awaitable[dict[str, str]]]) -> Response:
        """An event for each change, until the reader, the session or the service goes."""
        if self.streams >= MOST_STREAMS:
            raise Problem(503, f"{MOST_STREAMS} pages are open already: this one does not move by itself")

        async def told() -> AsyncIterator[str]:
            self.streams += 1
            try:
                yield "retry: 2000\n\n"
                sent: dict[str, str] = {}
                last = time.monotonic()
                while not self.service.stopping:
                    self.sessions.visitor(request)
                    began = time.monotonic()
                    now = await parts()
                    spent = time.monotonic() - began
                    changed = {name: text for name, text in now.items() if sent.get(name) != text}
                    if changed or began - last > QUIET:
                        yield f"data: {json.dumps(changed)}\n\n"
                        sent, last = now, began
                    await asyncio.sleep(max(BEAT, REST * spent))
            except Problem:
                return  # the session has ended
            finally:
                self.streams -= 1

        return StreamingResponse(told(), media_type="text/event-stream", headers={"cache-control": "no-store"})

    async def ask(self, request: Request, visitor: Visitor) -> Response:
        """The confirmation before an act."""
        experiment, name = self.experiment(request, visitor), request.query_params.get("do", "")
        on = request.query_params.get("on", "")
        return self.page("confirm", visitor, do=name, action=actions.find(name), on=on, one=experiment)

    async def act(self, request: Request, visitor: Visitor) -> Response:
        """An act, confirmed."""
        experiment, fields = self.experiment(request, visitor), await self.form(request, visitor)
        name, on, value = (fields.get(field, "") for field in ("do", "on", "value"))
        answer = actions.perform(self.service, visitor.token, experiment, name, on, value.strip())
        await self.service.committed(answer, experiment)
        return RedirectResponse(f"/experiments/{experiment.id}#trail", 303)

    async def look(self, request: Request, visitor: Visitor) -> Response:
        """A look before its time; it changes nothing, so nobody is asked twice."""
        experiment = self.experiment(request, visitor)
        await self.form(request, visitor)
        self.service.watch.soon(experiment)
        return RedirectResponse(f"/experiments/{experiment.id}", 303)

    async def blank(self, request: Request, visitor: Visitor) -> Response:
        """The form of a new experiment."""
        return self.page("new", visitor, policies=forms.policies(), given=forms.BLANK, wrong="")

    async def create(self, request: Request, visitor: Visitor) -> Response:
        """A new experiment, or the form again with what is wrong."""
        fields = await self.form(request, visitor)
        try:
            answer: Answer = forms.create(self.service, visitor.token, fields)
        except Problem as problem:
            given = {**forms.BLANK, **fields}
            return self.page(
                "new", visitor, problem.status, policies=forms.policies(), given=given, wrong=problem.detail
            )
        await self.service.committed(answer, None)
        return RedirectResponse(f"/experiments/{answer.message.id}", 303)

    async def login(self, request: Request) -> Response:
        """Show a token."""
        if self.service.tokens.open:
            return RedirectResponse("/", 303)
        if request.method == "GET":
            return self.page("login", None, wrong="")
        try:
            check_same_site(request)
            cookie = self.sessions.begin((await fields_of(request)).get("token", ""))
        except Problem as problem:
            return self.page("login", None, problem.status, wrong=problem.detail)
        response = RedirectResponse("/", 303)
        set_cookie(request, response, cookie)
        return response

    async def logout(self, request: Request, visitor: Visitor) -> Response:
        """Leave."""
        await self.form(request, visitor)
        self.sessions.end(visitor.cookie)
        response = RedirectResponse("/login", 303)
        set_cookie(request, response, "")
        return response


async def fields_of(request: Request) -> dict[str, str]:
    """The fields of a form as a browser sends them."""
    try:
        told = (await body_of(request)).decode()
        return dict(parse_qsl(told, keep_blank_values=True, max_num_fields=50))
    except ValueError as error:
        raise Problem(422, "this is no form") from error


def rendered(part: str, **values: Any) -> str:
    """A part of a page."""
    return templates().get_template(f"parts/{part}.html.j2").render(values)


def charted(one: dict[str, Any]) -> str:
    """The charts' numbers, for the script that draws them."""
    return json.dumps({name: value for name, value in one["chart"].items() if name != "table"})


def act_link(id: int, do: str, on: str = "") -> str:
    """Where the confirmation of an act is."""
    return f"/experiments/{id}/act?{urlencode({'do': do, 'on': on})}"


class Safe:
    """Around pages and files: what a browser may do with them."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *((k.encode(), v.encode()) for k, v in SAFE.items())]
            await send(message)

        await self.app(scope, receive, with_headers)


def dashboard(service: Service) -> list[BaseRoute]:
    """All routes of the page."""
    board = Dashboard(service)
    templates().globals["act_link"] = act_link
    one = "/experiments/{experiment:int}"
    routes: list[Path | Mount] = [
        Path("/", board.guarded("read", board.index)),
        Path("/events", board.guarded("read", board.list_events)),
        Path("/login", board.login, methods=["GET", "POST"]),
        Path("/logout", board.guarded("read", board.logout), methods=["POST"]),
        Path("/experiments/new", board.guarded("admin", board.blank)),
        Path("/experiments/new", board.guarded("admin", board.create), methods=["POST"]),
        Path(one, board.guarded("read", board.shown)),
        Path(f"{one}/events", board.guarded("read", board.events)),
        Path(f"{one}/act", board.guarded("admin", board.ask)),
        Path(f"{one}/act", board.guarded("admin", board.act), methods=["POST"]),
        Path(f"{one}/look", board.guarded("admin", board.look), methods=["POST"]),
        Mount("/static", StaticFiles(directory=File(__file__).parent / "static")),
    ]
    for route in routes:
        route.app = Safe(route.app)
    return list(routes)
