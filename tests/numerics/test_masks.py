"""Masks over arms: counting, uniform picks, argmax sets, random orders of visit."""

import itertools
import math

import numpy as np
import pytest

from mobandits.numerics import masks

MASK = np.array([False, True, True, False, True])


def test_counting():
    assert masks.count(MASK) == 3
    assert masks.count(masks.everyone(4)) == 4
    assert masks.count(np.zeros(0, np.bool_)) == 0


def test_the_law_of_a_pick():
    np.testing.assert_array_equal(masks.uniform(MASK), MASK / 3)
    rng, n = np.random.default_rng(0), 9000
    counts = np.bincount([masks.pick(MASK, rng) for _ in range(n)], minlength=5)
    assert (np.abs(counts - n * MASK / 3) <= 5 * math.sqrt(n * 2 / 9) * MASK).all()


def test_a_pick_takes_one_random_number():
    one, other = np.random.default_rng(0), np.random.default_rng(0)
    masks.pick(MASK, one)
    other.random()
    assert one.bit_generator.state == other.bit_generator.state


@pytest.mark.parametrize(
    ("values", "among", "leading"),
    [
        ([1.0, 3.0, 2.0], [True, True, True], [False, True, False]),
        ([1.0, 3.0, 3.0], [True, True, True], [False, True, True]),
        ([1.0, 3.0, 2.0], [True, False, True], [False, False, True]),
        ([math.inf, 3.0, math.inf], [True, True, True], [True, False, True]),
        ([-math.inf, -math.inf], [True, False], [True, False]),
    ],
)
def test_leaders_tie_exactly(values, among, leading):
    assert masks.leaders(np.array(values), np.array(among)).tolist() == leading


def test_swapping_in_visits_all_orders_equally_often():
    rng, n, seen = (
        np.random.default_rng(1),
        6000,
        dict.fromkeys(itertools.permutations(range(3)), 0),
    )
    for _ in range(n):
        order = np.arange(3)
        visited = tuple(masks.swap_in(order, i, rng) for i in range(3))
        assert visited == tuple(order.tolist())
        seen[visited] += 1
    assert max(abs(count - n / 6) for count in seen.values()) < 5 * math.sqrt(n * 5 / 36)
