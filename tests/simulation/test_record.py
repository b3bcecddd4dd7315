"""The grid and the recorder, against slow twins."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.metric_twins import averaged

from mobandits.simulation.record import MetricRecorder, recorded_rounds


@given(st.integers(1, 300), st.integers(1, 400))
def test_a_grid_is_even_and_ends_at_the_horizon(record, rounds):
    points = recorded_rounds(record, rounds)
    assert points[-1] == rounds
    assert len(points) == min(record, rounds)
    steps = np.diff([0, *points])
    assert steps.min() >= 1
    assert steps.max() - steps.min() <= 1


def test_explicit_rounds_are_sorted_and_completed():
    assert recorded_rounds([7, 3, 7], 9) == (3, 7, 9)
    assert recorded_rounds(np.array([9]), 9) == (9,)
    with pytest.raises(ValueError, match=r"record must be an integer of at least 1, got 2.5"):
        recorded_rounds([2.5], 9)


@settings(max_examples=60)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 9), min_size=1, max_size=6))
def test_recorders_equal_their_twins(seed, sizes):
    rng, rounds = np.random.default_rng(seed), sum(sizes)
    values = rng.standard_normal((rounds, 2))
    points = recorded_rounds(sorted(set(rng.integers(1, rounds + 1, size=3).tolist())), rounds)
    for cumulative in (True, False):
        recorder = MetricRecorder(points, cumulative=cumulative)
        for part in np.split(values.copy(), np.cumsum(sizes)[:-1]):
            recorder.add(part)
        expected = np.cumsum(values, axis=0)[np.array(points) - 1] if cumulative else None
        if cumulative:
            np.testing.assert_array_equal(
                recorder.values(), expected
            )  # bit for bit: block borders leave no trace
        else:
            np.testing.assert_allclose(
                recorder.values(), averaged_columns(values, points), rtol=1e-12, atol=1e-12
            )


def averaged_columns(values, points):
    return np.array([averaged(column, points) for column in values.T]).T


def test_a_full_grid_of_means_is_the_values_themselves():
    values = np.random.default_rng(1).random((9, 1))
    recorder = MetricRecorder(recorded_rounds(9, 9), cumulative=False)
    recorder.add(values[:4])
    recorder.add(values[4:])
    np.testing.assert_array_equal(recorder.values(), values)


def test_values_are_left_alone():
    values = np.ones((3, 1))
    recorder = MetricRecorder((3, 6), cumulative=True)
    recorder.add(values)
    recorder.add(values)
    np.testing.assert_array_equal(values, np.ones((3, 1)))
