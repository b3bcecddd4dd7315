"""The order of a preference cone: Pareto dominance after a linear change of the objectives."""

from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Mask, Rng
from mobandits.numerics.dominance import draw_nondominated, nondominated, pareto_gap, pareto_gaps
from mobandits.numerics.masks import everyone
from mobandits.orders.order import BaseOrder
from mobandits.support.naming import conjunction, wrong_value


@kernel
def transformed(values: Array, rows: Array) -> Array:
    """(arms, rows) ``W v`` of every arm, also where values are infinite."""
    objectives = values.shape[1]
    out = np.zeros((len(values), len(rows)))
    for a in range(len(values)):
        for i in range(len(rows)):
            for objective in range(objectives):
                coefficient = rows[i, objective]
                # 0 times an infinite value would be NaN.
                if coefficient != 0.0:
                    out[a, i] += coefficient * values[a, objective]

    return out


@kernel
def upper_bounds(low: Array, high: Array, rows: Array) -> Array:
    """(arms, rows) the largest ``W v``, row by row, for v between `low` and `high`."""
    # A row is largest at one corner of the box, and each row may have another: together they are at
    # most too optimistic.
    objectives = high.shape[1]
    out = np.zeros((len(high), len(rows)))
    for a in range(len(high)):
        for i in range(len(rows)):
            for objective in range(objectives):
                coefficient = rows[i, objective]
                # A negative coefficient is largest for the smallest value.
                if coefficient > 0.0:
                    out[a, i] += coefficient * high[a, objective]
                elif coefficient < 0.0:
                    out[a, i] += coefficient * low[a, objective]

    return out


@kernel
def every_objective() -> IntArray:
    """The empty list, which stands for all objectives in `numerics.dominance`."""
    return np.empty(0, np.int64)


@compiled
class Cone(BaseOrder):
    """The order of a preference cone: the Pareto front of ``W mu`` wins.

    Arm b dominates arm a where ``W mu_b`` is nowhere smaller than ``W mu_a`` and somewhere larger.
    The rows of W are the dual vectors of a polyhedral preference cone: arm b is preferred to arm a
    where the gain ``mu_b - mu_a`` lies in ``{y : W y >= 0}``. A wide cone compares more arms than
    Pareto does and has a smaller front; a narrow one compares fewer. The identity is the Pareto
    order. The front is that of the upper ends of the beliefs' intervals of ``W mu``, which take
    lower bounds where a coefficient is negative. The gap is the Pareto gap of ``W mu``, in the
    units of the rows: ``max_b min_i (W (mu_b - mu_a))_i``.

    Args:
        rows: W, (rows, objectives), finite, no row of zeros only.

    Raises:
        ValueError: where W is not such a matrix.

    Reference:
        Jahn, "Vector Optimization", 2nd edition, 2011, chapter 1 (orders from cones); `Pareto` for
        the gap.

    Example:
        >>> import mobandits as mob
        >>> means = [[1.0, 0.0], [0.0, 1.0], [0.4, 0.9]]
        >>> mob.front(means, mob.orders.Cone([[1, 0], [0, 1]]))
        array([ True,  True,  True])
        >>> # one unit of either objective is worth half a unit of the other
        >>> trade = mob.orders.Cone([[1, 0.5], [0.5, 1]])
        >>> mob.front(means, trade)
        array([ True, False,  True])
        >>> mob.gaps(means, trade).ravel().round(3).tolist()
        [0.0, 0.1, 0.0]
    """

    rows: Floats

    def __post_init__(self) -> None:
        W = self.rows
        is_finite_matrix = W.ndim == 2 and W.size > 0 and np.isfinite(W).all()
        # A row of zeros would tie all arms in that row for ever.
        if not is_finite_matrix or not W.any(axis=1).all():
            raise wrong_value(
                "Cone.rows must be a finite (rows, objectives) matrix without rows of zeros",
                W.tolist(),
            )

    def check(self, objectives: int) -> None:
        """Refuse a problem with another number of objectives."""
        columns = self.rows.shape[1]
        if columns != objectives:
            raise ValueError(
                f"Cone.rows must have one column per objective, {objectives}, got {columns}"
            )

    def in_words(self, objectives: Sequence[str]) -> str:
        """Each row as a weighted sum of the objectives."""
        rows = []
        for coefficients in self.rows.tolist():
            pairs = zip(coefficients, objectives, strict=True)
            terms = [f"{weight:g} {name}" for weight, name in pairs if weight]
            rows.append(" + ".join(terms))

        return f"Pareto front over {conjunction(rows)}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms whose upper bounds of ``W mu`` are dominated by none."""
        # Bounds of W mu, and not W times the bounds: a negative coefficient needs the lower one.
        bounds = upper_bounds(beliefs.low, beliefs.high, self.rows)
        among = everyone(len(bounds))
        return nondominated(bounds, every_objective(), among)

    def draw(self, beliefs: Beliefs, rng: Rng) -> int:
        """The position of an arm, uniform on the front, which is not computed."""
        bounds = upper_bounds(beliefs.low, beliefs.high, self.rows)
        among = everyone(len(bounds))
        return draw_nondominated(bounds, every_objective(), among, rng)

    def gap(self, means: Array, arm: int) -> Array:
        """(1,) the gap of one arm."""
        values = transformed(means, self.rows)
        among = everyone(len(values))
        gap = pareto_gap(values, arm, every_objective(), among)
        return np.full(1, gap)

    def gaps(self, means: Array) -> Array:
        """(arms, 1) the gap of every arm."""
        values = transformed(means, self.rows)
        among = everyone(len(values))
        gaps = pareto_gaps(values, every_objective(), among)
        return gaps.reshape(len(values), 1)
