"""Pareto dominance on arrays: who is dominated, the front, the suboptimality gap.

Everywhere `values` and `means` are (arms, objectives) and maximised, `among` is the mask of the arms that count, and
`on` holds the objectives that count: empty stands for all of them, and -1 is the padding of a shorter list. Comparisons
are exact, so infinite entries (arms never played) need no special case.
"""

import math

import numpy as np
from numpy.typing import NDArray

from mobandits.kernel.compiled import kernel
from mobandits.kernel.protocols import Array, IntArray, Mask

Marks = NDArray[np.uint8]  # masks in bytes, for arithmetic
BLOCK = 32  # arms compared at a time: enough for vector instructions, few enough to stop early


@kernel
def dominated(values: Array, a: int, on: IntArray, among: Mask) -> bool:
    """Whether an arm of `among` dominates arm a: none of the objectives `on` is smaller and one is larger."""
    for b in range(len(values)):
        more, less = False, False
        for i in range(len(on) if len(on) > 0 else values.shape[1]):
            objective = on[i] if len(on) > 0 else i
            if objective < 0:
                break
            # No early exit: a mispredicted branch costs more than the comparisons.
            more |= values[b, objective] > values[a, objective]
            less |= values[b, objective] < values[a, objective]
        if more and not less and among[b]:
            return True
    return False


@kernel
def chosen_objectives(objectives: int, on: IntArray) -> IntArray:
    """The objectives that `on` stands for, without padding."""
    if len(on) == 0:
        return np.arange(objectives)
    n = 0
    for objective in on:
        n += objective >= 0
    out = np.empty(n, np.int64)
    for i in range(n):
        out[i] = on[i]
    return out


@kernel
def nondominated(values: Array, on: IntArray, among: Mask) -> Mask:  # noqa: C901 - a call per block is too dear
    """(arms,) the Pareto front of the arms of `among` in the objectives `on`; equal arms stay or go together.

    Keeps an archive of the arms that nothing has dominated so far, one row per objective, and compares every arm with a
    block of it at a time: at most arms times archive comparisons. Whoever dominates moves ahead, because strong arms
    decide most comparisons.
    """
    which, size, out = chosen_objectives(values.shape[1], on), 0, np.zeros(len(values), np.bool_)
    archive, arms, point = np.empty((len(which), len(values))), np.empty(len(values), np.int64), np.empty(len(which))
    above, below = np.empty(len(values), np.uint8), np.empty(len(values), np.uint8)
    for a in range(len(values)):
        if not among[a]:
            continue
        for i in range(len(which)):
            point[i] = values[a, which[i]]
        beaten, beats, first = 0, 0, 0
        while first < size and not beaten:
            n = min(BLOCK, size - first)
            high, low = above[first : first + n], below[first : first + n]  # at least, at most `point`
            for j in range(n):
                high[j], low[j] = 1, 1
            for i in range(len(which)):
                row, value = archive[i, first : first + n], point[i]
                for j in range(n):
                    high[j] &= row[j] >= value
                    low[j] &= row[j] <= value
            for j in range(n):
                beaten |= high[j] & (1 - low[j])
                beats |= low[j] & (1 - high[j])
            first += n
        if beaten:  # then arm a dominates nobody in the archive: it would be dominated in turn
            bring_ahead(archive, arms, first - n, above, below)
            continue
        if beats:
            size = drop_beaten(archive, arms, size, above, below)
        arms[size] = a
        for i in range(len(which)):
            archive[i, size] = point[i]
        size += 1
    for i in range(size):
        out[arms[i]] = True
    return out


@kernel
def bring_ahead(archive: Array, arms: IntArray, j: int, above: Marks, below: Marks) -> None:
    """Move the first arm from j on that is marked as dominating halfway to the front of the archive."""
    while above[j] <= below[j]:
        j += 1
    k = j // 2
    arms[j], arms[k] = arms[k], arms[j]
    for i in range(len(archive)):
        archive[i, j], archive[i, k] = archive[i, k], archive[i, j]


@kernel
def drop_beaten(archive: Array, arms: IntArray, size: int, above: Marks, below: Marks) -> int:
    """Remove the arms that are marked as dominated; returns the new size of the archive."""
    kept = 0
    for j in range(size):
        if below[j] > above[j]:
            continue
        arms[kept] = arms[j]
        for i in range(len(archive)):
            archive[i, kept] = archive[i, j]
        kept += 1
    return kept


@kernel
def pareto_gap(means: Array, arm: int, on: IntArray, among: Mask) -> float:
    """How much must be added to every objective of `arm` so that no arm of `among` dominates it in the objectives `on`.

    ``max(0, max_b min_l (means[b, l] - means[arm, l]))`` over arms b of `among` and objectives l of `on`: the closed
    form of the Pareto suboptimality gap, the same to the last bit whether b runs over the front or over all arms. Zero
    on the front, and for arms that are dominated only weakly.

    Reference:
        moglb2019, Definition 3; pcz2018, Definition 2.
    """
    gap = 0.0
    for b in range(len(means)):
        if not among[b]:
            continue
        least = math.inf
        for i in range(len(on) if len(on) > 0 else means.shape[1]):
            objective = on[i] if len(on) > 0 else i
            if objective < 0 or least <= gap:
                break
            least = min(least, means[b, objective] - means[arm, objective])
        if least > gap:  # noqa: PLR1730 - max could turn 0.0 into -0.0
            gap = least
    return gap


@kernel
def pareto_gaps(means: Array, on: IntArray, among: Mask) -> Array:
    """(arms,) `pareto_gap` of every arm, measured against the front of `among`: arms times front size differences."""
    front, out = nondominated(means, on, among), np.empty(len(means))
    for a in range(len(means)):
        out[a] = pareto_gap(means, a, on, front)
    return out
