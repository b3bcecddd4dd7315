"""Linear scalarisation: the weighted sum of the objectives."""

import math
from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, Mask
from mobandits.numerics.masks import everyone, leaders
from mobandits.orders.order import BaseOrder, weight_texts
from mobandits.support.naming import conjunction, wrong_value


def check_weights(name: str, weights: Array) -> None:
    """Refuse weights that are not a list of finite numbers of at least 0, one of them positive.

    Their sum must be finite as well: else two arms with rewards of 1 would be compared as infinite.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        total = weights.sum()
    is_list = weights.ndim == 1
    is_negative = (weights < 0.0).any()
    if not is_list or not np.isfinite(total) or is_negative or not weights.any():
        rule = "finite, at least 0 and not all 0, with a finite sum"
        raise wrong_value(f"{name} must be {rule}", weights.tolist())


def check_length(name: str, values: Array, objectives: int) -> None:
    """Refuse a list that has not one entry per objective."""
    # Checked when the problem is known: an order is made before it.
    if len(values) != objectives:
        raise wrong_value(
            f"{name} must have one entry per objective, {objectives}", values.tolist()
        )


@kernel
def weighted_sum(values: Array, weights: Array) -> float:
    """``sum_l w_l v_l`` over the objectives with a weight, also where values are infinite."""
    out = 0.0
    for i in range(len(weights)):
        # 0 times an infinite value would be NaN.
        if weights[i] > 0.0:
            # So would the sum of -inf and +inf: an arm that is infinitely bad somewhere never wins.
            if values[i] == -math.inf:
                return -math.inf

            out += weights[i] * values[i]

    return out


@kernel
def weighted_sums(values: Array, weights: Array) -> Array:
    """(arms,) the weighted sum of every arm."""
    out = np.empty(len(values))
    for a in range(len(values)):
        out[a] = weighted_sum(values[a], weights)
    return out


@kernel
def shortfalls(scores: Array) -> Array:
    """(arms, 1) how far each of the scores (arms,) is below the largest."""
    top = -math.inf
    out = np.zeros((len(scores), 1))
    for score in scores:
        top = max(top, score)

    for a in range(len(scores)):
        # Not the difference of equal scores: of two infinite ones it would be NaN.
        if scores[a] < top:
            out[a, 0] = top - scores[a]

    return out


class ScoreOrder(BaseOrder):
    """Base of orders by one score per arm: the largest wins, and the gap is how far one is below it."""

    def scores(self, values: Array) -> Array:
        """(arms,) the score of every arm."""
        raise NotImplementedError

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms whose upper bounds have the largest score."""
        scores = self.scores(beliefs.high)
        return leaders(scores, everyone(len(scores)))

    def gap(self, means: Array, arm: int) -> Array:
        """(1,) how far one arm's score is below the largest."""
        # All scores are needed for the largest one.
        gaps = self.gaps(means)
        gap: Array = gaps[arm]
        return gap

    def gaps(self, means: Array) -> Array:
        """(arms, 1) how far every arm's score is below the largest."""
        return shortfalls(self.scores(means))


@compiled
class Weighted(ScoreOrder):
    """The order of weighted sums: the arm with the largest ``sum_l w_l mu[a, l]`` wins.

    The gap is how far an arm's sum is below the largest. The front is that of the beliefs' upper
    bounds. Weights are used as they are: they need not sum to 1. Every winner is on the Pareto
    front where all weights are positive; not every arm of the front wins for some weights.

    Args:
        weights: (objectives,) the weights w, at least 0.

    Raises:
        ValueError: where a weight is negative or not finite, or all are 0.

    Reference:
        mocmab2018, section VII (the weights of S-UCB1).

    Example:
        >>> import mobandits as mob
        >>> means = [[1, 0], [0, 2], [0.75, 0.75]]
        >>> mob.front(means, mob.orders.Weighted([0.5, 0.5]))
        array([False,  True, False])
        >>> mob.gaps(means, mob.orders.Weighted([0.5, 0.5])).ravel().tolist()
        [0.5, 0.0, 0.25]
    """

    weights: Floats

    def __post_init__(self) -> None:
        check_weights("Weighted.weights", self.weights)

    def check(self, objectives: int) -> None:
        """Refuse a problem with another number of objectives."""
        check_length("Weighted.weights", self.weights, objectives)

    def in_words(self, objectives: Sequence[str]) -> str:
        """The weights."""
        weights = conjunction(weight_texts(self.weights, objectives))
        return f"largest weighted sum, weights {weights}"

    def scores(self, values: Array) -> Array:
        """(arms,) the weighted sum of every arm."""
        # No weight is negative, so the sum of upper bounds is the upper bound of the sum.
        return weighted_sums(values, self.weights)
