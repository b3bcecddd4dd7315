"""Intervals where rows and columns are both samples."""

import numpy as np

from mobandits.statistics.crossed import crossed_interval


def two_way(rng, rows, columns):
    """Effects of rows, of columns and of cells around a mean of 0."""
    of_rows = rng.normal(size=(rows, 1))
    of_columns = rng.normal(size=(1, columns))
    return of_rows + of_columns + 0.5 * rng.normal(size=(rows, columns))


def test_intervals_hold_the_mean():
    rng = np.random.default_rng(0)
    held = 0
    for _ in range(200):
        table = two_way(rng, 20, 30)
        low, high = crossed_interval(lambda r, c, t=table: float(r @ t @ c), 20, 30, rng, draws=200)
        held += low <= 0.0 <= high
    # 95 % of 200 are 190, with a standard deviation of 3.
    assert held >= 180


def test_to_resample_rows_alone_would_be_too_narrow():
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(200):
        table = two_way(rng, 20, 30)
        means = table.mean(axis=1)
        resampled = means[rng.integers(20, size=(200, 20))].mean(axis=1)
        low, high = np.quantile(resampled, [0.025, 0.975])
        held += low <= 0.0 <= high
    assert held < 175


def test_a_constant_has_no_width():
    low, high = crossed_interval(
        lambda r, c: float(r.sum() * c.sum()), 3, 4, np.random.default_rng(0), draws=50
    )
    assert abs(low - 1.0) < 1e-12
    assert abs(high - 1.0) < 1e-12
