"""What came out of a metric, and what the metric is, in sentences."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from mobandits.figures.formatting import best_value, folded, join_words, spoken, title_of
from mobandits.figures.metric_tables import mean_cell, ranked
from mobandits.metrics.traits import traits_of

# Why no page shows the Pareto regret without a word: Guan and Xu, arXiv:2604.07096, 2026.
ALONE = (
    " It says little alone: a policy that plays one arm of the front for ever has none, whatever it "
    "leaves to other objectives. The effective and the max-min regret, and the front recall, tell."
)
NAMED = 2  # policies in a sentence about the best ones


def best_sentence(means: pl.DataFrame, metric: str, where: str = "") -> str:
    """Which policy has the best mean of a metric, how sure, and which comes next.

    Nothing where it is not known which values are better, or nothing can be compared.

    Args:
        means: as in `results_table`.
        metric: its name.
        where: the end of the first part, such as " in Linear()".

    Example:
        >>> row = {"column": "", "low": 0.5, "high": 2.5, "trials": 3}
        >>> means = pl.DataFrame([{"policy": "a", "mean": 1.5, **row}])
        >>> best_sentence(means, "pareto_regret")
        'Lowest Pareto regret: a, 1.5 ± 1.0.'
    """
    better = best_value(metric)
    if better is None:
        return ""

    column = means["column"][0]
    own = {row["policy"]: row for row in means.filter(column=column).rows(named=True)}
    names = []
    for name in ranked(means, metric).names:
        row = own.get(name)
        if row is not None and not row.get("early", False) and not math.isnan(row["mean"]):
            names.append(name)

    if not names:
        return ""

    called = f"{spoken(metric)}, {column}" if column else spoken(metric)
    best = f"{better.capitalize()} {called}{where}: {_named(own, names[:1])}"
    next_ones = names[1:NAMED]
    if not next_ones:
        return f"{best}."

    return f"{best}; then {_named(own, next_ones)}."


def _named(rows: Mapping[str, Mapping[str, Any]], names: Sequence[str]) -> str:
    return join_words([f"{folded(name)}, {mean_cell(rows[name])}" for name in names])


def meaning_of(metric: str) -> str:
    """What a metric is, as a sentence; empty where it is not known.

    Example:
        >>> meaning_of("plays")
        'Plays: how often each arm was played.'
    """
    meaning = traits_of(metric).meaning
    if not meaning:
        return ""

    caution = ALONE if metric == "pareto_regret" else ""

    return f"{title_of(metric)}: {meaning}.{caution}"
