"""States in files of earlier versions: version 1 kept running means, where sums are kept now."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from mobandits.agent.growth import parts
from mobandits.contracts.protocols import Array
from mobandits.estimators import MeanState
from mobandits.policies.context_free.annealing_pareto import AnnealingState
from mobandits.policies.context_free.pareto_kg import KgState
from mobandits.policies.context_free.scalarized_ucb1 import ScalarizedState
from mobandits.policies.zooming.active_balls import Balls

SUMMED = (MeanState, Balls, ScalarizedState, AnnealingState, KgState)


def completed(template: Any, given: Sequence[Array]) -> list[Array]:
    """The arrays of version 1, and zeros for those that it did not have.

    Args:
        template: the first state of the policy.
        given: the arrays of the file, in order; too few or too many remain so.
    """
    rest = list(given)
    out = []
    for like, is_new in _arrays(template):
        if is_new:
            out.append(np.zeros_like(like))
        elif rest:
            out.append(rest.pop(0))
    return out + rest


def _arrays(state: Any) -> Iterator[tuple[Array, bool]]:
    """The arrays of a state in order, and whether version 1 did not have them."""
    for name, part in zip(state._fields, state, strict=True):
        if isinstance(part, tuple):
            yield from _arrays(part)
        else:
            yield part, isinstance(state, KgState) and name == "origin"


def sums_of_means(state: Any) -> None:
    """Make sums of the means that version 1 had in their place, in memory.

    Example:
        >>> state = MeanState(seen=np.array([[4.0, 0.0]]), total=np.array([[0.25, 0.0]]))
        >>> sums_of_means(state)
        >>> state.total.tolist()
        [[1.0, 0.0]]
    """
    with np.errstate(
        over="ignore", invalid="ignore"
    ):  # a forged file; whoever reads it refuses such numbers
        for part in parts(state):
            if isinstance(part, SUMMED):
                np.multiply(part.total, part.seen, out=part.total)
            if isinstance(part, KgState):
                _squares_of_deviations(part)


def _squares_of_deviations(state: KgState) -> None:
    """Squared deviations from each mean become squared distances from one origin, the mean of all rewards."""
    everything = np.maximum(state.seen.sum(axis=0), 1.0)
    state.origin[:] = state.total.sum(axis=0) / everything
    mean = state.total / np.maximum(state.seen, 1.0)
    np.add(state.squares, state.seen * (mean - state.origin) ** 2, out=state.squares)
