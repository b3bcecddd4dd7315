"""Pages of keys: which there are, a new one, and the end of one."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from mobandits.logs.store.keys import SCOPES
from mobandits.support.naming import quoted
from mobandits_service import keys_command
from mobandits_service.dashboard.answers import elsewhere
from mobandits_service.dashboard.login_pages import give_cookie
from mobandits_service.dashboard.sessions import Sessions
from mobandits_service.dashboard.visitors import Pages, Visitor
from mobandits_service.problems import Problem
from mobandits_service.runtime import ServiceRuntime

MOST_LETTERS = 100  # of a label


async def keys_shown(runtime: ServiceRuntime, visitor: Visitor) -> Response:
    """`GET /keys`: the keys of the store, without their secrets."""
    return await _keys_answer(runtime, visitor)


async def key_added(request: Request, runtime: ServiceRuntime, visitor: Visitor) -> Response:
    """`POST /keys`: a new key, which is shown only now.

    Every request needs a key once there is one. So whoever makes the first one is logged in with it,
    and it must be one that can make others.
    """
    form = visitor.form
    label = form.get("label", "").strip()
    if not 0 < len(label) <= MOST_LETTERS:
        raise Problem(422, f"label must be 1 to {MOST_LETTERS} characters, got {quoted(label)}")

    scope = form.get("scope", "")
    names = [hosted.name for hosted in runtime.agents]
    agents = [name for name in names if f"agent:{name}" in form]
    is_first = visitor.key is None
    if is_first and (scope != "admin" or agents):
        given = quoted(f"{scope} of {', '.join(agents) or 'all agents'}")
        raise Problem(422, f"the first key must be one of admin for all agents, got {given}")

    key = await asyncio.to_thread(keys_command.added, runtime.file.path, label, [scope], agents)
    runtime.authorisation.read_keys_again()
    if not is_first:
        return await _keys_answer(runtime, visitor, new=key, label=label)

    sessions: Sessions = request.app.state.sessions
    own = runtime.authorisation.key_of_text(key)
    if own is None:
        raise Problem(409, "the new key was revoked at once")

    cookie, session = sessions.begin(own.id)
    admin = visitor._replace(key=own, token=session.token)
    answer = await _keys_answer(runtime, admin, new=key, label=label)
    give_cookie(request, answer, cookie)

    return answer


async def key_revoked(runtime: ServiceRuntime, key: str) -> Response:
    """`POST /keys/{key}/revoke`: a key is valid no more."""
    await asyncio.to_thread(keys_command.revoked, runtime.file.path, key)
    runtime.authorisation.read_keys_again()

    return elsewhere("/keys")


async def _keys_answer(
    runtime: ServiceRuntime, visitor: Visitor, *, new: str = "", label: str = ""
) -> Response:
    keys = await asyncio.to_thread(runtime.file.all_keys)

    return visitor.page(
        "keys.html",
        keys=keys,
        scopes=SCOPES,
        agents=[hosted.name for hosted in runtime.agents],
        new=new,
        label=label,
        own=None if visitor.key is None else visitor.key.id,
    )


PAGES: Pages = [
    ("GET", "/keys", keys_shown, "admin"),
    ("POST", "/keys", key_added, "admin"),
    ("POST", "/keys/{key}/revoke", key_revoked, "admin"),
]
