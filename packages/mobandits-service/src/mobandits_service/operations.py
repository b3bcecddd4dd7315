"""What a service offers, as data: routes and the OpenAPI document are made of it."""

import inspect
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from mobandits_service.authorisation import guarded

Handler = Callable[[Request], Awaitable[Response]]


class Operation(NamedTuple):
    """A call of a service.

    Attributes:
        method: of HTTP.
        path: with the names of its parameters.
        handler: answers it; its docstring says what it is.
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
        handler = self.handler
        if self.scope is not None:
            handler = guarded(
                handler,
                self.scope,
                takes_query=self.query is not None,
                lists_agents=self.lists_agents,
            )

        # Names of arms may have a slash, as those of models do; an arm is the end of its path.
        pattern = self.path.replace("{arm}", "{arm:path}")

        return Route(pattern, handler, methods=[self.method], name=self.name)
