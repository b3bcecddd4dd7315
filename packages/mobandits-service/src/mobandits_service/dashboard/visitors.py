"""Who looks at a page: everybody on this machine, or whoever has logged in with a key."""

import hmac
import inspect
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from starlette.requests import Request
from starlette.responses import Response

from mobandits.agent.actors import ACTOR
from mobandits.logs.store.keys import Key
from mobandits_service.authorisation import Authorisation, actor_of
from mobandits_service.calls.requests import parts_of
from mobandits_service.dashboard.answers import elsewhere, form_of, page_answer
from mobandits_service.dashboard.sessions import COOKIE, Sessions
from mobandits_service.dashboard.windows import asked_span
from mobandits_service.problems import TITLES, Problem, problem_of

SAME_SITE = frozenset(("same-origin", "none"))  # "none": an address that was typed


class Visitor(NamedTuple):
    """Who looks at a page.

    Attributes:
        key: that was logged in with; None: nobody needs one.
        token: for the forms of the page.
        agent: the name of the agent that the page is of; None: it is of none.
        form: the fields that were sent; empty where none were.
    """

    key: Key | None
    token: str
    agent: str | None
    form: Mapping[str, str]

    def may(self, scope: str, agent: str | None = None) -> bool:
        """Whether a page may offer something."""
        return self.key is None or self.key.allows(scope, agent)

    def page(self, template: str, status: int = 200, **content: Any) -> Response:
        """A page for the visitor; arguments as of `page_answer`."""
        return page_answer(template, status, visitor=self, agent=self.agent, **content)


Page = Callable[..., Awaitable[Response]]
Pages = list[tuple[str, str, Page, str | None]]  # method, path, page, and the scope of a key
Handler = Callable[[Request], Awaitable[Response]]


def guarded_page(page: Page, scope: str | None) -> Handler:
    """A page that only keys with a scope may open.

    Args:
        page: answers. It is given what its parameters name: the parts of `parts_of`; the
            `visitor`, whose form was checked to come from one of our pages; and the `span` of time
            that the address asks for.
        scope: "read", "decide" or "admin"; None: that anybody logged in may open.
    """
    takes = tuple(inspect.signature(page).parameters)

    async def shown(request: Request) -> Response:
        try:
            parts = {"visitor": await visitor_of(request, scope), **parts_of(request, takes)}
            if "span" in takes:
                parts["span"] = asked_span(request.query_params, time.time())
            return await page(*map(parts.__getitem__, takes))
        except Exception as error:
            problem = problem_of(error)
            if problem.status == 500:
                raise
            if problem.status == 401 and request.method == "GET":
                url = request.url
                address = f"{url.path}?{url.query}" if url.query else url.path
                return elsewhere(f"/login?next={quote(address, safe='')}")
            return error_page(problem)

    # Its name is what metrics and the log call it.
    shown.__name__ = page.__name__

    return shown


async def visitor_of(request: Request, scope: str | None) -> Visitor:
    """Who made a request.

    Raises:
        Problem: where nobody is logged in, the key does not allow it, or another site has sent it.
    """
    authorisation: Authorisation = request.app.state.runtime.authorisation
    sessions: Sessions = request.app.state.sessions
    authorisation.check_host(request)
    session = sessions.found(request.cookies.get(COOKIE))
    key = None if session is None else authorisation.valid_key(session.key)
    if key is None and not authorisation.is_open:
        raise Problem(401, "a key is needed: log in")

    token = sessions.process_token if key is None or session is None else session.token
    agent = request.path_params.get("agent")
    if key is not None and scope is not None and not key.allows(scope, agent):
        raise Problem(403, f"key {key.id} does not have the scope {scope} here")

    ACTOR.set(None if key is None else actor_of(key))
    visitor = Visitor(key, token, agent, {})
    if request.method != "POST":
        return visitor

    form = await form_of(request)
    check_origin(request)
    given = form.get("token", "")
    # However much of it is right, to compare it takes the same time.
    if not hmac.compare_digest(given.encode(), token.encode()):
        raise Problem(403, "the form is of another session: open its page again")

    return visitor._replace(form=form)


def check_origin(request: Request) -> None:
    """Refuse a form that another site has sent.

    Raises:
        Problem: saying so.
    """
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    is_ours = origin is None or urlsplit(origin).netloc == request.headers.get("host")
    if site not in SAME_SITE or not is_ours:
        raise Problem(403, "the form must come from a page of this service")


def error_page(problem: Problem) -> Response:
    """A page that says why there is no other one."""
    title = TITLES.get(problem.status, "The request failed")
    return page_answer("error.html", problem.status, title=title, detail=problem.detail)
