"""Which notes decisions of a policy carry: `update` relies on them, and a file may say anything."""

from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, Mask
from mobandits.policies.cells.in_cells import InCells
from mobandits.policies.cells.random_borders import RandomBorders
from mobandits.policies.context_free.exp3p import Exp3PPolicy
from mobandits.policies.context_free.scalarized_ucb1 import ScalarizedUcb1Policy
from mobandits.policies.wrappers.periodic import RADIX, Periodic
from mobandits.policies.zooming.zooming import Zooming


def possible(policy: Any, state: Any, notes: Array) -> Mask:
    """(decisions,) which notes the policy may have given before it came to this state; others' policies: finite ones.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> from mobandits.policies import ScalarizedUcb1
        >>> policy = ScalarizedUcb1().bind(Shape(arms=4, features=0, objectives=2))
        >>> possible(policy, policy.init(), np.array([0.0, 2.0, 3.0, -1.0, 0.5])).tolist()
        [True, True, False, False, False]
    """
    finite: Mask = np.isfinite(notes)
    if not type(policy).__module__.startswith("mobandits."):
        return finite
    return finite & _given(policy, state, np.where(finite, notes, -1.0))


def _given(policy: Any, state: Any, notes: Array) -> Mask:
    if isinstance(policy, Periodic):
        inner = np.floor(notes / RADIX)
        return possible(policy.policy, state.state, inner) & _below(
            notes - inner * RADIX, state.clock[0] + 1.0
        )
    if isinstance(policy, RandomBorders):
        inner = np.floor(notes / policy.radix())
        return possible(policy.policy, state, inner) & _below(
            notes - inner * policy.radix(), policy.radix()
        )
    if isinstance(policy, InCells):
        return possible(policy.policy, state, notes)
    if isinstance(policy, Exp3PPolicy):
        return (notes > 0.0) & (notes <= 1.0)
    functions = len(policy.weights) if isinstance(policy, ScalarizedUcb1Policy) else 1
    return _below(notes, len(state.radius) if isinstance(policy, Zooming) else functions)


def _below(notes: Array, bound: float) -> Mask:
    whole: Mask = (notes >= 0.0) & (notes < bound) & (notes == np.floor(notes))
    return whole
