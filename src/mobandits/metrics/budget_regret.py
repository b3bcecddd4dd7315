"""The regret against the best mixture of arms that keeps budgets.

Symbols: g_a the mean rewards of arm a, added up over the rounds so far, c_{a,j} its costs, b_j what
is allowed per round, t the rounds.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape
from mobandits.metrics.metric import BaseMetric, Sums, of_chosen
from mobandits.metrics.violation import checked_budgets, costs_of
from mobandits.numerics.budgeted_mixture import best_within_budgets
from mobandits.support.checks import integer


@dataclass(frozen=True)
class BudgetRegret(BaseMetric):
    """The rewards of the best mixture of arms within budgets, less those of the arms played.

        max over p of  sum_a p_a g_a  with  sum_a p_a c_{a,j} <= t b_j     minus the sum of mu_{a_t}

    The mixture is the best in hindsight for the rounds so far, and the same in all of them. A
    policy that reads contexts, or overspends, may be ahead of it: the regret is negative then, and
    `Violation` belongs beside it. NaN where no mixture keeps the budgets.

    Args:
        objective: the number of the one that is to be large.
        budgets: a dictionary {cost: allowed per round}, as of `Violation`; costs of objectives are those of
            their means.

    Raises:
        ValueError: where a parameter does not fit.

    Reference:
        Agrawal and Devanur, "Linear contextual bandits with knapsacks", NIPS 2016, compare with the
        best policy of contexts; this benchmark knows no contexts.

    Example:
        >>> BudgetRegret(0, {1: 0.5}).name
        'budget_regret'
    """

    references = ("agrawal2016",)

    objective: int
    budgets: Mapping[Any, Any] | tuple[Any, ...]
    name = "budget_regret"
    better = "smaller"
    meaning = "how much less was earned than by the best mixture of arms that keeps the budget"

    def __post_init__(self) -> None:
        """Check the parameters; budgets become a tuple, so that metrics compare by value."""
        integer("BudgetRegret.objective", self.objective, at_least=0)
        budgets = checked_budgets("BudgetRegret.budgets", self.budgets)
        object.__setattr__(self, "budgets", budgets)

    def components(self, shape: Shape) -> int:
        """The reward received, and the reward and the costs of every arm."""
        per_arm = 1 + len(self.budgets)
        return 1 + shape.arms * per_arm

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, 1 + arms (1 + budgets)) received; per arm its reward; per budget and arm a cost."""
        means = truth.block.means
        gains = -costs_of(truth, means, self.objective)
        rounds = len(chosen)
        arms = gains.shape[1]
        received = of_chosen(gains, chosen)
        columns = [received[:, None], np.broadcast_to(gains[:rounds], (rounds, arms))]
        for cost, _ in self.budgets:
            costs = costs_of(truth, means, cost)
            columns.append(np.broadcast_to(costs[:rounds], (rounds, arms)))

        return np.hstack(columns)

    def accumulator(self, shape: Shape) -> Sums:
        """Sums before the first round: 0."""
        return Sums(self.components(shape), self._regret)

    def _regret(self, total: Array, rounds: int) -> Array:
        """(1,) the regret so far, against the best mixture, which is made anew."""
        per_arm = 1 + len(self.budgets)
        tables = total[1:].reshape(per_arm, -1)
        allowed = np.array([each for _, each in self.budgets])
        mixture = best_within_budgets(
            tables[0],
            tables[1:].T,
            rounds * allowed,
        )

        return np.array([mixture.value - total[0]])
