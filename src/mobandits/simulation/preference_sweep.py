"""One learner, and several orders that choose from its beliefs: preferences change at no cost."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import (
    Array,
    Beliefs,
    IntArray,
    Mask,
    Order,
    Policy,
    Recipe,
    Rng,
    Shape,
)
from mobandits.support.naming import quoted, wrong_value


@dataclass(frozen=True)
class PreferenceSweep:
    """A recipe that plays, and orders that choose from its beliefs without playing.

    In every round the learner decides and learns exactly as it would alone. Each order then picks
    an arm from the same beliefs, taken at their means. These arms are scored like plays, but the
    learner never sees their rewards. Give it to `simulate` in the place of a recipe: the learner
    gets a row, and so does every order.

    Args:
        recipe: what plays; its policy must believe in `Beliefs`, as those of estimator, explorer
            and order do.
        orders: {row name: order}.

    Example:
        >>> from mobandits.orders import Lexicographic, Pareto
        >>> from mobandits.policies import MolUcb
        >>> orders = {"pareto": Pareto(), "first things first": Lexicographic()}
        >>> list(PreferenceSweep(MolUcb(), orders).orders)
        ['pareto', 'first things first']
    """

    recipe: Recipe
    orders: Mapping[str, Order]

    def check(self, policy: Policy, shape: Shape, believe: Any) -> None:
        """Refuse a policy whose beliefs orders cannot read, and orders that do not fit.

        Args:
            policy: what the recipe was bound to.
            shape: of the problem.
            believe: `initial_beliefs`, compiled or not.

        Raises:
            ValueError: naming the recipe or the order.
        """
        for name, order in self.orders.items():
            if hasattr(order, "check"):
                try:
                    order.check(shape.objectives)
                except ValueError as error:
                    where = f"PreferenceSweep.orders[{quoted(name)}]"
                    raise ValueError(f"{where}: {error}") from error

        # By an attempt: whether a policy believes in `Beliefs` is not written down anywhere.
        has_one_context = shape.shared or not shape.features
        context = np.zeros((1 if has_one_context else shape.arms, shape.features))
        arms = np.arange(shape.arms)
        beliefs = believe(policy, policy.init(), context, arms, np.random.default_rng(0))
        expected = (shape.arms, shape.objectives)
        if not isinstance(beliefs, Beliefs) or beliefs.mean.shape != expected:
            raise wrong_value(
                "PreferenceSweep.recipe must believe in means of every arm and objective (Beliefs)",
                self.recipe,
            )


def recipe_and_orders(policy: Recipe | PreferenceSweep) -> tuple[Recipe, Mapping[str, Order]]:
    """The recipe that plays, and the orders that choose from its beliefs, {row name: order}.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> recipe_and_orders(MolUcb())[1]
        {}
    """
    if isinstance(policy, PreferenceSweep):
        return policy.recipe, policy.orders
    return policy, {}


@compiled
class MeanProbe:
    """A probe that copies the means of the beliefs: `seen` is (rounds, arms, objectives)."""

    def look(
        self, state: Any, beliefs: Beliefs, context: Array, means: Array, arm: int, seen: Array
    ) -> None:
        """Copy the means of a round."""
        # Number by number: Numba's assignment of arrays is more code, which looks for overlaps.
        arms, objectives = seen.shape
        for a in range(arms):
            for i in range(objectives):
                seen[a, i] = beliefs.mean[a, i]


def initial_beliefs(policy: Policy, state: Any, context: Array, arms: IntArray, rng: Rng) -> Any:
    """The beliefs of a policy, compiled or not."""
    return policy.beliefs(state, context, arms, rng)


def play_order(order: Order, means: Array, rng: Rng, chosen: IntArray, fronts: Mask | None) -> None:
    """The arms that an order would have played.

    Args:
        order: any order.
        means: (rounds, arms, objectives) of the learner's beliefs.
        rng: the order's own stream, for ties.
        chosen: (rounds,) out.
        fronts: (rounds, arms) out: the sets that these were drawn from, where needed.
    """
    for t in range(len(means)):
        # Without intervals: an order that explores in them would explore for a learner that does
        # not learn from it.
        point = Beliefs(means[t], means[t], means[t])
        arm = order.draw(point, rng)
        if not 0 <= arm < means.shape[1]:
            raise IndexError(
                "draw must return the position of an arm, from 0 to their number less 1"
            )

        chosen[t] = arm
        if fronts is not None:
            fronts[t] = order.front(point)
