"""The Pareto regret against the best fixed arms, from realised rewards."""

import functools
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape
from mobandits.metrics.metric import BaseMetric, Sums


def adversarial_pareto_regret(rewards: Any, chosen: Any) -> float:
    """The smallest addition to all sums of rewards with which no fixed arm has larger sums.

    max(0, max_b min_l (sum_t r[t, b, l] - sum_t r[t, a_t, l])).

    Args:
        rewards: (rounds, arms, objectives), of every arm, played or not.
        chosen: (rounds,) the arms a_t.

    Reference:
        xu2023 (M. Xu, D. Klabjan, ICML 2023).

    Example:
        >>> adversarial_pareto_regret([[[1, 0], [0, 1]], [[1, 3], [0, 0]]], [1, 1])
        2.0
    """
    table = np.asarray(rewards, np.float64)
    arms = np.asarray(chosen)
    rounds = np.arange(len(table))
    received = table[rounds, arms]
    lead = (table - received[:, None]).sum(axis=0)

    return pareto_shortfall(lead)


def pareto_shortfall(lead: Array) -> float:
    """max(0, max_b min_l) of the lead (arms, objectives) of each arm in sums of rewards.

    Example:
        >>> pareto_shortfall(np.array([[1.0, -1.0], [0.5, 0.25]]))
        0.25
    """
    smallest = lead.min(axis=1)
    largest = float(smallest.max())
    return max(0.0, largest)


@dataclass(frozen=True)
class AdversarialParetoRegret(BaseMetric):
    """The rewards so far, all objectives alike, against those of the best fixed arms.

    It compares sums over the rounds, where `ParetoRegret` compares arms within each round, and what
    was paid, not its mean. The function `adversarial_pareto_regret` gives the formula.

    Reference:
        xu2023 (M. Xu, D. Klabjan, ICML 2023).

    Example:
        >>> AdversarialParetoRegret().name
        'adversarial_pareto_regret'
    """

    references = ("xu2023",)
    name = "adversarial_pareto_regret"
    better = "smaller"
    least = 0.0
    meaning = (
        "how much must be added to the sums of rewards so that no single arm has larger sums "
        "in every objective"
    )

    def components(self, shape: Shape) -> int:
        """One per arm and objective: how far the arm is ahead."""
        # Which arm is best is known only in the end: the leads of all of them are kept.
        return shape.arms * shape.objectives

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, arms times objectives) the reward of each arm, less the one received."""
        rounds = len(chosen)
        rewards = truth.block.rewards[:rounds]
        received = rewards[np.arange(rounds), chosen]
        differences: Array = rewards - received[:, None]

        return differences.reshape(rounds, -1)

    def accumulator(self, shape: Shape) -> Sums:
        """The leads before the first round: 0."""
        # The regret is not a sum over rounds: which fixed arm is best may change with every one.
        regret = functools.partial(_regret, (shape.arms, shape.objectives))
        return Sums(self.components(shape), regret)


def _regret(size: tuple[int, int], leads: Array, _rounds: int) -> Array:
    """(1,) the regret of the leads so far."""
    return np.array([pareto_shortfall(leads.reshape(size))])
