"""Arms that no mixture of arms beats: an exact test and an exact gap.

Both ask for v* of numerics/simplex.py, the best worst lead over arm p of a mixture of the *other* arms: the test with
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

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, Mask, Rng
from mobandits.numerics.dominance import dominated, nondominated, pareto_gap
from mobandits.numerics.masks import count, everyone, swap_in
from mobandits.numerics.mixtures import TIE, can_gain, climb, highest
from mobandits.numerics.simplex import ROUNDING, Simplex, look_from, price, simplex

LEAST = 1e-3  # the least weight that is guessed, of weights of size 1
GUESSES = 3  # how often: on random means 50 to 70 % of the front need no more
TINY = 1e-300  # an objective with a smaller range is constant


@kernel
def spread(values: Array) -> tuple[Array, Array]:
    """The least value and the range of each objective, (objectives,) each."""
    low, size = np.empty(values.shape[1]), np.empty(values.shape[1])
    for i in range(len(low)):
        least, most = math.inf, -math.inf
        for a in range(len(values)):
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
            least, scale = low[i], 1.0 / size[i]
            for a in range(len(values)):
                out[row, a] = (values[a, i] - least) * scale
            row += 1
    return out


@kernel
def rows_of(values: Array, among: Mask) -> Array:
    """(arms of `among`, objectives) some of the rows."""
    out, row = np.empty((count(among), values.shape[1])), 0
    for a in range(len(among)):
        if among[a]:
            for i in range(values.shape[1]):
                out[row, i] = values[a, i]
            row += 1
    return out


@kernel
def shape_of(values: Array) -> Array:
    """(objectives that vary, arms) the arms as columns, in units of the ranges."""
    low, size = spread(values)
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
    points = shape_of(rows_of(values, mask))
    return on_hull(membership(points), count(mask[:arm]), largest_sum(points))


@kernel
def effective_front(values: Array) -> Mask:
    """(arms,) the arms that no mixture of arms dominates, see `effective`; never empty.

    Only arms of the Pareto front are tested and mixed: no other can be effective, or is needed to dominate.
    """
    everybody = everyone(len(values))
    front = nondominated(values, np.empty(0, np.int64), everybody)
    low, size = spread(values)
    s, out, column = membership(in_ranges(rows_of(values, front), low, size)), front.copy(), 0
    top = largest_sum(s.points)
    for a in range(len(values)):
        if front[a]:
            out[a] = on_hull(s, column, top)
            column += 1
    return out


@kernel
def effective_draw(values: Array, rng: Rng) -> int:
    """An arm of the effective front, uniformly: the first in a random order that is on it.

    The whole front is not needed: of F arms on it, (K + 1) / (F + 1) arms are tested on average.
    """
    visit, everybody, on = np.arange(len(values)), everyone(len(values)), np.empty(0, np.int64)
    s = membership(shape_of(values))
    top = largest_sum(s.points)
    for i in range(len(visit)):
        arm = swap_in(visit, i, rng)
        if not dominated(values, arm, on, everybody) and on_hull(s, arm, top):
            return arm
    return -1


@kernel
def best_single(s: Simplex, skip: int) -> int:
    """The column, other than `skip`, with the best worst lead over the origin; `prices` out: the worst leads."""
    for j in range(len(s.prices)):
        s.prices[j] = math.inf
    for i in range(len(s.points)):
        start, scale = s.origin[i], 1.0 / s.unit[i]
        for j in range(len(s.prices)):
            s.prices[j] = min(s.prices[j], (s.points[i, j] - start) * scale)
    if skip >= 0:
        s.prices[skip] = -math.inf
    return highest(s.prices)


@kernel
def gap_units(size: Array) -> tuple[Array, float]:
    """What v counts in each objective of the gap's program, and the least range; 0 for that makes all gaps 0."""
    least = size[0]
    for other in size:
        least = min(least, other)
    unit = np.empty(len(size))
    for i in range(len(size)):
        unit[i] = least / size[i] if least > TINY else 1.0
    return unit, least if least > TINY else 0.0


@kernel
def alone_best(s: Simplex, column: int) -> bool:
    """Whether the arm at the origin, a column, is best by more than `TIE` under the weights; else they are reflected.

    The mirror is where it ties with the best other arm, so that the next weights prefer it to that one. Weights are
    scaled as they come: nothing is divided.
    """
    best, most, own, total, square = 0, -math.inf, s.prices[column], 0.0, 0.0
    s.prices[column] = -math.inf
    for j in range(len(s.prices)):
        if s.prices[j] > most:
            best, most = j, s.prices[j]
    for i in range(len(s.weights)):
        total += s.weights[i]
        square += (s.points[i, best] - s.origin[i]) ** 2
    for i in range(len(s.weights)):
        mirrored = square * s.weights[i] - 2.0 * (most - own) * (s.points[i, best] - s.origin[i])
        s.weights[i] = max(mirrored, LEAST * square * total)
    return bool(most - own < -TIE * total)


@kernel
def certified(s: Simplex, column: int) -> bool:
    """Whether one of a few weights proves that the arm at the origin, a column, is alone the best: then v* < 0."""
    for i in range(len(s.weights)):
        s.weights[i] = max(s.origin[i] - 0.5, LEAST)
    for _ in range(GUESSES):
        price(s)
        if alone_best(s, column):
            return True
    return False


@kernel
def one_gap(s: Simplex, least: float, means: Array, arm: int, among: Mask, skip: int) -> float:
    """The gap of the arm at the origin, by mixtures of the arms of `among`: it is their column `skip`, or none (-1)."""
    if least == 0.0 or len(s.prices) <= (skip >= 0):
        return 0.0
    first, narrow, rounding = best_single(s, skip), 1.0, 0.0
    single = least * s.prices[first]
    for unit in s.unit:
        narrow = min(narrow, unit)
    margin = least * TIE / narrow  # far more than what rounding may have done to `single`
    if skip >= 0 and single < -margin and certified(s, skip):
        return 0.0
    mixed = least * climb(s, skip, first, math.inf, TIE)[0]
    if mixed > single + margin or single < -margin:
        return max(0.0, mixed)
    for weight in s.weights:
        rounding += least * ROUNDING * weight
    single = pareto_gap(means, arm, np.empty(0, np.int64), among)
    return single if mixed <= single + rounding else mixed


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
    low, size = spread(means)
    unit, least = gap_units(size)
    s = simplex(in_ranges(means, low, size), unit)
    look_from(s, s.points, arm)
    return one_gap(s, least, means, arm, everyone(len(means)), arm)


@kernel
def effective_gaps(means: Array) -> Array:
    """(arms,) the effective gap of every arm; mixtures of the Pareto front are enough."""
    front, out = nondominated(means, np.empty(0, np.int64), everyone(len(means))), np.empty(len(means))
    low, size = spread(means)
    unit, least = gap_units(size)
    points, column = in_ranges(means, low, size), 0
    s = simplex(in_ranges(rows_of(means, front), low, size), unit)
    for a in range(len(means)):
        look_from(s, points, a)
        out[a] = one_gap(s, least, means, a, front, column if front[a] else -1)
        column += front[a]
    return out
