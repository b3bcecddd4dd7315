"""Charts over time: decisions, shares of arms, entropy and rewards, as numbers for script and table."""

import math
from collections import defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.figures.palette import LINES
from mobandits_client.messages import ObjectiveState
from mobandits_service.agent_states import Objectives
from mobandits_service.dashboard.windows import Span, clock_text
from mobandits_service.recent_arms import entropy
from mobandits_service.rollup_reading import ArmNames, RolledSums

MOST_LINES = 5  # arms with a line of their own: of more, no eye tells them apart
OTHERS = "other arms"
OTHER_COLOUR = "soft"
ALL = "all arms"
FEWEST_STRETCHES = 12  # of a chart whose data began a moment ago

Values = list[float | None]
Arms = Sequence[int]  # by number
Group = tuple[str, str, Arms]  # the label and the colour of a line, and its arms


@dataclass(frozen=True)
class Line:
    """A line of a chart.

    Attributes:
        label: of the line.
        colour: the name of one of the palette.
        values: per stretch; None where there is nothing to show.
    """

    label: str
    colour: str
    values: Values


@dataclass(frozen=True)
class Chart:
    """A chart over time.

    Attributes:
        key: in ids of the page.
        title: what is drawn.
        note: how to read it.
        lines: of the chart.
        table: of the window; it has the times.
        unit: of the values.
        top: the least upper end of the vertical axis; None: that of the values.
    """

    key: str
    title: str
    note: str
    lines: list[Line]
    table: "TimeTable"
    unit: str = ""
    top: float | None = None

    def data(self) -> dict[str, Any]:
        """What the script draws."""
        return {
            "unit": self.unit,
            "top": self.top,
            "starts": self.table.starts,
            "labels": [line.label for line in self.lines],
            "colours": [line.colour for line in self.lines],
            "values": [line.values for line in self.lines],
        }

    def rows(self) -> list[tuple[str, Values]]:
        """The rows of its table, the last stretch first, without those that have nothing."""
        rows = []
        for place in reversed(range(len(self.table.times))):
            values = [line.values[place] for line in self.lines]
            if any(value is not None for value in values):
                rows.append((self.table.times[place], values))

        return rows


class TimeTable:
    """The sums of a window, by stretch, arm and objective.

    Args:
        span: the window.
        sums: of an agent, in the span.

    Attributes:
        span: as given.
        arms: that were played, the most frequent first.
        places: of the stretches that are drawn.
        starts: when each of them begins, in seconds since 1970.
        times: the same for people.
    """

    def __init__(self, span: Span, sums: Sequence[RolledSums]) -> None:
        self.span = span
        counts: dict[int, int] = {}
        first = span.stretches
        for each in sums:
            first = min(first, each.place)
            if each.objective is None:
                counts[each.arm] = counts.get(each.arm, 0) + each.n

        self.arms = sorted(counts, key=lambda arm: (-counts[arm], arm))
        # What lies before the first event is left out, as far as a chart keeps a width.
        begin = max(0, min(first, span.stretches - FEWEST_STRETCHES))
        self.places = range(begin, span.stretches)
        self.starts = [span.start(place) for place in self.places]
        self.times = [clock_text(start, span.window) for start in self.starts]
        shape = (2, len(self.places))
        self._series = defaultdict[tuple[int, Hashable], Array](lambda: np.zeros(shape))
        for each in sums:
            series = self._series[each.arm, each.objective]
            series[:, each.place - begin] = (each.n, each.total)

    def summed(self, arms: Arms, objective: Hashable = None) -> Array:
        """The number of rewards of some arms, and their sum, per stretch.

        Args:
            arms: by number.
            objective: of the rewards; None: the number of decisions.
        """
        total = np.zeros((2, len(self.places)))
        # In this order: another one would round otherwise.
        for arm in arms:
            total += self._series[arm, objective]

        return total


def charts_of(table: TimeTable, arms: ArmNames, objectives: Objectives) -> list[Chart]:
    """The charts of an agent's page.

    Args:
        table: of the window.
        arms: {number: name}.
        objectives: of the agent.
    """
    charts = [_rate_chart(table), _share_chart(table, arms), _entropy_chart(table)]
    for number, objective in enumerate(objectives):
        charts.append(_reward_chart(table, arms, objective, number))

    return charts


def arm_colours(arms: Arms) -> dict[int, str]:
    """{arm: the name of its colour}; those without a line of their own share one.

    Args:
        arms: by number, the most frequent first.

    Example:
        >>> arm_colours([2, 0])
        {0: 'blue', 2: 'vermillion'}
    """
    shown, others = _shown(arms)
    colours = {arm: LINES[place].name for place, arm in enumerate(shown)}

    return colours | dict.fromkeys(others, OTHER_COLOUR)


def _rate_chart(table: TimeTable) -> Chart:
    counts, _ = table.summed(table.arms)
    minutes = np.array([table.span.minutes(place) for place in table.places])
    rates = _quotients(counts, minutes)
    line = Line("decisions per minute", LINES[0].name, rates)

    return Chart("rate", "Decisions per minute", "", [line], table)


def _share_chart(table: TimeTable, names: ArmNames) -> Chart:
    shown, others = _shown(table.arms)
    totals, _ = table.summed(table.arms)
    groups = _own_lines(shown, names)
    if others:
        groups.append((OTHERS, OTHER_COLOUR, others))
    lines = [
        Line(label, colour, _quotients(table.summed(arms)[0], totals))
        for label, colour, arms in groups
    ]
    note = "Of the decisions made in each stretch of time, by the arm that was played."

    return Chart("shares", "Shares of arms", note, lines, table, top=1.0)


def _entropy_chart(table: TimeTable) -> Chart:
    arms = table.arms
    series = [table.summed([arm])[0] for arm in arms]
    values: Values = []
    for place in range(len(table.places)):
        counts = [counted[place] for counted in series]
        values.append(entropy(counts) if any(counts) else None)

    line = Line("entropy of the shares", LINES[4].name, values)
    most = math.log2(len(arms)) if len(arms) > 1 else 1.0
    note = "In bits: 0 where one arm is always played"
    if len(arms) > 1:
        note += f", {most:.2f} where all {len(arms)} are played equally often"

    return Chart(
        "entropy",
        "Entropy of the shares",
        f"{note}.",
        [line],
        table,
        unit="bits",
        top=most,
    )


def _reward_chart(
    table: TimeTable, names: ArmNames, objective: ObjectiveState, number: int
) -> Chart:
    name = objective.name
    groups: list[Group] = [(ALL, LINES[-1].name, table.arms)]
    if len(table.arms) > 1:
        shown, _ = _shown(table.arms)
        groups += _own_lines(shown, names)
    lines = []
    for label, colour, arms in groups:
        counts, totals = table.summed(arms, name)
        lines.append(Line(label, colour, _quotients(totals, counts)))

    better = "less is better" if objective.minimise else "more is better"
    unit = f", in {objective.unit}" if objective.unit else ""
    note = f"Mean of the rewards that came in each stretch of time{unit}; {better}."

    return Chart(
        f"reward-{number}",
        f"Rewards: {name}",
        note,
        lines,
        table,
        unit=objective.unit,
    )


def _own_lines(arms: Arms, names: ArmNames) -> list[Group]:
    """A line for each of some arms: its label, its colour and the arm."""
    return [(str(names[arm]), LINES[place].name, [arm]) for place, arm in enumerate(arms)]


def _quotients(parts: Array, wholes: Array) -> Values:
    """Quotients per stretch; None where there is nothing, or too much for a number."""
    with np.errstate(all="ignore"):
        quotients = parts / wholes

    return [value if math.isfinite(value) else None for value in quotients.tolist()]


def _shown(arms: Arms) -> tuple[Arms, Arms]:
    """The arms with lines of their own, and the others.

    They come by number: an arm keeps its colour when another one is played more often.
    """
    most = len(arms) if len(arms) <= MOST_LINES + 1 else MOST_LINES

    return sorted(arms[:most]), arms[most:]
