"""Gross-scalars: digits compared lexicographically, added one by one."""

import copy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits.orders import GrossScalar

DIGITS = st.lists(st.integers(-3, 3), max_size=4)


def padded(digits):
    return (*digits, *[0] * (4 - len(digits)))


@given(DIGITS, DIGITS)
def test_comparison_is_lexicographic_after_padding(x, y):
    left, right = GrossScalar(x), GrossScalar(y)
    assert (left < right) == (padded(x) < padded(y))
    assert (left <= right) == (padded(x) <= padded(y))
    assert (left == right) == (padded(x) == padded(y))
    assert left != right or hash(left) == hash(right)


@given(DIGITS, DIGITS, st.integers(-3, 3))
def test_arithmetic_works_digit_by_digit(x, y, factor):
    left, right = GrossScalar(x), GrossScalar(y)
    assert left + right == GrossScalar([p + q for p, q in zip(padded(x), padded(y), strict=True)])
    assert left - right == left + -right
    assert factor * left == left * factor == GrossScalar([factor * p for p in x])


def test_zeros_of_both_signs_are_equal():
    assert GrossScalar((0.0, -0.0)) == GrossScalar(()) == GrossScalar((-0.0,))
    assert len({GrossScalar((0.0, -0.0)), GrossScalar(())}) == 1


def test_sums_sorting_and_copies():
    gaps = [GrossScalar(row) for row in np.array([[1.0, 0.0], [0.0, 9.0], [0.0, 2.0]])]
    assert sum(gaps, GrossScalar()) == GrossScalar((1, 11))
    assert min(gaps) == GrossScalar((0, 2))
    assert np.float64(2.0) * gaps[0] == GrossScalar((2,))
    assert copy.deepcopy(gaps[1]) == gaps[1]


@pytest.mark.parametrize("operation", ["__add__", "__sub__", "__lt__"])
def test_other_types_are_left_to_python(operation):
    assert getattr(GrossScalar((1,)), operation)(1.0) is NotImplemented
    assert GrossScalar((1,)) != 1.0
    with pytest.raises(TypeError):
        GrossScalar((1,)) * GrossScalar((1,))


@pytest.mark.parametrize("digits", [(1.0, np.nan), ("x",), 3.0, None])
def test_digits_are_checked(digits):
    with pytest.raises(ValueError, match=r"GrossScalar\.digits must .* got"):
        GrossScalar(digits)
