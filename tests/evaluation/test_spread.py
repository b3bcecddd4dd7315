"""Degrees of freedom and skew: against plain loops, and what must hold of them."""

import evaluation_twins as twins
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits.evaluation.spread import (
    BLOCK,
    axes_of,
    moment_sums,
    reach,
    spread_from,
    spread_of,
    tail,
)


def effects_of(seed, rounds=50, objectives=3):
    """Skewed influences with heavy weights, of mean 0."""
    rng = np.random.default_rng(seed)
    weights = rng.exponential(size=rounds) ** 2
    table = (
        weights[:, None]
        * rng.exponential(size=(rounds, objectives))
        * [1.0, -2.0, 0.5][:objectives]
    )
    return table - table.mean(0)


@pytest.mark.long
@given(seed=st.integers(0, 10**6), rounds=st.integers(5, 60), objectives=st.integers(1, 3))
def test_moments_are_those_of_a_plain_loop(seed, rounds, objectives):
    effects = effects_of(seed, rounds, objectives)
    found = spread_of(effects, np.ones(objectives))
    covariance, freedom, joint_freedom, skew, joint_skew = twins.spread(effects)
    np.testing.assert_allclose(found.covariance, covariance, rtol=1e-9)
    assert found.freedom == pytest.approx(freedom, rel=1e-9)
    assert found.joint_freedom == pytest.approx(joint_freedom, rel=1e-6)
    np.testing.assert_allclose(found.skew, skew, rtol=1e-6, atol=1e-12)
    np.testing.assert_allclose(found.joint_skew, joint_skew, rtol=1e-6, atol=1e-12)


@pytest.mark.long
@given(
    seed=st.integers(0, 10**6),
    rounds=st.integers(2, 60),
    is_constant=st.booleans(),
    unknown=st.booleans(),
    misfit=st.floats(0.0, 3.0),
)
def test_sums_of_parts_are_those_of_the_whole(seed, rounds, is_constant, unknown, misfit):
    effects = effects_of(seed, rounds)
    if is_constant:
        effects[:, 0] = 0.0
    if unknown:
        effects[0, 1] = np.nan
    whole = spread_of(effects, np.ones(3))
    products = effects.T @ effects
    # Coordinates that fit badly, as those of influences to first order do.
    axes = axes_of(products + misfit * np.diag(np.diag(products)), rounds, np.ones(3))
    parts = effects[: rounds // 3], effects[rounds // 3 :]
    sums = sum(moment_sums(part, axes) for part in parts)
    found = spread_from(rounds, products, axes, sums)
    np.testing.assert_allclose(found.skew, whole.skew, rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(found.joint_skew, whole.joint_skew, rtol=1e-6, atol=1e-12)
    assert found.freedom == pytest.approx(whole.freedom, rel=1e-9)
    assert found.joint_freedom == pytest.approx(whole.joint_freedom, rel=1e-6)


def test_blocks_of_rounds_make_no_difference():
    effects = effects_of(0, 2 * BLOCK + 7)
    _, freedom, joint_freedom, skew, joint_skew = twins.spread(effects)
    found = spread_of(effects, np.ones(3))
    assert (found.freedom, found.joint_freedom) == pytest.approx((freedom, joint_freedom))
    np.testing.assert_allclose(found.skew, skew, rtol=1e-6)
    np.testing.assert_allclose(found.joint_skew, joint_skew, rtol=1e-6)


@pytest.mark.long
@given(seed=st.integers(0, 10**6), probability=st.floats(0.55, 0.9999))
def test_p_values_and_intervals_agree(seed, probability):
    found = spread_of(effects_of(seed), np.ones(3))
    below, above = reach(found, probability)
    np.testing.assert_allclose(tail(found, below), 1.0 - probability, rtol=1e-6)
    mirror = spread_of(-effects_of(seed), np.ones(3))
    np.testing.assert_allclose(tail(mirror, above), 1.0 - probability, rtol=1e-6)


@pytest.mark.long
@given(seed=st.integers(0, 10**6))
def test_p_values_fall_as_the_lead_grows(seed):
    found = spread_of(effects_of(seed, objectives=1), np.ones(1))
    leads = np.linspace(-3.0, 6.0, 40) * found.error
    values = [tail(found, np.array([lead]))[0] for lead in leads]
    assert (np.diff(values) < 0.0).all()


@pytest.mark.long
@given(seed=st.integers(0, 10**6), scale=st.floats(1e-6, 1e6))
def test_units_of_objectives_do_not_matter(seed, scale):
    effects = effects_of(seed)
    units = np.array([scale, 1.0, 1.0 / scale])
    plain, scaled = spread_of(effects, np.ones(3)), spread_of(effects * units, units)
    assert scaled.freedom == pytest.approx(plain.freedom)
    assert scaled.joint_freedom == pytest.approx(plain.joint_freedom, rel=1e-6)
    np.testing.assert_allclose(scaled.skew, plain.skew * units, rtol=1e-9)
    np.testing.assert_allclose(scaled.joint_skew, plain.joint_skew * units, rtol=1e-5)


def test_objectives_that_follow_from_others_and_sure_ones_change_nothing():
    effects = effects_of(4, objectives=2)
    rounding = 1e-17 * np.random.default_rng(0).normal(size=50) ** 9
    more = np.column_stack([effects, effects @ [0.5, -2.0], np.zeros(50), rounding])
    plain, found = spread_of(effects, np.ones(2)), spread_of(more, np.ones(5))
    assert found.joint_freedom == pytest.approx(plain.joint_freedom)
    np.testing.assert_allclose(found.joint_skew[:2], plain.joint_skew)
    np.testing.assert_allclose(found.joint_skew[2], plain.joint_skew @ [0.5, -2.0])
    assert found.skew[3:].tolist() == found.joint_skew[3:].tolist() == [0.0, 0.0]


def test_one_round_that_decides_leaves_two_degrees_of_freedom():
    effects = np.full((1000, 1), -0.001)
    effects[7] = 0.999
    assert spread_of(effects, np.ones(1)).freedom == pytest.approx(2.0, rel=0.01)


def test_normal_rounds_have_as_many_degrees_of_freedom_as_there_are():
    effects = np.random.default_rng(5).normal(size=(20_000, 2))
    found = spread_of(effects - effects.mean(0), np.ones(2))
    assert 0.9 * 20_000 < found.freedom < 20_000
    assert 0.9 * 20_000 < found.joint_freedom < 20_000


def test_objectives_of_unknown_spread_leave_the_others_alone():
    effects = effects_of(6)
    effects[3, 1], effects[4, 2] = np.inf, np.nan
    found = spread_of(effects, np.ones(3))
    alone = spread_of(effects[:, :1], np.ones(1))
    assert found.freedom == pytest.approx(alone.freedom)
    assert found.skew.tolist() == pytest.approx([alone.skew[0], 0.0, 0.0])
    below, above = reach(found, 0.975)
    assert np.isfinite([below[0], above[0]]).all()
    assert not np.isfinite([below[1:], above[1:]]).any()


def test_without_doubt_p_values_are_zero_or_one():
    sure = spread_of(np.zeros((10, 3)), np.ones(3))
    assert tail(sure, np.array([0.1, -0.1, 0.0])).tolist() == [0.0, 1.0, 1.0]
    unknown = spread_of(np.full((10, 1), np.nan), np.ones(1))
    assert tail(unknown, np.array([0.1])).tolist() == [1.0]
