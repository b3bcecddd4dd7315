"""The distributions of random points: norms, and the exact distribution of radii and directions."""

import numpy as np
import pytest
from scipy import stats

from mobandits.environments.balls import DISTRIBUTIONS, ball, clipped_gauss, sphere

POINTS = 20_000


@pytest.mark.parametrize("draw", DISTRIBUTIONS.values(), ids=DISTRIBUTIONS)
@pytest.mark.parametrize("shape", [(3,), (1, 1), (4, 5), (2, 3, 4)])
def test_shape_norm_and_seed(draw, shape):
    points = draw(np.random.default_rng(3), shape)
    assert points.shape == shape
    assert points.flags.c_contiguous
    assert np.all(np.linalg.norm(points, axis=-1) <= 1.0 + 1e-12)
    assert np.array_equal(points, draw(np.random.default_rng(3), shape))
    assert not np.array_equal(points, draw(np.random.default_rng(4), shape))


@pytest.mark.parametrize("d", [1, 2, 5, 15])
def test_radii_of_the_ball_have_the_volume_law(d):
    radii = np.linalg.norm(ball(np.random.default_rng(d), (POINTS, d)), axis=1)
    assert (
        stats.kstest(radii**d, "uniform").pvalue > 0.01
    )  # the share of the volume inside radius r is r^d


@pytest.mark.parametrize("law", [ball, sphere])
def test_directions_are_uniform(law):
    d = 4
    points = law(np.random.default_rng(0), (POINTS, d))
    directions = points / np.linalg.norm(points, axis=1, keepdims=True)
    # One coordinate x of a uniform direction: (x + 1) / 2 is Beta((d - 1) / 2, (d - 1) / 2).
    for coordinate in directions.T:
        assert (
            stats.kstest((coordinate + 1) / 2, stats.beta((d - 1) / 2, (d - 1) / 2).cdf).pvalue
            > 0.01
        )
    assert np.allclose(points.mean(axis=0), 0.0, atol=0.02)


def test_points_of_the_sphere_have_norm_one():
    assert np.allclose(
        np.linalg.norm(sphere(np.random.default_rng(0), (100, 7)), axis=1), 1.0, rtol=1e-14
    )


def test_clipped_gauss_is_normal_inside_and_on_the_sphere_beyond():
    d = 5
    points = clipped_gauss(np.random.default_rng(0), (POINTS, d))
    norms = np.linalg.norm(points, axis=1)
    inside = norms < 1.0 - 1e-12
    inner = stats.chi2(d).cdf(d)  # P(||N(0, I/d)|| < 1)
    assert abs(inside.mean() - inner) < 0.02
    assert stats.kstest(stats.chi2(d).cdf(d * norms[inside] ** 2) / inner, "uniform").pvalue > 0.01
    assert np.allclose(norms[~inside], 1.0)
