"""`FixedRidge` against `Ridge`, which computes means and widths anew in every round."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from training import asked, drawn, in_parts, lessons, trained

from mobandits.contracts.protocols import Shape
from mobandits.estimators import FixedRidge, Ridge, ridge_for
from mobandits.estimators.linear import REFRESH

D, K, L, PENALTY = 3, 5, 2, 0.5
ROWS = np.random.default_rng(4).standard_normal((K, D))
SLOW = Ridge(D, L, PENALTY)
FAST = FixedRidge(SLOW, ROWS)


def of_arms(n, seed):
    """Lessons whose features are those of the arms."""
    _, arms, rewards = lessons(n, D, K, L, seed)
    return ROWS[arms], arms, rewards


def assert_same(fast, slow, eligible):
    ours, theirs = (
        asked(one, state, ROWS[eligible], eligible) for one, state in ((FAST, fast), (SLOW, slow))
    )
    np.testing.assert_allclose(ours[0], theirs[0], atol=1e-10)
    np.testing.assert_allclose(ours[1], theirs[1], atol=1e-10)
    np.testing.assert_array_equal(ours[2], theirs[2])


@given(n=st.integers(0, 60), parts=st.booleans(), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=30)
def test_tables_are_what_the_regression_computes(n, parts, seed):
    given_lessons = of_arms(n, seed)
    if parts and n:
        given_lessons = in_parts(*given_lessons, seed)
    eligible = np.array([4, 0, 2])
    assert_same(trained(FAST, *given_lessons), trained(SLOW, *given_lessons), eligible)


@pytest.mark.long
@pytest.mark.parametrize("lessons_learned", [REFRESH - 1, REFRESH, REFRESH + 1, 3 * REFRESH + 7])
def test_tables_do_not_drift(lessons_learned):
    given_lessons = of_arms(lessons_learned, 1)
    assert_same(trained(FAST, *given_lessons), trained(SLOW, *given_lessons), np.arange(K))


def test_samples_are_those_of_the_regression():
    given_lessons, radius = of_arms(30, 2), np.full((1, 1), 0.7)
    samples = [
        drawn(
            one,
            trained(one, *given_lessons),
            ROWS,
            np.arange(K),
            3,
            radius,
            5,
            seed=1,
            objectives=L,
        )
        for one in (FAST, SLOW)
    ]
    np.testing.assert_allclose(*samples, atol=1e-10)


def test_fixed_arms_get_it():
    assert ridge_for(Shape(K, D, L, fixed_arms=ROWS), PENALTY) == FAST
    assert ridge_for(Shape(K, D, L), PENALTY) == SLOW
