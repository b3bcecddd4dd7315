"""Upper confidence bounds: intervals around the estimates."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng

# Arms that are asked about at a time: means and widths read the same rows, and the second finds
# those of a piece in the processor's cache, where those of all arms would come from memory twice.
PIECE = 1024


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
        radius = self.radius.of(estimator, state, context, arms)
        count = len(arms)
        has_own_rows = len(context) > 1
        # Radii that all objectives, or all arms, share come as one column, or one row.
        has_own_radii = radius.shape[1] > 1
        has_own_models = len(radius) > 1
        # Until the first means say how many objectives there are. One array for all three: with
        # many arms, memory that is taken in smaller parts than are freed at once goes back to the
        # system, and every page of it is a fault in the next decision.
        bounds = np.empty((3, 0, 0))
        for first in range(0, count, PIECE):
            last = min(first + PIECE, count)
            some = arms[first:last]
            rows = context
            if has_own_rows:
                rows = context[first:last]

            mean = estimator.mean(state, rows, some)
            width = estimator.width(state, rows, some)
            objectives = mean.shape[1]
            if first == 0:
                bounds = np.empty((3, count, objectives))

            means = bounds[0, first:last]
            lows = bounds[1, first:last]
            highs = bounds[2, first:last]
            # So do widths.
            has_own_widths = width.shape[1] > 1
            for a in range(last - first):
                model = some[a] if has_own_models else 0
                for l in range(objectives):
                    column = l if has_own_widths else 0
                    gram = l if has_own_radii else 0
                    unscaled = width[a, column]
                    half_width = math.inf
                    # A radius of 0 times an infinite width would be NaN.
                    if unscaled < math.inf:
                        half_width = radius[model, gram] * unscaled

                    estimate = mean[a, l]
                    means[a, l] = estimate
                    lows[a, l] = estimate - half_width
                    highs[a, l] = estimate + half_width

        return Beliefs(bounds[0], bounds[1], bounds[2])
