"""Pareto dominance on arrays: the arms that are dominated, the front, the suboptimality gap.

Everywhere `values` and `means` are (arms, objectives) and maximised, `among` is the mask of the
arms that count, and `on` holds the objectives that count: empty stands for all of them, and -1 is
the padding of a shorter list. Comparisons are exact, so infinite entries (arms never played) need
no special case.
"""

import math

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng
from mobandits.numerics.dominance_prefilter import MANY, contender_table, is_beaten, row_of
from mobandits.numerics.masks import swap_in
from mobandits.numerics.pareto_filter import chosen_objectives, nondominated

__all__ = [
    "chosen_objectives",
    "dominated",
    "draw_nondominated",
    "nondominated",
    "pareto_gap",
    "pareto_gaps",
]


@kernel
def dominated(values: Array, a: int, on: IntArray, among: Mask) -> bool:
    """Whether an arm of `among` dominates arm a: no objective of `on` is smaller, one is larger."""
    # `on` is read here as `chosen_objectives` reads it, whose array would cost more than one test.
    every = len(on) == 0
    objectives = values.shape[1] if every else len(on)
    for b in range(len(values)):
        more = False
        less = False
        for i in range(objectives):
            objective = i if every else on[i]
            if objective < 0:
                break

            # No early exit: a mispredicted branch costs more than the comparisons.
            more |= values[b, objective] > values[a, objective]
            less |= values[b, objective] < values[a, objective]

        if more and not less and among[b]:
            return True

    return False


@kernel
def draw_nondominated(values: Array, on: IntArray, among: Mask, rng: Rng) -> int:
    """An arm of the Pareto front of `among`, uniformly.

    It is the first in a random order that no arm of `among` dominates. The whole front is not
    needed: of F arms on it, (K + 1) / (F + 1) arms are tested on average.
    """
    if len(values) >= MANY:
        return draw_from_many(values, on, among, rng)

    visit = np.arange(len(values))
    for i in range(len(visit)):
        arm = swap_in(visit, i, rng)
        if among[arm] and not dominated(values, arm, on, among):
            return arm

    return -1


@kernel
def draw_from_many(values: Array, on: IntArray, among: Mask, rng: Rng) -> int:
    """As `draw_nondominated`, where arms are so many that only contenders are worth a test."""
    which = chosen_objectives(values.shape[1], on)
    left = contender_table(values, which, among)
    order = np.arange(len(left.rows))
    # All arms are visited, so that the draw is the one that testing all of them gives.
    visit = np.arange(len(values))
    for i in range(len(visit)):
        arm = swap_in(visit, i, rng)
        if left.mask[arm] and not is_beaten(left.rows, row_of(left.arms, arm), order):
            return arm

    return -1


@kernel
def pareto_gap(means: Array, arm: int, on: IntArray, among: Mask) -> float:
    """The Pareto suboptimality gap of an arm, in the objectives `on` and against the arms `among`.

    It is how much must be added to every objective of the arm so that none of these dominates it,
    ``max(0, max_b min_l (means[b, l] - means[arm, l]))`` over arms b of `among` and objectives l of
    `on`. This closed form is the same to the last bit whether b runs over the front or over all
    arms. It is 0 on the front, and for arms that are dominated only weakly.

    Reference:
        moglb2019, Definition 3; pcz2018, Definition 2.
    """
    every = len(on) == 0
    objectives = means.shape[1] if every else len(on)
    gap = 0.0
    for b in range(len(means)):
        if not among[b]:
            continue

        least_lead = math.inf
        for i in range(objectives):
            objective = i if every else on[i]
            if objective < 0:
                break

            lead = means[b, objective] - means[arm, objective]
            least_lead = min(least_lead, lead)

        if least_lead > gap:  # noqa: PLR1730 - max could turn 0.0 into -0.0
            gap = least_lead

    return gap


@kernel
def pareto_gaps(means: Array, on: IntArray, among: Mask) -> Array:
    """(arms,) `pareto_gap` of every arm, from arms times front size differences."""
    # A dominated arm leads by no more than the arm that dominates it, so the front is enough.
    front = nondominated(means, on, among)
    out = np.empty(len(means))
    for a in range(len(means)):
        out[a] = pareto_gap(means, a, on, front)

    return out
