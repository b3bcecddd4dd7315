"""A small linear program about mixtures of arms, and the simplex method's inverse of its basis.

Seen from an arm p, with every objective in units of its range,
``D[l, j] = (U[j, l] - U[p, l]) / range_l``, the program looks for the mixture that is better than p
by as much as possible in its worst objective:

    v* = max over mixtures b of the arms of min_l sum_j b_j D[l, j] / unit_l
       = min over weights w >= 0 with sum_l w_l unit_l = 1 of max_j sum_l w_l D[l, j].

Row l says that the mixture less v unit_l leaves a slack of at least 0 in objective l, the last row
that the shares sum to 1. Variables are numbered: -1 is v, l the slack of objective l, L + j the
share of arm j. Only the inverse of the basis is kept, (L + 1, L + 1): its last column holds the
values of the basic variables, its first row -w, because v is free, alone in the objective function,
and never leaves. A general solver takes 1 to 2 ms for such a program, mostly to set it up; this
takes 1 to 5 us.

Arms are columns, the innermost loops run over them, and nothing is as dear as one pass over all of
them.

What is called in every step calls no other kernel, divides at most once and outside of loops, and
has one way out: then Numba counts no references to the nine arrays of a `Simplex`, which cost more
than the steps themselves.
"""

import math
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray

# What rounding may do to a sum of numbers of size 1: some fifty units in the last place, for sums
# of some ten terms.
ROUNDING = 1e-14
# Entries of a column that are smaller than this fraction of their terms are zeros. What is left of
# a difference of terms of size 1 has at least three digits then, so it can be divided by.
NOISE = 1e-12
# A pivot below this fraction of its terms, or terms above 1 / GUARD, call for a fresh inverse: such
# a step may have cost five of sixteen digits.
GUARD = 1e-5


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
    # Made once, and used for all arms of a table: to make nine arrays costs as much as a step.
    objectives = len(points)
    arms = points.shape[1]
    rows = objectives + 1
    basis = np.empty(rows, np.int64)
    inverse = np.empty((rows, rows))
    column = np.empty(rows)
    terms = np.empty(rows)

    return Simplex(
        points,
        unit,
        np.empty(objectives),
        inverse,
        basis,
        column,
        terms,
        np.empty(objectives),
        np.empty(arms),
    )


@kernel
def set_origin(s: Simplex, points: Array, arm: int) -> None:
    """Put the origin at column `arm` of `points`."""
    for i in range(len(points)):
        s.origin[i] = points[i, arm]


@kernel
def worst_objective(s: Simplex, arm: int) -> int:
    """The objective in which an arm leads the origin least."""
    worst = 0
    least = math.inf
    for i in range(len(s.points)):
        lead = (s.points[i, arm] - s.origin[i]) / s.unit[i]
        if lead < least:
            worst = i
            least = lead

    return worst


@kernel
def start_at_arm(s: Simplex, first: int, tight: int) -> None:
    """The basis of the mixture that is arm `first` alone.

    Objective `tight` defines v, and the others have slack. Where `tight` is the arm's worst
    objective, no slack is negative: the method can start without a first phase.
    """
    last = len(s.points)
    for r in range(last + 1):
        s.basis[r] = r - 1
        for k in range(last + 1):
            s.inverse[r, k] = 0.0

    # v = lead in `tight` / unit, and the arm's share, which takes the row of that slack, is 1. The
    # numbers are read where they are used: held in names, they cost a small program 5 %.
    s.inverse[0, tight] = -1.0 / s.unit[tight]
    s.inverse[0, last] = (s.points[tight, first] - s.origin[tight]) / s.unit[tight]
    s.basis[tight + 1] = last + first
    s.inverse[tight + 1, last] = 1.0
    for i in range(last):
        if i != tight:
            ratio = s.unit[i] / s.unit[tight]
            s.inverse[i + 1, i] = -1.0
            s.inverse[i + 1, tight] = ratio
            s.inverse[i + 1, last] = (
                s.points[i, first] - s.origin[i] - s.unit[i] * s.inverse[0, last]
            )


@kernel
def contains(variables: IntArray, variable: int) -> bool:
    """Whether a variable is one of these."""
    # No early exit: a kernel of every step has one way out.
    is_in = False
    for other in variables:
        is_in = is_in or other == variable
    return is_in


@kernel
def price(s: Simplex) -> None:
    """prices[j] = weights . (column j) of the points."""
    for j in range(len(s.prices)):
        s.prices[j] = 0.0

    for i in range(len(s.weights)):
        weight = s.weights[i]
        # In early steps most weights are 0, and a pass over all arms is saved for each.
        if weight != 0.0:
            for j in range(len(s.prices)):
                s.prices[j] += weight * s.points[i, j]


@kernel
def entering_column(s: Simplex, entering: int) -> None:
    """The column of the variable that enters, in terms of the basis; `terms` becomes its size."""
    last = len(s.points)
    is_arm = entering >= last
    for r in range(last + 1):
        total = s.inverse[r, last]
        size = abs(s.inverse[r, last])
        for i in range(last):
            term = s.inverse[r, i]
            if is_arm:
                lead = s.points[i, entering - last] - s.origin[i]
                term *= lead

            total += term
            size += abs(term)

        # A slack's column has a single entry, -1.
        s.column[r] = total if is_arm else -s.inverse[r, entering]
        s.terms[r] = size


@kernel
def leaving_row(s: Simplex, bland: bool) -> int:
    """The row that leaves, or -1: of those that reach 0 first, the largest pivot.

    Under Bland's rule it is the first variable. To reach 0 first is meant up to rounding, but
    exactly under Bland's rule, which needs an order to be sure to end.
    """
    last = len(s.points)
    least = math.inf
    row = -1
    allowed = 0.0 if bland else ROUNDING
    # Harris's ratio test in two passes: the first finds how far the entering variable may rise if
    # values may fall to -ROUNDING, the second chooses the best pivot among the rows within that.
    # Row 0 is v, which is free and never leaves.
    for r in range(1, last + 1):
        if s.column[r] > NOISE * s.terms[r]:
            value = max(s.inverse[r, last], 0.0)
            least = min(least, (value + allowed) / s.column[r])

    for r in range(1, last + 1):
        value = max(s.inverse[r, last], 0.0)
        if s.column[r] > NOISE * s.terms[r] and value / s.column[r] <= least:
            if row < 0:
                better = True
            elif bland:
                better = s.basis[r] < s.basis[row]
            else:
                better = s.column[r] > s.column[row]

            row = r if better else row

    return row


@kernel
def pivot(s: Simplex, row: int, entering: int) -> None:
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
    """Whether the pivot of the last step calls for a fresh inverse."""
    smaller = min(s.column[row], 1.0)
    return bool(GUARD * s.terms[row] > smaller)


@kernel
def refactorise(s: Simplex) -> None:
    """The inverse from scratch, of the same basis, and one step of refinement.

    Basic variables enter one by one where their pivot is largest. One that depends on those before
    it, which only rounding can have let in, stays out, and a slack or an arm stays in.
    """
    last = len(s.points)
    wanted = s.basis.copy()
    first = 0
    tight = 0
    # The arm with the highest number will do; arm 0 where only slacks are left in the basis.
    for variable in wanted:
        first = max(first, variable - last)

    # The start divides by this unit: the largest one rounds least.
    for i in range(last):
        tight = i if s.unit[i] > s.unit[tight] else tight

    start_at_arm(s, first, tight)
    for variable in wanted:
        if not contains(s.basis, variable):
            entering_column(s, variable)
            row = 0
            for r in range(1, last + 1):
                larger = row == 0 or abs(s.column[r]) > abs(s.column[row])
                row = r if larger and not contains(wanted, s.basis[r]) else row

            if row > 0 and abs(s.column[row]) > ROUNDING * s.terms[row]:
                pivot(s, row, variable)

    refine_weights(s)
    refine_values(s)


@kernel
def refine_weights(s: Simplex) -> None:
    """One step of iterative refinement of the first row, whose entries are the weights."""
    last = len(s.points)
    errors = np.zeros(len(s.basis))
    # Basic variables must have no reduced cost: what they have is the error.
    for r in range(1, last + 1):
        entering_column(s, s.basis[r])
        errors[r] = s.column[0]

    for k in range(last):
        for r in range(1, last + 1):
            s.inverse[0, k] -= errors[r] * s.inverse[r, k]


@kernel
def refine_values(s: Simplex) -> None:
    """One step of iterative refinement of the last column, the values of the basic variables."""
    last = len(s.points)
    errors = np.zeros(len(s.basis))
    # Slacks and shares must add up in every row of the program: what is left over is the error.
    errors[last] = 1.0
    for i in range(last):
        errors[i] = s.inverse[0, last] * s.unit[i]

    for r in range(1, last + 1):
        value = s.inverse[r, last]
        if s.basis[r] < last:
            errors[s.basis[r]] += value
            continue

        errors[last] -= value
        arm = s.basis[r] - last
        for i in range(last):
            lead = s.points[i, arm] - s.origin[i]
            errors[i] -= value * lead

    for r in range(last + 1):
        s.column[r] = 0.0
        for i in range(last + 1):
            s.column[r] += s.inverse[r, i] * errors[i]

    for r in range(last + 1):
        s.inverse[r, last] += s.column[r]


@kernel
def mixture(s: Simplex) -> Array:
    """(objectives,) how much the mixture in the basis leads the origin in each objective.

    Shares are taken as at least 0 and divided by their sum, so that it is a mixture whatever
    rounding did.
    """
    last = len(s.points)
    total = 0.0
    out = np.zeros(last)
    for r in range(1, last + 1):
        share = max(s.inverse[r, last], 0.0)
        if s.basis[r] >= last and share > 0.0:
            arm = s.basis[r] - last
            total += share
            for i in range(last):
                lead = s.points[i, arm] - s.origin[i]
                out[i] += share * lead

    for i in range(last):
        out[i] = out[i] / total if total > 0.0 else -math.inf

    return out


@kernel
def attained(s: Simplex) -> float:
    """A lower bound on v*: what the mixture in the basis attains in every objective."""
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
                arm = s.basis[r] - last
                lead += share * (s.points[i, arm] - s.origin[i])

        lead += ROUNDING * total
        # lead / unit_i < low / tight, multiplied out: a division that could fail is a way out.
        if lead * tight < low * s.unit[i]:
            low = lead
            tight = s.unit[i]

    if total <= 0.0:
        low = -math.inf
        total = 1.0

    in_units = low / (total * tight)

    return float(min(s.inverse[0, last], in_units))
