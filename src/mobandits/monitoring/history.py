"""An agent in a store: what its description says, and what happened to its arms and decisions."""

import math
from dataclasses import dataclass
from typing import Any

from mobandits.logs.address import Place
from mobandits.logs.log_description import objectives_of_data
from mobandits.logs.objectives import Objective
from mobandits.logs.store.arm_timeline import (
    ArmHistory,
    DecisionTimes,
    arm_history,
    decision_times,
    last_time,
)
from mobandits.logs.store.content import AgentLog, log_of
from mobandits.logs.store.outcomes import check_all_there
from mobandits.logs.store.session import Session


@dataclass(frozen=True)
class History:
    """What a monitor reads of an agent besides its decisions.

    Attributes:
        log: of the agent, whose connection is in one transaction.
        objectives: of the agent.
        arms: over time.
        abandoned: when decisions were abandoned.
        activated: when inactive ones took effect.
        limit: how many decisions may wait; infinite where that is not known.
        max_age: seconds after which one is dropped, likewise.
        now: the time of the last event; infinitely early where no time is known.
    """

    log: AgentLog
    objectives: tuple[Objective, ...]
    arms: ArmHistory
    abandoned: DecisionTimes
    activated: DecisionTimes
    limit: float
    max_age: float
    now: float


def history_of(connection: Session, place: Place, name: str | None) -> History:
    """The history of an agent in a store.

    Args:
        connection: to the store.
        place: of the store.
        name: of the agent; None where the store has one only.

    Raises:
        LogError: where there is no such agent, or where the store is damaged.
    """
    log = log_of(connection, name, str(place))
    check_all_there(log)
    description = log.agent.description
    now = last_time(log)

    return History(
        log=log,
        objectives=objectives_of_data(description, place),
        arms=arm_history(log),
        abandoned=decision_times(log, "abandon"),
        activated=decision_times(log, "activate"),
        limit=_number_or(description.get("limit"), math.inf),
        max_age=_number_or(description.get("max_age"), math.inf),
        now=-math.inf if now is None else now,
    )


def _number_or(value: Any, otherwise: Any) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else otherwise
