"""The explicit linear algebra against NumPy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.numerics import linalg

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.integers(1, 6)


def positive_definite(d, rng):
    a = rng.standard_normal((d, d))
    return a @ a.T + np.eye(d)


@given(d=SIZES, seed=SEEDS)
@settings(max_examples=25)
def test_dot_and_quadratic(d, seed):
    rng = np.random.default_rng(seed)
    x, y, matrix, out = (
        rng.standard_normal(d),
        rng.standard_normal(d),
        rng.standard_normal((d, d)),
        np.empty(d),
    )
    assert linalg.dot(x, y) == pytest.approx(x @ y)
    assert linalg.quadratic(matrix, x, out) == pytest.approx(x @ matrix @ x)
    np.testing.assert_allclose(out, matrix @ x)


@given(d=SIZES, arms=SIZES, seed=SEEDS)
@settings(max_examples=25)
def test_sums_over_columns(d, arms, seed):
    rng = np.random.default_rng(seed)
    columns, weights, matrix, out = (
        rng.standard_normal((d, arms)),
        rng.standard_normal(d),
        positive_definite(d, rng),
        np.empty(arms),
    )
    linalg.weigh(columns, weights, out)
    np.testing.assert_allclose(out, weights @ columns, atol=1e-12)
    linalg.weigh_quadratic(columns, matrix, out)
    np.testing.assert_allclose(out, np.einsum("ia,ij,ja->a", columns, matrix, columns), atol=1e-12)


@given(d=SIZES, seed=SEEDS)
@settings(max_examples=25)
def test_cholesky_and_inverse(d, seed):
    matrix = positive_definite(d, np.random.default_rng(seed))
    root, inverse = np.full((d, d), 7.0), np.empty((d, d))
    linalg.cholesky(matrix, root)
    np.testing.assert_allclose(np.tril(root), np.linalg.cholesky(matrix), atol=1e-12)
    assert (root[np.triu_indices(d, 1)] == 7.0).all()
    linalg.invert(matrix, inverse)
    np.testing.assert_allclose(inverse, np.linalg.inv(matrix), atol=1e-12)
    np.testing.assert_array_equal(inverse, inverse.T)


@given(d=SIZES, seed=SEEDS)
@settings(max_examples=25)
def test_rank_one_update_of_the_inverse(d, seed):
    rng = np.random.default_rng(seed)
    matrix, x = positive_definite(d, rng), rng.standard_normal(d)
    inverse = np.linalg.inv(matrix)
    inverse = 0.5 * (inverse + inverse.T)
    linalg.shrink_inverse(inverse, inverse @ x, x @ inverse @ x)
    np.testing.assert_allclose(inverse, np.linalg.inv(matrix + np.outer(x, x)), atol=1e-12)
    np.testing.assert_array_equal(inverse, inverse.T)
