"""The estimates themselves, without exploration."""

from typing import Any

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng


@compiled
class Greedy:
    """The explorer that takes the estimates for the means.

    Example:
        >>> Greedy()
        Greedy()
    """

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The estimates as degenerate intervals."""
        mean = estimator.mean(state, context, arms)
        # The same array three times: orders read beliefs and do not write into them.
        return Beliefs(mean, mean, mean)
