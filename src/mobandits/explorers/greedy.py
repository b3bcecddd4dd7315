"""No exploration of its own."""

from typing import Any

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng


@compiled
class Greedy:
    """Believe the estimates.

    Example:
        >>> Greedy()
        Greedy()
    """

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The estimates as degenerate intervals."""
        mean = estimator.mean(state, context, arms)
        return Beliefs(mean, mean, mean)
