"""Preference cones: Pareto is the identity's, and dominance is membership of a difference in the cone."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import mobandits as mob
from mobandits.contracts.protocols import Beliefs
from mobandits.orders import Cone, Pareto

TABLES = arrays(
    np.float64, st.tuples(st.integers(1, 8), st.just(3)), elements=st.integers(-3, 3).map(float)
)
MATRICES = arrays(
    np.float64,
    st.tuples(st.integers(1, 4), st.just(3)),
    elements=st.sampled_from([-1.0, 0.0, 0.5, 1.0, 2.0]),
).filter(lambda W: W.any(axis=1).all())


@pytest.mark.long
@given(TABLES)
def test_the_identity_is_the_pareto_order(means):
    cone = Cone(np.eye(3))
    assert mob.front(means, cone).tolist() == mob.front(means, Pareto()).tolist()
    assert mob.gaps(means, cone).tolist() == mob.gaps(means, Pareto()).tolist()
    beliefs = Beliefs(means, means, means)
    draws = [order.draw(beliefs, np.random.default_rng(4)) for order in (cone, Pareto())]
    assert draws[0] == draws[1]


@pytest.mark.long
@given(TABLES, MATRICES)
def test_an_arm_is_on_the_front_where_no_difference_lies_in_the_cone(means, W):
    front = mob.front(means, Cone(W))
    for a in range(len(means)):
        gains = (means - means[a]) @ W.T
        beaten = ((gains >= 0.0).all(axis=1) & (gains > 0.0).any(axis=1)).any()
        assert front[a] == (not beaten)


@pytest.mark.long
@given(TABLES, MATRICES)
def test_the_gap_is_what_every_row_must_gain(means, W):
    gaps = mob.gaps(means, Cone(W))
    for a in range(len(means)):
        gains = ((means - means[a]) @ W.T).min(axis=1)
        assert gaps[a, 0] == pytest.approx(max(gains.max(), 0.0))


def test_bounds_take_the_lower_end_where_a_coefficient_is_negative():
    low = np.array([[0.0, 0.0], [0.0, 1.0]])
    high = np.array([[1.0, 3.0], [1.0, 2.0]])
    front = Cone([[1.0, -1.0]]).front(Beliefs((low + high) / 2.0, low, high))
    assert front.tolist() == [True, False]  # 1 - 0 against 1 - 1


def test_arms_without_an_interval_are_on_the_front():
    high = np.array([[np.inf, np.inf], [1.0, 1.0]])
    front = Cone([[1.0, 0.5], [1.0, -0.5]]).front(Beliefs(np.zeros((2, 2)), -high, high))
    assert front.tolist() == [True, False]


@pytest.mark.parametrize(
    "rows", [[1.0, 2.0], [], [[np.nan, 1.0]], [[0.0, 0.0], [1.0, 0.0]], [["x"]]]
)
def test_other_matrices_are_refused(rows):
    with pytest.raises(ValueError, match=r"Cone\.rows must be"):
        Cone(rows)


def test_another_number_of_objectives_is_refused():
    with pytest.raises(ValueError, match="one column per objective, 3, got 2"):
        mob.front(np.eye(3), Cone(np.eye(2)))
