"""Average ranks of policies over several problems."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from mobandits.comparison.pairing import PairedValues
from mobandits.metrics.metric import Better
from mobandits.statistics.friedman import friedman

RANKS: dict[str, Any] = {
    "component": pl.Int64,
    "policy": pl.String,
    "rank": pl.Float64,
    "problems": pl.Int64,
    "p_value": pl.Float64,
    "critical_difference": pl.Float64,
}


def average_ranks(all_values: Sequence[PairedValues], better: Better) -> pl.DataFrame:
    """The average rank of every policy by its means over trials, 1 is best, with Friedman's test.

    Args:
        all_values: of all problems; an experiment and its environment are one.
        better: which values are better.

    Returns:
        `component`, `policy`, `rank`, `problems`, `p_value` of Friedman's test, and
        `critical_difference`; from best to worst. It is empty where there is one problem.
    """
    components = dict.fromkeys(values.component for values in all_values)
    rows: list[dict[str, Any]] = []
    for component in components:
        own = [values for values in all_values if values.component == component]
        if len(own) > 1:
            rows += _rows_of(component, own, better)

    return pl.DataFrame(rows, RANKS)


def _rows_of(component: int, own: Sequence[PairedValues], better: Better) -> list[dict[str, Any]]:
    means = np.array([values.values.mean(axis=0) for values in own])
    losses = means if better == "smaller" else -means
    test = friedman(losses)
    policies = own[0].policies
    order = np.argsort(test.ranks, kind="stable")
    rows = []
    for j in order.tolist():
        row = {
            "component": component,
            "policy": policies[j],
            "rank": float(test.ranks[j]),
            "problems": len(own),
            "p_value": test.p_value,
            "critical_difference": test.critical_difference,
        }
        rows.append(row)

    return rows
