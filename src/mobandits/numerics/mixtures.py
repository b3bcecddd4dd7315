"""The best mixture of arms, as seen from one arm: the steps of the simplex method on the program of simplex.py.

A mixture bounds v* from below and weights bound it from above, whatever rounding led to them. `climb` stops when the
two bounds meet, or when one of them answers the question; `can_gain` looks on where v* is a tie.
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
    enter,
    leave,
    mixture,
    price,
    refresh,
    start,
    swap,
    worst_objective,
)

TIE = 1e-12  # smaller differences, in units of the objectives' ranges, are equalities
CERTAIN = 1e-13  # the accepted distance between the two bounds on v*
WORST = (
    1e-9  # about the same after all attempts to come closer; beyond it the upper one is given up
)
STEPS = 5000  # a hundred times the longest run ever seen


@kernel
def read_weights(s: Simplex, bland: bool) -> tuple[int, float]:
    """Weights out, negative ones as 0; the slack of the most negative (Bland: first negative) one or -1; their size."""
    entering = -1
    most = 0.0
    size = 0.0
    for i in range(len(s.weights)):
        size += abs(s.inverse[0, i])
    for i in range(len(s.weights)):
        weight = -s.inverse[0, i]
        s.weights[i] = max(weight, 0.0)
        if weight < min(most, -ROUNDING * size) and not (bland and entering >= 0):
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
    """The best arm under the weights (Bland: the first that helps) or -1 where none helps; the upper bound on v*."""
    last = len(s.points)
    level = -math.inf
    best = 0
    unit = 0.0
    offset = 0.0
    if skip >= 0:
        s.prices[skip] = -math.inf
    for r in range(
        1, last + 1
    ):  # v as basic arms have it: compared with them, none of them can be the best
        if s.basis[r] >= last:
            level = max(level, s.prices[s.basis[r] - last])
    most = s.prices[0]
    for j in range(1, len(s.prices)):
        if s.prices[j] > most:
            best = j
            most = s.prices[j]
    helps = most > level + ROUNDING * size
    if helps and bland:
        best = 0
        while s.prices[best] <= level + ROUNDING * size:
            best += 1
    for i in range(last):
        unit += s.weights[i] * s.unit[i]
        offset += s.weights[i] * s.origin[i]
    return last + best if helps else -1, (most - offset) / unit


@kernel
def mend(s: Simplex, bland: bool) -> bool:
    """One step of the dual method, where a fresh inverse shows a negative share or slack under weights that are right.

    The most negative one leaves (Bland: the first variable that is); of the columns that can raise it, the one enters
    that keeps the weights right.
    """
    last = len(s.points)
    row = 0
    entering = -1
    least = math.inf
    for r in range(1, last + 1):
        if s.inverse[r, last] < 0.0:
            better = row == 0 or (
                s.basis[r] < s.basis[row] if bland else s.inverse[r, last] < s.inverse[row, last]
            )
            row = r if better else row
    if row == 0:
        return False
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
    entries = np.zeros(last + len(prices))
    slopes = np.empty(last + len(prices))
    for c in range(len(entries)):
        entry = -s.weights[c] if c < last else s.prices[c - last] + offset
        slopes[c] = weights[c] if c < last else level - prices[c - last]
        if entry < -ROUNDING * size and not contains(s.basis, c):
            entries[c] = entry
            least = min(least, -(slopes[c] + ROUNDING) / entry)
    for c in range(len(entries)):
        if entries[c] < 0.0 and -slopes[c] / entries[c] <= least:
            better = entering < 0 or (entries[c] < entries[entering] and not bland)
            entering = c if better else entering
    copy_into(s.weights, weights)
    if entering >= 0:
        s.basis[row] = entering
        refresh(s)
    return entering >= 0


@kernel
def climb(  # noqa: C901 - the steps are called one by one: a kernel that calls kernels is dear, see numerics/simplex.py
    s: Simplex, skip: int, first: int, above: float, below: float
) -> tuple[float, float]:
    """Bounds on v*, `CERTAIN` apart, unless one of them already answers the question: then the other is infinite.

    The most promising column enters, slacks before arms, because only arms cost a pass over all of them; after a stall
    the first one does (Bland's rule). Weights w round in proportion to their sum, so bounds are compared in its units.

    Args:
        s: the points, and the origin.
        skip: the arm that must stay out of the mixture, or -1.
        first: the arm to start from.
        above: stop where v* is above it.
        below: stop where v* is below it times the sum of the weights.

    Returns:
        The lower bound, attained by the mixture in the basis, and the upper bound, proved by `weights`: infinite also
        where rounding keeps the two further apart than `WORST`, which no table of finite means was seen to do.
    """
    last = len(s.points)
    low = -math.inf
    stalled = 0
    fresh = True
    careful = False
    accepted = CERTAIN
    start(s, first, worst_objective(s, first))
    for _ in range(STEPS):
        value = s.inverse[0, last]
        bland = stalled > last
        high = math.inf
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
            enter(s, entering)
            row = leave(s, bland)
        if row > 0:
            s.inverse[row, last] = max(s.inverse[row, last], 0.0)
            swap(s, row, entering)
            if doubtful(s, row):
                refresh(s)
            stalled = 0 if s.inverse[0, last] > value + ROUNDING * size else stalled + 1
            fresh = False
            continue
        low = max(low, attained(s))
        if high - low <= accepted * size:
            return low, high
        if not fresh:
            refresh(s)
        elif accepted <= WORST and mend(s, accepted > 8.0 * CERTAIN):
            accepted *= 2.0
        elif not careful:  # once more, with an eye on what is attained on the way
            start(s, first, worst_objective(s, first))
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
    """Whether some mixture that attains v* = 0 is better than the origin in an objective: the second step, at a tie.

    Mixtures that attain v* use only columns that cost nothing under optimal weights: slacks of weight 0, and arms of
    the highest price. Among these mixtures the sum of all objectives is maximised; the first column that helps enters.
    """
    last = len(s.points)
    level = s.prices[highest(s.prices)]
    free = np.empty(last + len(s.prices), np.bool_)
    for c in range(len(free)):
        free[c] = s.weights[c] <= TIE if c < last else s.prices[c - last] >= level - TIE
    for step in range(STEPS):
        gain = 0.0
        for lead in mixture(s):
            gain += lead
        if gain > TIE:
            return True
        entering = first_gain(s, free)
        if entering < 0:
            return False
        enter(s, entering)
        row = leave(s, step > last)
        if row > 0:
            s.inverse[row, last] = max(s.inverse[row, last], 0.0)
            swap(s, row, entering)
        if row < 0 or doubtful(s, row):
            refresh(s)
    return False
