"""An agent in a store: what its description says, and what happened to its arms and decisions."""

import math
import sqlite3
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from mobandits.logs.address import Place
from mobandits.logs.join import Objectives
from mobandits.logs.store.content import AgentRow, only_agent
from mobandits.logs.store.lifetimes import ArmHistory, Moments, arm_history, last_time, moments
from mobandits.logs.store.outcomes import check_all_there


@dataclass(frozen=True)
class LoggedObjective:
    """An objective as the description of a log has it.

    Attributes:
        name: of the objective.
        minimise: whether less is better.
        unit: of its rewards; empty: none.
        low: the least reward that is expected, or None.
        high: the largest one, or None.
        default: what is learned where no reward comes; None: nothing is.
        after: seconds until then; infinite where there is no default.
    """

    name: Hashable
    minimise: bool
    unit: str
    low: float | None
    high: float | None
    default: float | None
    after: float


@dataclass(frozen=True)
class History:
    """What a monitor reads of an agent besides its decisions.

    Attributes:
        connection: to the store, in one transaction.
        source: what errors call the store.
        agent: whose.
        objectives: of the agent.
        arms: over time.
        abandoned: when decisions were abandoned.
        activated: when inactive ones took effect.
        limit: how many decisions may wait; infinite where that is not known.
        max_age: seconds after which one is dropped, likewise.
        now: the time of the last event; infinitely early where no time is known.
    """

    connection: sqlite3.Connection
    source: str
    agent: AgentRow
    objectives: tuple[LoggedObjective, ...]
    arms: ArmHistory
    abandoned: Moments
    activated: Moments
    limit: float
    max_age: float
    now: float


def history_of(connection: sqlite3.Connection, place: Place, name: str | None) -> History:
    """The history of an agent in a store.

    Args:
        connection: to the store.
        place: of the store.
        name: of the agent; None where the store has one only.

    Raises:
        LogError: where there is no such agent, or where the store is damaged.
    """
    source = str(place)
    agent = only_agent(connection, name, source)
    check_all_there(connection, agent, source)
    description = agent.description
    now = last_time(connection, agent)

    return History(
        connection=connection,
        source=source,
        agent=agent,
        objectives=_logged_objectives(description, place),
        arms=arm_history(connection, agent, source),
        abandoned=moments(connection, agent, "abandon", source),
        activated=moments(connection, agent, "activate", source),
        limit=_number_or(description.get("limit"), math.inf),
        max_age=_number_or(description.get("max_age"), math.inf),
        now=-math.inf if now is None else now,
    )


def _logged_objectives(description: dict[str, Any], place: Place) -> tuple[LoggedObjective, ...]:
    known = Objectives.of(description, place)
    count = len(known.names)
    defaults = _pairs(description.get("defaults"), count)
    ranges = _pairs(description.get("ranges"), count)
    objectives = []
    for i, name in enumerate(known.names):
        described = description["objectives"][i]
        unit = described.get("unit", "") if isinstance(described, dict) else ""
        default, after = defaults[i]
        low, high = ranges[i]
        has_default = default is not None and after is not None
        objectives.append(
            LoggedObjective(
                name=name,
                minimise=bool(known.signs[i] < 0.0),
                unit=str(unit),
                low=low,
                high=high,
                default=default if has_default else None,
                after=_number_or(after if has_default else None, math.inf),
            )
        )

    return tuple(objectives)


def _pairs(given: Any, count: int) -> list[tuple[float | None, float | None]]:
    """A pair of numbers per objective; of a store that no agent wrote there may be none."""
    nothing: list[tuple[float | None, float | None]] = [(None, None)] * count
    if not isinstance(given, list) or len(given) != count:
        return nothing

    pairs = []
    for pair in given:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            return nothing
        first, second = pair
        pairs.append((_number_or(first, None), _number_or(second, None)))

    return pairs


def _number_or(value: Any, otherwise: Any) -> Any:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number else otherwise
