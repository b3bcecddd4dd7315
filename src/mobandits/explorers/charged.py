"""Beliefs about rewards, less the price of what they cost."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, Evidence, IntArray, Rng

BARRED = 1e12  # in rewards: more than any reward makes up for
FEW = 20.0  # costs, after which an arm's estimate says more than its prior


@compiled
class Charged:
    """The explorer that charges every arm its costs, at the prices of a `Priced` estimator.

    From the beliefs about objective g of arm a, for every g that has no budget, it takes

        sum_j lambda_j max(0, c_j(a))

    with the estimated cost c_j(a). Intervals make up for what is not known of rewards alone: costs
    are often small beside their own intervals, and would be charged as nothing at any price. Only a
    model that has learned fewer than 20 costs is charged the optimistic, that is lower, cost of the
    interval's upper end, so that it is tried. With samples in place of intervals it is the cost of
    the sample.

    An arm whose mean cost is beyond what is left of a budget, or was allowed so far where it has no
    horizon, is charged so much that it is played only where nothing else is left; the cheapest one
    never is beyond it.

    Args:
        explorer: gives the beliefs, of a `Priced` estimator.

    Example:
        >>> from mobandits.estimators import Priced, SampleMean
        >>> from mobandits.explorers import Greedy
        >>> means = SampleMean(slots=2, objectives=2)
        >>> priced = Priced(means, [1], [0.0], [1.0], [0.5], [2.0], 0)
        >>> state, x = priced.init(), np.empty(0)
        >>> for arm, cost in ((1, 0.25), (0, 0.75)):
        ...     state = priced.update(state, x, arm, np.array([1.0, -cost]))
        >>> state.price.round(6).tolist()
        [1.9999]
        >>> rng, arms = np.random.default_rng(0), np.arange(2)
        >>> beliefs = Charged(Greedy()).beliefs(priced, state, np.zeros((1, 0)), arms, rng)
        >>> beliefs.mean.round(4).tolist()
        [[-0.4999, -0.75], [0.5, -0.25]]
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
        cheapest = self.cheapest(estimator, believed.mean)
        evidence = estimator.evidence(state, context, arms)
        for a in range(count):
            charge = self.charge(estimator, state, believed, evidence, a, arms[a])
            charge += self.bar(estimator, state, believed.mean, a, cheapest)
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

    def charge(
        self, estimator: Any, state: Any, believed: Beliefs, evidence: Evidence, a: int, arm: int
    ) -> float:
        """The price of one arm's costs.

        Args:
            estimator: with budgets.
            state: of it.
            believed: of the rewards.
            evidence: how much the estimator has seen.
            a: the position of the arm.
            arm: its slot.
        """
        charge = 0.0
        slot = arm if len(evidence.seen) > 1 else 0
        for j in range(len(estimator.objectives)):
            gram = estimator.objectives[j] if evidence.seen.shape[1] > 1 else 0
            is_known = evidence.seen[slot, gram] >= FEW
            rewards = believed.mean[a] if is_known else believed.high[a]
            cost = estimator.cost(j, rewards)
            # An arm about which nothing is known may cost nothing. Nothing is paid to arms.
            if cost > 0.0:
                charge += estimator.price(state, j) * cost

        return charge

    def cheapest(self, estimator: Any, means: Array) -> IntArray:
        """(budgets,) the position of the arm with the least mean cost."""
        budgets = len(estimator.objectives)
        positions = np.zeros(budgets, np.int64)
        for j in range(budgets):
            least = math.inf
            for a in range(len(means)):
                cost = estimator.cost(j, means[a])
                if cost < least:
                    least = cost
                    positions[j] = a

        return positions

    def bar(self, estimator: Any, state: Any, means: Array, a: int, cheapest: IntArray) -> float:
        """What keeps an arm from being played whose cost is beyond a budget; 0 for others.

        Args:
            estimator: with budgets.
            state: of it.
            means: (arms, objectives) of the rewards.
            a: the position of the arm.
            cheapest: (budgets,) that of the cheapest arm.
        """
        bar = 0.0
        for j in range(len(estimator.objectives)):
            unit = estimator.unit(state, j)
            if a == cheapest[j] or unit == 0.0:
                continue

            cost = max(0.0, estimator.cost(j, means[a]))
            least = max(0.0, estimator.cost(j, means[cheapest[j]]))
            if estimator.is_beyond(state, j, cost, least):
                # Where all are beyond one, the one that costs least is played.
                bar += BARRED * (1.0 + cost / unit)

        return bar
