"""What every order shares: a uniform draw from its front, the regret of every arm, and how it is put into words."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, Beliefs, Mask, Rng
from mobandits.numerics.masks import pick


class BaseOrder:
    """Defaults of an order that knows its `front` and its `gap`; subclasses are decorated with `compiled`."""

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms that nothing beats; never empty."""
        raise NotImplementedError

    def gap(self, means: Array, arm: int) -> Array:
        """(digits,) the regret of one arm, given the true means (arms, objectives)."""
        raise NotImplementedError

    def in_words(self, objectives: Sequence[str]) -> str:
        """The order as a sentence says it, given the names of the objectives."""
        return repr(self)

    def draw(self, beliefs: Beliefs, rng: Rng) -> int:
        """The position of an arm, uniform on the front."""
        return pick(self.front(beliefs), rng)

    def gaps(self, means: Array) -> Array:
        """(arms, digits) the regret of every arm."""
        first = self.gap(means, 0)
        out = np.empty((len(means), len(first)))
        for a in range(len(means)):
            digits = self.gap(means, a)
            for i in range(len(digits)):
                out[a, i] = digits[i]
        return out


def in_words(order: Any, objectives: Sequence[str]) -> str:
    """Any order as a sentence says it; its text where it does not know how.

    Args:
        order: of this library or not.
        objectives: their names.

    Example:
        >>> from mobandits.orders import Lexicographic, Pareto
        >>> in_words(Pareto(), ["quality", "cost"]), in_words(Lexicographic(), ["quality", "cost"])
        ('Pareto front over all objectives', 'lexicographic: quality, then cost')
    """
    method = getattr(order, "in_words", None)
    return str(method(objectives)) if callable(method) else repr(order)


def grouped(groups: Array, objectives: Sequence[str]) -> list[list[str]]:
    """The names of the objectives in every group: a row of a matrix whose shorter rows are padded with -1.

    Example:
        >>> grouped(np.array([[0, 1], [2, -1]]), ["quality", "cost", "speed"])
        [['quality', 'cost'], ['speed']]
    """
    return [[objectives[i] for i in row if i >= 0] for row in groups.tolist()]


def weighed(weights: Array, objectives: Sequence[str]) -> list[str]:
    """The objectives that have a weight, each with it.

    Example:
        >>> weighed(np.array([0.5, 0.0, 2.0]), ["quality", "cost", "speed"])
        ['quality 0.5', 'speed 2']
    """
    pairs = zip(weights.tolist(), objectives, strict=True)
    return [f"{name} {weight:g}" for weight, name in pairs if weight > 0.0]
