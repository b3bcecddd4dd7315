"""Certificates against all pairs of arms, and the threshold against a grid."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from twins.pareto_bounds import Pairs, threshold

from mobandits.identification import certify
from mobandits.numerics.pareto_bounds import exploration_threshold


@pytest.mark.parametrize("x", [0.1, 1.0, 4.0, 20.0, 300.0])
def test_the_threshold_is_the_minimum(x):
    assert exploration_threshold(x) == pytest.approx(threshold(x), rel=1e-6)


@pytest.mark.long
@given(
    arms=st.integers(1, 6),
    objectives=st.integers(1, 3),
    epsilon=st.sampled_from([0.0, 0.2]),
    partial=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_certificates_are_those_of_all_pairs(arms, objectives, epsilon, partial, seed):
    rng = np.random.default_rng(seed)
    mean = rng.integers(0, 9, (arms, objectives)) / 8
    seen = rng.integers(0, 4, (arms, 1)) * rng.integers(
        1, 900, (arms, objectives if partial else 1)
    )
    seen = np.broadcast_to(seen, mean.shape).astype(float)
    inside, outside = Pairs(mean, seen, 0.1, epsilon, 0.5).masks()
    found = certify(seen, mean, delta=0.1, epsilon=epsilon)
    assert found.inside == tuple(np.flatnonzero(inside))
    assert found.outside == tuple(np.flatnonzero(outside))
    assert found.undecided == tuple(np.flatnonzero(~inside & ~outside))


@given(st.integers(0, 2**32 - 1))
def test_sets_only_grow_with_the_evidence(seed):
    """With the same means, more rewards and more tolerance decide no less."""
    rng = np.random.default_rng(seed)
    mean, counts = rng.random((5, 2)), rng.integers(1, 400, 5)
    few, many = certify(counts, mean, delta=0.05), certify(9 * counts, mean, delta=0.05)
    tolerant = certify(counts, mean, delta=0.05, epsilon=0.3)
    assert set(few.inside) <= set(many.inside)
    assert set(few.outside) <= set(many.outside)
    assert set(few.inside) <= set(tolerant.inside)
    assert set(many.inside) <= set(many.front)


def test_rewards_in_other_units_give_the_same_certificate():
    rng = np.random.default_rng(0)
    mean, counts = rng.random((6, 3)), rng.integers(50, 900, 6)
    there = certify(counts, mean, delta=0.05, sigma=0.5, epsilon=0.1)
    assert there.inside or there.outside
    here = certify(counts, 1024 * mean, delta=0.05, sigma=512.0, epsilon=102.4)
    assert (here.inside, here.outside) == (there.inside, there.outside)


def test_one_arm_is_the_front():
    assert certify([0], [[0.0, 0.0]], delta=0.05).inside == (0,)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"delta": 0.0}, "delta must be above 0, got 0.0"),
        ({"delta": 1}, "delta must be below 1, got 1"),
        ({"epsilon": -0.1}, "epsilon must be at least 0, got -0.1"),
        ({"sigma": 0.0}, "sigma must be above 0, got 0.0"),
        (
            {"counts": [1, -1]},
            r"counts must be at least 0, of shape \(2,\) or \(2, 1\), got \[1, -1\]",
        ),
        ({"counts": [1]}, r"counts must be at least 0, of shape \(2,\)"),
        ({"means": [1.0, 2.0]}, r"means must have shape \(arms, objectives\)"),
        ({"names": ["a"]}, "names must be 2, one per arm, got 1"),
    ],
)
def test_refused(given, message):
    arguments = {"counts": [1, 1], "means": [[0.0], [1.0]], "delta": 0.05} | given
    with pytest.raises(ValueError, match=message):
        certify(arguments.pop("counts"), arguments.pop("means"), **arguments)
