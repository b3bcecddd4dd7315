"""Beliefs about linear predictors, as beliefs about mean rewards."""

from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng


@compiled
class Linked:
    """The explorer that turns beliefs about linear predictors into beliefs about mean rewards.

    Orders that add objectives up need it, such as the effective front.

    Args:
        explorer: gives beliefs about linear predictors.
        links: the increasing functions mu_l, from `numerics.links.combined_links`.

    Example:
        >>> from mobandits.explorers import Thompson
        >>> from mobandits.explorers.radii import Constant
        >>> from mobandits.numerics.links import Logit, Shared
        >>> Linked(Thompson(Constant(0.3)), Shared(Logit())).links
        Shared(link=Logit())
    """

    explorer: Any
    links: Any

    MEAN_REWARDS = True  # not linear predictors

    def intervals(self) -> "Linked":
        """The links on the intervals that `explorer` rests on."""
        inner = self.explorer
        if hasattr(inner, "intervals"):
            inner = inner.intervals()
        return Linked(inner, self.links)

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """Mean rewards and their intervals."""
        linear = self.explorer.beliefs(estimator, state, context, arms, rng)
        # Links are increasing: the ends of an interval are the ends of its image.
        mean = self.means(linear.mean)
        low = self.means(linear.low)
        high = self.means(linear.high)

        return Beliefs(mean, low, high)

    def means(self, values: Array) -> Array:
        """(arms, objectives) mu_l of every column."""
        arms, objectives = values.shape
        out = np.empty((arms, objectives))
        for a in range(arms):
            for l in range(objectives):
                predictor = values[a, l]
                out[a, l] = self.links.mean(l, predictor)

        return out
