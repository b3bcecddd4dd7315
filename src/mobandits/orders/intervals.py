"""Intervals of beliefs: their widths, and the sets of overlapping ones."""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, Mask


@kernel
def half_width(low: float, high: float) -> float:
    """Half the length of an interval; 0 for a point, even an infinite one."""
    # The difference of two infinite bounds would be NaN.
    length = high - low if high > low else 0.0
    return 0.5 * length


@kernel
def largest(values: Array, objective: int, among: Mask) -> Mask:
    """(arms,) those of `among` with the largest value in one objective; exact ties all lead."""
    top = -math.inf
    arms = len(among)
    out = np.zeros(arms, np.bool_)
    for a in range(arms):
        if among[a]:
            top = max(top, values[a, objective])

    for a in range(arms):
        out[a] = among[a] and values[a, objective] == top

    return out


@kernel
def linked(low: Array, high: Array, objective: int, among: Mask) -> Mask:
    """(arms,) the arms of `among` that overlapping intervals join to their leader.

    The leader has the largest `high`. Two arms are linked where their closed intervals meet:
        touching counts. The result is the leader's component under
    the transitive closure of that relation within `among`. The component covers one interval, from
    its smallest `low` up to the leader's `high`, so an arm belongs to it where its own `high`
    reaches that smallest `low`.

    Args:
        low: (arms, objectives) lower bounds.
        high: (arms, objectives) upper bounds, none below its lower bound.
        objective: the objective that counts.
        among: (arms,) the arms that count, at least one.

    Reference:
        moslb2024, Algorithm 2 (the relation C_i).
    """
    arms = len(among)
    inside = largest(high, objective, among)
    floor = math.inf
    grown = True
    for a in range(arms):
        if inside[a]:
            floor = min(floor, low[a, objective])

    # Every arm that joins may lower the floor, and so let in arms that were passed before.
    while grown:
        grown = False
        for a in range(arms):
            if among[a] and not inside[a] and high[a, objective] >= floor:
                inside[a] = True
                grown = True
                floor = min(floor, low[a, objective])

    return inside
