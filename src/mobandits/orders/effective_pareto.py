"""The effective Pareto order: no mixture of arms beats an arm of its front either."""

import math
from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import compiled, kernel, not_inlined
from mobandits.contracts.protocols import Array, Beliefs, Mask, Rng
from mobandits.numerics.dominance import draw_nondominated, nondominated
from mobandits.numerics.hull import effective_draw, effective_front
from mobandits.numerics.hull_gap import effective_gap, effective_gaps
from mobandits.orders.order import BaseOrder


@kernel
def least_known(values: Array) -> tuple[Mask, int]:
    """(arms,) the arms with the most entries of +inf, and how many these are."""
    arms, objectives = values.shape
    counts = np.zeros(arms, np.int64)
    most = 0
    for a in range(arms):
        for i in range(objectives):
            is_infinite = values[a, i] == math.inf
            counts[a] += is_infinite

        most = max(most, counts[a])

    return counts == most, most


@compiled
class EffectivePareto(BaseOrder):
    """The effective Pareto order: the arms that no mixture of other arms dominates win.

    They are best for some positive weights. Arm a is on the front where no ``sum_b beta_b mu[b]``,
    with shares beta of the other arms that sum to 1, dominates ``mu[a]``; being equal to a mixture
    is no harm. The front is that of the beliefs' upper bounds, and part of the Pareto front. Where
    some upper bounds are +inf (arms never played) it is the Pareto front among the arms with the
    most of them. The gap is

        max over mixtures beta of all arms of min_l (sum_b beta_b mu[b, l] - mu[a, l])
        = min over weights w >= 0 that sum to 1 of (max_b w . mu[b] - w . mu[a]),

    between the Pareto gap and the least single-objective gap. It is 0 on the front, and for arms
    that mixtures beat only in some objectives. Differences below 1e-12 of an objective's range
    count as none. The range is that over the Pareto front, for a gap over the front and the arm
    itself: dominated arms, however bad, change nothing for others. So a gap is exact to 1e-12 of
    the widest range, and to 1e-9 of itself.

    The paper's Theorem 1 says that arms of the front are best for some weights, and that a best arm
    that is unique is on the front. One of several need not be: (1, -1) is best for the weights
    (1, 0), as (1, 0) is, which dominates it.

    Reference:
        molts2025, Definitions 5 to 7 and Theorem 1.

    Example:
        >>> import mobandits as mob
        >>> means = [[1, 0], [0, 1], [0.4, 0.4], [0.3, 0.7], [0.2, 0.1]]
        >>> mob.front(means, mob.orders.EffectivePareto())
        array([ True,  True, False,  True, False])
        >>> mob.gaps(means, mob.orders.EffectivePareto()).round(3).ravel().tolist()
        [0.0, 0.0, 0.1, 0.0, 0.35]
    """

    def in_words(self, objectives: Sequence[str]) -> str:
        """All objectives count."""
        return "effective Pareto front over all objectives"

    # No method is put in line: the solver behind them is much code.

    @not_inlined
    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms whose upper bounds no mixture dominates."""
        # An infinite bound has no range to be measured in, and cannot be mixed.
        among, infinite = least_known(beliefs.high)
        if infinite > 0:
            every_objective = np.empty(0, np.int64)
            return nondominated(beliefs.high, every_objective, among)

        return effective_front(beliefs.high)

    @not_inlined
    def draw(self, beliefs: Beliefs, rng: Rng) -> int:
        """The position of an arm, uniform on the front, which is not computed."""
        among, infinite = least_known(beliefs.high)
        if infinite > 0:
            every_objective = np.empty(0, np.int64)
            return draw_nondominated(beliefs.high, every_objective, among, rng)

        return effective_draw(beliefs.high, rng)

    @not_inlined
    def gap(self, means: Array, arm: int) -> Array:
        """(1,) the effective Pareto suboptimality gap of one arm."""
        gap = effective_gap(means, arm)
        return np.full(1, gap)

    @not_inlined
    def gaps(self, means: Array) -> Array:
        """(arms, 1) the gap of every arm, by mixtures of the Pareto front only."""
        gaps = effective_gaps(means)
        return gaps.reshape(len(means), 1)
