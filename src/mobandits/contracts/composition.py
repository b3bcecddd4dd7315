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
- a policy may offer `bounds(explorer, state, context, arms, rng)`, the beliefs of another explorer
  about what it has learned, and `eases(state, context, arms, rng)`, whether no arm keeps a limit;
  where that may be so, it or a part of it declares `EASES_LIMITS = True`;
- an order may offer `succeeded_by(order)`: what is played where another order is preferred.
"""

import dataclasses
from typing import Any, Protocol


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


def exchanged(policy: Any, **parts: Any) -> Any:
    """The same policy with other parts in its `composite`.

    Args:
        policy: one that has a `composite`.
        parts: estimator, explorer or order.
    """
    if getattr(policy, "COMPOSED", False):
        return dataclasses.replace(policy, **parts)
    return dataclasses.replace(policy, policy=exchanged(policy.policy, **parts))
