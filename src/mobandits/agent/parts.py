"""Policies taken apart: their order exchanged, their explorer replaced, their beliefs found to be random or not."""

import dataclasses
from typing import Any

from mobandits.kernel.compiled import is_compiled
from mobandits.kernel.protocols import Policy
from mobandits.orders import ExploreWide
from mobandits.policies.composite import Composite


def composite(policy: Any) -> Composite | None:
    """The estimator, explorer and order inside of a policy, where it has them and believes in objectives."""
    while dataclasses.is_dataclass(policy) and not isinstance(policy, Composite):
        policy = getattr(policy, "policy", None)
    if not isinstance(policy, Composite) or getattr(policy.explorer, "ONE_COLUMN", False):
        return None
    return policy


def exchanged(policy: Any, **parts: Any) -> Any:
    """The same policy with other parts in its `composite`."""
    if isinstance(policy, Composite):
        return dataclasses.replace(policy, **parts)
    return dataclasses.replace(policy, policy=exchanged(policy.policy, **parts))


def with_order(policy: Policy, order: Any) -> Any:
    """The same policy with another order; an exploration phase before the order stays.

    Raises:
        ValueError: where the policy has no order that could be exchanged.

    Example:
        >>> from mobandits.kernel.protocols import Shape
        >>> from mobandits.orders import Lexicographic
        >>> from mobandits.policies import MolUcb
        >>> with_order(MolUcb(scale=0.3).bind(Shape(arms=3, features=2, objectives=2)), Lexicographic()).order
        Lexicographic()
    """
    inner = composite(policy)
    if inner is None:
        raise ValueError(
            f"preference must be left alone with {type(policy).__name__}: only policies of an estimator, an explorer "
            f"and an order, such as MolUcb, can exchange it, got {order!r}"
        )
    if isinstance(inner.order, ExploreWide) and not isinstance(order, ExploreWide):
        order = ExploreWide(order, inner.order.epsilon)
    return exchanged(policy, order=order)


def random_beliefs(part: Any) -> bool:
    """Whether beliefs are drawn, as in Thompson sampling, so that `probabilities` is conditional on the draw.

    Example:
        >>> from mobandits.kernel.protocols import Shape
        >>> from mobandits.policies import MolTs, MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> [random_beliefs(recipe.bind(shape)) for recipe in (MolTs(), MolUcb())]
        [True, False]
    """
    if getattr(part, "RANDOM_BELIEFS", False):
        return True
    fields = dataclasses.fields(part) if dataclasses.is_dataclass(part) and is_compiled(part) else ()
    return any(random_beliefs(getattr(part, field.name)) for field in fields)


def has_means(policy: Any) -> bool:
    """Whether beliefs are a `Beliefs` of all objectives, and not something of the policy's own."""
    inner = composite(policy)
    if inner is None:
        return False
    while not isinstance(policy, Composite):
        if type(policy).__name__ not in ("EpsilonMixture", "InCells"):  # others wrap the beliefs of what they hold
            return False
        policy = policy.policy
    return True
