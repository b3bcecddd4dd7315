"""Chebyshev scalarisation: the weighted lead over a reference point in the worst objective."""

import math
from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.protocols import Array
from mobandits.orders.order import weight_texts
from mobandits.orders.weighted import ScoreOrder, check_length, check_weights
from mobandits.support.naming import conjunction, wrong_value


@kernel
def worst_lead(values: Array, weights: Array, reference: Array) -> float:
    """``min_l w_l (v_l - z_l)`` over the objectives with a weight."""
    out = math.inf
    for i in range(len(weights)):
        # 0 times an infinite lead would be NaN.
        if weights[i] > 0.0:
            lead = values[i] - reference[i]
            out = min(out, weights[i] * lead)

    return out


@kernel
def worst_leads(values: Array, weights: Array, reference: Array) -> Array:
    """(arms,) the worst lead of every arm."""
    out = np.empty(len(values))
    for a in range(len(values)):
        out[a] = worst_lead(values[a], weights, reference)
    return out


@compiled
class Chebyshev(ScoreOrder):
    """Chebyshev's scalarisation: the arm with the largest ``min_l w_l (mu[a, l] - z_l)`` wins.

    The gap is how far an arm's minimum is below the largest. The minimum is over the objectives
    with a positive weight. The front is that of the beliefs' upper bounds. Unlike `Weighted` it can
    reach every arm of the Pareto front, also in its hollows.

    Args:
        weights: (objectives,) the weights w, at least 0.
        reference: (objectives,) the point z, usually below all means.

    Raises:
        ValueError: where a weight is negative or not finite, or all are 0; where `reference` is not
            finite or has another length.

    Reference:
        drugan2013, section II (Chebyshev scalarization): M. Drugan, A. Nowe, Designing
        multi-objective multi-armed bandits algorithms, IJCNN 2013.

    Example:
        >>> import mobandits as mob
        >>> means = [[1, 0], [0, 2], [0.75, 0.75]]
        >>> mob.front(means, mob.orders.Chebyshev([0.5, 0.5], reference=[0, 0]))
        array([False, False,  True])
        >>> mob.gaps(means, mob.orders.Chebyshev([0.5, 0.5], reference=[0, 0])).ravel().tolist()
        [0.375, 0.375, 0.0]
    """

    weights: Floats
    reference: Floats

    def __post_init__(self) -> None:
        check_weights("Chebyshev.weights", self.weights)
        has_length = self.reference.shape == self.weights.shape
        if not has_length or not np.isfinite(self.reference).all():
            raise wrong_value(
                f"Chebyshev.reference must be finite, one entry per weight ({len(self.weights)})",
                self.reference.tolist(),
            )

    def check(self, objectives: int) -> None:
        """Refuse a problem with another number of objectives."""
        check_length("Chebyshev.weights", self.weights, objectives)

    def scaled(self, factor: float) -> "Chebyshev":
        """The same order for means that are `factor` times as large."""
        # Only the reference is in the unit of the means. Weights need not change: a common factor
        # of all leads changes no comparison.
        return Chebyshev(self.weights, self.reference * factor)

    def in_words(self, objectives: Sequence[str]) -> str:
        """The reference and the weights."""
        point = ", ".join(f"{coordinate:g}" for coordinate in self.reference)
        weights = conjunction(weight_texts(self.weights, objectives))
        return f"largest worst lead over [{point}], weights {weights}"

    def scores(self, values: Array) -> Array:
        """(arms,) the worst lead of every arm."""
        return worst_leads(values, self.weights, self.reference)
