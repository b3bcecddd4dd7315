"""Batches of contexts: how many of them a call may bring."""

from mobandits_client.messages import DecideBatch
from mobandits_service.problems import Problem

MOST_CONTEXTS = 1000  # a call must not hold up those of others for long


def check_batch(request: DecideBatch) -> None:
    """Refuse a batch of no contexts, or of too many.

    Raises:
        Problem: saying how many there may be.
    """
    count = len(request.contexts)
    if not 0 < count <= MOST_CONTEXTS:
        raise Problem(422, f"contexts must be 1 to {MOST_CONTEXTS:,}, got {count:,}")
