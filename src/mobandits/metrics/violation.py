"""Spending above budgets per round."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape
from mobandits.metrics.metric import BaseMetric, Sums, of_chosen
from mobandits.support.checks import number
from mobandits.support.naming import quoted, wrong_value


def checked_budgets(name: str, budgets: Any) -> tuple[tuple[int | str, float], ...]:
    """{cost: allowed per round} as a tuple of pairs.

    Raises:
        ValueError: where it is empty, or holds something else.

    Example:
        >>> checked_budgets("Violation.budgets", {"dollars": 1})
        (('dollars', 1.0),)
    """
    rule = f"{name} must be a dictionary such as {{'dollars': 0.001}} or {{1: 0.5}}"
    items = budgets.items() if isinstance(budgets, Mapping) else budgets
    try:
        pairs = [(cost, allowed) for cost, allowed in items]
    except (TypeError, ValueError):
        raise wrong_value(rule, budgets) from None

    if not pairs:
        raise ValueError(f"{rule}, got none")

    checked = []
    for cost, allowed in pairs:
        is_objective = isinstance(cost, int) and not isinstance(cost, bool) and cost >= 0
        if not is_objective and not isinstance(cost, str):
            raise wrong_value(rule, cost)

        number(f"{name}[{quoted(cost)}]", allowed, at_least=0.0)
        checked.append((cost, float(allowed)))

    return tuple(checked)


def costs_of(truth: GroundTruth, table: Array, cost: int | str) -> Array:
    """(rounds or 1, arms) a cost of every arm.

    Args:
        truth: of the block.
        table: (rounds or 1, arms, objectives) rewards or means, of which a cost is the negative.
        cost: the number of an objective, or the name of a quantity of the problem.

    Raises:
        ValueError: where the problem has no such objective.
    """
    if isinstance(cost, str):
        return truth.quantity(cost)

    objectives = table.shape[2]
    if cost >= objectives:
        raise ValueError(f"objectives must be below {objectives}, got {cost}")

    costs: Array = -table[:, :, cost]

    return costs


@dataclass(frozen=True)
class Violation(BaseMetric):
    """Spending above the budget so far, max(0, spent - rounds times allowed), per budget.

    Args:
        budgets: a dictionary {cost: allowed per round}. A cost is a quantity of the problem, by name, such as
            "dollars", or an objective, by number, whose rewards are negative costs: what was paid
            counts, and not its mean.

    Raises:
        ValueError: where it holds something else.

    Example:
        >>> Violation({1: 0.5}).components(Shape(arms=9, features=0, objectives=2))
        1
    """

    budgets: Mapping[Any, Any] | tuple[Any, ...]
    name = "violation"
    better = "smaller"
    least = 0.0
    meaning = "how far a budget was overspent"

    def __post_init__(self) -> None:
        """Check the budgets, and make them a tuple, so that metrics compare by value."""
        budgets = checked_budgets("Violation.budgets", self.budgets)
        object.__setattr__(self, "budgets", budgets)

    def components(self, shape: Shape) -> int:
        """One per budget."""
        return len(self.budgets)

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, budgets) the cost of the arm that was chosen, less what is allowed."""
        rounds = len(chosen)
        excesses = np.empty((rounds, len(self.budgets)))
        for j, (cost, allowed) in enumerate(self.budgets):
            table = costs_of(truth, truth.block.rewards, cost)
            spent = of_chosen(table, chosen)
            excesses[:, j] = spent - allowed

        return excesses

    def accumulator(self, shape: Shape) -> Sums:
        """The spending before the first round: 0."""
        return Sums(len(self.budgets), _overspent)


def _overspent(excess: Array, _rounds: int) -> Array:
    """(budgets,) spending above budgets, less the savings of earlier rounds."""
    return np.asarray(np.maximum(excess, 0.0))
