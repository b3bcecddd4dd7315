"""Arms that no mixture of arms beats: an exact test and an exact gap.

Both ask for v* of kernel/simplex.py, the best worst lead over arm p of a mixture of the *other* arms: the test with
unit_l = 1, the gap with unit_l = (least range) / range_l, which puts v* back into the objectives' own units. Leaving p
out of the mixtures removes the degeneracy at 0: a positive v* says that some mixture beats p in every objective, a
negative one comes with weights under which p alone is best. Any mixture bounds v* from below and any weights bound it
from above, whatever rounding led to them, and every answer rests on such bounds.

In the fronts and gaps below, values are (arms, objectives), finite and maximised.

Reference:
    molts2025, Definitions 5 and 6. v* is the value of a matrix game.
"""

import math

import numpy as np

from mobandits.kernel.compiled import kernel
from mobandits.kernel.dominance import dominated, nondominated
from mobandits.kernel.masks import count, everyone
from mobandits.kernel.mixtures import TIE, can_gain, climb, highest
from mobandits.kernel.protocols import Array, Mask
from mobandits.kernel.simplex import ROUNDING, Simplex, look_from, simplex

TINY = 1e-300  # an objective with a smaller range is constant


@kernel
def spread(values: Array, among: Mask) -> tuple[Array, Array]:
    """The least value and the range of each objective among some arms, (objectives,) each."""
    low, size = np.empty(values.shape[1]), np.empty(values.shape[1])
    for i in range(values.shape[1]):
        least, most = math.inf, -math.inf
        for a in range(len(values)):
            if among[a]:
                least, most = min(least, values[a, i]), max(most, values[a, i])
        low[i], size[i] = least, most - least
    return low, size


@kernel
def in_ranges(values: Array, low: Array, size: Array) -> Array:
    """(objectives that vary, arms) the arms as columns, in units of the ranges `size`."""
    rows = 0
    for i in range(len(size)):
        rows += size[i] > TINY
    out, row = np.empty((rows, len(values))), 0
    for i in range(len(size)):
        if size[i] > TINY:
            scale = 1.0 / size[i]
            for a in range(len(values)):
                out[row, a] = (values[a, i] - low[i]) * scale
            row += 1
    return out


@kernel
def columns(points: Array, among: Mask) -> Array:
    """(objectives, arms of `among`) some of the columns."""
    out, j = np.empty((len(points), count(among))), 0
    for a in range(len(among)):
        if among[a]:
            for i in range(len(points)):
                out[i, j] = points[i, a]
            j += 1
    return out


@kernel
def shape_of(values: Array, over: Mask) -> Array:
    """(objectives that vary, arms) the arms as columns, in units of the ranges over the arms of `over`."""
    low, size = spread(values, over)
    return in_ranges(values, low, size)


@kernel
def membership(points: Array) -> Simplex:
    """The program of the test."""
    return simplex(points, np.ones(len(points)))


@kernel
def largest_sum(points: Array) -> int:
    """The column with the largest sum of all objectives: no mixture can have a larger one."""
    sums = np.zeros(points.shape[1])
    for i in range(len(points)):
        for j in range(len(sums)):
            sums[j] += points[i, j]
    return highest(sums)


@kernel
def on_hull(s: Simplex, column: int, top: int) -> bool:
    """Whether no mixture of the other columns beats one column; `top` is the column with the largest sum."""
    if len(s.points) == 0 or column == top:
        return True
    look_from(s, s.points, column)
    low, high = climb(s, column, top, TIE, -TIE)
    return low <= TIE and (high < -TIE or not can_gain(s))


@kernel
def effective(values: Array, arm: int, among: Mask) -> bool:
    """Whether no mixture of the other arms of `among` dominates `arm`: is as good everywhere, and better somewhere.

    An arm that equals a mixture is effective, hence duplicates are; an arm that a mixture dominates only weakly is not.
    Objectives are measured in units of their ranges over `among` and `arm`, so that the answer does not depend on their
    scales, and a lead of at most 1e-12 (`TIE`) in all of them at once is none: (0.3, 0.7) is on the edge from (1, 0) to
    (0, 1). Dominance by a single arm is exact.

    Args:
        values: (arms, objectives).
        arm: the arm in question.
        among: (arms,) the arms that may be mixed.

    Reference:
        molts2025, Definition 5.
    """
    if dominated(values, arm, np.empty(0, np.int64), among):
        return False
    mask = among.copy()
    mask[arm] = True
    points = columns(shape_of(values, mask), mask)
    return on_hull(membership(points), count(mask[:arm]), largest_sum(points))


@kernel
def effective_front(values: Array) -> Mask:
    """(arms,) the arms that no mixture of arms dominates, see `effective`; never empty.

    Only arms of the Pareto front are tested and mixed: no other can be effective, or is needed to dominate.
    """
    everybody = everyone(len(values))
    front = nondominated(values, np.empty(0, np.int64), everybody)
    s, out = membership(columns(shape_of(values, everybody), front)), front.copy()
    top = largest_sum(s.points)
    for a in range(len(values)):
        out[a] = front[a] and on_hull(s, count(front[:a]), top)
    return out


@kernel
def best_single(means: Array, arm: int, among: Mask) -> tuple[int, float]:
    """The column of the arm of `among`, other than `arm`, with the best worst lead over `arm` (-1: none); that lead."""
    best, most, column = -1, -math.inf, 0
    for b in range(len(means)):
        if not among[b]:
            continue
        least = math.inf if b != arm else -math.inf
        for i in range(means.shape[1]):
            if least <= most:
                break
            least = min(least, means[b, i] - means[arm, i])
        if least > most:
            best, most = column, least
        column += 1
    return best, most


@kernel
def gap_program(means: Array) -> tuple[Simplex, float]:
    """The program of the gap, and the least range; 0 for the latter makes all gaps 0."""
    low, size = spread(means, everyone(len(means)))
    least = size[0]
    for other in size:
        least = min(least, other)
    unit = np.empty(len(size))
    for i in range(len(size)):
        unit[i] = least / size[i] if least > TINY else 1.0
    return simplex(in_ranges(means, low, size), unit), least if least > TINY else 0.0


@kernel
def one_gap(s: Simplex, points: Array, least: float, means: Array, arm: int, among: Mask, skip: int) -> float:
    """The gap of one arm, by mixtures of the arms of `among`; it is column `skip` of them, or not in it (-1)."""
    first, single = best_single(means, arm, among)
    if first < 0 or least == 0.0:
        return 0.0
    look_from(s, points, arm)
    mixed, rounding = least * climb(s, skip, first, math.inf, TIE)[0], 0.0
    for weight in s.weights:
        rounding += least * ROUNDING * weight
    return max(0.0, single if mixed <= single + rounding else mixed)


@kernel
def effective_gap(means: Array, arm: int) -> float:
    """How much must be added to every objective of `arm` so that no mixture of arms dominates it.

    ``max(0, v*)`` in the objectives' own units: the maximum over mixtures beta of all arms of
    ``min_l sum_b beta_b means[b, l] - means[arm, l]``. It is at least the lead of any single arm, to the last bit.
    Where no mixture is better by more than 1e-12 ranges (`TIE`) in every objective, the mixtures count as 0.

    Args:
        means: (arms, objectives).
        arm: the arm in question.

    Reference:
        molts2025, Definition 6 and equation 1.
    """
    s, least = gap_program(means)
    return one_gap(s, s.points, least, means, arm, everyone(len(means)), arm)


@kernel
def effective_gaps(means: Array) -> Array:
    """(arms,) the effective gap of every arm; mixtures of the Pareto front are enough."""
    front, out = nondominated(means, np.empty(0, np.int64), everyone(len(means))), np.empty(len(means))
    everybody, least = gap_program(means)
    s = simplex(columns(everybody.points, front), everybody.unit)
    for a in range(len(means)):
        skip = count(front[:a]) if front[a] else -1
        out[a] = one_gap(s, everybody.points, least, means, a, front, skip)
    return out
