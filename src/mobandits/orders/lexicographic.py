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
    """(arms,) the lexicographic winners, and (objectives,) the largest value of every objective among those still in.

    In each objective in turn an arm stays in where it is at most `tolerance` below the largest value.
    """
    winners = everyone(len(values))
    top = np.empty(values.shape[1])
    for i in range(len(top)):
        top[i] = -math.inf
        for a in range(len(winners)):
            if winners[a]:
                top[i] = max(top[i], values[a, i])
        for a in range(len(winners)):
            winners[a] = winners[a] and values[a, i] >= top[i] - tolerance
    return winners, top


@kernel
def priority_gaps(means: Array, first: int, last: int, tolerance: float) -> Array:
    """(last - first, objectives) how far the arms from `first` to before `last` stay behind where they first lose."""
    top = lexicographic(means, tolerance)[1]
    out = np.zeros((last - first, means.shape[1]))
    for a in range(first, last):
        for i in range(len(top)):
            if means[a, i] < top[i] - tolerance:
                out[a - first, i] = top[i] - means[a, i]
                break
    return out


@compiled
class Lexicographic(BaseOrder):
    """Objectives by priority: an arm wins where it is best in objective 0, among those best in objective 1, and so on.

    Digit i of the gap is ``mu*[i] - mu[a, i]`` where arm a equals the winners' mean ``mu*`` in all earlier objectives,
    else 0: one digit is positive, the first objective that is lost. (For the signed regret in every objective see
    the metric ``objective_regret``.)

    Args:
        tolerance: how far below the best an arm may stay and count as equal, in the unit of the objectives.

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
        """Any number of objectives will do."""

    def scaled(self, factor: float) -> "Lexicographic":
        """The same order for means that are `factor` times as large."""
        return Lexicographic(self.tolerance * factor)

    def in_words(self, objectives: Sequence[str]) -> str:
        """The objectives by priority."""
        ties = (
            f", where differences up to {self.tolerance:g} are ties" if self.tolerance > 0.0 else ""
        )
        return f"lexicographic: {', then '.join(objectives)}{ties}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the lexicographic winners of the upper bounds."""
        return lexicographic(beliefs.high, self.tolerance)[0]

    def gap(self, means: Array, arm: int) -> Array:
        """(objectives,) the priority gap of one arm."""
        gap: Array = priority_gaps(means, arm, arm + 1, self.tolerance)[0]
        return gap

    def gaps(self, means: Array) -> Array:
        """(arms, objectives) the priority gap of every arm."""
        return priority_gaps(means, 0, len(means), self.tolerance)
