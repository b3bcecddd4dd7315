"""Policies taken apart: their order exchanged, their explorer replaced, their beliefs found to be random or not."""

import dataclasses
from typing import Any

from mobandits.compiling.compiled import is_compiled
from mobandits.contracts.protocols import Beliefs, Policy
from mobandits.explorers import Linked, Thompson, Ucb
from mobandits.orders import ExploreWide
from mobandits.policies.composite import Composite
from mobandits.policies.composition import composite, exchanged
from mobandits.support.naming import quoted


def comparing(policy: Any) -> Composite | None:
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
    if isinstance(inner.order, ExploreWide) and not isinstance(order, ExploreWide):
        order = ExploreWide(order, inner.order.epsilon)
    return exchanged(policy, order=order)


def plain_explorer(inner: Composite) -> Any:
    """An explorer that believes in estimated mean rewards and the intervals that the policy's explorer rests on.

    Intervals of `Ucb` are its own; those of `Thompson` are one standard deviation of its samples; `Greedy` has none.
    """
    linked = isinstance(inner.explorer, Linked)
    explorer = inner.explorer.explorer if linked else inner.explorer
    plain = Ucb(explorer.radius) if isinstance(explorer, Thompson) else explorer
    links = inner.explorer.links if linked else unused_links(inner)
    return plain if links is None else Linked(plain, links)


def unused_links(inner: Composite) -> Any:
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
    explorer = inner.explorer
    while dataclasses.is_dataclass(explorer) and not isinstance(explorer, Linked):
        explorer = getattr(explorer, "explorer", None)  # some look at what another believes
    return None if isinstance(explorer, Linked) else getattr(inner.estimator, "links", None)


def unwrapped(beliefs: Any) -> Beliefs:
    """The `Beliefs` inside what a policy that holds another one believes."""
    while not isinstance(beliefs, Beliefs):
        beliefs = beliefs.beliefs
    return beliefs


def random_beliefs(part: Any) -> bool:
    """Whether beliefs are drawn, as in Thompson sampling, so that `probabilities` is conditional on the draw.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolTs, MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> [random_beliefs(recipe.bind(shape)) for recipe in (MolTs(), MolUcb())]
        [True, False]
    """
    if getattr(part, "RANDOM_BELIEFS", False):
        return True
    fields = (
        dataclasses.fields(part) if dataclasses.is_dataclass(part) and is_compiled(part) else ()
    )
    return any(random_beliefs(getattr(part, field.name)) for field in fields)


def has_means(policy: Any) -> bool:
    """Whether beliefs are a `Beliefs` of all objectives, and not something of the policy's own."""
    if comparing(policy) is None:
        return False
    while not isinstance(policy, Composite):
        if type(policy).__name__ not in (
            "EpsilonMixture",
            "InCells",
        ):  # others wrap the beliefs of what they hold
            return False
        policy = policy.policy
    return True
