"""Calls that look decisions up."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from mobandits_client.messages import (
    ArmCertificate,
    CertificateQuery,
    DecisionList,
    DecisionsQuery,
    Explained,
    Recorded,
)
from mobandits_service.calls.requests import (
    AGENT,
    DECISION,
    answer,
    decision_of,
    hosted_of,
    query_of,
    runtime_of,
)
from mobandits_service.certificates import certificate_of
from mobandits_service.operations import Operation


async def recorded(request: Request) -> Response:
    """`GET .../decisions/{decision}`: a decision as it was then, with its rewards."""
    hosted, number = decision_of(request)
    # The store shows only what is on disk.
    await runtime_of(request).settlements.settled()
    recorded_one = await asyncio.to_thread(hosted.recorded, number)

    return answer(recorded_one)


async def decisions(request: Request) -> Response:
    """`GET /v1/agents/{agent}/decisions`: decisions as they were then, a page at a time."""
    hosted = hosted_of(request)
    query = query_of(request, DecisionsQuery)
    await runtime_of(request).settlements.settled()
    # In a thread: where few decisions fit, it goes through many.
    page = await asyncio.to_thread(hosted.listed, query)

    return answer(page)


async def explained(request: Request) -> Response:
    """`GET .../decisions/{decision}/explanation`: why, by what the agent believes now."""
    hosted, number = decision_of(request)
    await runtime_of(request).settlements.settled()
    # In a thread: the first one may compile.
    explanation = await asyncio.to_thread(hosted.explained, number)

    return answer(explanation)


async def certificate(request: Request) -> Response:
    """`GET /v1/agents/{agent}/certificate`: arms surely on the Pareto front, and those to drop."""
    hosted = hosted_of(request)
    query = query_of(request, CertificateQuery)
    path = runtime_of(request).file.path
    found = await asyncio.to_thread(certificate_of, path, hosted, query)

    return answer(found)


OPERATIONS = [
    Operation(
        "GET",
        f"{AGENT}/decisions",
        decisions,
        "read",
        answer=DecisionList,
        query=DecisionsQuery,
    ),
    Operation(
        "GET",
        f"{AGENT}/certificate",
        certificate,
        "read",
        answer=ArmCertificate,
        query=CertificateQuery,
    ),
    Operation("GET", DECISION, recorded, "read", answer=Recorded),
    Operation("GET", f"{DECISION}/explanation", explained, "read", answer=Explained),
]
