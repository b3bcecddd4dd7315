"""Means over trials, with 95 % intervals."""

import functools
import math

import polars as pl


@functools.cache
def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: how many standard errors a 95 % interval reaches.

    With n degrees of freedom and theta = atan(t / sqrt(n)), P(|T| <= t) is, for even n, with n / 2 terms,
    sin theta (1 + 1/2 cos^2 theta + 1/2 3/4 cos^4 theta + ...), and for odd n, with (n - 1) / 2 terms,
    2 / pi (theta + sin theta (cos theta + 2/3 cos^3 theta + 2/3 4/5 cos^5 theta + ...)).

    Reference:
        Abramowitz and Stegun, 26.7.3 and 26.7.4.

    Example:
        >>> round(student(2), 4), round(student(9), 4), round(student(1000), 4)
        (4.3027, 2.2622, 1.9623)
    """
    low = 0.0
    high = math.pi / 2
    for _ in range(60):
        theta = (low + high) / 2
        odd = freedom % 2
        term = math.cos(theta) if odd else 1.0
        total = 0.0
        for k in range((freedom - odd) // 2):
            total += term
            term *= math.cos(theta) ** 2 * (2 * k + 1 + odd) / (2 * k + 2 + odd)
        inside = 2 / math.pi * (theta + math.sin(theta) * total) if odd else math.sin(theta) * total
        low, high = (theta, high) if inside < 0.95 else (low, theta)
    return math.sqrt(freedom) * math.tan(low)


def bands(table: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Mean and 95 % interval of `value` over trials, for every combination of the columns `by`, in order of appearance.

    Args:
        table: one row per trial and combination, with a column `value`.
        by: names of columns.

    Returns:
        The columns `by`, then `mean`, `low`, `high` float and `trials` int; low = mean = high where there is one trial.

    Example:
        >>> table = pl.DataFrame({"policy": ["a", "a"], "trial": [0, 1], "value": [1.0, 3.0]})
        >>> bands(table, ["policy"]).with_columns(pl.col("low", "high").round(2)).rows()
        [('a', 2.0, -10.71, 14.71, 2)]
    """
    groups = table.group_by(by, maintain_order=True).agg(
        mean=pl.col("value").mean(), spread=pl.col("value").std(), trials=pl.len().cast(pl.Int64)
    )
    reach = pl.Series(
        [student(n - 1) / n**0.5 if n > 1 else 0.0 for n in groups["trials"]], dtype=pl.Float64
    )
    half = groups["spread"].fill_null(0.0) * reach
    low = pl.col("mean") - half
    high = pl.col("mean") + half
    return groups.select(*by, "mean", low.alias("low"), high.alias("high"), "trials")
