"""The arms of a large table that a strong arm does not dominate: the first step to its front.

Of a hundred thousand arms and three objectives that is about a tenth of them, in one pass.

Dominance is transitive: an arm that dominates a contender is a contender, because what dominates
that arm would dominate the contender too. Hence the contenders' Pareto front is that of all arms,
whichever arm is taken for the strong one, and each other contender is dominated by a contender.
"""

import math
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray, Mask

# From so many arms on the pass pays.
MANY = 1000
# Arms that the ranges of objectives are guessed from.
GUESSED_FROM = 64
# Arms that a strong one is sought among, at most. Of a hundred thousand, all of them would give one
# hardly stronger for three times the work, and 4,000 one that leaves several times as many arms.
SOUGHT_AMONG = 32_768


@kernel
def guessed_ideal(values: Array, which: IntArray, among: Mask) -> tuple[Array, Array]:
    """A point better than most arms, and one over the range of each objective, (objectives,) each.

    Both are of some arms only.
    """
    arms = len(values)
    step = 1 + arms // GUESSED_FROM
    ideal = np.empty(len(which))
    scales = np.empty(len(which))
    for i in range(len(which)):
        least = math.inf
        most = -math.inf
        for a in range(0, arms, step):
            if among[a]:
                least = min(least, values[a, which[i]])
                most = max(most, values[a, which[i]])

        size = most - least
        is_range = 0.0 < size < math.inf
        scales[i] = 1.0 / size if is_range else 1.0
        # Of a bell-shaped cloud the best of all arms lies about as far beyond the best of some.
        ideal[i] = most + 0.5 * size if is_range else most

    return ideal, scales


@kernel
def strongest(values: Array, which: IntArray, among: Mask) -> int:
    """The arm nearest to a guessed ideal point, of some arms of `among`; -1 where there is none.

    Distances are Euclidean, in units of the objectives' ranges.
    """
    # Which arm it is decides how many others it dominates, and no answer: guesses will do. The
    # largest sum would often be that of an arm that is bad in one objective, and dominates few.
    ideal, scales = guessed_ideal(values, which, among)
    arms = len(values)
    step = 1 + arms // SOUGHT_AMONG
    best = -1
    nearest = math.inf
    for a in range(0, arms, step):
        distance = 0.0
        for i in range(len(which)):
            lack = scales[i] * max(0.0, ideal[i] - values[a, which[i]])
            distance += lack * lack

        if distance < nearest and among[a]:
            nearest = distance
            best = a

    return best


@kernel
def contenders(values: Array, which: IntArray, among: Mask) -> Mask:
    """(arms,) the arms of `among` that a strong one of them does not dominate."""
    out = among.copy()
    objectives = len(which)
    strong = strongest(values, which, among)
    if strong < 0:
        return out

    point = np.empty(objectives)
    for i in range(objectives):
        point[i] = values[strong, which[i]]

    for a in range(len(values)):
        more = False
        less = False
        for i in range(objectives):
            value = values[a, which[i]]
            # No early exit: a mispredicted branch costs more than the comparisons.
            more |= point[i] > value
            less |= point[i] < value

        out[a] &= less or not more

    return out


class Contenders(NamedTuple):
    """The contenders of a table.

    Attributes:
        mask: (arms,) which arms they are.
        arms: (contenders,) the same as numbers, which rise.
        rows: (contenders, objectives) their rows, with the objectives that count as columns.
    """

    mask: Mask
    arms: IntArray
    rows: Array


@kernel
def contender_table(values: Array, which: IntArray, among: Mask) -> Contenders:
    """The contenders, with a table of their own."""
    mask = contenders(values, which, among)
    size = 0
    for a in range(len(values)):
        size += mask[a]

    arms = np.empty(size, np.int64)
    rows = np.empty((size, len(which)))
    row = 0
    for a in range(len(values)):
        if mask[a]:
            arms[row] = a
            for i in range(len(which)):
                rows[row, i] = values[a, which[i]]

            row += 1

    return Contenders(mask, arms, rows)


@kernel
def row_of(arms: IntArray, arm: int) -> int:
    """Where `arm` is among `arms`, which rise and hold it."""
    # A table of rows by arm would answer at once, but to fill it costs more than a draw asks.
    first = 0
    last = len(arms) - 1
    while first < last:
        middle = (first + last) >> 1
        if arms[middle] < arm:
            first = middle + 1
        else:
            last = middle

    return first


@kernel
def is_beaten(rows: Array, row: int, order: IntArray) -> bool:
    """Whether a row dominates another, all objectives counting; `order` (rows,) is its to change.

    Rows are tried in that order, and one that dominates moves ahead in it: with few strong rows
    most tests end after some comparisons.
    """
    objectives = rows.shape[1]
    for place in range(len(order)):
        b = order[place]
        more = False
        less = False
        for i in range(objectives):
            more |= rows[b, i] > rows[row, i]
            less |= rows[b, i] < rows[row, i]

        if more and not less:
            # Halfway, and not to the front: one lucky row would displace one that has proved
            # itself.
            ahead = place // 2
            order[place] = order[ahead]
            order[ahead] = b
            return True

    return False
