"""The base of this library's metrics: each says in its class all that is known of its values."""

import math
from collections.abc import Callable
from typing import ClassVar, Literal

import numpy as np

from mobandits.contracts.protocols import Array, IntArray, Shape

Better = Literal["smaller", "larger"]


class BaseMetric:
    """A metric with one sum per round, of whose values nothing is known; subclasses say more.

    Attributes:
        cumulative: as in `mobandits.contracts.protocols.Metric`.
        needs_fronts: likewise.
        references: keys of what it is cited as.
        better: which values are better; None where neither is.
        least: the smallest possible value.
        most: the largest possible value.
        unit: of its values, such as "USD"; empty where there is none.
        meaning: a clause that says what it is, for pages.
        component: what each of its components is, in one word.
    """

    cumulative: ClassVar[bool] = True
    needs_fronts: ClassVar[bool] = False
    references: ClassVar[tuple[str, ...]] = ()
    better: ClassVar[Better | None] = None
    least: ClassVar[float] = -math.inf
    most: ClassVar[float] = math.inf
    unit: ClassVar[str] = ""
    meaning: ClassVar[str] = ""
    component: ClassVar[str] = "component"

    def components(self, shape: Shape) -> int:
        """One number per round."""
        return 1


class Sums:
    """The accumulator of a metric that records a function of the sums of its rows.

    Args:
        columns: of `per_round`.
        recorded: from the sums and the number of rounds to what is recorded.

    Example:
        >>> sums = Sums(1, lambda total, rounds: total / rounds)
        >>> sums.add(np.array([[1.0], [4.0]]))
        >>> sums.value().tolist()
        [2.5]
    """

    def __init__(self, columns: int, recorded: Callable[[Array, int], Array]) -> None:
        self._total = np.zeros(columns)
        self._rounds = 0
        self._recorded = recorded

    def add(self, values: Array) -> None:
        """More rounds, as `per_round` gives them."""
        self._total += values.sum(axis=0)
        self._rounds += len(values)

    def value(self) -> Array:
        """The numbers so far."""
        return self._recorded(self._total, self._rounds)


def of_chosen(table: Array, chosen: IntArray) -> Array:
    """The rows of `table` (rounds or 1, arms, ...) for the arms `chosen` (rounds,).

    Either may have length 1 in place of rounds, for a table or an arm that stays.

    Example:
        >>> of_chosen(np.arange(6.0).reshape(2, 3), np.array([2, 0]))
        array([2., 3.])
    """
    rounds, arms, *rest = table.shape
    # One index into flat rows: an index for each axis would take ten times longer.
    rows = table.reshape(rounds * arms, *rest)
    first_rows = np.arange(0, rounds * arms, arms)
    indices = first_rows + chosen

    return rows.take(indices, axis=0)
