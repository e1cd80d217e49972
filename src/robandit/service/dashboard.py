"""The page: rendered here, live by one event stream, usable without scripts; acts of admins behind a confirmation."""

import asyncio
import json
import secrets
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode

from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Message, Receive, Scope, Send

from robandit.service import actions, forms, view
from robandit.service.app import NO_STORE, body_of, check_host
from robandit.service.experiment import Experiment
from robandit.service.ownership import Elsewhere
from robandit.service.page_forward import forward_page
from robandit.service.problems import TITLES, Moved, Problem
from robandit.service.service import Service
from robandit.service.sessions import LASTS, Sessions, Visitor, check_same_site, hash_cookie
from robandit.service.stores.base import LeasedStore, Unreachable

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
BEAT = 1.0  # seconds between two checks whether something has changed
QUIET = 15.0  # seconds after which a page is rendered again, and a silent stream shows that it lives
REST = 20.0  # seconds of rest for each second spent on rendering

Work = Callable[[Request, Visitor], Awaitable[Response]]
Parts = dict[str, str]  # of a page: HTML by name


@cache
def templates() -> Environment:
    """Returns all templates; every value in them is escaped."""
    loader = PackageLoader("robandit.service")
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


class Dashboard:
    """All pages of a service."""

    def __init__(self, service: Service) -> None:
        store = service.store.leased
        shared = None if store is None else store.meta("session key", secrets.token_bytes(32))
        self.service, self.sessions, self.streams = service, Sessions(service.tokens, shared), 0
        if store is not None and not service.tokens.open:
            service.keep("the list of ended sessions", lambda: self.follow_sessions(store))

    async def follow_sessions(self, store: LeasedStore) -> None:
        """See which sessions ended at other processes; without a database nothing is served anyway."""
        while True:
            with suppress(Unreachable):
                self.sessions.end(*await asyncio.to_thread(store.ended_sessions, {}))
            await asyncio.sleep(BEAT)

    def page(self, name: str, visitor: Visitor | None, status: int = 200, **values: Any) -> Response:
        """Returns a page from its template."""
        values = {"visitor": visitor, "open": self.service.tokens.open, "secret": "", **values}
        if visitor is not None:
            values["secret"] = self.sessions.form_secret(visitor.cookie)
        return HTMLResponse(templates().get_template(f"{name}.html.j2").render(values), status)

    def guard(self, role: str, work: Work) -> Any:
        """Returns a page for those who hold a role; refusals are pages too."""

        async def answer_request(request: Request) -> Response:
            visitor = None
            try:
                check_host(self.service, request)
                visitor = self.sessions.visitor(request)
                self.service.admit(visitor.token, role)
                try:
                    response = await work(request, visitor)
                except Moved as moved:
                    response = await forward_page(request, moved.address)
            except Problem as problem:
                if problem.status == 401 and request.method == "GET":
                    return RedirectResponse("/login", 303)
                return self.refusal(visitor, problem)
            except ClientDisconnect:
                return Response(status_code=400)
            if self.service.tokens.open and visitor.cookie not in request.cookies.values():
                self.sessions.set_cookie(request, response, visitor.cookie)
            return response

        return answer_request

    def refusal(self, visitor: Visitor | None, problem: Problem) -> Response:
        """Returns a refusal as a page."""
        title = TITLES[problem.status]
        return self.page("problem", visitor, problem.status, title=title, detail=problem.detail)

    async def form(self, request: Request, visitor: Visitor) -> dict[str, str]:
        """Returns the fields of a form of ours. Raises a Problem for any other."""
        fields = await fields_of(request)
        self.sessions.check_form(request, visitor, fields.get("secret", ""))
        return fields

    async def experiment(self, request: Request, visitor: Visitor) -> Experiment:
        """Returns the experiment that the path names. Raises a Problem if the visitor may not see it."""
        return await self.service.find(visitor.token, str(request.path_params["experiment"]))

    async def index(self, request: Request, visitor: Visitor) -> Response:
        """All experiments."""
        return self.page(
            "index",
            visitor,
            **view.describe_list(self.service, self.visible(visitor)),
            elsewhere=await self.others(visitor),
            address=str(request.base_url).rstrip("/"),
        )

    def visible(self, visitor: Visitor) -> list[Experiment]:
        """Returns the experiments that a visitor may see."""
        return [one for one in self.service.engine.experiments.values() if visitor.token.sees(one.id, one.name)]

    async def others(self, visitor: Visitor) -> list[Elsewhere]:
        """Returns the experiments that other processes serve and a visitor may see."""
        return [one for one in await self.service.ownership.others() if visitor.token.sees(one.id, one.name)]

    async def one(self, request: Request, visitor: Visitor) -> Response:
        """One experiment."""
        one = await self.describe(await self.experiment(request, visitor))
        return self.page("experiment", visitor, one=one, chart=chart_json(one))

    async def describe(self, experiment: Experiment) -> dict[str, Any]:
        """Returns an experiment for its page; the head is read in another thread, for a database may take its time."""
        head = await asyncio.to_thread(self.service.store.head, experiment.id)
        return view.describe_experiment(self.service, experiment, head.chain.hex())

    async def events(self, request: Request, visitor: Visitor) -> Response:
        """What changes on the page of an experiment."""
        experiment = await self.experiment(request, visitor)

        async def render() -> Parts:
            one = await self.describe(experiment)
            parts = {name: render_part(name, one=one, visitor=visitor) for name in PARTS}
            return {**parts, "chart": chart_json(one)}

        return self.stream(request, lambda: view.version(self.service, [experiment]), render)

    async def list_events(self, request: Request, visitor: Visitor) -> Response:
        """What changes on the page of all experiments."""

        async def render() -> Parts:
            values = view.describe_list(self.service, self.visible(visitor))
            values["elsewhere"] = await self.others(visitor)
            return {"list": render_part("list", visitor=visitor, **values)}

        return self.stream(request, lambda: view.version(self.service, self.visible(visitor)), render)

    def stream(self, request: Request, version: Callable[[], Any], render: Callable[[], Awaitable[Parts]]) -> Response:
        """Returns a stream of one event per change, until the reader, the session or the service goes.

        A page is rendered when its version changes; else every QUIET seconds, for what the version leaves out.
        """
        if self.streams >= MOST_STREAMS:
            raise Problem(503, f"{MOST_STREAMS} pages are open already: this one does not move by itself")

        async def events() -> AsyncIterator[str]:
            self.streams += 1
            try:
                yield "retry: 2000\n\n"
                sent: Parts = {}
                rendered, last = None, time.monotonic()
                while not self.service.stopping:
                    self.sessions.visitor(request)
                    began, spent, current = time.monotonic(), 0.0, version()
                    if current != rendered or began - last > QUIET:
                        parts = await render()
                        spent = time.monotonic() - began
                        changes = {name: text for name, text in parts.items() if sent.get(name) != text}
                        if changes or began - last > QUIET:
                            yield f"data: {json.dumps(changes)}\n\n"
                            last = began
                        sent, rendered = parts, current
                    await asyncio.sleep(max(BEAT, REST * spent))
            except Problem:
                return  # the session has ended
            finally:
                self.streams -= 1

        return StreamingResponse(events(), media_type="text/event-stream")

    async def ask(self, request: Request, visitor: Visitor) -> Response:
        """The confirmation before an act."""
        experiment, name = await self.experiment(request, visitor), request.query_params.get("do", "")
        on = request.query_params.get("on", "")
        return self.page("confirm", visitor, do=name, action=actions.find(name), on=on, one=experiment)

    async def act(self, request: Request, visitor: Visitor) -> Response:
        """An act, confirmed."""
        experiment, fields = await self.experiment(request, visitor), await self.form(request, visitor)
        name, on, value = (fields.get(field, "") for field in ("do", "on", "value"))
        answer = actions.perform(self.service, visitor.token, experiment, name, on, value.strip())
        await self.service.commit(answer, experiment)
        return RedirectResponse(f"/experiments/{experiment.id}#trail", 303)

    async def look(self, request: Request, visitor: Visitor) -> Response:
        """An audit before its time; it changes nothing, so it needs no confirmation."""
        experiment = await self.experiment(request, visitor)
        await self.form(request, visitor)
        self.service.watch.soon(experiment)
        return RedirectResponse(f"/experiments/{experiment.id}", 303)

    async def blank(self, request: Request, visitor: Visitor) -> Response:
        """The form of a new experiment."""
        return self.page("new", visitor, policies=forms.policies(), fields=forms.BLANK, wrong="")

    async def create(self, request: Request, visitor: Visitor) -> Response:
        """A new experiment, or the form again with what is wrong."""
        fields = await self.form(request, visitor)
        try:
            answer = await forms.create(self.service, visitor.token, fields)
        except Problem as problem:
            values = {"policies": forms.policies(), "fields": {**forms.BLANK, **fields}, "wrong": problem.detail}
            return self.page("new", visitor, problem.status, **values)
        await self.service.commit(answer, None)
        return RedirectResponse(f"/experiments/{answer.message.id}", 303)

    async def login(self, request: Request) -> Response:
        """Log in with a token."""
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
        self.sessions.set_cookie(request, response, cookie)
        return response

    async def logout(self, request: Request, visitor: Visitor) -> Response:
        """Log out."""
        await self.form(request, visitor)
        name, store = hash_cookie(visitor.cookie), self.service.store.leased
        if store is not None:
            try:
                await asyncio.to_thread(store.ended_sessions, {name: time.time() + LASTS})
            except Unreachable as error:
                raise Problem(503, "the database does not respond, so you are still logged in: try again") from error
        self.sessions.end(name)
        response = RedirectResponse("/login", 303)
        self.sessions.set_cookie(request, response, "")
        return response


async def fields_of(request: Request) -> dict[str, str]:
    """Returns the fields of a form as a browser sends them. Raises a Problem."""
    try:
        text = (await body_of(request)).decode()
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=50))
    except ValueError as error:
        raise Problem(422, "this is no form") from error


def render_part(part: str, **values: Any) -> str:
    """Returns a part of a page."""
    return templates().get_template(f"parts/{part}.html.j2").render(values)


def chart_json(one: dict[str, Any]) -> str:
    """Returns the charts' numbers, for the script that draws them."""
    return json.dumps({name: value for name, value in one["chart"].items() if name != "table"})


def act_link(id: int, do: str, on: str = "") -> str:
    """Returns the address of the confirmation of an act."""
    return f"/experiments/{id}/act?{urlencode({'do': do, 'on': on})}"


class SafeHeaders:
    """Pages and files with headers that say what a browser may do with them."""

    def __init__(self, app: Any, headers: dict[str, str]) -> None:
        self.app, self.headers = app, [(name.encode(), value.encode()) for name, value in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Add the headers."""

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self.headers]
            await send(message)

        await self.app(scope, receive, with_headers)


def dashboard(service: Service) -> list[BaseRoute]:
    """Returns all routes of the page."""
    board = Dashboard(service)
    templates().globals["act_link"] = act_link
    one = "/experiments/{experiment}"  # as text: a number may have too many digits to be read as one
    routes: list[Route | Mount] = [
        Route("/", board.guard("read", board.index)),
        Route("/events", board.guard("read", board.list_events)),
        Route("/login", board.login, methods=["GET", "POST"]),
        Route("/logout", board.guard("read", board.logout), methods=["POST"]),
        Route("/experiments/new", board.guard("admin", board.blank)),
        Route("/experiments/new", board.guard("admin", board.create), methods=["POST"]),
        Route(one, board.guard("read", board.one)),
        Route(f"{one}/events", board.guard("read", board.events)),
        Route(f"{one}/act", board.guard("admin", board.ask)),
        Route(f"{one}/act", board.guard("admin", board.act), methods=["POST"]),
        Route(f"{one}/look", board.guard("admin", board.look), methods=["POST"]),
        Mount("/static", StaticFiles(directory=Path(__file__).parent / "static")),
    ]
    for route in routes:
        route.app = SafeHeaders(route.app, SAFE if isinstance(route, Mount) else SAFE | NO_STORE)
    return list(routes)
