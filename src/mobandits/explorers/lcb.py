"""Lower confidence bounds in the place of estimates: pessimism, for learning from a log."""

import math
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng
from mobandits.explorers.ucb import Ucb


@compiled
class Lcb:
    """The explorer that believes in mean - radius width, for every arm and objective.

    The bound stands in the place of mean, low and high: orders take it for the mean reward. So an
    arm of which a log says little must seem good by more than the log leaves open. Where nothing is
    known the bound is -inf: an arm that was never played is played only where all are such.

    Args:
        radius: a `Radius`, such as those of `explorers.radii`.

    Reference:
        Jin, Yang and Wang, Is pessimism provably efficient for offline RL?, ICML 2021: the loss of
        a pessimistic policy depends on how well the log covers the best arm, and no other one.

    Example:
        >>> from mobandits.explorers.radii import Constant
        >>> Lcb(Constant(0.3))
        Lcb(radius=Constant(value=0.3))
    """

    radius: Any

    def intervals(self) -> Ucb:
        """The intervals whose lower ends are the beliefs."""
        return Ucb(self.radius)

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The lower bounds as degenerate intervals."""
        mean = estimator.mean(state, context, arms)
        width = estimator.width(state, context, arms)
        radius = self.radius.of(estimator, state, context, arms)
        count, objectives = mean.shape
        bound = np.empty(mean.shape)
        # As in `Ucb`, bit for bit: one column, or row, stands for objectives, or arms, that share.
        has_own_widths = width.shape[1] > 1
        has_own_radii = radius.shape[1] > 1
        has_own_models = len(radius) > 1
        for a in range(count):
            model = arms[a] if has_own_models else 0
            for l in range(objectives):
                column = l if has_own_widths else 0
                gram = l if has_own_radii else 0
                unscaled = width[a, column]
                half_width = math.inf
                # A radius of 0 times an infinite width would be NaN.
                if unscaled < math.inf:
                    half_width = radius[model, gram] * unscaled

                bound[a, l] = mean[a, l] - half_width

        # The same array three times: orders read beliefs and do not write into them.
        return Beliefs(bound, bound, bound)
