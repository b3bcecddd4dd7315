"""The `Composite` inside of a policy, and policies with some of its parts exchanged."""

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
    # Wrappers are compiled dataclasses that hold what they wrap in a field `policy`.
    while dataclasses.is_dataclass(policy) and not isinstance(policy, Composite):
        policy = getattr(policy, "policy", None)
    return policy if isinstance(policy, Composite) else None


def exchanged(policy: Any, **parts: Any) -> Any:
    """The same policy with other parts in its `Composite`; every wrapper around it stays.

    Args:
        policy: one that has a `composite`.
        parts: estimator, explorer or order.
    """
    if isinstance(policy, Composite):
        return dataclasses.replace(policy, **parts)
    inner = exchanged(policy.policy, **parts)
    return dataclasses.replace(policy, policy=inner)
