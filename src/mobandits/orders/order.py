"""The base of orders: a uniform draw from the front, all gaps from one, a phrase in words."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, Beliefs, Mask, Order, Rng
from mobandits.numerics.masks import pick


class BaseOrder:
    """Defaults of an order that has `front` and `gap`; subclasses are decorated with `compiled`.

    Where a field has a number per objective, `{"quality": 1, "cost": 2}` says them by name, and where
    it lists objectives, their names do. An agent, whose objectives have names, puts numbers in their
    place; an objective without a weight has the weight 0.
    """

    NAMES_OBJECTIVES = True

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the arms that nothing beats; never empty."""
        raise NotImplementedError

    def gap(self, means: Array, arm: int) -> Array:
        """(digits,) the regret of one arm, given the true means (arms, objectives)."""
        raise NotImplementedError

    def in_words(self, objectives: Sequence[str]) -> str:
        """A phrase that describes the order, given the names of the objectives."""
        return repr(self)

    def draw(self, beliefs: Beliefs, rng: Rng) -> int:
        """The position of an arm, uniform on the front."""
        # Orders that can draw without their whole front do so in a method of their own.
        front = self.front(beliefs)
        return pick(front, rng)

    def gaps(self, means: Array) -> Array:
        """(arms, digits) the regret of every arm."""
        # Only a gap says how many digits there are.
        first = self.gap(means, 0)
        arms = len(means)
        out = np.empty((arms, len(first)))
        for a in range(arms):
            digits = self.gap(means, a)
            for i in range(len(digits)):
                out[a, i] = digits[i]

        return out


class AroundOrder(BaseOrder):
    """Base of orders that change the front of another one, `order`, and score as it does."""

    order: Order

    def gap(self, means: Array, arm: int) -> Array:
        """(digits,) the gap of one arm under `order`."""
        gap: Array = self.order.gap(means, arm)
        return gap

    def gaps(self, means: Array) -> Array:
        """(arms, digits) the gap of every arm under `order`."""
        gaps: Array = self.order.gaps(means)
        return gaps


def in_words(order: Any, objectives: Sequence[str]) -> str:
    """A phrase that describes any order; its text where the order has none.

    Args:
        order: of this library or not.
        objectives: their names.

    Example:
        >>> from mobandits.orders import Lexicographic, Pareto
        >>> in_words(Pareto(), ["quality", "cost"]), in_words(Lexicographic(), ["quality", "cost"])
        ('Pareto front over all objectives', 'lexicographic: quality, then cost')
    """
    # An order from outside need not have the method: the protocol does not ask for it.
    method = getattr(order, "in_words", None)
    if not callable(method):
        return repr(order)
    return str(method(objectives))


def group_names(groups: Array, objectives: Sequence[str]) -> list[list[str]]:
    """The names of the objectives in every group.

    A group is a row of a matrix whose shorter rows are padded with -1.

    Example:
        >>> group_names(np.array([[0, 1], [2, -1]]), ["quality", "cost", "speed"])
        [['quality', 'cost'], ['speed']]
    """
    groups_of_names = []
    for group in groups.tolist():
        names = [objectives[i] for i in group if i >= 0]
        groups_of_names.append(names)

    return groups_of_names


def weight_texts(weights: Array, objectives: Sequence[str]) -> list[str]:
    """The objectives that have a positive weight, each with it.

    Example:
        >>> weight_texts(np.array([0.5, 0.0, 2.0]), ["quality", "cost", "speed"])
        ['quality 0.5', 'speed 2']
    """
    texts = []
    for weight, name in zip(weights.tolist(), objectives, strict=True):
        if weight > 0.0:
            texts.append(f"{name} {weight:g}")

    return texts
