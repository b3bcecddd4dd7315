"""Policies taken apart: the estimator, explorer and order inside of a policy, and others put in their place."""

import dataclasses
from typing import Any

from mobandits.policies.composite import Composite


def composite(policy: Any) -> Composite | None:
    """The `Composite` that a policy is or holds; None where it has none.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import MolEpsGreedy
        >>> composite(MolEpsGreedy().bind(Shape(arms=3, features=2, objectives=2))).order
        Pareto(on=[])
    """
    while dataclasses.is_dataclass(policy) and not isinstance(policy, Composite):
        policy = getattr(policy, "policy", None)
    return policy if isinstance(policy, Composite) else None


def exchanged(policy: Any, **parts: Any) -> Any:
    """The same policy with other parts in its `composite`.

    Args:
        policy: one that has a `composite`.
        parts: estimator, explorer or order.
    """
    if isinstance(policy, Composite):
        return dataclasses.replace(policy, **parts)
    return dataclasses.replace(policy, policy=exchanged(policy.policy, **parts))
