"""Beliefs about linear predictors, as beliefs about mean rewards."""

from typing import Any, ClassVar

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng


@compiled
class Linked:
    """Puts the links on what `explorer` believes: for orders that add objectives up, such as the effective front.

    Args:
        explorer: believes in linear predictors.
        links: the increasing functions mu_l, from `kernel.links.joined`.

    Example:
        >>> from mobandits.explorers import Thompson
        >>> from mobandits.explorers.radii import Constant
        >>> from mobandits.numerics.links import Logit, Shared
        >>> Linked(Thompson(Constant(0.3)), Shared(Logit())).links
        Shared(link=Logit())
    """

    explorer: Any
    links: Any

    MEAN_REWARDS: ClassVar[bool] = True  # not linear predictors

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
        return Beliefs(self.means(linear.mean), self.means(linear.low), self.means(linear.high))

    def means(self, values: Array) -> Array:
        """(arms, objectives) mu_l of every column."""
        out = np.empty(values.shape)
        for a in range(values.shape[0]):
            for l in range(values.shape[1]):
                out[a, l] = self.links.mean(l, values[a, l])
        return out
