"""Optimism in the face of doubt: intervals around the estimates."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng


@compiled
class Ucb:
    """Intervals mean -+ radius width; orders that are optimistic read their upper end.

    Args:
        radius: a `Radius`, such as those of `explorers.radii`.

    Example:
        >>> from mobandits.explorers.radii import Constant
        >>> Ucb(Constant(0.3))
        Ucb(radius=Constant(value=0.3))
    """

    radius: Any

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """Mean and interval of every arm and objective; infinite where nothing is known."""
        mean = estimator.mean(state, context, arms)
        width = estimator.width(state, context, arms)
        radius = self.radius.of(estimator, state, context, arms)
        low = np.empty(mean.shape)
        high = np.empty(mean.shape)
        for a in range(len(mean)):
            for l in range(mean.shape[1]):
                doubt = width[a, l if width.shape[1] > 1 else 0]
                half = math.inf
                if doubt < math.inf:  # a zero radius times an infinite width would be NaN
                    half = (
                        radius[arms[a] if len(radius) > 1 else 0, l if radius.shape[1] > 1 else 0]
                        * doubt
                    )
                low[a, l] = mean[a, l] - half
                high[a, l] = mean[a, l] + half
        return Beliefs(mean, low, high)
