"""The intervals that wrappers with limits read, whatever the policy inside of them explores by."""

from typing import Any

from mobandits.contracts.composition import composite
from mobandits.contracts.states import declares
from mobandits.support.naming import quoted


def require_own_beliefs(policy: Any, where: str) -> None:
    """Refuse a policy that acts on something else than the beliefs of its explorer.

    Args:
        policy: one with a `composite`.
        where: the recipe's parameter, for messages.

    Raises:
        ValueError: naming the policy.
    """
    inner = composite(policy)
    layer = policy
    while layer is not inner:
        if not getattr(layer, "PASSES_BELIEFS", False):
            rule = f"{where} must act on the beliefs of its explorer, as MolUcb does"
            raise ValueError(f"{rule}, got {type(layer).__name__}")

        layer = layer.policy


def interval_explorer(policy: Any, where: str) -> Any:
    """The explorer of intervals of mean rewards, objective by objective, that a policy rests on.

    Args:
        policy: an estimator, an explorer and an order, or wrappers around them.
        where: the recipe's parameter, for messages.

    Raises:
        ValueError: where a part of the policy keeps no intervals, or those of linear predictors.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolTs
        >>> policy = MolTs(scale=0.3).bind(Shape(arms=3, features=2, objectives=2))
        >>> interval_explorer(policy, "Within.recipe")
        Ucb(radius=Constant(value=0.3))
    """
    inner = composite(policy)
    layer = policy
    while inner is not None and layer is not inner:
        # A wrapper whose state is more than that of its policy must say how to get there.
        if not hasattr(layer, "bounds"):
            inner = None
            break

        layer = layer.policy

    if inner is None:
        name = type(policy).__name__
        rule = f"{where} must have estimates of every arm and objective, as MolUcb and MolTs have"
        raise ValueError(f"{rule}, got {name}")

    explorer = inner.explorer
    # What turns all objectives into one number rests on beliefs about several.
    while getattr(explorer, "ONE_COLUMN", False):
        explorer = explorer.explorer

    if hasattr(inner.estimator, "links") and not declares(explorer, "MEAN_REWARDS"):
        rule = f"{where} must believe in mean rewards, and not in linear predictors"
        raise ValueError(f"{rule}, got {quoted(type(policy).__name__)} with links")

    intervals = getattr(explorer, "intervals", None)

    return explorer if intervals is None else intervals()


def innermost_explorer(explorer: Any) -> Any:
    """The explorer that others work on the beliefs of."""
    while hasattr(explorer, "explorer"):
        explorer = explorer.explorer

    return explorer
