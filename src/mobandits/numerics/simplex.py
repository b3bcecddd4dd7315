"""A small linear program about mixtures of arms, and the inverse of its basis that the simplex method keeps.

Seen from an arm p, with every objective in units of its range, ``D[l, j] = (U[j, l] - U[p, l]) / range_l``, the program
looks for the mixture that is better than p by as much as possible in its worst objective:

    v* = max over mixtures b of the arms of min_l sum_j b_j D[l, j] / unit_l
       = min over weights w >= 0 with sum_l w_l unit_l = 1 of max_j sum_l w_l D[l, j].

Row l says that the mixture less v unit_l leaves a slack of at least 0 in objective l, the last row that the shares sum
to 1. Variables are numbered: -1 is v, l the slack of objective l, L + j the share of arm j. Only the inverse of the
basis is kept, (L + 1, L + 1): its last column holds the values of the basic variables, its first row -w, because v is
free, alone in the objective function, and never leaves.

Arms are columns, the innermost loops run over them, and nothing is as dear as one pass over all of them.

What is called in every step calls no other kernel, divides at most once and outside of loops, and has one way out:
then Numba counts no references to the nine arrays of a `Simplex`, which cost more than the steps themselves.
"""

import math
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray

ROUNDING = 1e-14  # what rounding may do to a sum of numbers of size 1
NOISE = 1e-12  # entries of a column that are smaller than this fraction of their terms are zeros
GUARD = 1e-5  # a pivot below this fraction of its terms, or terms above 1 / GUARD, call for a fresh inverse


class Simplex(NamedTuple):
    """The points, and the working arrays of the method."""

    points: Array  # (objectives, arms), every objective from 0 to 1
    unit: Array  # (objectives,) what v counts in each objective
    origin: Array  # (objectives,) the point of arm p
    inverse: Array  # (objectives + 1, objectives + 1)
    basis: IntArray  # (objectives + 1,) the basic variables; v is always the first
    column: Array  # (objectives + 1,) inverse times the column that enters
    terms: Array  # (objectives + 1,) the size of what `column` was summed from
    weights: Array  # (objectives,)
    prices: Array  # (arms,) weights . points


@kernel
def simplex(points: Array, unit: Array) -> Simplex:
    """Working arrays for any question about mixtures of these points."""
    n = len(points) + 1
    arms = points.shape[1]
    basis = np.empty(n, np.int64)
    inverse = np.empty((n, n))
    column = np.empty(n)
    terms = np.empty(n)
    return Simplex(
        points,
        unit,
        np.empty(n - 1),
        inverse,
        basis,
        column,
        terms,
        np.empty(n - 1),
        np.empty(arms),
    )


@kernel
def look_from(s: Simplex, points: Array, arm: int) -> None:
    """Put the origin at column `arm` of `points`."""
    for i in range(len(points)):
        s.origin[i] = points[i, arm]


@kernel
def worst_objective(s: Simplex, arm: int) -> int:
    """The objective in which an arm leads the origin least."""
    worst = 0
    value = math.inf
    for i in range(len(s.points)):
        lead = (s.points[i, arm] - s.origin[i]) / s.unit[i]
        if lead < value:
            worst = i
            value = lead
    return worst


@kernel
def start(s: Simplex, first: int, tight: int) -> None:
    """The basis of the mixture that is arm `first` alone, objective `tight` defining v, the others slack."""
    last = len(s.points)
    for r in range(last + 1):
        s.basis[r] = r - 1
        for k in range(last + 1):
            s.inverse[r, k] = 0.0
    s.inverse[0, tight] = -1.0 / s.unit[tight]
    s.inverse[0, last] = (s.points[tight, first] - s.origin[tight]) / s.unit[tight]
    s.basis[tight + 1] = last + first
    s.inverse[tight + 1, last] = 1.0
    for i in range(last):
        if i != tight:
            s.inverse[i + 1, i], s.inverse[i + 1, tight] = -1.0, s.unit[i] / s.unit[tight]
            s.inverse[i + 1, last] = (
                s.points[i, first] - s.origin[i] - s.unit[i] * s.inverse[0, last]
            )


@kernel
def contains(variables: IntArray, variable: int) -> bool:
    """Whether a variable is one of these."""
    found = False
    for other in variables:
        found = found or other == variable
    return found


@kernel
def price(s: Simplex) -> None:
    """prices[j] = weights . (column j) of the points; in early steps most weights are 0."""
    for j in range(len(s.prices)):
        s.prices[j] = 0.0
    for i in range(len(s.weights)):
        weight = s.weights[i]
        if weight != 0.0:
            for j in range(len(s.prices)):
                s.prices[j] += weight * s.points[i, j]


@kernel
def enter(s: Simplex, entering: int) -> None:
    """`column` out: the inverse times the column of the program that enters."""
    last = len(s.points)
    for r in range(last + 1):
        total = s.inverse[r, last]
        size = abs(s.inverse[r, last])
        for i in range(last):
            term = s.inverse[r, i]
            if entering >= last:
                term *= s.points[i, entering - last] - s.origin[i]
            total += term
            size += abs(term)
        s.column[r] = total if entering >= last else -s.inverse[r, entering]
        s.terms[r] = size


@kernel
def leave(s: Simplex, bland: bool) -> int:
    """The row that leaves, or -1: of those that reach 0 first, the largest pivot (Bland: the first variable).

    To reach 0 first is meant up to rounding, but exactly under Bland's rule, which needs an order to be sure to end.
    """
    last = len(s.points)
    least = math.inf
    row = -1
    allowed = 0.0 if bland else ROUNDING
    for r in range(1, last + 1):
        if s.column[r] > NOISE * s.terms[r]:
            least = min(least, (max(s.inverse[r, last], 0.0) + allowed) / s.column[r])
    for r in range(1, last + 1):
        if s.column[r] > NOISE * s.terms[r] and max(s.inverse[r, last], 0.0) / s.column[r] <= least:
            better = row < 0 or (
                s.basis[r] < s.basis[row] if bland else s.column[r] > s.column[row]
            )
            row = r if better else row
    return row


@kernel
def swap(s: Simplex, row: int, entering: int) -> None:
    """The variable whose column is in `column` takes the place of the one in `row`."""
    n = len(s.basis)
    scale = 1.0 / s.column[row]
    for k in range(n):
        s.inverse[row, k] *= scale
    for r in range(n):
        factor = s.column[r]
        if r != row and factor != 0.0:
            for k in range(n):
                s.inverse[r, k] -= factor * s.inverse[row, k]
    s.basis[row] = entering


@kernel
def doubtful(s: Simplex, row: int) -> bool:
    """Whether the pivot of the last swap calls for a fresh inverse."""
    return bool(GUARD * s.terms[row] > min(s.column[row], 1.0))


@kernel
def refresh(s: Simplex) -> None:
    """The inverse from scratch: basic variables enter one by one where their pivot is largest; then it is refined.

    One that depends on those before it, which only rounding can have let in, stays out, and a slack or an arm stays in.
    """
    last = len(s.points)
    wanted = s.basis.copy()
    first = 0
    tight = 0
    for variable in wanted:
        first = max(first, variable - last)
    for i in range(last):
        tight = i if s.unit[i] > s.unit[tight] else tight
    start(s, first, tight)
    for variable in wanted:
        if not contains(s.basis, variable):
            enter(s, variable)
            row = 0
            for r in range(1, last + 1):
                larger = row == 0 or abs(s.column[r]) > abs(s.column[row])
                row = r if larger and not contains(wanted, s.basis[r]) else row
            if row > 0 and abs(s.column[row]) > ROUNDING * s.terms[row]:
                swap(s, row, variable)
    refine_weights(s)
    refine_values(s)


@kernel
def refine_weights(s: Simplex) -> None:
    """One step of iterative refinement of the first row: basic variables must have no reduced cost."""
    last = len(s.points)
    errors = np.zeros(len(s.basis))
    for r in range(1, last + 1):
        enter(s, s.basis[r])
        errors[r] = s.column[0]
    for k in range(last):
        for r in range(1, last + 1):
            s.inverse[0, k] -= errors[r] * s.inverse[r, k]


@kernel
def refine_values(s: Simplex) -> None:
    """One step of iterative refinement of the last column: slacks and shares must add up in every row."""
    last = len(s.points)
    errors = np.zeros(len(s.basis))
    errors[last] = 1.0
    for i in range(last):
        errors[i] = s.inverse[0, last] * s.unit[i]
    for r in range(1, last + 1):
        value = s.inverse[r, last]
        if s.basis[r] < last:
            errors[s.basis[r]] += value
            continue
        errors[last] -= value
        for i in range(last):
            errors[i] -= value * (s.points[i, s.basis[r] - last] - s.origin[i])
    for r in range(last + 1):
        s.column[r] = 0.0
        for i in range(last + 1):
            s.column[r] += s.inverse[r, i] * errors[i]
    for r in range(last + 1):
        s.inverse[r, last] += s.column[r]


@kernel
def mixture(s: Simplex) -> Array:
    """(objectives,) what the mixture in the basis has more than the origin; its shares are at least 0 and sum to 1."""
    last = len(s.points)
    total = 0.0
    out = np.zeros(len(s.points))
    for r in range(1, last + 1):
        share = max(s.inverse[r, last], 0.0)
        if s.basis[r] >= last and share > 0.0:
            total += share
            for i in range(last):
                out[i] += share * (s.points[i, s.basis[r] - last] - s.origin[i])
    for i in range(last):
        out[i] = out[i] / total if total > 0.0 else -math.inf
    return out


@kernel
def attained(s: Simplex) -> float:
    """A lower bound on v*: what the mixture in the basis attains in every objective, up to rounding."""
    last = len(s.points)
    total = 0.0
    low = math.inf
    tight = 1.0
    for i in range(last):
        lead = 0.0
        total = 0.0
        for r in range(1, last + 1):
            if s.basis[r] >= last:
                share = max(s.inverse[r, last], 0.0)
                total += share
                lead += share * (s.points[i, s.basis[r] - last] - s.origin[i])
        lead += ROUNDING * total
        if lead * tight < low * s.unit[i]:
            low = lead
            tight = s.unit[i]
    if total <= 0.0:
        low = -math.inf
        total = 1.0
    return float(min(s.inverse[0, last], low / (total * tight)))
