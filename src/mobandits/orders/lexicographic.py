"""The lexicographic order: objective 0 decides, then objective 1 among its winners, and so on."""

import math
from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, Mask
from mobandits.numerics.masks import everyone
from mobandits.orders.order import BaseOrder
from mobandits.support import checks


@kernel
def lexicographic(values: Array, tolerance: float) -> tuple[Mask, Array]:
    """(arms,) the lexicographic winners, and (objectives,) the values that they won with.

    In each objective in turn an arm stays in where it is at most `tolerance` below the largest
    value of the arms still in.
    """
    arms, objectives = values.shape
    winners = everyone(arms)
    top = np.empty(objectives)
    for i in range(objectives):
        largest = -math.inf
        for a in range(arms):
            if winners[a]:
                largest = max(largest, values[a, i])

        # The bar is the largest value less the tolerance, and not an arm that is within it: else
        # arms could drift away from the best in small steps.
        bar = largest - tolerance
        for a in range(arms):
            winners[a] = winners[a] and values[a, i] >= bar

        top[i] = largest

    return winners, top


@kernel
def priority_gaps(means: Array, first: int, last: int, tolerance: float) -> Array:
    """(last - first, objectives) the priority gaps of the arms from `first` to before `last`.

    An arm has one positive digit: how far it is behind in the first objective that it loses.
    """
    _, top = lexicographic(means, tolerance)
    objectives = len(top)
    out = np.zeros((last - first, objectives))
    for a in range(first, last):
        for i in range(objectives):
            mean = means[a, i]
            # The tolerance decides who loses, but the gap is the whole distance to the best.
            if mean < top[i] - tolerance:
                out[a - first, i] = top[i] - mean
                break

    return out


class ScoresByPriority(BaseOrder):
    """Base of orders that explore, and whose regret is that of the lexicographic order."""

    def gap(self, means: Array, arm: int) -> Array:
        """(objectives,) the lexicographic gap of one arm."""
        gaps = priority_gaps(means, arm, arm + 1, 0.0)
        # On true means there is nothing to explore: what is left is the lexicographic order.
        gap: Array = gaps[0]
        return gap

    def gaps(self, means: Array) -> Array:
        """(arms, objectives) the lexicographic gap of every arm."""
        return priority_gaps(means, 0, len(means), 0.0)


@compiled
class Lexicographic(BaseOrder):
    """The lexicographic order: the best in objective 0 win, of these the best in objective 1, etc.

    Digit i of the gap is ``mu*[i] - mu[a, i]`` where arm a equals the winners' mean ``mu*`` in all
    earlier objectives, else 0: one digit is positive, the first objective that is lost. (For the
    signed regret in every objective see the metric ``objective_regret``.)

    Args:
        tolerance: how far below the best an arm may stay and count as equal, in the unit of the
            objectives.

    Raises:
        ValueError: where `tolerance` is not a finite number of at least 0.

    Reference:
        mocmab2018, section VI-B (the order); moslb2024, equation 4 (the priority regret).

    Example:
        >>> import mobandits as mob
        >>> means = [[1, 0], [1, 2], [0.5, 9]]
        >>> mob.front(means, mob.orders.Lexicographic())
        array([False,  True, False])
        >>> mob.gaps(means, mob.orders.Lexicographic()).tolist()
        [[0.0, 2.0], [0.0, 0.0], [0.5, 0.0]]
    """

    tolerance: float = 0.0

    def __post_init__(self) -> None:
        checks.number("Lexicographic.tolerance", self.tolerance, at_least=0.0)

    def check(self, objectives: int) -> None:
        """Accept any number of objectives."""

    def scaled(self, factor: float) -> "Lexicographic":
        """The same order for means that are `factor` times as large."""
        return Lexicographic(self.tolerance * factor)

    def in_words(self, objectives: Sequence[str]) -> str:
        """The objectives by priority."""
        priorities = ", then ".join(objectives)
        text = f"lexicographic: {priorities}"
        if self.tolerance > 0.0:
            text += f", where differences up to {self.tolerance:g} are ties"

        return text

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the lexicographic winners of the upper bounds."""
        winners, _ = lexicographic(beliefs.high, self.tolerance)
        return winners

    def gap(self, means: Array, arm: int) -> Array:
        """(objectives,) the priority gap of one arm."""
        gaps = priority_gaps(means, arm, arm + 1, self.tolerance)
        gap: Array = gaps[0]
        return gap

    def gaps(self, means: Array) -> Array:
        """(arms, objectives) the priority gap of every arm."""
        # All at once: the winners' means are found once and not per arm.
        return priority_gaps(means, 0, len(means), self.tolerance)
