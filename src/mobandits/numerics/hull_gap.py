"""The effective gap: how far an arm stays behind the best mixture of arms in its worst objective.

It is v* of simplex.py with unit_l = (least range) / range_l, which puts v* back into the units of the objectives.
Mixtures that leave the arm itself out are enough, and remove the degeneracy at 0: where v* is negative, weights under
which the arm alone is best prove that its gap is 0. Bounds are proved as numerics/hull.py says.

Only arms of the Pareto front need be mixed, and ranges are those of the front and the arm. But most arms that are
played are on the hull, and to find the front costs ten times as much as to prove that. So all arms are mixed first, in
units of their ranges; only where this proves too little, because the answer is small beside these ranges, the front's
are used.

Values and means are (arms, objectives), finite and maximised.

Reference:
    molts2025, Definition 6 and equation 1.
"""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, Mask
from mobandits.numerics.dominance import nondominated, pareto_gap
from mobandits.numerics.masks import count, everyone
from mobandits.numerics.mixtures import TIE, climb, highest
from mobandits.numerics.ranges import TINY, all_finite, in_ranges, rows_of, spread
from mobandits.numerics.simplex import ROUNDING, Simplex, look_from, mixture, price, simplex

LEAST = 1e-3  # the least weight that is guessed, of weights of size 1
GUESSES = 3  # how often: on random means 50 to 70 % of the front need no more
LARGE = 1e-4  # above this part of the weighted ranges the two bounds, `CERTAIN` of them apart, agree to nine digits
DIGITS = 1e-8  # how much smaller a gap may be without being another one


@kernel
def best_single(s: Simplex, skip: int) -> int:
    """The column, other than `skip`, with the best worst lead over the origin; `prices` out: the worst leads."""
    for j in range(len(s.prices)):
        s.prices[j] = math.inf
    for i in range(len(s.points)):
        start = s.origin[i]
        scale = 1.0 / s.unit[i]
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
    best = 0
    most = -math.inf
    own = s.prices[column]
    total = 0.0
    square = 0.0
    s.prices[column] = -math.inf
    for j in range(len(s.prices)):
        if s.prices[j] > most:
            best = j
            most = s.prices[j]
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
def holds(s: Simplex, low: float) -> bool:
    """Whether the mixture in the basis attains `low` whatever rounding did to its lead in each objective.

    In an objective with an enormous range, rounding alone can be more than all that others are about.
    Where `low` is not small beside that range either, the bound itself says enough.
    """
    narrow = 1.0
    for unit in s.unit:
        narrow = min(narrow, unit)
    enough = True
    if DIGITS * low * narrow >= ROUNDING:
        return enough
    lead = mixture(s)
    for i in range(len(lead)):
        enough &= lead[i] - ROUNDING >= (1.0 - DIGITS) * low * s.unit[i]
    return enough


@kernel
def one_gap(
    s: Simplex, least: float, means: Array, arm: int, among: Mask, skip: int
) -> tuple[float, bool]:
    """The gap of the arm at the origin, and whether it would be the same in units of smaller ranges.

    It would where weights prove it to be 0, and where it is not small beside the ranges of all that are mixed.

    Args:
        s: the program, whose columns are the arms of `among`, and perhaps `arm`.
        least: the least range.
        means: (arms, objectives).
        arm: the arm at the origin.
        among: (arms,) the arms that are mixed.
        skip: the column of `arm`, or -1 where it has none.
    """
    if least == 0.0 or len(s.prices) <= (skip >= 0):
        return 0.0, True
    first = best_single(s, skip)
    narrow = 1.0
    single = least * s.prices[first]
    for unit in s.unit:
        narrow = min(narrow, unit)
    margin = least * TIE / narrow  # far more than what rounding may have done to `single`
    if skip >= 0 and single < -margin and certified(s, skip):
        return 0.0, True
    low, high = climb(s, skip, first, math.inf, TIE)
    total = 0.0
    for weight in s.weights:
        total += weight
    sure = high < -TIE * total or (low > LARGE * total and holds(s, low))
    mixed = least * low
    if mixed > single + margin or single < -margin:
        return max(0.0, mixed), sure
    rounding = least * ROUNDING * total
    single = pareto_gap(means, arm, np.empty(0, np.int64), among)
    return (single if mixed <= single + rounding else mixed), sure


@kernel
def gap_by_front(means: Array, arm: int, front: Mask) -> float:
    """The gap of an arm by mixtures of the Pareto front, in units of the ranges over the front and the arm."""
    both = front.copy()
    both[arm] = True
    rows = rows_of(means, both)
    low, size = spread(rows)
    if not all_finite(size):  # arms too far apart to be mixed
        return pareto_gap(means, arm, np.empty(0, np.int64), front)
    unit, least = gap_units(size)
    s = simplex(in_ranges(rows, low, size), unit)
    column = count(both[:arm])
    look_from(s, s.points, column)
    gap, _ = one_gap(s, least, means, arm, front, column)
    return gap


@kernel
def effective_gap(means: Array, arm: int) -> float:
    """How much must be added to every objective of `arm` so that no mixture of arms dominates it.

    ``max(0, v*)`` in the objectives' own units: the maximum over mixtures beta of all arms of
    ``min_l sum_b beta_b means[b, l] - means[arm, l]``. It is at least the lead of any single arm, to the last bit.
    Where no mixture is better by more than 1e-12 (`TIE`) ranges over the Pareto front and `arm` in every objective, the
    mixtures count as 0. How bad another dominated arm is changes no more than the tenth digit.

    Args:
        means: (arms, objectives).
        arm: the arm in question.

    Reference:
        molts2025, Definition 6 and equation 1.
    """
    everybody = everyone(len(means))
    low, size = spread(means)
    if all_finite(size):
        unit, least = gap_units(size)
        s = simplex(in_ranges(means, low, size), unit)
        look_from(s, s.points, arm)
        gap, sure = one_gap(s, least, means, arm, everybody, arm)
        if sure:
            return gap
    return gap_by_front(means, arm, nondominated(means, np.empty(0, np.int64), everybody))


@kernel
def effective_gaps(means: Array) -> Array:
    """(arms,) the effective gap of every arm; mixtures of the Pareto front are enough."""
    front = nondominated(means, np.empty(0, np.int64), everyone(len(means)))
    out = np.empty(len(means))
    low, size = spread(means)
    finite = all_finite(size)
    unit, least = gap_units(size)
    points = in_ranges(means, low, size)
    s = simplex(in_ranges(rows_of(means, front), low, size), unit)
    column = 0
    for a in range(len(means)):
        sure = False
        if finite:
            look_from(s, points, a)
            out[a], sure = one_gap(s, least, means, a, front, column if front[a] else -1)
        if not sure:
            out[a] = gap_by_front(means, a, front)
        column += front[a]
    return out
