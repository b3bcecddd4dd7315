"""Several orders read the beliefs of one learner, each round, and say what they would have played."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

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
from mobandits.support.naming import quoted


@dataclass(frozen=True)
class PreferenceSweep:
    """A recipe that plays, and orders that read what it believes: preferences change without learning anew.

    In every round the learner decides and learns exactly as it would alone. Each order then picks an arm from the same
    beliefs, taken at their means; these arms are scored like plays, but nobody learns from them. Give it to `simulate`
    in the place of a recipe: the learner gets a row, and so does every order.

    Args:
        recipe: what plays; its policy must believe in `Beliefs`, as those of estimator, explorer and order do.
        orders: {row name: order}.

    Example:
        >>> from mobandits.orders import Lexicographic, Pareto
        >>> from mobandits.policies import MolUcb
        >>> list(PreferenceSweep(MolUcb(), {"pareto": Pareto(), "first things first": Lexicographic()}).orders)
        ['pareto', 'first things first']
    """

    recipe: Recipe
    orders: Mapping[str, Order]

    def check(self, policy: Policy, shape: Shape, believe: Any) -> None:
        """Refuse a policy whose beliefs orders cannot read, and orders that do not fit.

        Args:
            policy: what the recipe was bound to.
            shape: of the problem.
            believe: the function of this module, compiled or not.

        Raises:
            ValueError: naming the recipe or the order.
        """
        for name, order in self.orders.items():
            if hasattr(order, "check"):
                try:
                    order.check(shape.objectives)
                except ValueError as error:
                    raise ValueError(f"PreferenceSweep.orders[{quoted(name)}]: {error}") from error
        context = np.zeros(
            (1 if shape.shared or not shape.features else shape.arms, shape.features)
        )
        beliefs = believe(
            policy, policy.init(), context, np.arange(shape.arms), np.random.default_rng(0)
        )
        if not isinstance(beliefs, Beliefs) or beliefs.mean.shape != (shape.arms, shape.objectives):
            raise ValueError(
                "PreferenceSweep.recipe must believe in means of every arm and objective (Beliefs), "
                f"got {quoted(self.recipe)}"
            )


def initial_beliefs(policy: Policy, state: Any, context: Array, arms: IntArray, rng: Rng) -> Any:
    """What a policy believes, compiled or not."""
    return policy.beliefs(state, context, arms, rng)


def play_aloud(
    policy: Policy,
    state: Any,
    contexts: Array,
    rewards: Array,
    arms: IntArray,
    rng: Rng,
    chosen: IntArray,
    fronts: Mask | None,
    believed: Array,
) -> Any:
    """`play`, which also says what is believed: `believed` (rounds, arms, objectives) out, the means."""
    for t in range(len(rewards)):
        context = contexts[t if len(contexts) > 1 else 0]
        beliefs = policy.beliefs(state, context, arms, rng)
        for a in range(len(arms)):
            for i in range(rewards.shape[2]):
                believed[t, a, i] = beliefs.mean[a, i]
        choice = policy.draw(beliefs, rng)
        if not 0 <= choice.arm < len(arms):
            raise IndexError(
                "draw must return the position of an eligible arm, from 0 to their number less 1"
            )
        arm = arms[choice.arm]
        if fronts is not None:
            fronts[t] = policy.probabilities(beliefs) > 0.0
        x = context[choice.arm if len(context) > 1 else 0]
        state = policy.update(state, x, arm, choice.note, rewards[t, arm], rng)
        chosen[t] = arm
    return state


def play_order(
    order: Order, believed: Array, rng: Rng, chosen: IntArray, fronts: Mask | None
) -> None:
    """What an order would have played: `chosen` (rounds,) and `fronts` (rounds, arms) out.

    `believed` is (rounds, arms, objectives).
    """
    for t in range(len(believed)):
        point = Beliefs(believed[t], believed[t], believed[t])
        arm = order.draw(point, rng)
        if not 0 <= arm < believed.shape[1]:
            raise IndexError(
                "draw must return the position of an arm, from 0 to their number less 1"
            )
        chosen[t] = arm
        if fronts is not None:
            fronts[t] = order.front(point)
