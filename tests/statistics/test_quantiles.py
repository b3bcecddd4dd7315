"""Quantiles against SciPy's distributions."""

import numpy as np
import pytest
from scipy import stats

from mobandits.statistics.quantiles import hotelling_square, student_quantile, student_tail


@pytest.mark.parametrize("freedom", [1, 2.3, 7, 10**6])
def test_student(freedom):
    assert student_quantile(0.95, freedom) == pytest.approx(stats.t.ppf(0.95, freedom))
    values = np.array([-np.inf, -1.0, 0.0, 8.0, np.inf])
    np.testing.assert_allclose(
        student_tail(values, freedom), stats.t.sf(values, freedom), rtol=1e-9
    )


def test_hotelling_comes_to_chi_square():
    assert hotelling_square(0.95, 3, 10**8, 10**8) == pytest.approx(
        stats.chi2.ppf(0.95, 3), rel=1e-6
    )


def test_hotelling_takes_degrees_of_freedom_of_both_kinds():
    assert hotelling_square(0.95, 3, 19.5, 19.5) == pytest.approx(
        3 * 19.5 / 17.5 * stats.f.ppf(0.95, 3, 17.5)
    )
    assert hotelling_square(0.95, 3, 19.5, 6.5) == pytest.approx(
        3 * 19.5 / 17.5 * stats.f.ppf(0.95, 3, 6.5)
    )
    assert hotelling_square(0.95, 3, 2, 2) == np.inf


def test_one_dimension_is_student():
    assert hotelling_square(0.95, 1, 6.5, 6.5) == pytest.approx(stats.t.ppf(0.975, 6.5) ** 2)
