"""What every order must satisfy, whatever it compares."""

import json
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import orders as twins

from mobandits.orders import (
    ChainFilter,
    Chains,
    Chebyshev,
    Dominant,
    ExploreWide,
    Levels,
    Lexicographic,
    Pareto,
    Weighted,
)

ORDERS = [
    Pareto(),
    Pareto(on=[2, 1]),
    Lexicographic(),
    Lexicographic(tolerance=1.0),
    Levels([[2, 0], [1]]),
    Chains([[1, 0], [2]]),
    ChainFilter([[1, 0], [2]]),
    Weighted([1, 0, 2]),
    Chebyshev([1, 0, 2], [-1, 0, -1]),
    Dominant(margin=0.0, doubt=0.0),
    ExploreWide(Chains([[1], [2, 0]]), epsilon=0.5),
]
every_order = pytest.mark.parametrize("order", ORDERS, ids=str)


@pytest.mark.long
@every_order
@settings(max_examples=40)
@given(st.data())
def test_names_and_copies_of_arms_do_not_matter(order, data):
    means = data.draw(twins.tables(objectives=3, grid=True))
    moved = np.array(
        data.draw(st.lists(st.integers(0, len(means) - 1), max_size=3))
        + data.draw(st.permutations(range(len(means))))
    )
    front, gaps = twins.survey(order, means)
    front_moved, gaps_moved = twins.survey(order, means[moved])
    np.testing.assert_array_equal(front_moved, front[moved])
    np.testing.assert_array_equal(gaps_moved, gaps[moved])


@pytest.mark.long
@every_order
@settings(max_examples=40)
@given(twins.tables(objectives=3))
def test_front_arms_have_no_gap(order, means):
    front, gaps = twins.survey(order, means)
    assert not gaps[front].any()


@pytest.mark.long
@every_order
@settings(max_examples=40)
@given(twins.tables(objectives=3, grid=True), st.sampled_from([0.25, 2.0, 8.0]), st.integers(-5, 5))
def test_gaps_scale_with_the_means_and_ignore_a_common_shift(order, means, factor, shift):
    front, gaps = twins.survey(order, means)
    scaled = order.scaled(factor) if hasattr(order, "scaled") else order
    front_scaled, gaps_scaled = twins.survey(scaled, factor * means)
    np.testing.assert_array_equal(front_scaled, front)
    np.testing.assert_array_equal(gaps_scaled, factor * gaps)
    if not isinstance(order, Chebyshev):
        np.testing.assert_array_equal(twins.survey(order, means + shift)[1], gaps)


@pytest.mark.long
@every_order
def test_draws_are_uniform_on_the_front(order):
    low = np.random.default_rng(5).integers(0, 3, (12, 3)).astype(float)
    low = np.vstack([low, low])
    for half in (0.0, 0.25, 0.75):
        front, counts = (
            twins.front_of(order, low, low + 2.0 * half),
            twins.draws(order, low, low + 2.0 * half),
        )
        assert not counts[~front].any()
        mean = 1000 / front.sum()
        assert np.abs(counts[front] - mean).max() <= 4.5 * np.sqrt(mean)


@every_order
def test_orders_are_values(order):
    copied = pickle.loads(pickle.dumps(order))
    assert copied == order
    assert hash(copied) == hash(order)
    assert eval(str(order)) == order
    assert len({*ORDERS, order}) == len(ORDERS)


INTERPRETED = """
import json, sys
import numpy as np
from mobandits.contracts.protocols import Beliefs
sys.path.insert(0, sys.argv[1])
from test_order_properties import ORDERS, answers
print(json.dumps([answers(order) for order in ORDERS]))
"""


def answers(order):
    """Everything an order says about one random block of intervals, compiled or not."""
    rng = np.random.default_rng(11)
    centre, half = (
        np.vstack([rng.random((12, 3)), rng.integers(0, 2, (12, 3))]),
        0.3 * rng.random((24, 3)),
    )
    low, high = centre - half, centre + half
    points = np.vstack([centre, np.full((2, 3), np.inf)])
    said = (
        *twins.survey(order, centre),
        twins.front_of(order, points),
        twins.front_of(order, low, high),
    )
    return [answer.tolist() for answer in (*said, twins.draws(order, low, high))]


@pytest.mark.long
def test_interpreted_answers_are_identical():
    here = Path(__file__).parent
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", INTERPRETED, str(here)],
        env={**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONPATH": str(here.parent)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert json.loads(run.stdout) == [answers(order) for order in ORDERS]
