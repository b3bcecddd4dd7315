"""Theorem 1 of molts2025: the effective Pareto front, and the arms that some weights choose."""

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.orders import EffectivePareto
from mobandits_papers.described import described
from mobandits_papers.numbers import Parts
from mobandits_papers.rows import LAWS, front_of, never, random_tables

TABLES = 15  # per law and number of objectives: a linear program per arm takes some milliseconds
ARMS = 8
OBJECTIVES = (2, 4)
ROUNDING = 1e-7  # of a linear program, and of the front
NEVER = "an arm of the front that no weights choose"
OUTSIDE = "an arm off the front that some weights choose alone"


def largest_lead(means: Array, arm: int) -> float:
    """The largest lead of an arm over all others, over the weights of the simplex.

    Args:
        means: (arms, objectives), at least two arms.
        arm: which.

    Returns:
        max over w of min over b != arm of w . (means[arm] - means[b]): above 0 where some weights
        choose the arm alone, 0 where it is at best one of several.

    Example:
        >>> means = np.array([[1.0, 0.0], [0.0, 1.0], [0.25, 0.25]])
        >>> [round(largest_lead(means, arm), 6) for arm in range(3)]
        [0.75, 0.75, -0.25]
    """
    from scipy.optimize import linprog  # noqa: PLC0415 - a third of a second

    others = np.delete(means, arm, axis=0)
    objectives = means.shape[1]
    # The unknowns are the weights and the lead t; t <= w . (means[arm] - others[b]) for all b.
    below = np.column_stack([others - means[arm], np.ones(len(others))])
    sums_to_one = np.array([[*np.ones(objectives), 0.0]])
    not_negative = (0.0, None)
    unbounded = (None, None)  # the lead of a dominated arm is negative
    result = linprog(
        c=[*np.zeros(objectives), -1.0],  # the program minimises: -t
        A_ub=below,
        b_ub=np.zeros(len(others)),
        A_eq=sums_to_one,
        b_eq=[1.0],
        bounds=[*[not_negative] * objectives, unbounded],
    )

    return float(-result.fun)


def contradictions(law: str, means: Array) -> dict[tuple[str, str], int]:
    """The numbers of arms of one table that contradict the theorem's halves, and of all arms."""
    front = front_of(means, EffectivePareto())
    leads = np.array([largest_lead(means, arm) for arm in range(ARMS)])
    # Where the lead is 0, both halves allow either: the arm is at best one of several.
    never_best = front & (leads < -ROUNDING)
    best_alone = ~front & (leads > ROUNDING)

    return {
        (law, NEVER): int(never_best.sum()),
        (law, OUTSIDE): int(best_alone.sum()),
        (law, "arms"): ARMS,
    }


def never_in_any_law(contradiction: str) -> Parts:
    """The numbers of contradictions of a kind, by law, which are to be 0."""
    arms = TABLES * len(OBJECTIVES) * ARMS
    counts = {f"{contradiction}, {law}, in {arms} arms": (law, contradiction) for law in LAWS}
    return never(counts, arms)


THEOREM1 = described(
    "molts2025/theorem1",
    [random_tables(contradictions, TABLES, ARMS, OBJECTIVES)],
    {"some-weights": never_in_any_law(NEVER), "unique-arm": never_in_any_law(OUTSIDE)},
)
