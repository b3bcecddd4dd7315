"""The application: its routes, and errors as problem details."""

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Match, Route

from mobandits.errors import DamagedError, MobanditsError
from mobandits_service.calls import OPERATIONS
from mobandits_service.dashboard.routes import add_dashboard
from mobandits_service.openapi import document
from mobandits_service.problems import Problem, answer_to, problem_of
from mobandits_service.request_log import Count, RequestLog
from mobandits_service.runtime import ServiceRuntime

LOG = logging.getLogger("mobandits.service")


def application(runtime: ServiceRuntime) -> Starlette:
    """The application of a service.

    Args:
        runtime: its parts; they are started and stopped with the application.
    """

    @contextlib.asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        runtime.pace.begin()
        work = [
            runtime.keep_ready(),
            runtime.snapshots.keep_taking(),
            runtime.stalls.keep_beating(),
            runtime.retention.keep_deleting(),
        ]
        if runtime.learner is not None:
            work.append(runtime.learner.keep_learning())
        tasks = [asyncio.create_task(each) for each in work]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            runtime.pace.end()
            runtime.stop()

    described = msgspec.json.encode(document(OPERATIONS))

    async def openapi(_: Request) -> Response:
        """The description of the interface."""
        return Response(described, media_type="application/json")

    # Routes are tried one after the other: those that are asked for most come first.
    in_order = sorted(OPERATIONS, key=lambda each: each.scope != "decide")
    routes = [each.route() for each in in_order]
    routes.append(Route("/openapi.json", openapi, methods=["GET"]))
    app = logged_application(routes, lifespan, runtime, runtime.telemetry.count_request)
    add_dashboard(app)

    return app


def logged_application(
    routes: Sequence[Route], lifespan: Any, runtime: Any, count: Count | None = None
) -> Starlette:
    """An application that logs its requests, and tells errors as problem details.

    Args:
        routes: of the requests.
        lifespan: as of `Starlette`.
        runtime: of a service, or of a worker.
        count: as of `RequestLog`.
    """
    app = Starlette(routes=routes, exception_handlers=HANDLERS, lifespan=lifespan)
    app.state.runtime = runtime
    app.add_middleware(RequestLog, count=count, is_written=runtime.specification.log_requests)

    return app


async def told_error(request: Request, error: Exception) -> Response:
    """An exception as problem details."""
    problem = problem_of(error)
    if isinstance(error, DamagedError):
        LOG.error("%s; `mobandits check` says what can be saved", error)
    elif problem.status == 500:
        LOG.error("%s %s failed", request.method, request.url.path, exc_info=error)

    return answer_to(problem)


async def told_hang_up(_: Request, __: Exception) -> Response:
    """The status that metrics and the log have for a client that is gone; nobody reads it."""
    return answer_to(Problem(499, "the client hung up before its body was read"))


async def told_http_error(request: Request, error: Exception) -> Response:
    """An error of routing as problem details."""
    assert isinstance(error, HTTPException)  # noqa: S101 - as it is registered
    response = answer_to(Problem(error.status_code, error.detail))
    if error.status_code == 405:
        response.headers["Allow"] = ", ".join(allowed_methods(request))

    return response


def allowed_methods(request: Request) -> list[str]:
    """The methods that the path of a request takes; there is a route for each."""
    methods = set[str]()
    for route in request.app.routes:
        match, _ = route.matches(request.scope)
        if match is not Match.NONE:
            methods |= getattr(route, "methods", None) or set()

    return sorted(methods)


# By base class. What only `Exception` covers is raised again once it is answered, and so ends the
# connection: an expected error needs a line of its own.
HANDLERS = {
    HTTPException: told_http_error,
    Exception: told_error,
    ClientDisconnect: told_hang_up,
    MobanditsError: told_error,
    Problem: told_error,
    ValueError: told_error,
}
