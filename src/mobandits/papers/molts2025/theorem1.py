"""Theorem 1 of molts2025: the effective Pareto front, and the arms that some weights choose."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array, Beliefs, Rng
from mobandits.orders import EffectivePareto
from mobandits.papers.claim_parts import Parts, curves_of
from mobandits.papers.claims import Claim, Outcome, Part
from mobandits.papers.experiment import Computed, Experiment, RunOptions

TABLES = 15  # per law and number of objectives: a linear program per arm takes some milliseconds
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


def draw(law: str, objectives: int, rng: Rng) -> Array:
    """(arms, objectives) a random table of means."""
    means = rng.standard_normal((ARMS, objectives))
    if law == LAWS[0]:
        return means

    # Half as wide before rounding, so that eight arms on a grid of tenths tie often.
    rounded = np.round(means / 2.0, 1)

    return np.asarray(rounded)


def contradictions(trial: int, options: RunOptions) -> pl.DataFrame:
    """The number of arms that contradict either half of the theorem, and of all arms, by law."""
    rng = np.random.default_rng([options.seed, trial])
    rows: list[tuple[str, str, float]] = []
    for law in LAWS:
        counts = dict.fromkeys((NEVER, OUTSIDE, "arms"), 0)
        for objectives in OBJECTIVES:
            for _ in range(TABLES):
                means = draw(law, objectives, rng)
                add_contradictions(counts, means)

        for metric, count in counts.items():
            rows.append((law, metric, float(count)))

    table = pl.DataFrame(rows, ["policy", "metric", "value"], orient="row")

    return table.with_columns(round=pl.lit(1), component=pl.lit(0))


def add_contradictions(counts: dict[str, int], means: Array) -> None:
    """Add the arms of one table to the counts of contradictions, and of arms."""
    beliefs = Beliefs(means, means, means)
    front = EffectivePareto().front(beliefs)
    leads = np.array([largest_lead(means, arm) for arm in range(ARMS)])
    # Where the lead is 0, both halves allow either: the arm is at best one of several.
    never_best = front & (leads < -ROUNDING)
    best_alone = ~front & (leads > ROUNDING)
    counts[NEVER] += int(never_best.sum())
    counts[OUTSIDE] += int(best_alone.sum())
    counts["arms"] += ARMS


def never(contradiction: str) -> Parts:
    """The numbers of contradictions of a kind, by law, which are to be 0."""

    def total(outcome: Outcome, law: str, metric: str) -> float:
        _, values = curves_of(outcome, law, metric)
        counts = values[:, -1]
        return float(counts.sum())

    def parts(outcome: Outcome) -> list[Part]:
        counts = []
        for law in LAWS:
            count = total(outcome, law, contradiction)
            arms = int(total(outcome, law, "arms"))
            name = f"{contradiction}, {law}, in {arms} arms"
            # An exact count has no interval, and a single contradiction refutes the claim.
            counts.append(Part(name, count, None, count == 0.0, arms))

        return counts

    return parts


def settings() -> dict[str, int | Sequence[int]]:
    """The settings that decide the tables, for the manifest."""
    return {"tables": TABLES, "arms": ARMS, "objectives": list(OBJECTIVES)}


THEOREM1 = Experiment(
    "molts2025/theorem1",
    "Theorem 1: arms of the effective Pareto front are those that some weights choose",
    "molts2025, Theorem 1",
    (ABOUT,),
    [Computed("random tables", contradictions, settings=settings())],
    [],
    (
        Claim(
            "molts2025/theorem1/some-weights",
            "Every arm of the effective Pareto front is best for some weights",
            "for any arm of the front there are such weights",
            "no contradiction on any table",
            never(NEVER),
            kind="check",
        ),
        Claim(
            "molts2025/theorem1/unique-arm",
            "An arm that is the only best one for some weights is on the effective Pareto front",
            "for any weights, a best arm that is unique is on the front",
            "no contradiction on any table",
            never(OUTSIDE),
            kind="check",
        ),
    ),
)
