"""The effective gap: how far an arm stays behind the best mixture of arms in its worst objective.

It is v* of simplex.py with unit_l = (least range) / range_l, which puts v* back into the units of
the objectives. Mixtures that leave the arm itself out are enough, and remove the degeneracy at 0:
where v* is negative, weights under which the arm alone is best prove that its gap is 0. Bounds are
proved as numerics/hull.py says.

Only arms of the Pareto front need be mixed, and ranges are those of the front and the arm. But most
arms that are played are on the hull, and to find the front costs ten times as much as to prove
that. So all arms are mixed first, in units of their ranges; only where this proves too little,
because the answer is small beside these ranges, the front's are used.

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
from mobandits.numerics.mixtures import TIE, highest, solve
from mobandits.numerics.ranges import (
    TINY,
    all_finite,
    columns_in_ranges,
    objective_ranges,
    selected_rows,
)
from mobandits.numerics.simplex import ROUNDING, Simplex, mixture, price, set_origin, simplex

# The least weight that is guessed, of weights of size 1: weights that are all 0 would prove
# nothing, and an objective without weight would have no part in the next guess.
LEAST = 1e-3
# How often weights are guessed: on random means 50 to 70 % of the front need no more.
GUESSES = 3
# Above this part of the weighted ranges the two bounds, `CERTAIN` of them apart, agree to nine
# digits.
LARGE = 1e-4
# How much smaller a gap may be without being another one.
DIGITS = 1e-8


@kernel
def best_single(s: Simplex, skip: int) -> int:
    """The column, other than `skip`, with the best worst lead; `prices` become the worst leads."""
    for j in range(len(s.prices)):
        s.prices[j] = math.inf

    # Arms innermost, one objective at a time: such loops become vector instructions.
    for i in range(len(s.points)):
        own = s.origin[i]
        scale = 1.0 / s.unit[i]
        for j in range(len(s.prices)):
            lead = (s.points[i, j] - own) * scale
            s.prices[j] = min(s.prices[j], lead)

    if skip >= 0:
        s.prices[skip] = -math.inf

    return highest(s.prices)


@kernel
def gap_units(size: Array) -> tuple[Array, float]:
    """What v counts in each objective of the gap's program, and the least range.

    Where an objective is constant, the least range is 0, and so are all gaps: nothing is better in
    every objective.
    """
    least = size[0]
    for other in size:
        least = min(least, other)

    varies = least > TINY
    unit = np.empty(len(size))
    for i in range(len(size)):
        unit[i] = least / size[i] if varies else 1.0

    if not varies:
        least = 0.0

    return unit, least


@kernel
def alone_best(s: Simplex, column: int) -> bool:
    """Whether the arm at the origin, a column, is best by more than `TIE` under the weights.

    Else the weights are reflected. The mirror is where the arm ties with the best other one, so
    that the next weights prefer it to that one. Weights are scaled as they come: nothing is
    divided.
    """
    best = 0
    most = -math.inf
    own = s.prices[column]
    total = 0.0
    square = 0.0
    # The arm must not be compared with itself.
    s.prices[column] = -math.inf
    for j in range(len(s.prices)):
        if s.prices[j] > most:
            best = j
            most = s.prices[j]

    for i in range(len(s.weights)):
        total += s.weights[i]
        square += (s.points[i, best] - s.origin[i]) ** 2

    # Householder's reflection w - 2 (w . y) y / (y . y) of the weights w at the plane orthogonal to
    # y, the other arm's lead, times y . y. Weights below the least one are raised to it.
    lead = most - own
    least = LEAST * square * total
    for i in range(len(s.weights)):
        direction = s.points[i, best] - s.origin[i]
        mirrored = square * s.weights[i] - 2.0 * lead * direction
        s.weights[i] = max(mirrored, least)

    return bool(lead < -TIE * total)


@kernel
def certified(s: Simplex, column: int) -> bool:
    """Whether one of a few weights proves that the arm at the origin, a column, is alone the best.

    Then v* < 0, and the program need not be solved.
    """
    # Points are from 0 to 1. An arm is most likely to be best where the objectives count in which
    # it is above the middle.
    for i in range(len(s.weights)):
        s.weights[i] = max(s.origin[i] - 0.5, LEAST)

    for _ in range(GUESSES):
        price(s)
        if alone_best(s, column):
            return True

    return False


@kernel
def attains(s: Simplex, low: float) -> bool:
    """Whether the mixture in the basis attains `low`, whatever rounding did to each of its leads.

    In an objective with an enormous range, rounding alone can be more than all that others are
    about. Where `low` is not small beside that range either, the bound itself says enough.
    """
    narrow = 1.0
    for unit in s.unit:
        narrow = min(narrow, unit)

    enough = True
    # A lead is `low` times unit_l in units of the range: for the widest objective, `narrow` of it.
    if DIGITS * low * narrow >= ROUNDING:
        return enough

    lead = mixture(s)
    for i in range(len(lead)):
        least = (1.0 - DIGITS) * low * s.unit[i]
        enough &= lead[i] - ROUNDING >= least

    return enough


@kernel
def one_gap(
    s: Simplex, least: float, means: Array, arm: int, among: Mask, skip: int
) -> tuple[float, bool]:
    """The gap of the arm at the origin, and whether it would be the same in smaller ranges.

    It would where weights prove it to be 0, and where it is not small beside the ranges of all that
    are mixed.

    Args:
        s: the program, whose columns are the arms of `among`, and perhaps `arm`.
        least: the least range.
        means: (arms, objectives).
        arm: the arm at the origin.
        among: (arms,) the arms that are mixed.
        skip: the column of `arm`, or -1 where it has none.
    """
    others = len(s.prices)
    if skip >= 0:
        others -= 1
    if least == 0.0 or others == 0:
        return 0.0, True

    first = best_single(s, skip)
    narrow = 1.0
    single = least * s.prices[first]
    for unit in s.unit:
        narrow = min(narrow, unit)

    # `TIE` of the widest range: far more than what rounding may have done to `single`.
    margin = least * TIE / narrow
    # A single arm that leads in every objective leaves no weights to be guessed.
    if skip >= 0 and single < -margin and certified(s, skip):
        return 0.0, True

    low, high = solve(s, skip, first, math.inf, TIE)
    total = 0.0
    for weight in s.weights:
        total += weight

    surely_zero = high < -TIE * total
    sure = surely_zero or (low > LARGE * total and attains(s, low))
    mixed = least * low
    if mixed > single + margin or single < -margin:
        return max(0.0, mixed), sure

    # No mixture is clearly better than the best arm. That arm's lead is known exactly, and the gap
    # must be at least that, to the last bit.
    rounding = least * ROUNDING * total
    exact = pareto_gap(means, arm, np.empty(0, np.int64), among)
    gap = exact if mixed <= exact + rounding else mixed

    return gap, sure


@kernel
def gap_by_front(means: Array, arm: int, front: Mask) -> float:
    """The gap of an arm by mixtures of the Pareto front, in ranges over the front and the arm."""
    both = front.copy()
    both[arm] = True
    rows = selected_rows(means, both)
    low, size = objective_ranges(rows)
    # Arms that are too far apart for a double cannot be mixed.
    if not all_finite(size):
        return pareto_gap(means, arm, np.empty(0, np.int64), front)

    unit, least = gap_units(size)
    s = simplex(columns_in_ranges(rows, low, size), unit)
    column = count(both[:arm])
    set_origin(s, s.points, column)
    gap, _ = one_gap(s, least, means, arm, front, column)

    return gap


@kernel
def effective_gap(means: Array, arm: int) -> float:
    """How much must be added to every objective of `arm` so that no mixture of arms dominates it.

    ``max(0, v*)`` in the objectives' own units: the maximum over mixtures beta of all arms of
    ``min_l sum_b beta_b means[b, l] - means[arm, l]``. It is at least the lead of any single arm,
    to the last bit. Where no mixture is better by more than 1e-12 (`TIE`) ranges over the Pareto
    front and `arm` in every objective, the mixtures count as 0. Else the gap is off by at most
    1e-12 of the widest of these ranges, or by 1e-9 of itself where that is more: an arm of the
    front that is far worse than others in one objective costs digits, a dominated one does not.

    Args:
        means: (arms, objectives).
        arm: the arm in question.

    Reference:
        molts2025, Definition 6 and equation 1.
    """
    every_arm = everyone(len(means))
    low, size = objective_ranges(means)
    if all_finite(size):
        unit, least = gap_units(size)
        s = simplex(columns_in_ranges(means, low, size), unit)
        set_origin(s, s.points, arm)
        gap, sure = one_gap(s, least, means, arm, every_arm, arm)
        if sure:
            return gap

    front = nondominated(means, np.empty(0, np.int64), every_arm)

    return gap_by_front(means, arm, front)


@kernel
def effective_gaps(means: Array) -> Array:
    """(arms,) the effective gap of every arm; mixtures of the Pareto front are enough."""
    front = nondominated(means, np.empty(0, np.int64), everyone(len(means)))
    out = np.empty(len(means))
    low, size = objective_ranges(means)
    finite = all_finite(size)
    unit, least = gap_units(size)
    points = columns_in_ranges(means, low, size)
    # One program for all arms: only its origin and the column that is left out change.
    s = simplex(columns_in_ranges(selected_rows(means, front), low, size), unit)
    column = 0
    for a in range(len(means)):
        sure = False
        if finite:
            skip = column if front[a] else -1
            set_origin(s, points, a)
            out[a], sure = one_gap(s, least, means, a, front, skip)
        if not sure:
            out[a] = gap_by_front(means, a, front)

        column += front[a]

    return out
