"""Beliefs about rewards, less the price of what they cost."""

from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng


@compiled
class Charged:
    """The explorer that charges every arm its costs, at the prices of a `Priced` estimator.

    From the beliefs about objective g of arm a, for every g that has no budget, it takes

        sum_j lambda_j max(0, c_j(a)) / u_j

    with the optimistic, that is lower, cost c_j(a): that of the upper end of the interval. With
    samples in place of intervals it is the cost of the sample.

    Args:
        explorer: gives the beliefs, of a `Priced` estimator.

    Example:
        >>> from mobandits.estimators import Priced, SampleMean
        >>> from mobandits.explorers import Greedy
        >>> means = SampleMean(slots=2, objectives=2)
        >>> priced = Priced(means, [1], [0.0], [1.0], [0.5], [1.0], [0.0], 10, 10.0)
        >>> state, x = priced.init(), np.empty(0)
        >>> for arm, cost in ((1, 0.25), (0, 0.75)):
        ...     state = priced.update(state, x, arm, np.array([1.0, -cost]))
        >>> state.price.round(6).tolist()
        [2.0]
        >>> rng, arms = np.random.default_rng(0), np.arange(2)
        >>> Charged(Greedy()).beliefs(priced, state, np.zeros((1, 0)), arms, rng).mean.tolist()
        [[-0.5, -0.75], [0.5, -0.25]]
    """

    explorer: Any

    def intervals(self) -> Any:
        """The explorer of the intervals that `explorer` rests on: what is believed, uncharged."""
        inner = self.explorer
        if hasattr(inner, "intervals"):
            inner = inner.intervals()
        return inner

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The beliefs of `explorer`, charged."""
        believed = self.explorer.beliefs(estimator, state, context, arms, rng)
        count, objectives = believed.mean.shape
        mean = np.empty((count, objectives))
        low = np.empty((count, objectives))
        high = np.empty((count, objectives))
        for a in range(count):
            charge = self.charge(estimator, state, believed.high[a])
            for l in range(objectives):
                shift = 0.0 if self.has_budget(estimator, l) else charge
                mean[a, l] = believed.mean[a, l] - shift
                low[a, l] = believed.low[a, l] - shift
                high[a, l] = believed.high[a, l] - shift

        return Beliefs(mean, low, high)

    def has_budget(self, estimator: Any, objective: int) -> bool:
        """Whether an objective has a budget: costs are not charged for themselves."""
        has_budget = False
        for j in range(len(estimator.objectives)):
            has_budget |= estimator.objectives[j] == objective

        return has_budget

    def charge(self, estimator: Any, state: Any, best: Array) -> float:
        """The price of one arm's costs, at the upper ends `best` (objectives,) of its rewards."""
        charge = 0.0
        for j in range(len(estimator.objectives)):
            unit = estimator.unit(state, j)
            end = best[estimator.objectives[j]]
            cost = -(estimator.offsets[j] + estimator.slopes[j] * end)
            # An arm about which nothing is known may cost nothing. Nothing is paid to arms.
            if unit > 0.0 and cost > 0.0:
                charge += state.price[j] * cost / unit

        return charge
