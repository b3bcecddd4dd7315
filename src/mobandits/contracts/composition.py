"""The estimator, explorer and order inside of a policy, and others put in their place.

A policy that consists of an estimator, an explorer and an order declares `COMPOSED = True`, as
`Composite` does, and one that wraps another policy holds it as `policy`. Parts declare what an
agent must know to explain them and to exchange them:

- an explorer with `ONE_COLUMN = True` believes in one number per arm, which stands for all
  objectives; one with `MEAN_REWARDS = True` in mean rewards, also where the estimator's means are
  linear predictors, as those of one that has `links` are;
- an explorer may offer `intervals()`: the explorer that believes in the estimates and in the
  intervals which its own beliefs rest on;
- a wrapper with `PASSES_BELIEFS = True` has the beliefs of the policy inside of it;
- a wrapper that shows it other contexts holds the map that makes them as `feature_map`;
- a policy may offer `bounds(explorer, state, context, arms, rng)`, the beliefs of another explorer
  about what it has learned, and `eases(state, context, arms, rng)`, whether no arm keeps a limit;
  where that may be so, it or a part of it declares `EASES_LIMITS = True`;
- an order may offer `succeeded_by(order)`: what is played where another order is preferred.
"""

import dataclasses
from typing import Any, Protocol

import numpy as np

from mobandits.contracts.protocols import Array, IntArray


class Composition(Protocol):
    """A policy of three parts, each a field of its own; `dataclasses.replace` exchanges them."""

    COMPOSED: bool

    @property
    def estimator(self) -> Any:
        """The part that learns means and widths."""

    @property
    def explorer(self) -> Any:
        """The part that makes intervals or samples of them."""

    @property
    def order(self) -> Any:
        """The part that says which arms are best."""


def composite(policy: Any) -> Any:
    """The `Composition` that a policy is or holds; None where it has none.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolEpsGreedy
        >>> composite(MolEpsGreedy().bind(Shape(arms=3, features=2, objectives=2))).order
        Pareto(on=[])
    """
    # Wrappers hold one policy each, so that this is a walk along a line.
    while policy is not None and not getattr(policy, "COMPOSED", False):
        policy = getattr(policy, "policy", None) if dataclasses.is_dataclass(policy) else None
    return policy


def forced_probabilities(policy: Any, slots: IntArray) -> Array:
    """(arms,) the least probabilities that a policy gives to arms, whatever it has learned.

    A policy that mixes another one with such plays has a method `forced(slots)`.

    Args:
        policy: any.
        slots: (arms,) of the eligible arms.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolUcb, WithFloor
        >>> policy = WithFloor(MolUcb(), epsilon=0.5).bind(Shape(arms=4, features=2, objectives=2))
        >>> forced_probabilities(policy, np.arange(4)).tolist()
        [0.125, 0.125, 0.125, 0.125]
    """
    while policy is not None:
        forced = getattr(policy, "forced", None)
        if callable(forced):
            probabilities: Array = forced(slots)
            return probabilities

        policy = getattr(policy, "policy", None) if dataclasses.is_dataclass(policy) else None

    return np.zeros(len(slots))


def context_maps(policy: Any) -> tuple[Any, ...]:
    """The maps that the wrappers of a policy put before its contexts, the outer one first.

    Two policies learn the same only where they see the same contexts.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.features import Columns
        >>> from mobandits.policies import Features, MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> context_maps(Features(Columns((1,)), MolUcb()).bind(shape))
        (ColumnsMap(columns=[1], size=1),)
    """
    maps = []
    while policy is not None:
        feature_map = getattr(policy, "feature_map", None)
        if feature_map is not None:
            maps.append(feature_map)

        policy = getattr(policy, "policy", None) if dataclasses.is_dataclass(policy) else None

    return tuple(maps)


def exchanged(policy: Any, **parts: Any) -> Any:
    """The same policy with other parts in its `composite`.

    Args:
        policy: one that has a `composite`.
        parts: estimator, explorer or order.
    """
    if getattr(policy, "COMPOSED", False):
        return dataclasses.replace(policy, **parts)
    return dataclasses.replace(policy, policy=exchanged(policy.policy, **parts))
