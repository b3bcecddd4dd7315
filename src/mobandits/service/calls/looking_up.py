"""Calls that look decisions up."""

from starlette.requests import Request
from starlette.responses import Response

from mobandits.service.calls.requests import DECISION, answer, decision_of, running_of
from mobandits.service.messages import Explained, Recorded
from mobandits.service.operations import Operation


async def recorded(request: Request) -> Response:
    """`GET .../decisions/{decision}`: a decision as it was then, with its rewards."""
    hosted, number = decision_of(request)
    # The store shows only what is on disk. It would wait for that itself, and hold up the loop.
    await running_of(request).settlements.settled()

    return answer(hosted.recorded(number))


async def explained(request: Request) -> Response:
    """`GET .../decisions/{decision}/explanation`: why, by what the agent believes now."""
    hosted, number = decision_of(request)
    await running_of(request).settlements.settled()

    return answer(hosted.explained(number))


OPERATIONS = [
    Operation("GET", DECISION, recorded, "read", answer=Recorded),
    Operation("GET", f"{DECISION}/explanation", explained, "read", answer=Explained),
]
