"""Upper confidence bounds: intervals around the estimates."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng


@kernel
def scaled_width(radius: float, width: float) -> float:
    """The half-width of an interval."""
    # A radius of 0 times an infinite width would be NaN.
    return radius * width if width < math.inf else math.inf


@compiled
class Ucb:
    """The explorer of intervals mean -+ radius width, whose upper end optimistic orders read.

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
        """Mean and interval of every arm and objective; infinite before any reward."""
        mean = estimator.mean(state, context, arms)
        width = estimator.width(state, context, arms)
        radius = self.radius.of(estimator, state, context, arms)
        count, objectives = mean.shape
        # Both in one piece: of many arms, memory that is taken in small parts goes back to the
        # system when all are freed, and every page of it is a fault in the next decision.
        bounds = np.empty((2, count, objectives))
        low = bounds[0]
        high = bounds[1]
        # Widths and radii that all objectives, or all arms, share come as one column, or one row.
        has_own_widths = width.shape[1] > 1
        has_own_radii = radius.shape[1] > 1
        has_own_models = len(radius) > 1
        has_own = has_own_widths or has_own_radii
        for a in range(count):
            model = arms[a] if has_own_models else 0
            shared = scaled_width(radius[model, 0], width[a, 0])
            for l in range(objectives):
                half_width = shared
                if has_own:
                    column = l if has_own_widths else 0
                    gram = l if has_own_radii else 0
                    half_width = scaled_width(radius[model, gram], width[a, column])

                estimate = mean[a, l]
                low[a, l] = estimate - half_width
                high[a, l] = estimate + half_width

        return Beliefs(mean, low, high)
