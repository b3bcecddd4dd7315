"""Pessimistic: any recipe with a confidence radius, on lower bounds instead of upper ones."""

import dataclasses
from dataclasses import dataclass
from typing import Any

from mobandits.contracts.composition import composite, exchanged
from mobandits.contracts.protocols import Policy, Recipe, Shape
from mobandits.explorers import Lcb
from mobandits.policies.wrappers.around import AS_ITS_RECIPE, AroundRecipe
from mobandits.policies.wrappers.gap_weighted import GapWeightedPolicy
from mobandits.support.naming import wrong_value


@dataclass(frozen=True)
class Pessimistic(AroundRecipe):
    """Any recipe with a confidence radius, which plays the front of lower bounds: it never explores.

    For policies that are learned from a log and then only used. Estimator, radius and order are
    those of the recipe; the explorer becomes `Lcb`, whose beliefs are mean - radius width. What a
    log covers badly loses by that: a greedy policy plays the arm whose mean is overestimated most,
    and the fewer rounds an arm has, the more its mean may be. With `Weighted` or `Chebyshev` and
    many weights, one log gives a front of policies (`evaluation.sweep_weights`). A policy that
    decides and learns by itself should be optimistic: a pessimistic one may stay for ever with the
    first arm that paid.

    Args:
        recipe: such as `MolUcb(scale="data", order=...)`, or its class for its defaults; its
            `scale` says how pessimistic.

    Raises:
        ValueError: where `recipe` is no recipe; on `bind`, where its policy has no confidence
            radius.

    Reference:
        Jin, Yang and Wang, "Is pessimism provably efficient for offline RL?", ICML 2021; for
        contextual bandits Swaminathan and Joachims, "Batch learning from logged bandit feedback
        through counterfactual risk minimization", JMLR 16, 2015, which subtracts the deviation of a
        policy's value.

    Example:
        >>> from mobandits.policies import MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> Pessimistic(MolUcb(scale=0.3)).bind(shape).explorer
        Lcb(radius=Constant(value=0.3))
    """

    references = ("jin2021", "swaminathan2015")
    traits = AS_ITS_RECIPE._replace(
        beliefs="definite",
        plays="front of lower bounds under the recipe's order",
        log="exact, with zeros",
    )

    recipe: Recipe

    def around(self, policy: Any, shape: Shape) -> Policy:
        """The recipe's policy, with lower bounds."""
        inner = composite(policy)
        # Inverse gap weights are of the estimates: another explorer would change nothing.
        if inner is None or _has_gap_weights(policy):
            raise wrong_value(
                "Pessimistic.recipe must play by an estimator, an explorer and an order",
                self.recipe,
            )

        explorer = self._lower_bounds(inner.explorer)
        pessimist: Policy = exchanged(policy, explorer=explorer)

        return pessimist

    def _lower_bounds(self, explorer: Any) -> Any:
        """The explorer with `Lcb` in the place of the innermost one."""
        # Links and scalarisations work on the beliefs of another explorer, whatever these are.
        if hasattr(explorer, "explorer"):
            inner = self._lower_bounds(explorer.explorer)
            return dataclasses.replace(explorer, explorer=inner)

        radius = getattr(explorer, "radius", None)
        if radius is None:
            raise wrong_value(
                "Pessimistic.recipe must have a confidence radius, as MolUcb(scale=0.3) has",
                self.recipe,
            )

        return Lcb(radius)


def _has_gap_weights(policy: Any) -> bool:
    """Whether a policy is, or holds, one of inverse gap weights."""
    while policy is not None:
        if isinstance(policy, GapWeightedPolicy):
            return True

        policy = getattr(policy, "policy", None)

    return False
