"""Pages of decisions: a list that can be filtered, and one of them with its explanation."""

import asyncio
from typing import Any
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mobandits.service.calls.requests import decision_of, hosted_of, running_of
from mobandits.service.dashboard.answers import page_answer
from mobandits.service.dashboard.visitors import Visitor
from mobandits.service.messages import DecisionsQuery, Explained
from mobandits.service.problems import Problem, problem_of

LIMIT = 50  # decisions of a page
FILTERS = ("arm", "status", "made_by")


async def decisions_shown(request: Request, visitor: Visitor) -> Response:
    """`GET /agents/{agent}/decisions`: the last decisions, a page at a time."""
    hosted = hosted_of(request)
    await running_of(request).settlements.settled()
    # A form sends the fields that were left empty as well.
    given = {name: text for name, text in request.query_params.items() if text}
    filters = {name: given[name] for name in FILTERS if name in given}
    query: dict[str, Any] = {**filters, "limit": LIMIT, "order": "newest"}
    if "after" in given:
        query["after"] = given["after"]

    wanted = msgspec.convert(query, DecisionsQuery)
    listed = await asyncio.to_thread(hosted.listed, wanted)
    following = ""
    if listed.next is not None:
        following = urlencode({**filters, "after": listed.next})

    return page_answer(
        "decisions.html",
        visitor=visitor,
        agent=hosted.name,
        tab="decisions",
        state=hosted.state(),
        listed=listed,
        filters=filters,
        following=following,
        is_first="after" not in given,
    )


async def decision_shown(request: Request, visitor: Visitor) -> Response:
    """`GET /agents/{agent}/decisions/{decision}`: a decision, its rewards, and why it was made."""
    hosted, number = decision_of(request)
    await running_of(request).settlements.settled()
    recorded = await asyncio.to_thread(hosted.recorded, number)
    explained: Explained | None = None
    unexplained = ""
    try:
        explained = hosted.explained(number)
    except (Problem, ValueError) as error:
        unexplained = problem_of(error).detail

    return page_answer(
        "decision.html",
        visitor=visitor,
        agent=hosted.name,
        tab="decisions",
        state=hosted.state(),
        recorded=recorded,
        explained=explained,
        unexplained=unexplained,
    )


PAGES = [
    ("GET", "/agents/{agent}/decisions", decisions_shown, "read"),
    ("GET", "/agents/{agent}/decisions/{decision}", decision_shown, "read"),
]
