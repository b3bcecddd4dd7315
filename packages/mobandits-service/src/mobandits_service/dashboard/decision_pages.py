"""Pages of decisions: a list that can be filtered, and one of them with its explanation."""

from collections.abc import Sequence
from urllib.parse import urlencode

import msgspec
from starlette.requests import Request
from starlette.responses import Response

from mobandits.agent.core import AgentCore
from mobandits_client.messages import DecisionsQuery, Explained, Recorded
from mobandits_service.dashboard.answers import number_text
from mobandits_service.dashboard.visitors import Pages, Visitor
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.problems import Problem, problem_of
from mobandits_service.runtime import ServiceRuntime

LIMIT = 50  # decisions of a page
MOST_FEATURES = 100  # of a context that is shown
FIELDS = ("arm", "status", "made_by", "after")  # of the query that an address has


async def decisions_shown(
    request: Request, runtime: ServiceRuntime, hosted: HostedAgent, visitor: Visitor
) -> Response:
    """`GET /agents/{agent}/decisions`: the last decisions, a page at a time."""
    # A form sends the fields that were left empty as well.
    given = {name: text for name, text in request.query_params.items() if text}
    asked = {name: given[name] for name in FIELDS if name in given}
    wanted = msgspec.convert({**asked, "limit": LIMIT, "order": "newest"}, DecisionsQuery)
    listed = await runtime.looked_up(hosted.listed, wanted)
    following = ""
    if listed.next is not None:
        following = urlencode({**asked, "after": listed.next})

    return visitor.page(
        "decisions.html",
        state=hosted.state(),
        listed=listed,
        filters=asked,
        following=following,
        is_first="after" not in asked,
    )


async def decision_shown(
    runtime: ServiceRuntime, hosted: HostedAgent, number: int, visitor: Visitor
) -> Response:
    """`GET /agents/{agent}/decisions/{decision}`: a decision, its rewards, and why it was made."""
    recorded = await runtime.looked_up(hosted.recorded, number)
    explained: Explained | None = None
    unexplained = ""
    try:
        explained = hosted.explained(number)
    except (Problem, ValueError) as error:
        unexplained = problem_of(error).detail

    return visitor.page(
        "decision.html",
        state=hosted.state(),
        recorded=recorded,
        explained=explained,
        unexplained=unexplained,
        features=feature_rows(hosted.agent.core, recorded.context),
        columns=context_columns(recorded, hosted.state().arms),
    )


def feature_rows(
    core: AgentCore, context: Sequence[Sequence[float]] | None
) -> list[tuple[str, list[str]]]:
    """(name, a value per row) of what is in a context, in words where the agent has columns."""
    if not context:
        return []
    if core.encoder is not None:
        described = [core.encoder.describe(row) for row in context]
        return [
            (str(name), [row[name] or "not told by its numbers" for row in described])
            for name in described[0]
        ]

    columns = list(zip(*context, strict=True))[:MOST_FEATURES]
    return [(f"feature {i}", list(map(number_text, values))) for i, values in enumerate(columns)]


def context_columns(recorded: Recorded, arms: Sequence[str]) -> list[str]:
    """What the rows of a context are of: all arms, or one each."""
    if recorded.context is None or len(recorded.context) < 2:
        return ["Value"]

    return recorded.eligible or list(arms)


PAGES: Pages = [
    ("GET", "/agents/{agent}/decisions", decisions_shown, "read"),
    ("GET", "/agents/{agent}/decisions/{decision}", decision_shown, "read"),
]
