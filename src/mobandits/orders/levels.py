"""Priority levels: groups of objectives, Pareto within a group, priority between groups."""

from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import Ints, compiled
from mobandits.contracts.protocols import Array, Beliefs, Mask
from mobandits.numerics.dominance import nondominated, pareto_gap
from mobandits.numerics.masks import everyone
from mobandits.orders.order import BaseOrder, grouped
from mobandits.orders.validity import check_complete, check_groups
from mobandits.support.naming import conjunction


@compiled
class Levels(BaseOrder):
    """Nested Pareto fronts: A_0 holds all arms, A_i the front of A_(i-1) in the objectives of level i; the last wins.

    Digit i of the gap is the Pareto gap of the arm in the objectives of level i, measured against A_(i-1), where the
    digits before it are 0; after the first positive digit all are 0. One level is the Pareto order, levels of one
    objective each are the lexicographic order.

    Args:
        levels: lists of objectives, the most important level first; every objective in one of them. Stored as a matrix
            whose shorter rows are padded with -1.

    Raises:
        ValueError: where a level is empty or an objective is negative or named twice.

    Reference:
        moslb2024, Algorithm 3 and equation 6. Its Definition 6, as printed, ignores the priorities.

    Example:
        >>> import mobandits as mob
        >>> means = [[1, 0, 5], [0, 1, 7], [1, 0, 6], [0, 0, 9]]
        >>> order = mob.orders.Levels([[0, 1], [2]])
        >>> mob.front(means, order)
        array([False,  True, False, False])
        >>> mob.gaps(means, order).tolist()
        [[0.0, 2.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """

    levels: Ints

    def __post_init__(self) -> None:
        check_groups("Levels.levels", self.levels)

    def check(self, objectives: int) -> None:
        """Refuse a problem whose objectives are not exactly those of the levels."""
        check_complete("Levels.levels", self.levels, objectives)

    def in_words(self, objectives: Sequence[str]) -> str:
        """The levels by priority."""
        levels = [conjunction(names) for names in grouped(self.levels, objectives)]
        return f"priority levels: {', then '.join(levels)}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the last of the nested fronts of the upper bounds."""
        among = everyone(len(beliefs.high))
        for level in self.levels:
            among = nondominated(beliefs.high, level, among)
        return among

    def gap(self, means: Array, arm: int) -> Array:
        """(levels,) the gap of one arm."""
        digits = np.zeros(len(self.levels))
        among = everyone(len(means))
        for i in range(len(self.levels)):
            digits[i] = pareto_gap(means, arm, self.levels[i], among)
            if digits[i] > 0.0:
                break
            among = nondominated(means, self.levels[i], among)
        return digits

    def gaps(self, means: Array) -> Array:
        """(arms, levels) the gap of every arm; the nested fronts are found once."""
        out = np.zeros((len(means), len(self.levels)))
        among = everyone(len(means))
        lost = ~everyone(len(means))
        for i in range(len(self.levels)):
            among = nondominated(
                means, self.levels[i], among
            )  # the gap is the same against A_(i-1) and its front
            for a in range(len(means)):
                if not lost[a]:
                    out[a, i] = pareto_gap(means, a, self.levels[i], among)
                    lost[a] = out[a, i] > 0.0
        return out
