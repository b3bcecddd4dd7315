"""Random Fourier features: the kernel that they stand for, and orthogonal blocks."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from mobandits.features import Fourier
from mobandits.features.fourier import drawn_waves


@pytest.mark.long
@given(st.integers(1, 40), st.integers(1, 7), st.integers(0, 5))
def test_blocks_are_orthogonal(count, features, seed):
    frequencies = drawn_waves(count, seed, features).frequencies
    assert frequencies.shape == (count, features)
    for first in range(0, count, features):
        block = frequencies[first : first + features]
        products = block @ block.T
        scale = np.diag(products).max()
        np.testing.assert_allclose(products - np.diag(np.diag(products)), 0.0, atol=1e-12 * scale)


@pytest.mark.parametrize("features", [1, 2, 5])
def test_frequencies_are_normal(features):
    waves = drawn_waves(4000, 3, features)
    # Rows of a block are dependent, so that only one of each is looked at.
    rows = waves.frequencies[::features]
    for column in rows.T:
        assert stats.kstest(column, "norm").pvalue > 1e-4
    norms = (rows**2).sum(1)
    assert stats.kstest(norms, stats.chi2(features).cdf).pvalue > 1e-4
    assert stats.kstest(waves.phases / (2 * np.pi), "uniform").pvalue > 1e-4


@pytest.mark.long
@pytest.mark.parametrize("features", [1, 3])
@pytest.mark.parametrize("length", [0.3, 1.0])
def test_products_are_near_the_gaussian_kernel(features, length):
    rows = np.random.default_rng(0).random((30, features))
    count = 4000
    waves = Fourier(count, length, seed=2)(rows)[:, 1 + features :]
    squares = ((rows[:, None] - rows) ** 2).sum(2)
    kernel = np.exp(-squares / (2.0 * length**2))
    # A product is a mean of `count` numbers in [-2, 2] with variance below 1.5.
    assert np.abs(waves @ waves.T - kernel).max() < 6.0 * np.sqrt(1.5 / count)


def test_orthogonal_blocks_are_nearer_to_it_than_independent_frequencies():
    features, count, length = 8, 64, 2.0
    rng = np.random.default_rng(1)
    rows = rng.random((20, features))
    squares = ((rows[:, None] - rows) ** 2).sum(2)
    kernel = np.exp(-squares / (2.0 * length**2))
    errors = {"orthogonal": [], "independent": []}
    for seed in range(30):
        blocks = drawn_waves(count, seed, features).frequencies
        free = rng.standard_normal((count, features))
        for name, frequencies in (("orthogonal", blocks), ("independent", free)):
            # Without phases: the mean of the cosines of differences.
            differences = (rows[:, None] - rows) @ (frequencies / length).T
            errors[name].append(((np.cos(differences).mean(2) - kernel) ** 2).mean())
    assert np.mean(errors["orthogonal"]) < 0.8 * np.mean(errors["independent"])


def test_the_seed_alone_decides():
    assert Fourier(9, 0.5, 3).bind(2) == Fourier(9, 0.5, 3).bind(2)
    assert Fourier(9, 0.5, 3).bind(2) != Fourier(9, 0.5, 4).bind(2)
    one, other = drawn_waves(9, 3, 2), drawn_waves(9, 3, 2)
    np.testing.assert_array_equal(one.frequencies, other.frequencies)


def test_saved_agents_find_the_same_waves():
    """These numbers are in files of agents: they must stay what they are."""
    waves = drawn_waves(3, 0, 2)
    assert waves.frequencies.round(6).tolist() == FREQUENCIES
    assert waves.phases.round(6).tolist() == PHASES


FREQUENCIES = [[0.731084, 0.376883], [0.579036, -1.123225], [0.513029, 0.39996]]
PHASES = [1.611901, 5.525934, 5.839267]
