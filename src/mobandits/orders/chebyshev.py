"""Chebyshev scalarisation: the weighted distance above a reference point, in the worst objective, decides."""

import math
from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import Floats, compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, Mask
from mobandits.numerics.masks import everyone, leaders
from mobandits.orders.order import BaseOrder, weighed
from mobandits.orders.weighted import behind, check_length, check_weights
from mobandits.support.naming import conjunction, quoted


@kernel
def worst_lead(values: Array, weights: Array, reference: Array) -> float:
    """``min_l w_l (v_l - z_l)`` over the objectives with a weight."""
    out = math.inf
    for i in range(len(weights)):
        if weights[i] > 0.0:
            out = min(out, weights[i] * (values[i] - reference[i]))
    return out


@kernel
def worst_leads(values: Array, weights: Array, reference: Array) -> Array:
    """(arms,) the worst lead of every arm."""
    out = np.empty(len(values))
    for a in range(len(values)):
        out[a] = worst_lead(values[a], weights, reference)
    return out


@compiled
class Chebyshev(BaseOrder):
    """The arm with the largest ``min_l w_l (mu[a, l] - z_l)`` wins; the gap is what the others' minima lack.

    The minimum is over the objectives with a positive weight. The front is that of the beliefs' upper bounds. Unlike
    `Weighted` it can reach every arm of the Pareto front, also in its hollows.

    Args:
        weights: (objectives,) the weights w, at least 0.
        reference: (objectives,) the point z, usually below all means.

    Raises:
        ValueError: where a weight is negative or not finite, or all are 0; where `reference` is not finite or has
            another length.

    Reference:
        drugan2013, section II (Chebyshev scalarization): M. Drugan, A. Nowe, Designing multi-objective multi-armed
        bandits algorithms, IJCNN 2013.

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
        if self.reference.shape != self.weights.shape or not np.isfinite(self.reference).all():
            raise ValueError(
                f"Chebyshev.reference must be finite, one entry per weight ({len(self.weights)}), "
                f"got {quoted(self.reference.tolist())}"
            )

    def check(self, objectives: int) -> None:
        """Refuse a problem with another number of objectives."""
        check_length("Chebyshev.weights", self.weights, objectives)

    def scaled(self, factor: float) -> "Chebyshev":
        """The same order for means that are `factor` times as large."""
        return Chebyshev(self.weights, self.reference * factor)

    def in_words(self, objectives: Sequence[str]) -> str:
        """The reference and the weights."""
        point = ", ".join(f"{one:g}" for one in self.reference)
        weights = conjunction(weighed(self.weights, objectives))
        return f"largest worst lead over [{point}], weights {weights}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms whose upper bounds have the largest worst lead."""
        return leaders(
            worst_leads(beliefs.high, self.weights, self.reference), everyone(len(beliefs.high))
        )

    def gap(self, means: Array, arm: int) -> Array:
        """(1,) what one arm's worst lead lacks."""
        gap: Array = self.gaps(means)[arm]
        return gap

    def gaps(self, means: Array) -> Array:
        """(arms, 1) what every arm's worst lead lacks."""
        return behind(worst_leads(means, self.weights, self.reference))
