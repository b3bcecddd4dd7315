"""Axes of a plane: scales from values to places, and the numbers beside them."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mobandits_client.messages import ObjectiveState
from mobandits_service.dashboard.answers import number_text
from mobandits_service.dashboard.arm_means import Mean
from mobandits_service.dashboard.name_places import cut

DOLLARS = ("USD", "US dollars", "dollars", "$")
LOG_DOLLARS = "log10 USD"  # what costs are learned as, where they differ by powers of ten
LETTER = 7.0  # the width of one of a label, about
FEWEST_LETTERS = 8  # of a name in a label
POWERS = 8.0  # of ten, at most, that are written out


@dataclass(frozen=True)
class Tick:
    """A number of an axis, and where it stands."""

    at: float
    text: str


@dataclass(frozen=True)
class Axis:
    """A scale from values to places.

    Attributes:
        low: its lower end.
        high: its upper end.
        begin: where the lower end is drawn.
        end: where the upper end is drawn.
        is_dollars: whether it is a scale of logarithms of dollars.
        scaled: a value on the scale.
    """

    low: float
    high: float
    begin: float
    end: float
    is_dollars: bool
    scaled: Callable[[float], float]

    def at(self, number: float) -> float:
        """The place of a number of the scale."""
        part = (number - self.low) / (self.high - self.low)
        return round(self.begin + part * (self.end - self.begin), 2)

    def place(self, value: float) -> float:
        """Where a value is drawn."""
        return self.at(self.scaled(value))

    def ends(self, mean: Mean) -> tuple[float, float] | None:
        """Where the ends of a mean's interval are drawn; None where they are not known."""
        if mean.half is None:
            return None

        return (self.place(mean.low), self.place(mean.high))


def axis_of(means: Sequence[Mean], objective: ObjectiveState, begin: float, end: float) -> Axis:
    """A scale on which all means and intervals have room; of costs in dollars it may be of powers.

    Args:
        means: of arms.
        objective: whose means they are.
        begin: where the lower end is drawn.
        end: where the upper end is drawn.
    """
    values = [mean.value for mean in means]
    is_cost = objective.minimise and objective.unit in DOLLARS
    is_logarithmic = is_cost and 10.0**-POWERS < min(values) < 0.1 * max(values)
    least = min(values) / 10.0

    def scaled(value: float) -> float:
        return math.log10(max(value, least)) if is_logarithmic else value

    low = min(scaled(mean.low) for mean in means)
    high = max(scaled(mean.high) for mean in means)
    room = 0.08 * (high - low)
    if room <= 1e-12 * max(abs(low), abs(high), 1e-300):
        # One value alone has no scale of its own.
        room = 0.1 * abs(low) or 1.0

    are_powers = objective.unit == LOG_DOLLARS and high - low > 1.0
    is_dollars = is_logarithmic or (are_powers and max(-low, high) < POWERS)
    # An interval that reaches to zero ends where a logarithmic scale does.
    is_cut = is_logarithmic and low <= scaled(least)

    return Axis(low if is_cut else low - room, high + room, begin, end, is_dollars, scaled)


def ticks_of(axis: Axis, count: int, room: float) -> list[Tick]:
    """The numbers of an axis.

    Args:
        axis: on which they stand.
        count: how many there are, about.
        room: of an amount of dollars, of which there may be as many as have room.
    """
    if not axis.is_dollars:
        numbers = ticks(axis.low, axis.high, count)
        return [Tick(axis.at(number), f"{number:g}") for number in numbers]

    apart = room * (axis.high - axis.low) / abs(axis.end - axis.begin)
    amounts = dollar_ticks(axis.low, axis.high, apart)

    return [Tick(axis.at(math.log10(each)), f"${number_text(each, 1)}") for each in amounts]


def axis_label(objective: ObjectiveState, axis: Axis) -> str:
    """The name of an objective, cut to the length of the axis, its unit, and its better end."""
    unit = "log scale" if axis.is_dollars else objective.unit
    after = f", {unit}" if unit else ""
    after += " (less is better)" if objective.minimise else " (more is better) →"
    letters = int(abs(axis.end - axis.begin) / LETTER) - len(after)
    name = cut(objective.name, max(FEWEST_LETTERS, letters))
    # The label of the vertical axis is turned: its right end is the upper one.
    return f"← {name}{after}" if objective.minimise else f"{name}{after}"


def ticks(low: float, high: float, count: int) -> list[float]:
    """Round numbers between two others, about so many.

    Example:
        >>> ticks(0.0, 1.0, 5)
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    # Of 1, 2, 5 and 10 times a power of ten, the first that is wide enough; rounding may say less.
    widths = [factor * power for factor in (1.0, 2.0, 5.0, 10.0)]
    step = next(width for width in widths if width >= 0.999 * raw)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)

    return [round(number * step, 12) for number in range(first, last + 1)]


def dollar_ticks(low: float, high: float, apart: float) -> list[float]:
    """Round amounts of dollars between two powers of ten.

    Args:
        low: the lower power.
        high: the upper one.
        apart: how far two logarithms are from each other, at least.

    Example:
        >>> dollar_ticks(-3.1, -1.9, 0.2)
        [0.001, 0.002, 0.005, 0.01]
        >>> dollar_ticks(-3.1, 2.0, 1.5)
        [0.01, 1.0, 100.0]
    """
    # Neighbours among 1, 2, 5 and 10 differ by a factor of 2, those among 1, 3 and 10 by one of 3.
    factors: tuple[int, ...] = (1,)
    if apart <= math.log10(2.0):
        factors = (1, 2, 5)
    elif apart <= math.log10(3.0):
        factors = (1, 3)

    step = math.ceil(apart)
    first = step * math.floor(low / step)
    last = math.ceil(high)
    amounts = []
    for power in range(first, last + 1, step):
        for factor in factors:
            amount = float(f"{factor}e{power}")
            if low <= math.log10(amount) <= high:
                amounts.append(amount)

    return amounts
