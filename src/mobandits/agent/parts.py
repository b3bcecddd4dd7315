"""The parts of a policy as an agent sees them.

The order that it compares by, the intervals that it rests on.
"""

from typing import Any

from mobandits.contracts.composition import Composition, composite, exchanged
from mobandits.contracts.protocols import Beliefs, Policy
from mobandits.contracts.states import declares
from mobandits.support.naming import quoted, wrong_value


def comparing(policy: Any) -> Any:
    """The `composite` of a policy whose order compares all objectives; None where it has none.

    The explorers of some policies turn all objectives into one number, which their orders compare.
    """
    inner = composite(policy)
    if inner is None or getattr(inner.explorer, "ONE_COLUMN", False):
        return None
    return inner


def with_order(policy: Policy, order: Any) -> Any:
    """The same policy with another order; an exploration phase before the order stays.

    Raises:
        ValueError: where the policy has no order that could be exchanged.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.orders import Lexicographic
        >>> from mobandits.policies import MolUcb
        >>> policy = MolUcb(scale=0.3).bind(Shape(arms=3, features=2, objectives=2))
        >>> with_order(policy, Lexicographic()).order
        Lexicographic(tolerance=0.0)
    """
    inner = comparing(policy)
    if inner is None:
        name = type(policy).__name__
        raise wrong_value(
            f"preference must be left alone with {name}: only policies of an estimator, an "
            "explorer and an order, such as MolUcb, can exchange it",
            order,
        )

    is_in_units = callable(getattr(order, "in_units", None))
    if is_in_units and unused_links(inner) is not None:
        rule = f"preference must be of linear predictors with {type(policy).__name__}"
        raise ValueError(f"{rule}, got {quoted(order)}, which is of rewards in their own units")

    # An exploration phase before the order belongs to the recipe, and not to the preference.
    succeeded_by = getattr(inner.order, "succeeded_by", None)
    if succeeded_by is not None:
        order = succeeded_by(order)

    return exchanged(policy, order=order)


def with_plain_explorer(policy: Policy) -> Any:
    """The same policy, believing in the estimates and in the intervals that its explorer rests on.

    Intervals of `Ucb` are its own; those of `Thompson` are one standard deviation of its samples;
    `Greedy` has none.
    """
    # A sample is no estimate: to explain a decision by it would show numbers that were drawn.
    explorer = composite(policy).explorer
    intervals = getattr(explorer, "intervals", None)
    if intervals is None:
        return policy

    return exchanged(policy, explorer=intervals())


def unused_links(inner: Composition) -> Any:
    """The links of a policy that believes in linear predictors, and not in mean rewards.

    Returns:
        A part with `mean(objective, predictor)`; None where beliefs are of rewards.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MoglbUcb, MolTs, MolUcb
        >>> shape = Shape(arms=3, features=2, objectives=2)
        >>> recipes = (MoglbUcb(), MolTs(links="logit"), MolUcb())
        >>> [unused_links(recipe.bind(shape)) for recipe in recipes]
        [Shared(link=Logit()), None, None]
    """
    if declares(inner.explorer, "MEAN_REWARDS"):
        return None
    return getattr(inner.estimator, "links", None)


def innermost_beliefs(beliefs: Any) -> Beliefs:
    """The `Beliefs` inside what a policy that holds another one believes."""
    while not isinstance(beliefs, Beliefs):
        beliefs = beliefs.beliefs
    return beliefs


def has_means(policy: Any) -> bool:
    """Whether beliefs are a `Beliefs` of all objectives, and not something of the policy's own."""
    inner = comparing(policy)
    if inner is None:
        return False

    # Wrappers that keep beliefs of their own, such as the time, hold the means further inside.
    while policy is not inner:
        if not getattr(policy, "PASSES_BELIEFS", False):
            return False

        policy = policy.policy

    return True
