"""The Pareto regret against the best fixed arms, from what was paid: for rewards that nobody drew from a law."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape


def adversarial_pareto_regret(rewards: Any, chosen: Any) -> float:
    """How much must be added to every objective of what was earned, so that no single arm earns more in all of them.

    max(0, max_b min_l (sum_t r[t, b, l] - sum_t r[t, a_t, l])).

    Args:
        rewards: (rounds, arms, objectives), what each arm would have paid.
        chosen: (rounds,) the arms a_t.

    Reference:
        xu2023 (M. Xu, D. Klabjan, ICML 2023).

    Example:
        >>> adversarial_pareto_regret([[[1, 0], [0, 1]], [[1, 3], [0, 0]]], [1, 1])
        2.0
    """
    paid = np.asarray(rewards, np.float64)
    arms = np.asarray(chosen)
    return behind((paid - paid[np.arange(len(paid)), arms][:, None]).sum(axis=0))


def behind(ahead: Array) -> float:
    """max(0, max_b min_l) of (arms, objectives), how far each arm is ahead.

    Example:
        >>> behind(np.array([[1.0, -1.0], [0.5, 0.25]]))
        0.25
    """
    return max(0.0, float(ahead.min(axis=1).max()))


@dataclass(frozen=True)
class AdversarialParetoRegret:
    """What was earned so far, all objectives alike, against what the best fixed arms would have earned.

    It compares sums over the rounds, where `ParetoRegret` compares arms within each round, and what was paid, not its
    mean. The function `adversarial_pareto_regret` gives the formula.

    Reference:
        xu2023 (M. Xu, D. Klabjan, ICML 2023).

    Example:
        >>> AdversarialParetoRegret().name
        'adversarial_pareto_regret'
    """

    name: ClassVar[str] = "adversarial_pareto_regret"
    cumulative: ClassVar[bool] = True
    needs_fronts: ClassVar[bool] = False

    def components(self, shape: Shape) -> int:
        """One per arm and objective: how far the arm is ahead."""
        return shape.arms * shape.objectives

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, arms times objectives) what each arm would have paid, less what was paid."""
        rewards = truth.block.rewards[: len(chosen)]
        paid = rewards[np.arange(len(chosen)), chosen]
        return np.asarray((rewards - paid[:, None]).reshape(len(chosen), -1))

    def accumulator(self, shape: Shape) -> "Ahead":
        """Nobody is ahead yet."""
        return Ahead(shape)


class Ahead:
    """How far every arm is ahead, in every objective."""

    def __init__(self, shape: Shape) -> None:
        self._total = np.zeros((shape.arms, shape.objectives))

    def add(self, values: Array) -> None:
        """More rounds, (rounds, arms times objectives)."""
        self._total += values.sum(axis=0).reshape(self._total.shape)

    def value(self) -> Array:
        """(1,) the regret so far."""
        return np.array([behind(self._total)])
