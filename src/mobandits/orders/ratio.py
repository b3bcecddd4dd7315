"""Ratios of two objectives, such as quality per second."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from mobandits.compiling.compiled import Floats, Place, compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, Mask
from mobandits.contracts.terms import ApplicationTerms
from mobandits.numerics.masks import everyone, leaders
from mobandits.orders.validity import check_below
from mobandits.orders.weighted import ScoreOrder
from mobandits.support.checks import number
from mobandits.support.naming import quoted, wrong_value


@kernel
def largest_ratios(
    low: Array, high: Array, numerator: int, denominator: int, floor: float
) -> Array:
    """(arms,) the largest ``v_n / max(v_d, floor)`` of every arm, for v between `low` and `high`."""
    out = np.empty(len(high))
    for a in range(len(high)):
        top = high[a, numerator]
        # A loss is least where it is spread over the most.
        best_denominator = low[a, denominator] if top >= 0.0 else high[a, denominator]
        divisor = max(best_denominator, floor)
        # Infinite by infinite would be NaN.
        out[a] = top if math.isinf(top) else top / divisor

    return out


@compiled
class Ratio(ScoreOrder):
    """The order of ratios: the arm with the largest ``mu[a, n] / max(mu[a, d], floor)`` wins.

    n is the numerator and d the denominator, such as quality per second, which no weighted sum can
    express. The floor keeps ratios finite. The gap is how far an arm's ratio is below the largest,
    in units of n per unit of d. The front is that of the largest ratios within the beliefs: the
    upper bound of n by the lower one of d, or by the upper one where that bound of n is negative.
    Other objectives do not count.

    Means are compared in the rewards' own units. An agent translates what its policy learns,
    whatever ranges and directions the objectives have, so that seconds are given as
    ``Objective("seconds", minimise=True)``. Of the numerator more must be better: for dollars per
    success, prefer successes per dollar. Simulations compare rewards as the environment pays them,
    so that a denominator must be positive there as well.

    A ratio of means is not the mean of the ratios of single rounds.

    Args:
        numerator: the objective n, by name in an agent, else by number.
        denominator: the objective d, likewise.
        floor: the least denominator, positive, in the unit of d.

    Raises:
        ValueError: where `floor` is not positive, or an objective is negative, or both are the same.

    Reference:
        Quality per second is the example of arXiv 2605.14241, whose text was not read: rebuilt from
        notes. The interval is ours.

    Example:
        >>> import mobandits as mob
        >>> quality_and_seconds = [[0.9, 3.0], [0.6, 1.0], [0.5, 0.01]]
        >>> order = mob.orders.Ratio(numerator=0, denominator=1, floor=0.5)
        >>> mob.front(quality_and_seconds, order)
        array([False, False,  True])
        >>> mob.gaps(quality_and_seconds, order).round(3).ravel().tolist()
        [0.7, 0.4, 0.0]
    """

    numerator: Place
    denominator: Place
    floor: float

    def __post_init__(self) -> None:
        number("Ratio.floor", self.floor, above=0.0)
        for name in ("numerator", "denominator"):
            place = getattr(self, name)
            if place < 0:
                raise wrong_value(f"Ratio.{name} must be an objective of at least 0", place)

        if self.numerator == self.denominator:
            raise wrong_value(
                "Ratio.denominator must be another objective than the numerator", self.denominator
            )

    def check(self, objectives: int) -> None:
        """Refuse a problem with too few objectives."""
        check_below("Ratio.numerator", np.array([self.numerator]), objectives)
        check_below("Ratio.denominator", np.array([self.denominator]), objectives)

    def in_words(self, objectives: Sequence[str]) -> str:
        """The two objectives and the floor."""
        numerator = objectives[self.numerator]
        denominator = objectives[self.denominator]
        return f"largest {numerator} per {denominator}, which counts as {self.floor:g} at least"

    def in_units(self, terms: ApplicationTerms | None) -> Any:
        """The order that compares learned rewards as this one compares them in their own units.

        Raises:
            ValueError: where the numerator is minimised, or there is no such objective.
        """
        if terms is None:
            return self

        self.check(len(terms.objectives))
        if terms.minimised[self.numerator]:
            name = quoted(terms.objectives[self.numerator])
            rule = "Ratio.numerator must be an objective of which more is better"
            raise ValueError(f"{rule}, got {name}, which is minimised; swap the two")

        lines = np.array(terms.lines)
        return LearnedRatio(self, lines[:, 0], lines[:, 1])

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms with the largest ratio within their intervals."""
        best = largest_ratios(
            beliefs.low, beliefs.high, self.numerator, self.denominator, self.floor
        )
        return leaders(best, everyone(len(best)))

    def scores(self, values: Array) -> Array:
        """(arms,) the ratio of every arm."""
        # Of values that are certain, the largest ratio is the only one.
        return largest_ratios(values, values, self.numerator, self.denominator, self.floor)


@compiled
class LearnedRatio(ScoreOrder):
    """A `Ratio` of rewards in their own units, played on rewards as policies learn them.

    A policy of an agent learns ``(reward - offset) factor`` of each objective: ranges become
    [0, 1], and what is minimised is negated.

    Args:
        ratio: of rewards in their own units.
        offsets: (objectives,) in the unit of each.
        factors: (objectives,) one over the unit of each, negative where less is better.

    Example:
        >>> order = LearnedRatio(Ratio(0, 1, 1.0), [0.0, 8.0], [1.0, -0.125])  # 0 to 8 seconds
        >>> order.gaps(np.array([[6.0, 0.25], [4.0, 0.75]])).ravel().tolist()  # 6 / 6 and 4 / 2
        [1.0, 0.0]
    """

    ratio: Ratio
    offsets: Floats
    factors: Floats

    def in_units(self, terms: ApplicationTerms | None) -> Any:
        """The order of the same ratio for other units."""
        return self.ratio.in_units(terms)

    def own(self, learned: Array) -> Array:
        """(arms, objectives) rewards in their own units."""
        distances = learned / self.factors
        own: Array = distances + self.offsets
        return own

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the front of the ratio."""
        mean = self.own(beliefs.mean)
        one_end = self.own(beliefs.low)
        other_end = self.own(beliefs.high)
        # The upper end of what is minimised, as it is learned, is the lower one of its own unit.
        low = np.minimum(one_end, other_end)
        high = np.maximum(one_end, other_end)

        return self.ratio.front(Beliefs(mean, low, high))

    def scores(self, values: Array) -> Array:
        """(arms,) the ratio of every arm."""
        return self.ratio.scores(self.own(values))
