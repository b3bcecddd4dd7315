"""The best mixture of arms, as seen from one arm: the simplex method on the program of simplex.py.

A mixture bounds v* from below and weights bound it from above, whatever rounding led to them.
`solve` stops when the two bounds meet, or when one of them answers the question; `can_gain` looks
on where v* is a tie.
"""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, Mask
from mobandits.numerics.linalg import copy_into
from mobandits.numerics.simplex import (
    ROUNDING,
    Simplex,
    attained,
    contains,
    doubtful,
    entering_column,
    leaving_row,
    mixture,
    pivot,
    price,
    refactorise,
    start_at_arm,
    worst_objective,
)

# Smaller differences, in units of the objectives' ranges, are equalities: a hull's edge is
# arithmetic, not comparison, and (0.3, 0.7) must be on the edge from (1, 0) to (0, 1). A hundred
# times what rounding does to a lead, so that both bounds agree on which side of it v* is.
TIE = 1e-12
# The accepted distance between the two bounds on v*: a tenth of a tie, ten roundings.
CERTAIN = 1e-13
# About the same after all attempts to come closer; beyond it the upper bound is given up.
WORST = 1e-9
# A hundred times the longest run ever seen.
STEPS = 5000


@kernel
def read_weights(s: Simplex, bland: bool) -> tuple[int, float]:
    """The slack that enters, of the most negative weight, or -1; and the size of the weights.

    `weights` are filled, negative ones as 0, so that they prove an upper bound. Under Bland's rule
    the first slack of negative weight enters.
    """
    entering = -1
    most = 0.0
    size = 0.0
    for i in range(len(s.weights)):
        size += abs(s.inverse[0, i])

    for i in range(len(s.weights)):
        weight = -s.inverse[0, i]
        s.weights[i] = max(weight, 0.0)
        # Weights round in proportion to their size: what is above this is 0.
        level = min(most, -ROUNDING * size)
        if weight < level and not (bland and entering >= 0):
            entering = i
            most = weight

    return entering, size


@kernel
def highest(prices: Array) -> int:
    """The first position of the largest price."""
    best = 0
    for j in range(1, len(prices)):
        if prices[j] > prices[best]:
            best = j

    return best


@kernel
def best_arm(s: Simplex, skip: int, size: float, bland: bool) -> tuple[int, float]:
    """The best arm under the weights, or -1 where none helps; and the upper bound on v*.

    Under Bland's rule it is the first arm that helps.
    """
    last = len(s.points)
    level = -math.inf
    best = 0
    unit = 0.0
    offset = 0.0
    if skip >= 0:
        s.prices[skip] = -math.inf

    # v as basic arms have it, and not as the inverse has it: compared with their own prices, none
    # of them can be the best, which would go round in circles.
    for r in range(1, last + 1):
        if s.basis[r] >= last:
            arm = s.basis[r] - last
            level = max(level, s.prices[arm])

    most = s.prices[0]
    for j in range(1, len(s.prices)):
        if s.prices[j] > most:
            best = j
            most = s.prices[j]

    enough = level + ROUNDING * size
    helps = most > enough
    if helps and bland:
        best = 0
        while s.prices[best] <= enough:
            best += 1

    # Prices are of points. The bound is about leads, which are less by the origin's own price, and
    # weights w must have sum_l w_l unit_l = 1.
    for i in range(last):
        unit += s.weights[i] * s.unit[i]
        offset += s.weights[i] * s.origin[i]

    entering = last + best if helps else -1

    return entering, (most - offset) / unit


@kernel
def most_negative_row(s: Simplex, bland: bool) -> int:
    """The row of the most negative share or slack (Bland: the first variable), or 0."""
    last = len(s.points)
    row = 0
    for r in range(1, last + 1):
        value = s.inverse[r, last]
        if value < 0.0:
            if row == 0:
                better = True
            elif bland:
                better = s.basis[r] < s.basis[row]
            else:
                better = value < s.inverse[row, last]

            row = r if better else row

    return row


@kernel
def dual_step(s: Simplex, bland: bool) -> bool:
    """One step of the dual method, for a negative share or slack under weights that are right.

    Only a fresh inverse shows one: the primal method keeps them at 0 or more, but for rounding. The
    most negative one leaves (Bland: the first variable that is); of the columns that can raise it,
    the one enters that keeps the weights right.

    Returns:
        Whether there was one, and a column that could raise it.
    """
    last = len(s.points)
    entering = -1
    least = math.inf
    row = most_negative_row(s, bland)
    if row == 0:
        return False

    # `price` writes into `weights` and `prices`, which are needed after it.
    weights = s.weights.copy()
    prices = s.prices.copy()
    level = s.prices[highest(s.prices)]
    offset = s.inverse[row, last]
    size = 0.0
    for i in range(last):
        s.weights[i] = s.inverse[row, i]
        offset -= s.weights[i] * s.origin[i]
        size += abs(s.weights[i])

    price(s)
    # Of every column: its entry in the row that leaves, and how far it is from being the best.
    columns = last + len(prices)
    entries = np.zeros(columns)
    slopes = np.empty(columns)
    for c in range(columns):
        if c < last:
            entry = -s.weights[c]
            slopes[c] = weights[c]
        else:
            entry = s.prices[c - last] + offset
            slopes[c] = level - prices[c - last]

        if entry < -ROUNDING * size and not contains(s.basis, c):
            entries[c] = entry
            ratio = -(slopes[c] + ROUNDING) / entry
            least = min(least, ratio)

    # The second pass of the ratio test, as in `leaving_row`: the largest entry within rounding.
    for c in range(columns):
        if entries[c] < 0.0 and -slopes[c] / entries[c] <= least:
            better = entering < 0 or (entries[c] < entries[entering] and not bland)
            entering = c if better else entering

    copy_into(s.weights, weights)
    if entering >= 0:
        s.basis[row] = entering
        refactorise(s)

    return entering >= 0


@kernel
# One function, because a kernel that calls kernels is dear, see numerics/simplex.py: the steps are
# called one by one.
def solve(  # noqa: C901
    s: Simplex, skip: int, first: int, above: float, below: float
) -> tuple[float, float]:
    """Bounds on v*, `CERTAIN` apart; where one of them answers the question, the other is infinite.

    The most promising column enters, slacks before arms, because only arms cost a pass over all of
    them; after a stall the first one does (Bland's rule). Weights w round in proportion to their
    sum, so bounds are compared in its units.

    Args:
        s: the points, and the origin.
        skip: the arm that must stay out of the mixture, or -1.
        first: the arm to start from.
        above: stop where v* is above it.
        below: stop where v* is below it times the sum of the weights.

    Returns:
        The lower bound, attained by the mixture in the basis, and the upper bound, proved by
        `weights`: infinite also where rounding keeps the two further apart than `WORST`, which no
        table of finite means was seen to do.
    """
    last = len(s.points)
    low = -math.inf
    stalled = 0
    fresh = True
    careful = False
    accepted = CERTAIN
    start_at_arm(s, first, worst_objective(s, first))
    for _ in range(STEPS):
        value = s.inverse[0, last]
        # As many steps without a gain as there are objectives: Dantzig's rule may be in a circle,
        # and Bland's leaves any.
        bland = stalled > last
        high = math.inf
        # `value` is cheap and may be wrong by rounding; `attained` is sure, and computed only then.
        if value > above and attained(s) > above:
            return attained(s), high

        low = max(low, attained(s)) if careful else low
        entering, size = read_weights(s, bland)
        if entering < 0:
            price(s)
            entering, high = best_arm(s, skip, size, bland)
            if high < below * size:
                return -math.inf, high

        row = -1
        if entering >= 0:
            entering_column(s, entering)
            row = leaving_row(s, bland)
        if row > 0:
            s.inverse[row, last] = max(s.inverse[row, last], 0.0)
            pivot(s, row, entering)
            if doubtful(s, row):
                refactorise(s)

            gained = s.inverse[0, last] > value + ROUNDING * size
            stalled = 0 if gained else stalled + 1
            fresh = False
            continue

        # Nothing enters, or nothing leaves for it: the basis is the best one, as this inverse has
        # it.
        low = max(low, attained(s))
        if high - low <= accepted * size:
            return low, high
        # The bounds are too far apart. In turn: a fresh inverse, dual steps with a tolerance that
        # grows with each, the whole way once more; then the upper bound is given up.
        if not fresh:
            refactorise(s)
        elif accepted <= WORST and dual_step(s, accepted > 8.0 * CERTAIN):
            accepted *= 2.0
        elif not careful:
            # Once more, with an eye on what is attained on the way.
            start_at_arm(s, first, worst_objective(s, first))
            careful = True
            accepted = 2.0 * WORST
        else:
            break

        fresh = True

    return low, math.inf


@kernel
def first_gain(s: Simplex, free: Mask) -> int:
    """The first column of `free` outside the basis that raises the sum of all slacks, or -1."""
    last = len(s.points)
    size = 1.0
    offset = 0.0
    # The reduced costs of that sum: minus the rows of the inverse whose variable is a slack, added
    # up.
    for i in range(last + 1):
        total = 0.0
        for r in range(1, last + 1):
            if s.basis[r] < last:
                total -= s.inverse[r, i]

        size += abs(total)
        if i < last:
            s.weights[i] = total
            offset -= total * s.origin[i]
        else:
            offset += total

    price(s)
    for c in range(len(free)):
        gain = 1.0 - s.weights[c] if c < last else s.prices[c - last] + offset
        if free[c] and gain > ROUNDING * size and not contains(s.basis, c):
            return c

    return -1


@kernel
def can_gain(s: Simplex) -> bool:
    """Whether a mixture that attains v* = 0 is better than the origin in an objective.

    It is the second step, at a tie. Mixtures that attain v* use only columns that cost nothing
    under optimal weights: slacks of weight 0, and arms of the highest price. Among these mixtures
    the sum of all objectives is maximised; the first column that helps enters.
    """
    last = len(s.points)
    level = s.prices[highest(s.prices)]
    columns = last + len(s.prices)
    # Fixed before the first step: `first_gain` overwrites weights and prices.
    free = np.empty(columns, np.bool_)
    for c in range(columns):
        free[c] = s.weights[c] <= TIE if c < last else s.prices[c - last] >= level - TIE

    for step in range(STEPS):
        gain = 0.0
        for lead in mixture(s):
            gain += lead

        # Enough is known as soon as some mixture is better: the maximum is not needed.
        if gain > TIE:
            return True

        entering = first_gain(s, free)
        if entering < 0:
            return False

        entering_column(s, entering)
        row = leaving_row(s, step > last)
        if row > 0:
            s.inverse[row, last] = max(s.inverse[row, last], 0.0)
            pivot(s, row, entering)
        if row < 0 or doubtful(s, row):
            refactorise(s)

    return False
