"""What a service offers, as data: routes and the OpenAPI document are made of it."""

import inspect
from collections.abc import Awaitable, Callable
from types import NoneType
from typing import Any, NamedTuple, get_type_hints

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mobandits.support.naming import quoted
from mobandits_service.calls.requests import answer, body_of, parts_of, query_of
from mobandits_service.problems import Problem

MOST_CALLS = 1024  # that may wait for the disk, before others are turned away
Handler = Callable[..., Awaitable[Any]]


class Operation(NamedTuple):
    """A call of a service.

    Attributes:
        method: of HTTP.
        path: with the names of its parameters.
        handler: does what is asked for; its docstring says what it is. It is given what its
            parameters name: the `request`; the `runtime` of the service or worker; the `hosted`
            agent; the `number` of the decision; the `query` and the `body`, of their types; and
            parameters of the path by their names. What it returns is the answer: a message,
            nothing, or a response of its own.
        scope: that a key must have; None: no key is needed.
        body: the type of what is sent; None: nothing.
        answer: the type of what is answered; None: nothing.
        query: the type whose fields are the parameters behind the question mark; None: there are
            none.
        media: of what is answered, where it is no JSON; none: that of the type.
        failures: statuses of failures that its kind of call does not have by itself.
        successes: statuses besides the usual one with which it may be answered.
        is_body_optional: whether nothing may be sent in place of the body.
        lists_agents: whether a key for some agents gets an answer for these.
    """

    method: str
    path: str
    handler: Handler
    scope: str | None = None
    body: Any = None
    answer: Any = None
    query: Any = None
    media: tuple[str, ...] = ()
    failures: tuple[int, ...] = ()
    successes: tuple[int, ...] = ()
    is_body_optional: bool = False
    lists_agents: bool = False

    @property
    def name(self) -> str:
        """What metrics, the log and the document call it."""
        name: str = self.handler.__name__
        return name

    @property
    def summary(self) -> str:
        """What it is, in a few words."""
        text = inspect.getdoc(self.handler) or self.name
        _, _, summary = text.partition(": ")
        return summary.rstrip(".")

    def route(self) -> Route:
        """Where requests for it go."""
        # Names of arms may have a slash, as those of models do; an arm is the end of its path.
        pattern = self.path.replace("{arm}", "{arm:path}")

        return Route(pattern, self._endpoint(), methods=[self.method], name=self.name)

    def _endpoint(self) -> Callable[[Request], Awaitable[Response]]:
        """Function of a request: its key is checked, its parts are read, its answer is encoded."""
        takes = tuple(inspect.signature(self.handler).parameters)
        # Rules that are only for the document are left out of these types.
        types = get_type_hints(self.handler)
        waits_for_disk = self.scope == "decide" and self.body is not None

        async def endpoint(request: Request) -> Response:
            runtime = request.app.state.runtime
            if self.scope is not None:
                runtime.authorisation.check(request, self.scope, lists_agents=self.lists_agents)
                if request.scope["query_string"] and self.query is None:
                    query = quoted(request.url.query)
                    raise Problem(422, f"query must be empty for this call, got {query}")

            parts = parts_of(request, takes)
            if waits_for_disk:
                waiting = runtime.queue.waiting()
                if waiting >= MOST_CALLS:
                    raise Problem(503, f"{waiting:,} calls wait for the disk", retry_after=1)
            if "query" in takes:
                parts["query"] = query_of(request, types["query"])
            if "body" in takes:
                parts["body"] = await body_of(request, types["body"])
            found = await self.handler(*map(parts.__getitem__, takes))

            return answer(found)

        # Its name is what metrics and the log call it.
        endpoint.__name__ = self.name

        return endpoint


def operation(
    method: str, path: str, handler: Handler, scope: str | None = None, **others: Any
) -> Operation:
    """An operation whose types are those that its handler is annotated with.

    Args:
        method: as of `Operation`, as all others.
        path: with the names of its parameters.
        handler: does what is asked for.
        scope: that a key must have.
        others: further attributes; types among them are of what its handler reads from the request
            or encodes by itself.
    """
    types = get_type_hints(handler, include_extras=True)
    answer_type = types["return"]
    described: dict[str, Any] = {
        "body": types.get("body"),
        "query": types.get("query"),
        "answer": None if answer_type is NoneType else answer_type,
    }

    return Operation(method, path, handler, scope, **(described | others))
