"""Theorem 1 of molts2025: the effective Pareto front, and the arms that some weights choose."""

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Beliefs, Rng
from mobandits.orders import EffectivePareto
from mobandits.papers.claims import Claim, Outcome, Part
from mobandits.papers.experiment import Computed, Experiment, RunOptions

# a linear program per arm, of some milliseconds
TABLES = 15
ARMS = 8
OBJECTIVES = (2, 4)
ROUNDING = 1e-7  # of a linear program, and of the front
NEVER = "an arm of the front that no weights choose"
OUTSIDE = "an arm off the front that some weights choose alone"
LAWS = ("normal means", "means of one decimal, with ties")
ABOUT = (
    "Theorem 1 ties the effective Pareto front to weights: every arm of the front is best for "
    "some weights of the simplex, and an arm that is the only best one for some weights is on the"
    " front. For every arm of random tables, a linear program (SciPy's, which shares no code with"
    " the front) finds the weights for which its lead over all other arms is largest: at least 0 "
    "for the arms of the front, and at most 0 for the others. Means of one decimal have ties, "
    "where a best arm need not be the only one."
)


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
    result = linprog(
        c=[*np.zeros(objectives), -1.0],
        A_ub=below,
        b_ub=np.zeros(len(others)),
        A_eq=sums_to_one,
        b_eq=[1.0],
        bounds=[*[(0.0, None)] * objectives, (None, None)],
    )
    return float(-result.fun)


def draw(law: str, objectives: int, rng: Rng) -> Array:
    """(arms, objectives) a random table of means."""
    means = rng.standard_normal((ARMS, objectives))
    if law == LAWS[0]:
        return means
    return np.asarray(np.round(means / 2.0, 1))


def contradictions(trial: int, options: RunOptions) -> pl.DataFrame:
    """How many arms contradict either half of the theorem, and how many were looked at, by law."""
    rng = np.random.default_rng([options.seed, trial])
    order = EffectivePareto()
    rows = []
    for law in LAWS:
        counts = dict.fromkeys((NEVER, OUTSIDE, "arms"), 0)
        for objectives in OBJECTIVES:
            for _ in range(TABLES):
                means = draw(law, objectives, rng)
                front = order.front(Beliefs(means, means, means))
                leads = np.array([largest_lead(means, arm) for arm in range(ARMS)])
                counts[NEVER] += int((front & (leads < -ROUNDING)).sum())
                counts[OUTSIDE] += int((~front & (leads > ROUNDING)).sum())
                counts["arms"] += ARMS
        rows += [(law, metric, float(value)) for metric, value in counts.items()]
    table = pl.DataFrame(rows, ["policy", "metric", "value"], orient="row")
    return table.with_columns(round=pl.lit(1), component=pl.lit(0))


def never(outcome: Outcome, what: str) -> list[Part]:
    """Not one contradiction of a kind, by law."""
    run = outcome.runs()[0]
    found = []
    for law in LAWS:
        count = float(outcome.curves(run, law, what)[1][:, -1].sum())
        arms = int(outcome.curves(run, law, "arms")[1][:, -1].sum())
        found.append(Part(f"{what}, {law}, in {arms} arms", count, None, count == 0.0, arms))
    return found


THEOREM1 = Experiment(
    "molts2025/theorem1",
    "Theorem 1: arms of the effective Pareto front are those that some weights choose",
    "molts2025, Theorem 1",
    (ABOUT,),
    [
        Computed(
            "random tables",
            contradictions,
            settings={"tables": TABLES, "arms": ARMS, "objectives": list(OBJECTIVES)},
        )
    ],
    [],
    (
        Claim(
            "molts2025/theorem1/some-weights",
            "Every arm of the effective Pareto front is best for some weights",
            "for any arm of the front there are such weights",
            "no contradiction on any table",
            lambda outcome: never(outcome, NEVER),
            kind="check",
        ),
        Claim(
            "molts2025/theorem1/unique-arm",
            "An arm that is the only best one for some weights is on the effective Pareto front",
            "for any weights, a best arm that is unique is on the front",
            "no contradiction on any table",
            lambda outcome: never(outcome, OUTSIDE),
            kind="check",
        ),
    ),
)
