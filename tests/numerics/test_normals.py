"""Compiled normals are those of NumPy, to the last bit."""

import numpy as np
import pytest

from mobandits.numerics.normals import FEW, normals


@pytest.mark.parametrize(
    "size", [0, 1, FEW - 1, FEW, 3_000_000]
)  # of three million some 800 come from the tails
def test_the_same_numbers_and_the_same_state_as_numpy(size):
    ours, theirs = np.random.default_rng(size), np.random.default_rng(size)
    np.testing.assert_array_equal(normals(ours, (size,)), theirs.standard_normal(size))
    assert ours.bit_generator.state == theirs.bit_generator.state


@pytest.mark.parametrize(
    "generator", [np.random.PCG64DXSM, np.random.MT19937, np.random.Philox, np.random.SFC64]
)
def test_every_bit_generator_will_do(generator):
    ours, theirs = np.random.Generator(generator(7)), np.random.Generator(generator(7))
    np.testing.assert_array_equal(normals(ours, (20, 50, 3)), theirs.standard_normal((20, 50, 3)))
