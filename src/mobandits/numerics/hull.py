"""Arms that no mixture of arms beats: an exact test of one arm, the mask of all, a uniform draw.

The test asks for v* of numerics/simplex.py with unit_l = 1, the best worst lead over arm p of a
mixture of the *other* arms. Leaving p out of the mixtures removes the degeneracy at 0: a positive
v* says that some mixture beats p in every objective, a negative one comes with weights under which
p alone is best. Any mixture bounds v* from below and any weights bound it from above, whatever
rounding led to them, and every answer rests on such bounds.

In all of these, values are (arms, objectives) and maximised; arms of the Pareto front are finite.

Reference:
    molts2025, Definition 5. v* is the value of a matrix game.
"""

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng
from mobandits.numerics.dominance import dominated, nondominated
from mobandits.numerics.dominance_prefilter import MANY, contender_table, is_beaten, row_of
from mobandits.numerics.masks import count, everyone, swap_in
from mobandits.numerics.mixtures import TIE, can_gain, highest, solve
from mobandits.numerics.ranges import (
    all_finite,
    columns_in_own_ranges,
    columns_in_ranges,
    objective_ranges,
    selected_rows,
)
from mobandits.numerics.simplex import Simplex, set_origin, simplex

# What is proved of an arm: a mixture beats it, nothing, no mixture beats it.
OFF = -1
TIED = 0
ON = 1


@kernel
def membership_program(points: Array) -> Simplex:
    """The linear program of the test."""
    # Points are in units of the ranges already, so v counts the same in every objective.
    return simplex(points, np.ones(len(points)))


@kernel
def objective_sums(points: Array) -> Array:
    """(arms,) the sum of all objectives of every column."""
    arms = points.shape[1]
    out = np.zeros(arms)
    for i in range(len(points)):
        for j in range(arms):
            out[j] += points[i, j]

    return out


@kernel
def largest_sum(points: Array) -> int:
    """The column with the largest sum of all objectives: no mixture can have a larger one."""
    return highest(objective_sums(points))


@kernel
def has_largest_sum(points: Array, column: int) -> bool:
    """Whether the sum of a column is larger than any other, by more than rounding may have done."""
    totals = objective_sums(points)
    # Each of the summed objectives is in units of its range, and may be wrong by `TIE` of it.
    level = totals[column] - TIE * len(points)
    alone = True
    for j in range(len(totals)):
        alone &= j == column or totals[j] < level

    return alone


@kernel
def membership_status(s: Simplex, column: int, top: int) -> int:
    """What is proved of one column: `ON` or `OFF` the hull, or `TIED` where nothing is.

    A proof has `TIE` to spare in units of the ranges, and all the more in units of smaller ranges.

    Args:
        s: the points.
        column: the one in question.
        top: the column with the largest sum of all objectives.
    """
    if len(s.points) == 0:
        return ON
    # The program cannot start at the arm that it leaves out. The arm with the largest sum needs no
    # program either: equal weights prove that it is best.
    if column == top:
        return ON if has_largest_sum(s.points, top) else TIED

    set_origin(s, s.points, column)
    low, high = solve(s, column, top, TIE, -TIE)
    if low > TIE:
        return OFF

    return ON if high < -TIE else TIED


@kernel
def on_hull(s: Simplex, column: int, top: int) -> bool:
    """Whether no mixture of other columns beats one column; at a tie the second step decides."""
    status = membership_status(s, column, top)
    if status != TIED:
        return status == ON

    # A mixture that dominated the column with the largest sum would have a larger sum.
    return column == top or not can_gain(s)


@kernel
def effective(values: Array, arm: int, among: Mask) -> bool:
    """Whether no mixture of the other arms of `among` dominates `arm`.

    A mixture dominates an arm where it is as good in every objective and better in one. An arm that
    equals a mixture is effective, hence duplicates are; an arm that a mixture dominates only weakly
    is not. Objectives are measured in units of their ranges over the Pareto front, the only arms
    that are needed to dominate: so the answer does not depend on their scales, nor on how bad a
    dominated arm is. A lead of at most 1e-12 (`TIE`) in all of them at once is none: (0.3, 0.7) is
    on the edge from (1, 0) to (0, 1). Dominance by a single arm is exact.

    Args:
        values: (arms, objectives).
        arm: the arm in question.
        among: (arms,) the arms that may be mixed.

    Reference:
        molts2025, Definition 5.
    """
    candidates = among.copy()
    candidates[arm] = True
    front = nondominated(values, np.empty(0, np.int64), candidates)
    # Exact, and first: below, a lead of less than `TIE` would count as none.
    if not front[arm]:
        return False

    points = columns_in_own_ranges(selected_rows(values, front))
    column = count(front[:arm])

    return on_hull(membership_program(points), column, largest_sum(points))


@kernel
def effective_front(values: Array) -> Mask:
    """(arms,) the arms that no mixture of arms dominates, see `effective`; never empty.

    Only arms of the Pareto front are tested and mixed: no other can be effective, or is needed to
    dominate.
    """
    front = nondominated(values, np.empty(0, np.int64), everyone(len(values)))
    points = columns_in_own_ranges(selected_rows(values, front))
    s = membership_program(points)
    top = largest_sum(points)
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
    if len(values) >= MANY:
        return effective_draw_from_many(values, rng)

    visit = np.arange(len(values))
    every_arm = everyone(len(values))
    all_objectives = np.empty(0, np.int64)
    low, size = objective_ranges(values)
    if not all_finite(size):
        first = swap_in(visit, 0, rng)
        return rest_of_draw(values, visit, first, 0, rng)

    s = membership_program(columns_in_ranges(values, low, size))
    top = largest_sum(s.points)
    for i in range(len(visit)):
        arm = swap_in(visit, i, rng)
        # A single arm settles most cases, in a fraction of the time of the program.
        if dominated(values, arm, all_objectives, every_arm):
            continue

        status = membership_status(s, arm, top)
        if status == ON:
            return arm
        # Ranges over all arms are at least those over the front. A proof in them holds in the
        # front's units too; a tie in them may be none.
        if status == TIED:
            return rest_of_draw(values, visit, arm, i, rng)

    return -1


@kernel
def effective_draw_from_many(values: Array, rng: Rng) -> int:
    """As `effective_draw`, where arms are so many that only contenders are worth a test, or mixing.

    Other arms are not on the front, and no mixture needs them.
    """
    every_objective = np.arange(values.shape[1])
    left = contender_table(values, every_objective, everyone(len(values)))
    # All arms are visited, so that the draw is the one that testing all of them gives.
    visit = np.arange(len(values))
    low, size = objective_ranges(left.rows)
    if not all_finite(size):
        first = swap_in(visit, 0, rng)
        return rest_of_draw(values, visit, first, 0, rng)

    s = membership_program(columns_in_ranges(left.rows, low, size))
    top = largest_sum(s.points)
    order = np.arange(len(left.rows))
    for i in range(len(visit)):
        arm = swap_in(visit, i, rng)
        if not left.mask[arm]:
            continue

        row = row_of(left.arms, arm)
        if is_beaten(left.rows, row, order):
            continue

        # As above: a proof in the contenders' ranges holds in those of the front.
        status = membership_status(s, row, top)
        if status == ON:
            return arm
        if status == TIED:
            return rest_of_draw(values, visit, arm, i, rng)

    return -1


@kernel
def rest_of_draw(values: Array, visit: IntArray, arm: int, i: int, rng: Rng) -> int:
    """A draw from step i of the visit on, which came to `arm`, in units of the front's ranges."""
    front = nondominated(values, np.empty(0, np.int64), everyone(len(values)))
    s = membership_program(columns_in_own_ranges(selected_rows(values, front)))
    top = largest_sum(s.points)
    # The last arm of the visit needs no test: the effective front is never empty.
    last = len(visit) - 1
    while i < last and not (front[arm] and on_hull(s, count(front[:arm]), top)):
        i += 1
        arm = swap_in(visit, i, rng)

    return arm
