"""Priority levels: groups of objectives, Pareto within a group, priority between groups."""

from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import Ints, compiled
from mobandits.contracts.protocols import Array, Beliefs, Mask
from mobandits.numerics.dominance import nondominated, pareto_gap
from mobandits.numerics.masks import everyone
from mobandits.orders.order import BaseOrder, group_names
from mobandits.orders.validity import check_complete, check_groups
from mobandits.support.naming import conjunction


@compiled
class Levels(BaseOrder):
    """The order of priority levels: the last of nested Pareto fronts wins, one front per level.

    A_0 holds all arms, A_i the front of A_(i-1) in the objectives of level i; the last one is the
    front. Digit i of the gap is the Pareto gap of the arm in the objectives of level i, measured
    against A_(i-1), where the digits before it are 0; after the first positive digit all are 0. One
    level is the Pareto order, levels of one objective each are the lexicographic order.

    Args:
        levels: lists of objectives, the most important level first; every objective in one of
            them. Stored as a matrix whose shorter rows are padded with -1.

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
        levels = [conjunction(names) for names in group_names(self.levels, objectives)]
        listed = ", then ".join(levels)
        return f"priority levels: {listed}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the last of the nested fronts of the upper bounds."""
        among = everyone(len(beliefs.high))
        # Padding of shorter levels is skipped by `nondominated`.
        for level in self.levels:
            among = nondominated(beliefs.high, level, among)

        return among

    def gap(self, means: Array, arm: int) -> Array:
        """(levels,) the gap of one arm."""
        # An arm that is dominated only weakly has digit 0, and is measured against that level's
        # front all the same.
        digits = np.zeros(len(self.levels))
        among = everyone(len(means))
        for i in range(len(self.levels)):
            level = self.levels[i]
            digits[i] = pareto_gap(means, arm, level, among)
            # The first level that is lost decides; the digits after it stay 0.
            if digits[i] > 0.0:
                break

            among = nondominated(means, level, among)

        return digits

    def gaps(self, means: Array) -> Array:
        """(arms, levels) the gap of every arm; the nested fronts are found once."""
        arms = len(means)
        out = np.zeros((arms, len(self.levels)))
        among = everyone(arms)
        lost = ~everyone(arms)
        for i in range(len(self.levels)):
            level = self.levels[i]
            # The gap is the same to the last bit against A_(i-1) and against its front, which is
            # smaller.
            among = nondominated(means, level, among)
            for a in range(arms):
                if not lost[a]:
                    digit = pareto_gap(means, a, level, among)
                    out[a, i] = digit
                    lost[a] = digit > 0.0

        return out
