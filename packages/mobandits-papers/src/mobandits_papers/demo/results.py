"""The results of the demonstration: a row per budget, and what models and mixtures give."""

from collections.abc import Sequence

import numpy as np
import polars as pl

from mobandits.metrics import best_within_budgets
from mobandits.statistics.bands import bands
from mobandits_papers.paretobandit2026.budgets import MIXTURE, OPEN
from mobandits_papers.paretobandit2026.source import PUBLISHED, QUALITY, SPENDING

ALWAYS = "always "  # before the name of a model that answers every prompt
DOLLARS = "dollars"
POINTS = 100  # of the line of mixtures

Point = tuple[float, float]  # US dollars per 1,000 prompts, and quality


def budget_results(table: pl.DataFrame, budgets: Sequence[float]) -> pl.DataFrame:
    """The results of every budget.

    Args:
        table: rows of the demonstration.
        budgets: US dollars per 1,000 prompts, in the order of the components.

    Returns:
        A row per budget: `budget`, `quality` of the router with the interval `low` to `high` over
        logs, `spent` as a share of the budget and `most_spent` by one log, the quality of the best
        fixed `mixture`, and `published`, `published_spent` of the paper's router.
    """
    quality = bands(_rows(table, OPEN, QUALITY), ["component"])
    spending = _rows(table, OPEN, SPENDING)
    most = spending.group_by("component", maintain_order=True).agg(pl.col("value").max())
    columns = {
        "budget": budgets,
        "quality": quality["mean"],
        "low": quality["low"],
        "high": quality["high"],
        "spent": bands(spending, ["component"])["mean"],
        "most_spent": most["value"],
        "mixture": _means(table, MIXTURE, QUALITY),
        "published": _means(table, PUBLISHED, QUALITY),
        "published_spent": _means(table, PUBLISHED, SPENDING),
    }
    return pl.DataFrame(columns)


def model_points(table: pl.DataFrame) -> dict[str, Point]:
    """{"always MODEL": its point}, cheapest first."""
    names = table["policy"].unique(maintain_order=True)
    points = {}
    for name in names.filter(names.str.starts_with(ALWAYS)):
        (dollars,) = _means(table, name, DOLLARS)
        (quality,) = _means(table, name, QUALITY)
        points[name] = (dollars, quality)

    return points


def mixture_line(models: Sequence[Point]) -> list[Point]:
    """The points of the best fixed mixtures, from the cost of the cheapest model to the dearest's.

    Example:
        >>> line = mixture_line([(1.0, 0.5), (3.0, 0.9), (5.0, 0.8)])
        >>> line[0], (3.0, 0.9) in line, max(line)
        ((1.0, 0.5), True, (5.0, 0.9))
    """
    costs = np.array([dollars for dollars, _ in models])
    qualities = [quality for _, quality in models]
    grid = np.geomspace(costs.min(), costs.max(), POINTS)
    line = []
    # The line bends at the models.
    for dollars in np.union1d(grid, costs).tolist():
        best = best_within_budgets(qualities, costs[:, None], [dollars])
        line.append((dollars, round(best.value, 9)))

    return line


def _rows(table: pl.DataFrame, policy: str, metric: str) -> pl.DataFrame:
    of_policy = pl.col("policy") == policy
    of_metric = pl.col("metric") == metric
    return table.filter(of_policy & of_metric)


def _means(table: pl.DataFrame, policy: str, metric: str) -> list[float]:
    """The mean over logs of every component."""
    means: list[float] = bands(_rows(table, policy, metric), ["component"])["mean"].to_list()
    return means
