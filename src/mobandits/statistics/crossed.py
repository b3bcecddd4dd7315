"""Intervals for what is computed from a table whose rows and columns are both samples.

Prompts that several trials all play are an example: another sample would have other trials, and
other prompts too. To resample one of the two alone says nothing about the other.
"""

from collections.abc import Callable

import numpy as np

from mobandits.contracts.protocols import Array, Rng

Statistic = Callable[[Array, Array], float]


def crossed_interval(
    statistic: Statistic,
    rows: int,
    columns: int,
    rng: Rng,
    draws: int = 2000,
    coverage: float = 0.95,
) -> tuple[float, float]:
    """The percentile interval of a statistic when rows and columns are resampled together.

    Every draw resamples rows with replacement, and columns apart from them; a cell has the product
    of both weights. For a mean, the variance of the draws is at least the true one: the interval
    is rather too wide.

    Args:
        statistic: called with (rows,) and (columns,) weights, each with sum 1.
        rows: how many there are.
        columns: how many there are.
        rng: the stream of the draws.
        draws: how many resamples.
        coverage: of the interval.

    Reference:
        Owen, "The pigeonhole bootstrap", Annals of Applied Statistics 1(2), 2007.

    Example:
        >>> table = np.arange(6.0).reshape(2, 3)
        >>> def mean(over_rows, over_columns):
        ...     return float(over_rows @ table @ over_columns)
        >>> low, high = crossed_interval(mean, 2, 3, np.random.default_rng(0))
        >>> 0.0 <= low < 2.5 < high <= 5.0
        True
    """
    values = np.empty(draws)
    for i in range(draws):
        over_rows = _resampled(rows, rng)
        over_columns = _resampled(columns, rng)
        values[i] = statistic(over_rows, over_columns)

    tail = (1.0 - coverage) / 2.0
    low, high = np.quantile(values, [tail, 1.0 - tail])

    return float(low), float(high)


def _resampled(count: int, rng: Rng) -> Array:
    """The weights of so many units in a sample of the same size, drawn with replacement."""
    drawn = rng.integers(count, size=count)
    times = np.bincount(drawn, minlength=count)
    weights: Array = times / count

    return weights
