"""The best mixture of arms that spends as much as a policy, by estimates of the same rounds.

Symbols: V_a the quality of arm a, C_a its costs, V and S those of the policy, p the shares of a
mixture, lambda the price of each budget.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.forward import ForwardLog
from mobandits.evaluation.gains import CandidateGain, gain_over, weighted
from mobandits.evaluation.targets import ConstantTarget
from mobandits.logs import Feedback
from mobandits.numerics.budgeted_mixture import BudgetedMixture, best_near_budgets

NEGLIGIBLE = 1e-6  # a share below is the solver's rounding


class Terms(NamedTuple):
    """What counts, in terms of the columns of `Feedback.rewards`.

    Attributes:
        weights: (objectives,) of the quality.
        costs: (budgets,) the objectives that have a budget.
    """

    weights: Array
    costs: IntArray

    def quality(self, estimate: Estimate) -> float:
        """The weighted sum of the objectives that have a weight."""
        return weighted(estimate.value, self.weights)

    def spend(self, estimate: Estimate) -> Array:
        """(budgets,) the costs per round, of which less is better."""
        spend: Array = -estimate.value[self.costs]
        return spend


class EqualSpend(NamedTuple):
    """A policy beside the best mixture of arms that spends no more.

    Attributes:
        gain: of the policy, in quality.
        shares: (arms,) of the mixture.
        mixture: the estimate of it.
    """

    gain: CandidateGain
    shares: Array
    mixture: Estimate


def best_mixture(arms: Sequence[Estimate], terms: Terms, allowed: Array) -> BudgetedMixture:
    """The best mixture of arms whose estimated costs are within budgets.

    Where no mixture is, budgets are enlarged until one is: see `best_near_budgets`.

    Args:
        arms: the estimate of each.
        terms: what counts.
        allowed: (budgets,) costs per round.
    """
    gains = [terms.quality(estimate) for estimate in arms]
    costs = [terms.spend(estimate) for estimate in arms]
    mixture = best_near_budgets(gains, costs, allowed)
    shares = np.where(mixture.weights > NEGLIGIBLE, mixture.weights, 0.0)

    return mixture._replace(weights=shares / shares.sum())


def mixed_probabilities(log: Feedback, shares: Array) -> Array:
    """(rounds, arms) of the mixture that plays each arm, as `ConstantTarget` does, with its share.

    Example:
        >>> log = Feedback(np.ones((1, 1)), [0], [[0.5]], [0.5], ["a", "b"], ["q"])
        >>> mixed_probabilities(log, np.array([0.25, 0.75])).tolist()
        [[0.25, 0.75]]
    """
    table: Array = np.zeros((len(log), len(log.arm_names)))
    for arm in np.flatnonzero(shares).tolist():
        table += shares[arm] * ConstantTarget(log.arm_names[arm])(log)

    return table


def gain_at_equal_spend(
    forward: ForwardLog,
    policy: Estimate,
    arms: Sequence[Estimate],
    terms: Terms,
    probability: float,
) -> EqualSpend:
    """How much better a policy is than the best mixture of arms that spends no more.

        G = V - max over p of sum_a p_a V_a    where    sum_a p_a C_a <= S

    The mixture p is the best by the same rounds, so it is chosen in its own favour. G changes with
    the estimates as

        dG = d(V - lambda S) - sum_a p_a d(V_a - lambda C_a)

    with lambda what one more unit of each budget would add to the mixture's quality; its spread
    follows from these influences, round by round.

    Args:
        forward: the log.
        policy: the estimate of the policy.
        arms: of each arm.
        terms: what counts.
        probability: with which each end of the interval by itself is right.

    Reference:
        The derivative of a maximum: Milgrom and Segal, Envelope theorems for arbitrary choice sets,
        Econometrica 70, 2002.
    """
    mixture = best_mixture(arms, terms, terms.spend(policy))
    probabilities = mixed_probabilities(forward.valued, mixture.weights)
    estimate = forward.estimate("mixture", probabilities)
    weights = terms.weights.copy()
    weights[terms.costs] = mixture.prices
    gain = gain_over(policy, estimate, weights, probability)

    return EqualSpend(gain, mixture.weights, estimate)
