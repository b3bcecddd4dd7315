"""mob.front and mob.gaps: the checks at the face, and speed at 2000 arms."""

import time
from fractions import Fraction

import numpy as np
import pytest
from twins import orders as twins

from mobandits.contracts.protocols import Beliefs
from mobandits.fronts import front, gaps
from mobandits.orders import (
    ChainFilter,
    Chains,
    Chebyshev,
    Dominant,
    EffectivePareto,
    ExploreWide,
    Levels,
    Lexicographic,
    Pareto,
    Weighted,
)

ORDERS = {
    Pareto(): 1,
    Lexicographic(): 4,
    Levels([[0, 1], [2], [3]]): 3,
    Chains([[0, 1], [2, 3]]): 2,
    ChainFilter([[0, 1, 2], [3]]): 3,
    Weighted([1, 2, 3, 4]): 1,
    Chebyshev([1, 2, 3, 4], [0, 0, 0, 0]): 1,
    Dominant(margin=0.1, doubt=0.1): 4,
    ExploreWide(Levels([[0, 1], [2, 3]]), epsilon=0.1): 2,
}


@pytest.mark.parametrize(("order", "digits"), ORDERS.items(), ids=str)
def test_shapes_and_speed_at_two_thousand_arms(order, digits):
    means = np.abs(np.random.default_rng(0).standard_normal((2000, 4)))
    means /= np.linalg.norm(means, axis=1, keepdims=True)  # all of them on the Pareto front
    front(means[:3], order), gaps(means[:3], order)
    start = time.perf_counter()
    mask, lost = front(means, order), gaps(means, order)
    assert time.perf_counter() - start < 2.0
    assert mask.dtype == np.bool_
    assert mask.shape == (2000,)
    assert lost.dtype == np.float64
    assert lost.shape == (2000, digits)


def test_pareto_is_the_default():
    means = np.random.default_rng(1).random((30, 3))
    np.testing.assert_array_equal(front(means), twins.pareto_front(means))
    np.testing.assert_array_equal(gaps(means)[:, 0], twins.pareto_gap_closed(means))


@pytest.mark.parametrize(
    "means",
    [
        [[1, 2], [2, 1], [0, 0]],
        np.array([[1, 2], [2, 1], [0, 0]], np.int32),
        np.array([[1, 2, 0], [2, 1, 0]]).T.astype(np.float32),
        np.asfortranarray([[1.0, 2.0], [2.0, 1.0], [0.0, 0.0]]),
        np.array([[1, 9, 2, 9], [2, 9, 1, 9], [0, 9, 0, 9]], ">f8")[:, ::2],
        [[Fraction(1), 2], [2, 1], [0, 0]],
    ],
)
def test_any_table_of_numbers_will_do(means):
    assert front(means).tolist() == [True, True, False]
    assert gaps(means).tolist() == [[0.0], [0.0], [1.0]]


def test_inputs_are_left_alone_and_may_be_read_only():
    means = np.random.default_rng(2).random((5, 4))
    before = means.copy()
    means.setflags(write=False)
    for order in ORDERS:
        front(means, order)
        gaps(means, order)
    np.testing.assert_array_equal(means, before)


@pytest.mark.parametrize(
    ("means", "said"),
    [
        ([], r"means must have shape \(arms, objectives\), got \(0,\)"),
        ([[]], r"means must not be empty, got shape \(1, 0\)"),
        (np.zeros((0, 2)), r"means must not be empty, got shape \(0, 2\)"),
        ([1.0, 2.0], r"means must have shape \(arms, objectives\), got \(2,\)"),
        (np.zeros((2, 2, 2)), r"means must have shape \(arms, objectives\), got \(2, 2, 2\)"),
        (3.0, r"means must have shape \(arms, objectives\), got \(\)"),
        ([[1.0], [np.nan]], r"means must be .*, got nan at arm 1, objective 0"),
        ([["1", "2"]], r"means must be numbers of shape \(arms, objectives\), got"),
        ([[1j, 2]], r"means must be numbers"),
        ([[1, 2], [3]], r"means must be numbers"),
        ([[object(), 1]], r"means must be numbers"),
        ("means", r"means must be numbers"),
        ([[0, np.inf], [1, 2]], r"means must be finite, got inf at arm 0, objective 1"),
        ([[0, 1], [-np.inf, 2]], r"means must be finite, got -inf at arm 1, objective 0"),
        ([[10**400, 1]], r"means must be numbers of shape \(arms, objectives\), got \[\[10+\.\.\."),
        (
            np.ma.array([[0.0, 1.0]], mask=[[True, False]]),
            r"means must have no masked entries, got masked_array\(",
        ),
        (
            [np.ma.array([1.0, 9.0], mask=[False, True]), [1.0, 2.0]],
            r"means must have no masked entries, got \[",
        ),
    ],
)
@pytest.mark.parametrize("function", [front, gaps])
def test_means_are_checked(function, means, said):
    with pytest.raises(ValueError, match=said):
        function(means)


@pytest.mark.parametrize("order", [*ORDERS, EffectivePareto()], ids=str)
def test_means_are_finite_and_bounds_need_not_be(order):
    """Both faces take true means; an order itself takes the bounds of arms that were never played."""
    never_played = np.array([[np.inf] * 4, [4.0, 3.0, 2.0, 1.0]])
    for function in (front, gaps):
        with pytest.raises(ValueError, match="means must be finite, got inf at arm 0, objective 0"):
            function(never_played, order)
    if not isinstance(order, ExploreWide):
        assert order.front(Beliefs(never_played, never_played, never_played)).tolist() == [
            True,
            False,
        ]


@pytest.mark.parametrize("function", [front, gaps])
def test_arms_too_far_apart_cannot_be_mixed(function):
    with pytest.raises(
        ValueError, match=r"means must have finite ranges for EffectivePareto, got \[inf, 1\.0\]"
    ):
        function([[1e308, 0.0], [-1e308, 1.0]], EffectivePareto())


@pytest.mark.parametrize("function", [front, gaps])
@pytest.mark.parametrize(
    ("order", "said"),
    [
        (
            Pareto,
            r"order must be an order such as Pareto\(\), got <class .*; write Pareto\(...\), an object of that class",
        ),
        ("pareto", r"order must be an order such as Pareto\(\), got 'pareto'"),
        (None, r"order must be an order such as Pareto\(\), got None"),
        (Pareto(on=[0, 2]), r"Pareto\.on must name objectives below 2, got 2"),
        (Chains([[0, 1], [2]]), r"Chains\.chains must name objectives below 2, got 2"),
        (Chains([[0]]), r"Chains\.chains must name each of the 2 objectives, got no 1"),
        (Levels([[1]]), r"Levels\.levels must name each of the 2 objectives, got no 0"),
        (Weighted([1]), r"Weighted\.weights must have one entry per objective, 2, got \[1.0\]"),
        (ExploreWide(Weighted([1]), 0.1), r"Weighted\.weights must have one entry per objective"),
    ],
)
def test_orders_are_checked(function, order, said):
    with pytest.raises(ValueError, match=said):
        function([[1, 2], [3, 4]], order)


def test_decimals_make_ties_exact():
    means = [[0.3, 1.0], [0.1 + 0.2, 3.0]]
    assert gaps(means, Lexicographic()).tolist()[1] == [0.0, 0.0]
    assert gaps(means, Lexicographic()).tolist()[0] != [0.0, 2.0]
    assert gaps(means, Lexicographic(), decimals=2).tolist() == [[0.0, 2.0], [0.0, 0.0]]


def test_gaps_of_rounded_means_are_decimal_fractions():
    means = np.random.default_rng(3).random((50, 4))
    for order in ORDERS:
        exact = gaps(means, order, decimals=2)
        np.testing.assert_array_equal(exact, np.rint(100.0 * exact) / 100.0)
    np.testing.assert_allclose(gaps(means, decimals=2), gaps(means.round(2)), atol=1e-12)


@pytest.mark.parametrize("decimals", [-1, 0.5, "2", 16])
def test_decimals_are_checked(decimals):
    with pytest.raises(ValueError, match="decimals must"):
        gaps([[1.0]], decimals=decimals)


class Upside:
    """An order of a user's own, in plain Python: the smallest first objective wins."""

    def front(self, beliefs):
        return beliefs.high[:, 0] == beliefs.high[:, 0].min()

    def draw(self, beliefs, rng):
        return int(rng.choice(np.flatnonzero(self.front(beliefs))))

    def gap(self, means, arm):
        return self.gaps(means)[arm]

    def gaps(self, means):
        return means[:, :1] - means[:, :1].min()


def test_a_plain_python_order_will_do():
    assert front([[3, 1], [2, 9]], Upside()).tolist() == [False, True]
    assert gaps([[3, 1], [2, 9]], Upside()).tolist() == [[1.0], [0.0]]
