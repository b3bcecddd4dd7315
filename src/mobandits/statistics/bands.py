"""Means over trials, with 95 % intervals."""

import math

import polars as pl

from mobandits.statistics.quantiles import student_quantile

UPPER = 0.975  # of Student's t: 2.5 % are left out on each side


def interval_factor(trials: int) -> float:
    """The half-width of a 95 % interval for a mean of so many values, in their standard deviations.

    It is the 97.5 % quantile of Student's t with n - 1 degrees of freedom, over sqrt(n).

    Args:
        trials: n, at least 2.

    Example:
        >>> round(interval_factor(10), 4), round(interval_factor(1001) * 1001**0.5, 4)
        (0.7154, 1.9623)
    """
    # One degree is used up: the deviations are from the mean of the same values.
    freedom = trials - 1
    quantile = student_quantile(UPPER, freedom)
    return quantile / math.sqrt(trials)


def within(end: pl.Expr, mean: pl.Expr, least: pl.Expr, most: pl.Expr) -> pl.Expr:
    """The end of a confidence interval, cut at the least and the largest possible value.

    The interval that is cut holds the truth exactly as often: the truth is a possible value, so
    no more than impossible ones are lost. The mean and the other end stay as they are. An interval
    on a logarithmic scale would respect a bound of 0 too, but has no place for values of 0.

    Args:
        end: either end.
        mean: of the values.
        least: the smallest possible value.
        most: the largest possible value.
    """
    # A mean outside is no mean of this quantity; its interval is left alone.
    is_possible = (mean >= least) & (mean <= most)
    return pl.when(is_possible).then(end.clip(least, most)).otherwise(end)


def bands(
    table: pl.DataFrame,
    by: list[str],
    least: float | pl.Series = -math.inf,
    most: float | pl.Series = math.inf,
) -> pl.DataFrame:
    """Mean and 95 % interval of `value` over trials, for every combination of the columns `by`.

    Args:
        table: one row per trial and combination, with a column `value`.
        by: names of columns.
        least: the smallest possible value, at which intervals are cut, of all combinations or of
            each: see `within`.
        most: the largest possible value, likewise.

    Returns:
        The columns `by`, then `mean`, `low`, `high` float and `trials` int, in order of appearance;
        low = mean = high where there is one trial.

    Example:
        >>> table = pl.DataFrame({"policy": ["a", "a"], "trial": [0, 1], "value": [1.0, 3.0]})
        >>> bands(table, ["policy"]).with_columns(pl.col("low", "high").round(2)).rows()
        [('a', 2.0, -10.71, 14.71, 2)]
    """
    value = pl.col("value")
    groups = table.group_by(by, maintain_order=True).agg(
        mean=value.mean(),
        deviation=value.std(),
        trials=pl.len().cast(pl.Int64),
    )
    trials = groups["trials"].to_list()
    # Most tables have one number of trials, and as many rows as rounds were recorded.
    factor_of = {1: 0.0}
    for count in set(trials) - {1}:
        factor_of[count] = interval_factor(count)

    factors = pl.Series([factor_of[count] for count in trials], dtype=pl.Float64)
    # One value has no deviation. Zero and not null, since what is drawn needs a number.
    half_width = groups["deviation"].fill_null(0.0) * factors
    mean = pl.col("mean")
    smallest = pl.lit(least)
    largest = pl.lit(most)
    intervals = groups.with_columns(
        low=within(mean - half_width, mean, smallest, largest),
        high=within(mean + half_width, mean, smallest, largest),
    )

    return intervals.select(*by, "mean", "low", "high", "trials")
