"""Generalised Gini welfare: a weighted sum in which the worst objective counts most."""

from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.protocols import Array
from mobandits.orders.weighted import ScoreOrder, check_length, check_weights, weighted_sum
from mobandits.support.naming import wrong_value


def check_ranks(name: str, weights: Array) -> None:
    """Refuse weights that are not positive and finite, or that increase."""
    check_weights(name, weights)
    is_positive = (weights > 0.0).all()
    grows = (np.diff(weights) > 0.0).any()
    if not is_positive or grows:
        raise wrong_value(f"{name} must be positive and not increase", weights.tolist())


@kernel
def welfares(values: Array, weights: Array) -> Array:
    """(arms,) ``sum_i w_i v_(i)`` of every arm, with its values sorted from the smallest."""
    out = np.empty(len(values))
    for a in range(len(values)):
        worst_first = np.sort(values[a])
        out[a] = weighted_sum(worst_first, weights)

    return out


@compiled
class Gini(ScoreOrder):
    """The order of generalised Gini welfare: the arm with the largest ``sum_i w_i mu[a, (i)]`` wins.

    ``mu[a, (1)] <= ... <= mu[a, (L)]`` are the arm's means, sorted; the weights do not increase, so
    that the worst objective counts most, whichever it is. Where they decrease, moving reward from a
    better objective to a worse one raises the welfare. Equal weights are `Weighted` with equal
    weights; all weight on the first is the worst objective alone. The gap is how far an arm's
    welfare is below the largest. Objectives must have comparable units. The front is that of the
    beliefs' upper bounds.

    Args:
        weights: (objectives,) the weights w, positive, from the worst objective's to the best one's.

    Raises:
        ValueError: where a weight is not positive or finite, or larger than the one before it.

    Reference:
        busafekete2017, section 3 (for costs, which are sorted the other way round).

    Example:
        >>> import mobandits as mob
        >>> means = [[1, 0], [0, 2], [0.75, 0.5]]
        >>> mob.front(means, mob.orders.Gini([2, 1]))
        array([False,  True, False])
        >>> mob.gaps(means, mob.orders.Gini([4, 1])).ravel().tolist()
        [1.75, 0.75, 0.0]
    """

    weights: Floats

    # Weights belong to ranks, not to objectives.
    NAMES_OBJECTIVES = False

    def __post_init__(self) -> None:
        check_ranks("Gini.weights", self.weights)

    def check(self, objectives: int) -> None:
        """Refuse a problem with another number of objectives."""
        check_length("Gini.weights", self.weights, objectives)

    def in_words(self, objectives: Sequence[str]) -> str:
        """The weights, from the worst objective's."""
        weights = ", ".join(f"{weight:g}" for weight in self.weights)
        return f"largest Gini welfare, weights {weights} from the worst objective to the best"

    def scores(self, values: Array) -> Array:
        """(arms,) the welfare of every arm."""
        # It grows in every value, so that upper bounds have the upper bound of the welfare.
        return welfares(values, self.weights)
