"""The best mixture of arms within budgets: a small linear program.

Symbols: g_a the gain of arm a, c_{a,j} its cost in budget j, b_j what is allowed, p the mixture.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.support.checks import as_float_array

ROUNDING = 1e-9  # of the largest cost: the solver keeps budgets to about as much


class BudgetedMixture(NamedTuple):
    """The best mixture of arms within budgets.

    Attributes:
        value: its reward; NaN where no mixture keeps the budgets.
        weights: (arms,) the share of each arm; NaN likewise.
        prices: (budgets,) what one more unit of each budget would add to the value, at least 0; NaN
            likewise.
    """

    value: float
    weights: Array
    prices: Array


def best_within_budgets(gains: Any, costs: Any, allowed: Any) -> BudgetedMixture:
    """The mixture p of arms with the largest sum of p_a g_a whose costs stay within the budgets.

        maximise  sum_a p_a g_a   over the simplex,   where  sum_a p_a c_{a,j} <= b_j  for every j

    At most one arm more than there are budgets has a share.

    Args:
        gains: (arms,) g.
        costs: (arms, budgets) c.
        allowed: (budgets,) b.

    Raises:
        ValueError: where the shapes do not fit together.

    Example:
        >>> mixture = best_within_budgets([0.5, 0.9], [[0.0], [1.0]], [0.25])
        >>> round(mixture.value, 6), mixture.weights.round(6).tolist()
        (0.6, [0.75, 0.25])
        >>> mixture.prices.round(6).tolist()
        [0.4]
    """
    # SciPy's solvers take a while to load, and most simulations have no budgets.
    from scipy.optimize import linprog  # noqa: PLC0415

    gain, cost, bound = _checked(gains, costs, allowed)
    arms = len(gain)
    # Rows of size 1: the solver's tolerances are absolute, and costs may be in small units.
    units = _units(cost, bound)
    size = float(np.abs(gain).max()) or 1.0
    solved = linprog(
        -gain / size,
        A_ub=(cost / units).T,
        b_ub=bound / units,
        A_eq=np.ones((1, arms)),
        b_eq=np.ones(1),
        method="highs",
    )
    if not solved.success:
        unknown = np.full(arms, math.nan)
        return BudgetedMixture(math.nan, unknown, np.full(len(bound), math.nan))

    weights: Array = solved.x
    # Of what is minimised, so that more budget makes it smaller.
    slopes = np.minimum(solved.ineqlin.marginals, 0.0)
    prices: Array = -slopes * size / units

    return BudgetedMixture(float(weights @ gain), weights, prices)


def best_near_budgets(gains: Any, costs: Any, allowed: Any) -> BudgetedMixture:
    """The same within the budgets, or else within budgets that are larger by as little as can be.

    Every budget is enlarged by the same share of its largest number, so that with one budget the
    cheapest arm is left. Prices are 0 then: such a mixture spends more than was allowed.

    Args:
        gains: (arms,) g.
        costs: (arms, budgets) c.
        allowed: (budgets,) b.

    Raises:
        ValueError: as `best_within_budgets`.

    Example:
        >>> best_near_budgets([0.5, 0.9], [[1.0], [2.0]], [0.25]).weights.round(6).tolist()
        [1.0, 0.0]
    """
    gain, cost, bound = _checked(gains, costs, allowed)
    within = best_within_budgets(gain, cost, bound)
    if not math.isnan(within.value):
        return within

    units = _units(cost, bound)
    excess = _least_excess(cost / units, bound / units)
    enlarged = bound + (excess + ROUNDING) * units
    near = best_within_budgets(gain, cost, enlarged)

    return near._replace(prices=np.zeros(len(bound)))


def _least_excess(cost: Array, bound: Array) -> float:
    """Min over p of max_j  sum_a p_a c_{a,j} - b_j."""
    from scipy.optimize import linprog  # noqa: PLC0415

    arms, budgets = cost.shape
    # The last variable is the excess.
    objective = np.append(np.zeros(arms), 1.0)
    rows = np.hstack([cost.T, np.full((budgets, 1), -1.0)])
    simplex = np.append(np.ones(arms), 0.0)[None]
    sizes: list[tuple[float | None, float | None]] = [(0.0, None)] * arms
    limits = [*sizes, (None, None)]
    solved = linprog(objective, rows, bound, simplex, np.ones(1), limits, method="highs")

    return float(solved.fun)


def _units(cost: Array, bound: Array) -> Array:
    sizes = np.maximum(np.abs(cost).max(axis=0), np.abs(bound))
    units: Array = np.where(sizes > 0.0, sizes, 1.0)
    return units


def _checked(gains: Any, costs: Any, allowed: Any) -> tuple[Array, Array, Array]:
    gain = as_float_array("gains", gains)
    cost = as_float_array("costs", costs)
    bound = as_float_array("allowed", allowed)
    wanted = (len(gain), len(bound))
    if cost.shape != wanted:
        raise ValueError(f"costs must have shape (arms, budgets) = {wanted}, got {cost.shape}")

    return gain, cost, bound
