"""Charts over time: decisions, shares of arms, entropy and rewards, as numbers for script and table."""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from mobandits.figures.palette import LINES
from mobandits_client.messages import ObjectiveState
from mobandits_service.dashboard.windows import Span, clock_text
from mobandits_service.rollup_reading import RolledSums

MOST_LINES = 5  # arms with a line of their own: of more, no eye tells them apart
OTHERS = "other arms"
OTHER_COLOUR = "soft"
ALL = "all arms"
FEWEST_STRETCHES = 12  # of a chart whose data began a moment ago

Values = list[float | None]


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
        unit: of the values.
        starts: when each stretch begins, in seconds since 1970.
        times: the same for people.
        lines: of the chart.
        top: the least upper end of the vertical axis; None: that of the values.
    """

    key: str
    title: str
    note: str
    unit: str
    starts: list[int]
    times: list[str]
    lines: list[Line]
    top: float | None = None

    def data(self) -> dict[str, Any]:
        """What the script draws."""
        return {
            "unit": self.unit,
            "top": self.top,
            "starts": self.starts,
            "labels": [line.label for line in self.lines],
            "colours": [line.colour for line in self.lines],
            "values": [line.values for line in self.lines],
        }

    def rows(self) -> list[tuple[str, Values]]:
        """The rows of its table, the last stretch first, without those that have nothing."""
        rows = []
        for place in reversed(range(len(self.starts))):
            values = [line.values[place] for line in self.lines]
            if any(value is not None for value in values):
                rows.append((self.times[place], values))

        return rows


class TimeTable:
    """The sums of a window, by stretch, arm and objective.

    Args:
        span: the window.
        sums: of an agent, in the span.
    """

    def __init__(self, span: Span, sums: Sequence[RolledSums]) -> None:
        self.span = span
        self._cells: dict[tuple[int, int, Hashable], RolledSums] = {}
        self._counts: dict[int, int] = {}
        first = span.stretches
        for each in sums:
            self._cells[each.place, each.arm, each.objective] = each
            first = min(first, each.place)
            if each.objective is None:
                self._counts[each.arm] = self._counts.get(each.arm, 0) + each.n

        # What lies before the first event is left out, as far as a chart keeps a width.
        begin = max(0, min(first, span.stretches - FEWEST_STRETCHES))
        self.places = range(begin, span.stretches)

    def arms(self) -> list[int]:
        """The arms that were played, the most frequent first."""
        return sorted(self._counts, key=lambda arm: (-self._counts[arm], arm))

    def decisions(self, place: int, arm: int) -> int:
        """How often an arm was played in a stretch."""
        cell = self._cells.get((place, arm, None))
        return 0 if cell is None else cell.n

    def rewards(self, place: int, arm: int, objective: Hashable) -> tuple[int, float]:
        """How many rewards came for an arm in a stretch, and their sum."""
        cell = self._cells.get((place, arm, objective))
        return (0, 0.0) if cell is None else (cell.n, cell.total)


def charts_of(
    table: TimeTable, arms: dict[int, Hashable], objectives: Sequence[ObjectiveState]
) -> list[Chart]:
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


def arm_colours(arms: Sequence[int]) -> dict[int, str]:
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


def entropy(counts: Sequence[int]) -> float:
    """The entropy of the shares of some counts, in bits.

    Example:
        >>> entropy([5, 5]), entropy([7, 0])
        (1.0, 0.0)
    """
    total = sum(counts)
    bits = 0.0
    for count in counts:
        if count:
            share = count / total
            bits -= share * math.log2(share)

    return abs(bits)  # a zero without a sign


def _chart(
    table: TimeTable,
    key: str,
    title: str,
    note: str,
    lines: list[Line],
    *,
    unit: str = "",
    top: float | None = None,
) -> Chart:
    span = table.span
    starts = [span.start(place) for place in table.places]
    times = [clock_text(start, span.window) for start in starts]

    return Chart(key, title, note, unit, starts, times, lines, top)


def _rate_chart(table: TimeTable) -> Chart:
    arms = table.arms()
    values: Values = []
    for place in table.places:
        count = sum(table.decisions(place, arm) for arm in arms)
        values.append(count / table.span.minutes(place))

    line = Line("decisions per minute", LINES[0].name, values)

    return _chart(table, "rate", "Decisions per minute", "", [line])


def _share_chart(table: TimeTable, names: dict[int, Hashable]) -> Chart:
    arms = table.arms()
    shown, others = _shown(arms)
    totals = {place: sum(table.decisions(place, arm) for arm in arms) for place in table.places}
    lines = []
    for number, arm in enumerate(shown):
        lines.append(Line(str(names[arm]), LINES[number].name, _shares(table, [arm], totals)))
    if others:
        lines.append(Line(OTHERS, OTHER_COLOUR, _shares(table, others, totals)))

    note = "Of the decisions made in each stretch of time, by the arm that was played."

    return _chart(table, "shares", "Shares of arms", note, lines, top=1.0)


def _shares(table: TimeTable, arms: Sequence[int], totals: dict[int, int]) -> Values:
    values: Values = []
    for place in table.places:
        total = totals[place]
        count = sum(table.decisions(place, arm) for arm in arms)
        values.append(count / total if total else None)

    return values


def _entropy_chart(table: TimeTable) -> Chart:
    arms = table.arms()
    values: Values = []
    for place in table.places:
        counts = [table.decisions(place, arm) for arm in arms]
        values.append(entropy(counts) if any(counts) else None)

    line = Line("entropy of the shares", LINES[4].name, values)
    most = math.log2(len(arms)) if len(arms) > 1 else 1.0
    note = (
        "In bits: 0 where one arm is always played, "
        f"{most:.2f} where all {len(arms)} are played equally often."
        if len(arms) > 1
        else "In bits: 0 where one arm is always played."
    )

    return _chart(table, "entropy", "Entropy of the shares", note, [line], unit="bits", top=most)


def _reward_chart(
    table: TimeTable, names: dict[int, Hashable], objective: ObjectiveState, number: int
) -> Chart:
    arms = table.arms()
    shown, _ = _shown(arms)
    name = objective.name
    lines = [Line(ALL, LINES[-1].name, _means(table, arms, name))]
    if len(arms) > 1:
        for place, arm in enumerate(shown):
            lines.append(Line(str(names[arm]), LINES[place].name, _means(table, [arm], name)))

    better = "less is better" if objective.minimise else "more is better"
    unit = f", in {objective.unit}" if objective.unit else ""
    note = f"Mean of the rewards that came in each stretch of time{unit}; {better}."

    return _chart(table, f"reward-{number}", f"Rewards: {name}", note, lines, unit=objective.unit)


def _means(table: TimeTable, arms: Sequence[int], objective: str) -> Values:
    values: Values = []
    for place in table.places:
        cells = [table.rewards(place, arm, objective) for arm in arms]
        n = sum(count for count, _ in cells)
        total = sum(part for _, part in cells)
        mean = total / n if n else math.nan
        values.append(mean if math.isfinite(mean) else None)

    return values


def _shown(arms: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """The arms with lines of their own, and the others.

    They come by number: an arm keeps its colour when another one is played more often.
    """
    most = len(arms) if len(arms) <= MOST_LINES + 1 else MOST_LINES

    return sorted(arms[:most]), arms[most:]
