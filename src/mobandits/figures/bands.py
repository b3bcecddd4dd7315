"""Means over trials, with 95 % intervals."""

import polars as pl

FEW = (12.7062, 4.30265, 3.18245, 2.77645, 2.57058, 2.44691, 2.36462)  # Student's t, 97.5 %, 1 to 7 degrees of freedom
NORMAL = 1.959964


def student(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: how many standard errors a 95 % interval reaches.

    Reference:
        Abramowitz and Stegun, 26.7.5, from 8 degrees of freedom on, where it errs by less than 0.00003.

    Example:
        >>> round(student(2), 2), round(student(9), 2), round(student(1000), 2)
        (4.3, 2.26, 1.96)
    """
    if freedom <= len(FEW):
        return FEW[freedom - 1]
    z, n = NORMAL, float(freedom)
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
    )
    return float(sum(term / n**power for power, term in enumerate(terms)))


def bands(table: pl.DataFrame, by: list[str]) -> pl.DataFrame:
    """Mean and 95 % interval of `value` over trials, for every combination of the columns `by`, in order of appearance.

    Args:
        table: one row per trial and combination, with a column `value`.
        by: names of columns.

    Returns:
        The columns `by`, then `mean`, `low`, `high` float and `trials` int; low = mean = high where there is one trial.

    Example:
        >>> bands(pl.DataFrame({"policy": ["a", "a"], "trial": [0, 1], "value": [1.0, 3.0]}), ["policy"]).rows()
        [('a', 2.0, -10.7062, 14.7062, 2)]
    """
    groups = table.group_by(by, maintain_order=True).agg(
        mean=pl.col("value").mean(), spread=pl.col("value").std(), trials=pl.len().cast(pl.Int64)
    )
    reach = pl.Series([student(n - 1) / n**0.5 if n > 1 else 0.0 for n in groups["trials"]], dtype=pl.Float64)
    half = groups["spread"].fill_null(0.0) * reach
    low, high = pl.col("mean") - half, pl.col("mean") + half
    return groups.select(*by, "mean", low.alias("low"), high.alias("high"), "trials")
