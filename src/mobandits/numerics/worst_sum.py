"""The largest worst sum of objectives that any choice of one point per round can reach.

Symbols: t a group of rounds with the same points p, n_t how many rounds it has, w weights of the
objectives, at least 0 and with sum 1. A choice is a mixture of the points of every round, and the
minimax theorem says what the best one reaches in its worst objective l:

    B = max over choices of  min_l sum_t y_{t,l}  =  min over w of F(w)
    F(w) = sum_t n_t max over p of group t of  w . p

F is the maximum of linear functions of w. Each of its values comes with one of them, a cut: the
sums of the points that are best under w. So Kelley's method of cutting planes finds B: the best
mixture of the cuts so far (numerics/mixtures.py) is a lower bound that a choice attains, its
weights are where F is looked at next, and every value of F is an upper bound.
"""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray
from mobandits.numerics.mixtures import solve
from mobandits.numerics.simplex import Simplex, simplex

# Relative to the largest sum. Each two further digits cost as many passes over all rounds again.
CLOSE = 1e-5
MOST_CUTS = 200


@kernel
def best_sums(points: Array, starts: IntArray, counts: Array, weights: Array, sums: Array) -> float:
    """F(w); `sums` is filled with the sums of the points that are best under w.

    Args:
        points: (points, objectives), group after group.
        starts: (groups + 1,) the first point of each group, and the number of points.
        counts: (groups,) n.
        weights: (objectives,) w.
        sums: (objectives,) overwritten.
    """
    objectives = points.shape[1]
    total = 0.0
    for i in range(objectives):
        sums[i] = 0.0

    for t in range(len(counts)):
        best = starts[t]
        most = -math.inf
        for j in range(starts[t], starts[t + 1]):
            value = 0.0
            for i in range(objectives):
                value += weights[i] * points[j, i]
            if value > most:
                best = j
                most = value

        total += counts[t] * most
        for i in range(objectives):
            sums[i] += counts[t] * points[best, i]

    return total


@kernel
def cut_program(cuts: Array, used: int, unit: float, level: float) -> Simplex:
    """The program of the best mixture of cuts, in `unit` above `level`.

    Args:
        cuts: (cuts, objectives) sums.
        used: how many rows count.
        unit: of the points of the program, above 0.
        level: the value that counts as 0.
    """
    objectives = cuts.shape[1]
    points = np.empty((objectives, used))
    s = simplex(points, np.ones(objectives))
    for i in range(objectives):
        low = math.inf
        for j in range(used):
            low = min(low, cuts[j, i])

        # From 0 up, as the solver's tolerances assume, with the origin where `level` is then.
        s.origin[i] = (level - low) / unit
        for j in range(used):
            points[i, j] = (cuts[j, i] - low) / unit

    return s


@kernel
def spread(cuts: Array, used: int) -> float:
    """The largest range of an objective over the first `used` cuts; 1 where there is none."""
    widest = 0.0
    for i in range(cuts.shape[1]):
        low = math.inf
        high = -math.inf
        for j in range(used):
            low = min(low, cuts[j, i])
            high = max(high, cuts[j, i])

        widest = max(widest, high - low)

    return widest if widest > 0.0 else 1.0


@kernel
def largest(cuts: Array, used: int) -> float:
    """The largest size of a number among the first `used` cuts."""
    size = 0.0
    for j in range(used):
        for i in range(cuts.shape[1]):
            size = max(size, abs(cuts[j, i]))

    return size


def largest_worst_sum(
    points: Array, starts: IntArray, counts: Array, first: Array
) -> tuple[float, Array]:
    """B, up to a hundred-thousandth of the largest sum, never above it; and the weights of the cuts it rests on.

    It is a loop, to be compiled as a whole.

    Args:
        points: as in `best_sums`.
        starts: likewise.
        counts: likewise.
        first: (weights, objectives) where F is looked at first; the weights of an earlier answer,
            when only some rounds came to it, save most of the work.
    """
    objectives = points.shape[1]
    cuts = np.empty((MOST_CUTS, objectives))
    weights = np.empty((MOST_CUTS, objectives))
    used = min(len(first), MOST_CUTS)
    high = math.inf
    for j in range(used):
        for i in range(objectives):
            weights[j, i] = first[j, i]

        high = min(high, best_sums(points, starts, counts, weights[j], cuts[j]))

    while True:
        unit = spread(cuts, used)
        level = cuts[0, 0]
        s = cut_program(cuts, used, unit, level)
        attained, _ = solve(s, -1, 0, math.inf, -math.inf)
        low = level + unit * attained
        if used == MOST_CUTS or high - low <= CLOSE * largest(cuts, used):
            break

        total = 0.0
        for i in range(objectives):
            total += s.weights[i]
        for i in range(objectives):
            weights[used, i] = s.weights[i] / total

        high = min(high, best_sums(points, starts, counts, weights[used], cuts[used]))
        used += 1

    return low, active_weights(s, weights)


@kernel
def active_weights(s: Simplex, weights: Array) -> Array:
    """(cuts, objectives) the weights of the cuts that the solved program mixes."""
    last = len(s.points)
    active = 0
    out = np.empty((last, last))
    for r in range(1, last + 1):
        if s.basis[r] >= last:
            cut = s.basis[r] - last
            for i in range(last):
                out[active, i] = weights[cut, i]
            active += 1

    return out[:active].copy()
