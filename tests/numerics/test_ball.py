"""The projection onto a ball against the eigenvalue form, and against the conditions that define it."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.numerics.ball import project_onto_ball


def by_eigenvalues(matrix, x, bound):
    """The same Newton iteration in the eigenbasis."""
    if np.linalg.norm(x) <= bound:
        return x
    values, basis = np.linalg.eigh(matrix)
    b, nu = values * (basis.T @ x), 0.0
    for _ in range(50):
        z = b / (values + nu)
        n = np.linalg.norm(z)
        if n <= bound * (1 + 1e-13):
            break
        nu += (n / bound - 1) * n * n / np.sum(b * b / (values + nu) ** 3)
    y = basis @ z
    return y * min(1.0, bound / np.linalg.norm(y))


def badly_scaled(d, seed):
    rng = np.random.default_rng(seed)
    root = rng.standard_normal((d, d)) * 10.0 ** rng.uniform(-2, 2, d)
    return root @ root.T + 1e-2 * np.eye(d), rng.standard_normal(d) * 10.0 ** rng.uniform(-1, 2)


@given(d=st.integers(1, 8), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_equals_the_eigenvalue_form(d, seed):
    matrix, x = badly_scaled(d, seed)
    y = x.copy()
    project_onto_ball(matrix, y, 1.5)
    np.testing.assert_allclose(y, by_eigenvalues(matrix, x, 1.5), atol=1e-7)


@given(d=st.integers(1, 8), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_the_gradient_points_out_of_the_ball(d, seed):
    matrix, x = badly_scaled(d, seed)
    y = x.copy()
    project_onto_ball(matrix, y, 1.0)
    assert np.linalg.norm(y) <= 1.0 + 1e-12
    if np.linalg.norm(x) <= 1.0:
        np.testing.assert_array_equal(x, y)
    else:
        gradient = matrix @ (x - y)  # parallel to y, and outwards
        np.testing.assert_allclose(
            gradient - y * (gradient @ y), 0.0, atol=1e-6 * np.abs(matrix @ x).max()
        )
        assert gradient @ y > 0.0


def test_rescaling_is_another_point():
    matrix, x = np.diag([1.0, 100.0]), np.array([3.0, 3.0])
    y = x.copy()
    project_onto_ball(matrix, y, 1.0)
    assert abs(y[0] / y[1] - 1.0) > 0.5
