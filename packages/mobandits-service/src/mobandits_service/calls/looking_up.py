"""Calls that look decisions up."""

import asyncio

from mobandits_client.messages import (
    ArmCertificate,
    CertificateQuery,
    DecisionList,
    DecisionsQuery,
    Explained,
    Recorded,
)
from mobandits_service.calls.operations import operation
from mobandits_service.calls.requests import AGENT, DECISION
from mobandits_service.certificates import certificate_of
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.runtime import ServiceRuntime


async def recorded(runtime: ServiceRuntime, hosted: HostedAgent, number: int) -> Recorded:
    """`GET .../decisions/{decision}`: a decision as it was then, with its rewards."""
    # The store shows only what is on disk.
    return await runtime.looked_up(hosted.recorded, number)


async def decisions(
    runtime: ServiceRuntime, hosted: HostedAgent, query: DecisionsQuery
) -> DecisionList:
    """`GET /v1/agents/{agent}/decisions`: decisions as they were then, a page at a time."""
    # In a thread: where few decisions fit, it goes through many.
    return await runtime.looked_up(hosted.listed, query)


async def explained(runtime: ServiceRuntime, hosted: HostedAgent, number: int) -> Explained:
    """`GET .../decisions/{decision}/explanation`: why, by what the agent believes now."""
    # In a thread: the first one may compile.
    return await runtime.looked_up(hosted.explained, number)


async def certificate(
    runtime: ServiceRuntime, hosted: HostedAgent, query: CertificateQuery
) -> ArmCertificate:
    """`GET /v1/agents/{agent}/certificate`: arms surely on the Pareto front, and those to drop."""
    return await asyncio.to_thread(certificate_of, runtime.file.path, hosted, query)


OPERATIONS = [
    operation("GET", f"{AGENT}/decisions", decisions, "read"),
    operation("GET", f"{AGENT}/certificate", certificate, "read"),
    operation("GET", DECISION, recorded, "read"),
    operation("GET", f"{DECISION}/explanation", explained, "read"),
]
