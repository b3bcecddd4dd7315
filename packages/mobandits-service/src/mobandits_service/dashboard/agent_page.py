"""The page of an agent: what its arms bring, what happened over time, and its preference."""

import time
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from mobandits.logs.address import Place
from mobandits.logs.store.connection import reading
from mobandits_service.dashboard.arm_means import ArmSummary, arm_summaries, objective_pairs
from mobandits_service.dashboard.front_figure import FrontFigure, front_figures
from mobandits_service.dashboard.overview import AgentNow, warnings_of
from mobandits_service.dashboard.time_charts import Chart, TimeTable, charts_of
from mobandits_service.dashboard.windows import DAY, HOUR, Span, span_of
from mobandits_service.rollup_reading import (
    RolledSums,
    agent_numbers,
    arm_names,
    first_minute,
    sums_between,
    uncounted_events,
)

MOST_DRAWN = 30  # arms of the plane, the most frequent ones: more would hide each other


@dataclass(frozen=True)
class AgentPage:
    """The page.

    Attributes:
        agent: as it tells of itself now.
        warnings: what an operator should look at.
        span: the time that is shown.
        decisions: in that time.
        arms: that were played in it.
        fronts: the plane of each pair of objectives, in two widths.
        charts: over the time.
    """

    agent: AgentNow
    warnings: list[str]
    span: Span
    decisions: int
    arms: list[ArmSummary]
    fronts: list[list[FrontFigure]]
    charts: list[Chart]

    def data(self) -> dict[str, Any]:
        """What the script draws."""
        return {chart.key: chart.data() for chart in self.charts}


def agent_page(path: Place, agent: AgentNow, asked: Span | None) -> AgentPage:
    """The page of an agent, from the sums of its store.

    Args:
        path: of the store.
        agent: which.
        asked: the time to show; None: the last hour for an agent that is new, else the last day.
    """
    now = time.time()
    span = asked or span_of(DAY, now)
    names: dict[int, Hashable] = {}
    sums: list[RolledSums] = []
    uncounted = 0
    with reading(path) as connection:
        number = agent_numbers(connection).get(agent.state.name)
        if number is not None:
            names = arm_names(connection, number)
            uncounted = uncounted_events(connection, number)
            if asked is None and _is_new(first_minute(connection, number), now):
                span = span_of(HOUR, now)
            sums = sums_between(connection, number, span.first, span.end, span.window.width)

    objectives = agent.state.objectives
    arms = arm_summaries(sums, names, objectives)
    fronts = [
        front_figures(arms[:MOST_DRAWN], objectives, pair) for pair in objective_pairs(objectives)
    ]
    charts = charts_of(TimeTable(span, sums), names, objectives) if sums else []

    return AgentPage(
        agent=agent,
        warnings=warnings_of(agent, uncounted),
        span=span,
        decisions=sum(arm.decisions for arm in arms),
        arms=arms,
        fronts=[figures for figures in fronts if figures],
        charts=charts,
    )


def _is_new(minute: int | None, now: float) -> bool:
    return minute is not None and now / 60.0 - minute < HOUR.minutes
