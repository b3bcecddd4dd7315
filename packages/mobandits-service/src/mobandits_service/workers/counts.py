"""What a learner counts of its workers' decisions and rewards."""

import logging

from mobandits_client.messages import Decided
from mobandits_service.telemetry import Telemetry
from mobandits_service.workers.taking_in import Taken

LOG = logging.getLogger("mobandits.service")


class WorkerCounts:
    """Counts what was taken in, in the service's own numbers.

    Args:
        telemetry: of the service.
    """

    def __init__(self, telemetry: Telemetry) -> None:
        self._telemetry = telemetry

    def note(self, agent: str, taken: Taken) -> None:
        """Count some rows of an agent."""
        for decision in taken.decisions:
            decided = Decided(
                decision=str(decision.id),
                arm=str(decision.arm),
                propensity=decision.propensity,
                error=decision.error,
                front=None,
                preference="",
                replayed=False,
            )
            self._telemetry.count_decision(agent, decided)

        self._telemetry.count_of_workers(agent, "learned", taken.lessons)
        self._telemetry.count_of_workers(agent, "late", taken.late)
        self._telemetry.count_of_workers(agent, "refused", taken.refused)
        if taken.late:
            LOG.warning("agent %s: %s rewards came too late to be learned", agent, taken.late)
