"""Two runs compared: every policy of one with the policy of the same name in the other.

Symbols: x_t is the metric of a policy in trial t of the first run, y_t in trial t of the other one,
both at the last round that both runs have recorded.

Runs with the same environment and seed have drawn the same problems and rounds in trial t, so that
d_t = y_t - x_t varies less than either. Elsewhere the trials of the runs are independent samples.
"""

import math
from typing import NamedTuple

import numpy as np
import polars as pl

from mobandits.comparison.pairs import ROUNDING, pairs_against
from mobandits.contracts.protocols import Array
from mobandits.statistics.bands import UPPER
from mobandits.statistics.quantiles import student_quantile, student_tail
from mobandits.statistics.signed_rank import SIGNIFICANCE, holm

VALUES = ["policy", "component", "round", "trial", "value"]
COLUMNS = ["policy", "component", "round", "first", "other", "difference", "low", "high", "p_value"]


class Difference(NamedTuple):
    """The other run less the first one.

    Attributes:
        mean: of the differences, or the difference of the means.
        low: the lower end of its 95 % interval; NaN where it is not known.
        high: the upper end; NaN likewise.
        p_value: of the two-sided test that there is none.
        is_shown: whether the test at 5 % and the interval speak for the same side of 0.
    """

    mean: float
    low: float = math.nan
    high: float = math.nan
    p_value: float = 1.0
    is_shown: bool = False


def final_values(
    first: pl.DataFrame, other: pl.DataFrame, metric: str, *, paired: bool
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The values to compare: rows of both runs with the same policy, component and round.

    Args:
        first: rows as `simulate` records them, of one environment.
        other: likewise.
        metric: a name in the column `metric` of both.
        paired: whether only trials that both runs have are compared.

    Returns:
        The columns `VALUES` of both; none where no policy and recorded round is common.
    """
    keys = VALUES[:4] if paired else VALUES[:3]
    is_measured = pl.col("metric") == metric
    own = first.filter(is_measured).select(VALUES)
    theirs = other.filter(is_measured).select(VALUES)
    common = own.join(theirs, on=keys, how="semi", maintain_order="left")
    # Policies may end early, and one run may be longer than the other.
    end = pl.col("round").max()
    own_end = end.over("policy", "component")
    last = common.filter(pl.col("round") == own_end)

    return last, theirs.join(last, on=keys, how="semi", maintain_order="left")


def run_differences(first: pl.DataFrame, other: pl.DataFrame, *, paired: bool) -> pl.DataFrame:
    """The differences of every policy and component between two runs.

    - Paired: the mean of d_t, its interval and the signed-rank test, as in `compare`.
    - Else: Welch's t-test of the means, with its interval.

    Args:
        first: values of the first run, from `final_values`.
        other: those of the other one.
        paired: as in `final_values`.

    Returns:
        `policy`, `component`, `round`, the means `first` and `other`, `difference`, its 95 %
        interval `low` and `high` (NaN where a run has one trial), `p_value`, `p_holm` after Holm's
        correction over all rows, `sure`.

    Reference:
        Welch, "The generalization of 'Student's' problem when several different population
        variances are involved", Biometrika 34, 1947. Holm, 1979.

    Example:
        >>> rows = {"policy": "a", "component": 0, "round": 9, "trial": range(8)}
        >>> first = pl.DataFrame({**rows, "value": [1.0, 5.0, 2.0, 4.0, 3.0, 6.0, 8.0, 7.0]})
        >>> other = first.with_columns(value=pl.col("value") + 1.0 + pl.col("trial") / 10)
        >>> paired = run_differences(first, other, paired=True)
        >>> paired.select(pl.col("difference").round(2), "sure").rows()
        [(1.35, True)]
        >>> run_differences(first, other, paired=False)["sure"].to_list()
        [False]
    """
    rows = []
    differences = []
    for group in first.partition_by("policy", "component", maintain_order=True):
        policy, component, end = group.select("policy", "component", "round").row(0)
        own = _by_trial(group)
        theirs = _by_trial(other.filter(policy=policy, component=component))
        difference = _difference(own, theirs, paired=paired)
        differences.append(difference)
        means = float(own.mean()), float(theirs.mean())
        rows.append((policy, component, end, *means, *difference[:4]))

    p_holm = holm(np.array([each.p_value for each in differences]))
    is_shown = np.array([each.is_shown for each in differences], np.bool_)
    # A corrected p-value is never smaller.
    is_sure = is_shown & (p_holm <= SIGNIFICANCE)
    table = pl.DataFrame(rows, COLUMNS, orient="row")
    corrected = pl.Series("p_holm", p_holm)
    sure = pl.Series("sure", is_sure)

    return table.with_columns(corrected, sure)


def _by_trial(values: pl.DataFrame) -> Array:
    return values.sort("trial")["value"].to_numpy()


def _difference(first: Array, other: Array, *, paired: bool) -> Difference:
    mean = float(other.mean() - first.mean())
    # As of regrets that may be infinite.
    if not math.isfinite(mean):
        return Difference(math.nan)

    if paired:
        # The direction only matters for the share of better trials, which nobody asks for.
        (pair,) = pairs_against(np.column_stack([first, other]), 0, "larger")
        p_value = pair.test.p_value
        return Difference(*pair.mean, p_value, pair.is_shown(p_value))

    return _welch(first, other, mean)


def _welch(first: Array, other: Array, mean: float) -> Difference:
    # Not scipy.stats.ttest_ind, which warns where all values of one run are equal.
    sizes = np.array([len(first), len(other)])
    if sizes.min() < 2:
        return Difference(mean)

    freedoms = sizes - 1
    # Of the means: s^2 / n.
    variances = np.array([first.var(), other.var()]) / freedoms
    total = float(variances.sum())
    error = math.sqrt(total)
    # Without variance, other than of rounding, there is no statistic.
    if error <= ROUNDING * np.abs(first).max():
        return Difference(mean)

    shares = variances / total
    inverse_freedom = float((shares**2 / freedoms).sum())
    freedom = 1.0 / inverse_freedom
    half_width = student_quantile(UPPER, freedom) * error
    low = mean - half_width
    high = mean + half_width
    statistic = np.array(abs(mean) / error)
    p_value = 2.0 * float(student_tail(statistic, freedom))

    return Difference(mean, low, high, p_value, p_value <= SIGNIFICANCE)
