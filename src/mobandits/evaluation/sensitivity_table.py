"""Values of targets where odds are not the estimated ones, as a table and as pages have them."""

from collections.abc import Sequence
from typing import Any

import polars as pl

from mobandits.evaluation.comparison import Comparison
from mobandits.evaluation.own_values import own_ends
from mobandits.evaluation.reliability import doubts_of_weights
from mobandits.evaluation.sensitivity import GAMMAS, MOST
from mobandits.figures.contents import SensitivitySummary

SENSITIVITY: dict[str, Any] = {
    "policy": pl.String,
    "objective": pl.String,
    "gamma": pl.Float64,
    "least": pl.Float64,
    "most": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
}


def sensitivity_table(
    comparison: Comparison, gammas: Sequence[float] = GAMMAS, *, level: float = 0.95
) -> pl.DataFrame:
    """Self-normalised estimates where the odds of arms are not the estimated ones.

    Args:
        comparison: from `compare`, with estimated propensities.
        gammas: factors, at least 1, by which true odds may be off either way; see `Sensitivity`.
        level: of the joint intervals of a target and a gamma.

    Returns:
        A row per target, gamma and objective: `policy`, `objective` str, `gamma`, `least`, `most`,
        `low`, `high` float, in the objective's own direction and unit. `least` and `most` bound the
        estimate; `low` and `high` are the ends of intervals that hold sampling error, too. No row
        is of the logging policy, or of a comparison with logged propensities.

    Raises:
        ValueError: where a gamma or the level is out of its range.

    Example:
        >>> import numpy as np
        >>> from mobandits.evaluation import ConstantTarget, compare
        >>> from mobandits.logs import Feedback
        >>> arms = np.array([0, 1] * 100)
        >>> rewards = [[0.0], [0.5], [1.0], [0.5]] * 50
        >>> log = Feedback(np.ones((200, 1)), arms, rewards, [np.nan] * 200, "ab", ["q"])
        >>> found = compare(log, {"a": ConstantTarget("a")}, "snips", propensities="estimated")
        >>> sensitivity_table(found, [2.0]).select(pl.col("least", "most").round(2)).rows()
        [(0.33, 0.67)]
    """
    rows = []
    objectives = comparison.objectives
    names = [str(each.name) for each in objectives]
    for name in comparison.targets:
        found = comparison[name, comparison.estimators[0]].sensitivity
        if found is None:
            continue

        for gamma in gammas:
            bounds = own_ends(found.bounds(gamma), objectives)
            ends = own_ends(found.box(gamma, level), objectives)
            columns = (column.tolist() for column in (*bounds, *ends))
            for objective, *numbers in zip(names, *columns, strict=True):
                rows.append((name, objective, gamma, *numbers))

    return pl.DataFrame(rows, SENSITIVITY, orient="row")


def sensitivity_summaries(comparison: Comparison, level: float) -> list[SensitivitySummary]:
    """What evaluation.json says of wrong odds: a row per policy and objective.

    Args:
        comparison: from `compare`.
        level: of joint intervals and claims.
    """
    bounds = sensitivity_table(comparison, (1.0, *GAMMAS), level=level)
    by_row = bounds.partition_by("policy", "objective", as_dict=True, include_key=False)
    rows: list[SensitivitySummary] = []
    for name in comparison.targets:
        estimate = comparison[name, comparison.estimators[0]]
        found = estimate.sensitivity
        if found is None:
            continue

        doubts = doubts_of_weights(estimate)
        for each in found.robustness(level):
            objective = str(each.objective)
            rows.append(
                {
                    "policy": name,
                    "objective": objective,
                    "direction": each.direction,
                    "gamma": each.gamma,
                    "at_least": each.gamma == MOST,
                    "doubt": doubts[0] if doubts else None,
                    "bounds": by_row[name, objective].rows(named=True),
                }
            )

    return rows
