"""Pages on which people log in with a key, and out."""

import time
from urllib.parse import urlsplit

from starlette.requests import Request
from starlette.responses import Response

from mobandits_service.addresses import visitor_address
from mobandits_service.authorisation import Authorisation, TokenBuckets
from mobandits_service.dashboard.answers import elsewhere, form_of, page_answer
from mobandits_service.dashboard.sessions import COOKIE, LONGEST, Sessions
from mobandits_service.dashboard.visitors import check_origin, error_page, visitor_of
from mobandits_service.problems import Problem, problem_of

ATTEMPTS = 5.0  # to log in, per second, of one address
START = "/"


async def login_page(request: Request) -> Response:
    """`GET /login`: where a key is asked for."""
    authorisation: Authorisation = request.app.state.runtime.authorisation
    target = own_path(request.query_params.get("next", START))
    if authorisation.is_open:
        return elsewhere(target)

    return page_answer("login.html", next=target, wrong=False)


async def log_in(request: Request) -> Response:
    """`POST /login`: a session for a valid key."""
    try:
        return await _logged_in(request)
    except (Problem, ValueError) as error:
        return error_page(problem_of(error))


async def _logged_in(request: Request) -> Response:
    authorisation: Authorisation = request.app.state.runtime.authorisation
    sessions: Sessions = request.app.state.sessions
    authorisation.check_host(request)
    check_origin(request)
    attempts: TokenBuckets = request.app.state.attempts
    if not attempts.take(visitor_address(request), time.monotonic()):
        raise Problem(429, "too many attempts to log in: wait a second", retry_after=1)

    form = await form_of(request)
    target = own_path(form.get("next", START))
    key = authorisation.key_of_text(form.get("key", "").strip())
    if key is None:
        return page_answer("login.html", 403, next=target, wrong=True)

    cookie, _ = sessions.begin(key.id)
    answer = elsewhere(target)
    give_cookie(request, answer, cookie)

    return answer


def give_cookie(request: Request, answer: Response, cookie: str) -> None:
    """Let a browser keep the cookie of a session."""
    answer.set_cookie(
        COOKIE,
        cookie,
        max_age=int(LONGEST),
        httponly=True,
        samesite="strict",
        secure=is_encrypted(request),
    )


async def log_out(request: Request) -> Response:
    """`POST /logout`: the end of a session."""
    sessions: Sessions = request.app.state.sessions
    try:
        await visitor_of(request, None)
    except Problem as problem:
        # Whose key has ended is logged out already.
        if problem.status != 401:
            return error_page(problem)

    cookie = request.cookies.get(COOKIE)
    sessions.end(cookie)
    answer = elsewhere("/login")
    answer.delete_cookie(COOKIE, httponly=True, samesite="strict")

    return answer


def own_path(target: str) -> str:
    """A path of this service; the start page in place of an address elsewhere.

    Example:
        >>> own_path("/agents/a?window=day"), own_path("//evil.example"), own_path("https://x.org")
        ('/agents/a?window=day', '/', '/')
    """
    parts = urlsplit(target)
    is_ours = target.startswith("/") and not target.startswith(("//", "/\\"))
    is_plain = target.isprintable() and "\\" not in target
    if is_ours and is_plain and not parts.scheme and not parts.netloc:
        return target

    return START


def is_encrypted(request: Request) -> bool:
    """Whether the browser came by https, as far as a proxy says so."""
    forwarded = request.headers.get("x-forwarded-proto", request.url.scheme)
    return forwarded.split(",")[0].strip() == "https"


HANDLERS = [
    ("GET", "/login", login_page),
    ("POST", "/login", log_in),
    ("POST", "/logout", log_out),
]
