"""Policies taken apart: their order exchanged, their explorer replaced."""

from typing import Any

from mobandits.contracts.composition import Composition, composite, exchanged
from mobandits.contracts.protocols import Beliefs, Policy
from mobandits.contracts.states import declares
from mobandits.support.naming import quoted


def comparing(policy: Any) -> Any:
    """The `composite` of a policy, where its order compares all objectives, and not one number that stands for them."""
    inner = composite(policy)
    return None if inner is None or getattr(inner.explorer, "ONE_COLUMN", False) else inner


def with_order(policy: Policy, order: Any) -> Any:
    """The same policy with another order; an exploration phase before the order stays.

    Raises:
        ValueError: where the policy has no order that could be exchanged.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.orders import Lexicographic
        >>> from mobandits.policies import MolUcb
        >>> with_order(MolUcb(scale=0.3).bind(Shape(arms=3, features=2, objectives=2)), Lexicographic()).order
        Lexicographic(tolerance=0.0)
    """
    inner = comparing(policy)
    if inner is None:
        raise ValueError(
            f"preference must be left alone with {type(policy).__name__}: only policies of an estimator, an explorer "
            f"and an order, such as MolUcb, can exchange it, got {quoted(order)}"
        )
    succeeded_by = getattr(inner.order, "succeeded_by", None)
    if succeeded_by is not None:
        order = succeeded_by(order)
    return exchanged(policy, order=order)


def plain_explorer(inner: Composition) -> Any:
    """An explorer that believes in the estimates and the intervals that the policy's explorer rests on.

    Intervals of `Ucb` are its own; those of `Thompson` are one standard deviation of its samples; `Greedy` has none.
    """
    intervals = getattr(inner.explorer, "intervals", None)
    return inner.explorer if intervals is None else intervals()


def unused_links(inner: Composition) -> Any:
    """The links of a policy that believes in linear predictors, and not in the mean rewards to which they lead.

    Returns:
        A part with `mean(objective, predictor)`; None where beliefs are of rewards.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MoglbUcb, MolTs, MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> [unused_links(recipe.bind(shape)) for recipe in (MoglbUcb(), MolTs(links="logit"), MolUcb())]
        [Shared(link=Logit()), None, None]
    """
    if declares(inner.explorer, "MEAN_REWARDS"):
        return None
    return getattr(inner.estimator, "links", None)


def unwrapped(beliefs: Any) -> Beliefs:
    """The `Beliefs` inside what a policy that holds another one believes."""
    while not isinstance(beliefs, Beliefs):
        beliefs = beliefs.beliefs
    return beliefs


def has_means(policy: Any) -> bool:
    """Whether beliefs are a `Beliefs` of all objectives, and not something of the policy's own."""
    if comparing(policy) is None:
        return False
    inner = composite(policy)
    while policy is not inner:
        if not getattr(policy, "PASSES_BELIEFS", False):
            return False
        policy = policy.policy
    return True
