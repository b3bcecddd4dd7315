"""Arms that no mixture of arms beats: an exact test of one arm, the mask of all, a uniform draw.

The test asks for v* of numerics/simplex.py with unit_l = 1, the best worst lead over arm p of a mixture of the *other*
arms. Leaving p out of the mixtures removes the degeneracy at 0: a positive v* says that some mixture beats p in every
objective, a negative one comes with weights under which p alone is best. Any mixture bounds v* from below and any
weights bound it from above, whatever rounding led to them, and every answer rests on such bounds.

In all of these, values are (arms, objectives) and maximised; arms of the Pareto front are finite.

Reference:
    molts2025, Definition 5. v* is the value of a matrix game.
"""

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng
from mobandits.numerics.dominance import dominated, nondominated
from mobandits.numerics.masks import count, everyone, swap_in
from mobandits.numerics.mixtures import TIE, can_gain, climb, highest
from mobandits.numerics.ranges import all_finite, in_ranges, rows_of, shape_of, spread
from mobandits.numerics.simplex import Simplex, look_from, simplex

# what is proved of an arm
OFF = -1
TIED = 0
ON = 1


@kernel
def membership(points: Array) -> Simplex:
    """The program of the test."""
    return simplex(points, np.ones(len(points)))


@kernel
def sums(points: Array) -> Array:
    """(arms,) the sum of all objectives of every column."""
    out = np.zeros(points.shape[1])
    for i in range(len(points)):
        for j in range(len(out)):
            out[j] += points[i, j]
    return out


@kernel
def largest_sum(points: Array) -> int:
    """The column with the largest sum of all objectives: no mixture can have a larger one."""
    return highest(sums(points))


@kernel
def has_largest_sum(points: Array, column: int) -> bool:
    """Whether the sum of a column is larger than any other, by more than rounding may have done to it."""
    totals = sums(points)
    level = totals[column] - TIE * len(points)
    alone = True
    for j in range(len(totals)):
        alone &= j == column or totals[j] < level
    return alone


@kernel
def proof(s: Simplex, column: int, top: int) -> int:
    """Whether no mixture of the other columns beats one column: `ON`, `OFF`, or `TIED` without proof.

    A proof has `TIE` to spare in units of the ranges, and all the more in units of smaller ranges.

    Args:
        s: the points.
        column: the one in question.
        top: the column with the largest sum of all objectives.
    """
    if len(s.points) == 0:
        return ON
    if column == top:
        return ON if has_largest_sum(s.points, top) else TIED
    look_from(s, s.points, column)
    low, high = climb(s, column, top, TIE, -TIE)
    if low > TIE:
        return OFF
    return ON if high < -TIE else TIED


@kernel
def on_hull(s: Simplex, column: int, top: int) -> bool:
    """Whether no mixture of the other columns beats one column; at a tie the second step decides."""
    found = proof(s, column, top)
    return found == ON or (found == TIED and (column == top or not can_gain(s)))


@kernel
def effective(values: Array, arm: int, among: Mask) -> bool:
    """Whether no mixture of the other arms of `among` dominates `arm`: is as good everywhere, and better somewhere.

    An arm that equals a mixture is effective, hence duplicates are; an arm that a mixture dominates only weakly is not.
    Objectives are measured in units of their ranges over the Pareto front, the only arms that are needed to dominate:
    so the answer does not depend on their scales, nor on how bad a dominated arm is. A lead of at most 1e-12 (`TIE`) in
    all of them at once is none: (0.3, 0.7) is on the edge from (1, 0) to (0, 1). Dominance by a single arm is exact.

    Args:
        values: (arms, objectives).
        arm: the arm in question.
        among: (arms,) the arms that may be mixed.

    Reference:
        molts2025, Definition 5.
    """
    mask = among.copy()
    mask[arm] = True
    front = nondominated(values, np.empty(0, np.int64), mask)
    if not front[arm]:
        return False
    points = shape_of(rows_of(values, front))
    return on_hull(membership(points), count(front[:arm]), largest_sum(points))


@kernel
def effective_front(values: Array) -> Mask:
    """(arms,) the arms that no mixture of arms dominates, see `effective`; never empty.

    Only arms of the Pareto front are tested and mixed: no other can be effective, or is needed to dominate.
    """
    front = nondominated(values, np.empty(0, np.int64), everyone(len(values)))
    s = membership(shape_of(rows_of(values, front)))
    top = largest_sum(s.points)
    out = front.copy()
    column = 0
    for a in range(len(values)):
        if front[a]:
            out[a] = on_hull(s, column, top)
            column += 1
    return out


@kernel
def effective_draw(values: Array, rng: Rng) -> int:
    """An arm of the effective front, uniformly: the first in a random order that is on it.

    The whole front is not needed: of F arms on it, (K + 1) / (F + 1) arms are tested on average. To
    find the Pareto front would cost more than these tests do. So all arms are mixed, in units of
    their ranges, as long as that proves something; at the first tie `rest_of_draw` goes on.
    """
    visit = np.arange(len(values))
    everybody = everyone(len(values))
    none = np.empty(0, np.int64)
    low, size = spread(values)
    if not all_finite(size):
        return rest_of_draw(values, visit, swap_in(visit, 0, rng), 0, rng)
    s = membership(in_ranges(values, low, size))
    top = largest_sum(s.points)
    for i in range(len(visit)):
        arm = swap_in(visit, i, rng)
        if dominated(values, arm, none, everybody):
            continue
        found = proof(s, arm, top)
        if found == ON:
            return arm
        if found == TIED:
            return rest_of_draw(values, visit, arm, i, rng)
    return -1


@kernel
def rest_of_draw(values: Array, visit: IntArray, arm: int, i: int, rng: Rng) -> int:
    """A draw from step i of the visit on, which came to `arm`, in units of the front's ranges."""
    front = nondominated(values, np.empty(0, np.int64), everyone(len(values)))
    s = membership(shape_of(rows_of(values, front)))
    top = largest_sum(s.points)
    last = len(visit) - 1  # needs no test: somebody is on the hull
    while i < last and not (front[arm] and on_hull(s, count(front[:arm]), top)):
        i += 1
        arm = swap_in(visit, i, rng)
    return arm
