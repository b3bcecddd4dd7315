"""The page of all agents."""

import time
from collections.abc import Sequence
from types import SimpleNamespace

from mobandits.logs.address import Place
from mobandits.logs.store.connection import reading
from mobandits.support.naming import quantity
from mobandits_service.agent_states import budget_states, is_low
from mobandits_service.checking import period_in_words
from mobandits_service.dashboard.windows import HOUR, span_of
from mobandits_service.hosted_agent import HostedAgent
from mobandits_service.rollup_reading import (
    agent_numbers,
    sums_between,
    uncounted_events,
)

RECENT = 5  # minutes that "now" is
MANY_WAITING = 0.9  # of the decisions that an agent can wait for
MANY_UNCOUNTED = 50_000  # events: those of some seconds are always still to be counted
SPARK_HEIGHT = 24.0


class AgentNow:
    """What an agent tells of itself at one moment, taken where nobody changes it meanwhile.

    Args:
        hosted: the agent.
    """

    def __init__(self, hosted: HostedAgent) -> None:
        self.state = hosted.state()
        self.budgets = budget_states(hosted.balances())
        self.most_waiting = hosted.specification.pending


def agent_lines(path: Place, agents: Sequence[AgentNow]) -> list[SimpleNamespace]:
    """The lines of the page.

    Args:
        path: of the store.
        agents: that the visitor may see.
    """
    span = span_of(HOUR, time.time())
    lines = []
    with reading(path) as connection:
        numbers = agent_numbers(connection)
        for agent in agents:
            counts = [0] * span.stretches
            uncounted = 0
            number = numbers.get(agent.state.name)
            if number is not None:
                uncounted = uncounted_events(connection, number)
                for each in sums_between(
                    connection, number, span.first, span.end, span.window.width
                ):
                    if each.objective is None:
                        counts[each.place] += each.n

            # The present minute is not over, and would show too little.
            rate = sum(counts[-1 - RECENT : -1]) / RECENT
            if not rate:
                rate = counts[-1] / span.minutes(span.stretches - 1)
            warnings = warnings_of(agent, uncounted)
            spark = spark_of(counts[:-1])
            # Read by the template alone, by these names.
            line = SimpleNamespace(agent=agent, rate=rate, spark=spark, warnings=warnings)
            lines.append(line)

    return lines


def warnings_of(agent: AgentNow, uncounted: int) -> list[str]:
    """What an operator should look at."""
    state = agent.state
    warnings = []
    if state.status != "ready":
        warnings.append(f"cannot decide: {state.status}")
    for reason, count in state.dropped.items():
        if count:
            warnings.append(f"{quantity(count, 'decision')} dropped: {reason}")
    if state.waiting > MANY_WAITING * agent.most_waiting:
        warnings.append(f"{state.waiting:,} decisions wait, of {agent.most_waiting:,} that can")
    for each in agent.budgets:
        if is_low(each):
            title = f"{each.objective} {period_in_words(each.per)}"
            warnings.append(f"budget {title}: {each.left:.4g} left of {each.limit:.4g}")
    if uncounted > MANY_UNCOUNTED:
        warnings.append(f"{uncounted:,} events are still to be counted: pages show too little")

    return warnings


def spark_of(counts: Sequence[int]) -> str:
    """Counts as points of a line.

    Example:
        >>> spark_of([0, 2, 1]), spark_of([0, 0])
        ('0,24 1,1 2,12.5', '')
    """
    most = max(counts, default=0)
    if not most:
        return ""

    points = []
    for place, count in enumerate(counts):
        height = SPARK_HEIGHT - (SPARK_HEIGHT - 1.0) * count / most
        points.append(f"{place},{height:g}")

    return " ".join(points)
