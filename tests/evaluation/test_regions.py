"""Regions: their shapes, what they hold, and how often."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from logs_for_tests import make_law, make_log
from scipy import stats

from mobandits.evaluation import (
    Box,
    ConstantTarget,
    DoublyRobust,
    Ellipsoid,
    Feedback,
    Ips,
    Replay,
    Snips,
    Uniform,
    evaluate,
)


def plain(values):
    """The mean of these rewards, (rounds, objectives), as an estimate."""
    rounds = len(values)
    log = Feedback(
        np.ones((rounds, 0)),
        np.zeros(rounds, np.int64),
        values,
        np.ones(rounds),
        "a",
        "uvwxyz"[: values.shape[1]],
    )
    return evaluate(log, Uniform(), Ips())


def normal(seed, rounds, objectives=2, correlation=0.6):
    rng = np.random.default_rng(seed)
    shape = correlation * np.ones((objectives, objectives)) + (1 - correlation) * np.eye(objectives)
    return rng.multivariate_normal(np.zeros(objectives), shape, rounds)


def mirrored(values):
    """The same rounds and their mirror images: no skew at all."""
    return np.concatenate([values, -values])


def test_the_ellipsoid_is_hotellings_where_tails_are_light():
    values = mirrored(np.random.default_rng(0).uniform(-1.0, 1.0, (15, 3)))
    region = plain(values).ellipsoid(0.9)
    covariance = np.cov(values.T)
    for point in np.random.default_rng(1).normal(scale=0.2, size=(50, 3)):
        square = 30 * point @ np.linalg.solve(covariance, point)
        inside = stats.f.cdf(square * 27 / (3 * 29), 3, 27) <= 0.9
        assert region.contains(point) == inside


def test_in_one_dimension_light_tails_make_students_interval():
    values = mirrored(np.random.default_rng(1).uniform(-1.0, 1.0, (6, 1)))
    found = plain(values)
    low, high = stats.t.interval(0.95, 11, values.mean(), values.std(ddof=1) / 12**0.5)
    for region in (found.ellipsoid(), found.box()):
        np.testing.assert_allclose([region.low[0], region.high[0]], [low, high], rtol=1e-9)


@pytest.mark.long
@given(seed=st.integers(0, 10**6), rounds=st.integers(3, 60))
def test_in_one_dimension_the_ellipsoid_is_the_box(seed, rounds):
    found = plain(np.random.default_rng(seed).exponential(size=(rounds, 1)))
    ellipsoid, box = found.ellipsoid(), found.box()
    np.testing.assert_allclose([ellipsoid.low, ellipsoid.high], [box.low, box.high], rtol=1e-9)


def test_normal_rounds_hardly_change_hotellings_region():
    found = plain(normal(0, 2000, 3))
    region = found.ellipsoid()
    radius = (3 * 1999 / 1997 * stats.f.ppf(0.95, 3, 1997)) ** 0.5
    width = 2.0 * radius * found.standard_error
    np.testing.assert_allclose(region.high - region.low, width, rtol=0.02)


def test_regions_reach_further_on_the_side_of_the_longer_tail():
    found = plain(np.random.default_rng(2).exponential(size=(200, 2)) * [1.0, -1.0])
    for region in (found.ellipsoid(), found.box()):
        above, below = region.high - found.value, found.value - region.low
        assert above[0] > 1.05 * below[0]
        assert below[1] > 1.05 * above[1]


def test_a_stretched_ellipsoid_reaches_further_by_the_vector_and_no_less_far_behind():
    rng = np.random.default_rng(3)
    root = rng.normal(size=(3, 3))
    region = Ellipsoid(rng.normal(size=3), root @ root.T, 1.7)
    by = rng.normal(size=3)
    along = by / np.sqrt(by @ np.linalg.solve(region.covariance, by))  # of length 1 in units of C
    longer = region.stretched(by)
    ahead, behind = region.center + 1.7 * along + by, region.center - 1.7 * along
    for end in (ahead, behind):
        inside, outside = longer.center + np.outer([0.999, 1.001], end - longer.center)
        assert longer.contains(inside)
        assert not longer.contains(outside)
    same = region.stretched(np.zeros(3))
    assert (same.low == region.low).all()


@given(st.integers(0, 10**6))
def test_the_ends_of_an_ellipsoid_are_the_ends_of_its_outline(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(3, 3))
    region = Ellipsoid(rng.normal(size=3), root @ root.T, 1.7)
    line = region.outline((0, 2), points=2001)
    np.testing.assert_allclose(line.min(0), region.low[[0, 2]], atol=1e-3)
    np.testing.assert_allclose(line.max(0), region.high[[0, 2]], atol=1e-3)
    np.testing.assert_allclose(line[0], line[-1], atol=1e-12)
    flat = Ellipsoid(region.center[[0, 2]], region.covariance[np.ix_([0, 2], [0, 2])], 1.7)
    assert flat.contains(flat.center + 0.999 * (line - flat.center)).all()
    assert not flat.contains(flat.center + 1.001 * (line - flat.center)).any()


def test_a_flat_ellipsoid_holds_its_subspace_only():
    values = normal(2, 50, 2)
    doubled = np.column_stack(
        [values, 1e-6 * values[:, 0], np.full(50, 0.3)]
    )  # one objective of another unit, one sure
    found = plain(doubled)
    point = values.mean(0) + 0.01
    region = found.ellipsoid()
    assert region.contains([*point, 1e-6 * point[0], 0.3])
    assert not region.contains([*point, 1.1e-6 * point[0], 0.3])
    assert not region.contains([*point, 1e-6 * point[0], 0.31])


def test_joint_boxes_are_wider_than_single_intervals_and_narrower_than_the_ellipsoids():
    found = plain(normal(3, 100, 4))
    single = stats.t.ppf(0.975, 99) * found.standard_error
    box, ellipsoid = found.box(), found.ellipsoid()
    assert (box.high - found.value > single).all()
    assert (ellipsoid.high > box.high).all()
    assert (found.bootstrap().high < ellipsoid.high).all()


def test_the_bootstrap_repeats_with_its_seed_and_follows_correlation():
    found = plain(normal(4, 200, 4, correlation=0.999))
    one, same, other = (found.bootstrap(samples=400, seed=seed) for seed in (0, 0, 1))
    assert one.high.tolist() == same.high.tolist() != other.high.tolist()
    assert (
        one.high < found.box().high
    ).all()  # four objectives that move as one need no correction


def test_the_bootstrap_is_studentised_one_log_at_a_time():
    values = normal(5, 15, 2)
    found, rng = plain(values), np.random.default_rng(7)
    largest = []
    for _ in range(60):
        again = values[rng.integers(0, 15, 15)]
        error = again.std(0, ddof=1) / 15**0.5
        largest.append(np.max(np.abs(again.mean(0) - values.mean(0)) / error))
    quantile = np.quantile(largest, 0.9, method="higher")
    box = found.bootstrap(0.9, samples=60, seed=7)
    np.testing.assert_allclose(box.high, found.value + quantile * found.standard_error, rtol=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("kind", ["ellipsoid", "box", "bootstrap"])
def test_joint_regions_hold_the_mean_as_often_as_they_say(kind):
    hits = 0
    for seed in range(300):
        found = plain(normal(seed + 100, 40, 3))
        region = (
            found.bootstrap(samples=200, seed=seed)
            if kind == "bootstrap"
            else getattr(found, kind)()
        )
        hits += bool(region.contains(np.zeros(3)))
    assert 0.92 <= hits / 300 <= 0.985


@pytest.mark.long
def test_empirical_bernstein_holds_for_few_rounds_and_heavy_weights():
    """Uniform logging over ten arms, one of which is evaluated: normal regions fail here, this one may not."""
    hits, normal_hits = 0, 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        arms = rng.integers(0, 10, 30)
        rewards = (rng.random((30, 2)) < [0.5, 0.1]).astype(float)
        log = Feedback(np.ones((30, 0)), arms, rewards, [0.1] * 30, range(10), "uv")
        found = evaluate(log, ConstantTarget(0), Ips())
        box = found.bernstein(0.9, low=0.0, high=1.0, weight_bound=10.0)
        hits += bool(box.contains([0.5, 0.1]))
        normal_hits += bool(found.box(0.9).contains([0.5, 0.1]))
    assert hits >= 0.9 * 300 > normal_hits


def test_empirical_bernstein_is_its_formula():
    log = make_log(6, rounds=500)
    law = make_law(log, 6)
    weights = law[np.arange(500), log.arms] / log.propensities
    terms = weights[:, None] * log.rewards
    bound = float(weights.max())
    box = evaluate(log, law, Ips()).bernstein(0.9, low=[0.0, -1.0], high=2.0, weight_bound=bound)
    doubt = np.log(2.0 / (0.1 / 4.0))
    span = np.array([2.0, 3.0]) * bound
    reach = np.sqrt(2.0 * terms.var(0, ddof=1) * doubt / 500) + 7.0 * span * doubt / (3.0 * 499)
    np.testing.assert_allclose(box.low, np.maximum(terms.mean(0) - reach, [0.0, -1.0]))
    np.testing.assert_allclose(box.high, np.minimum(terms.mean(0) + reach, 2.0))


def test_empirical_bernstein_takes_the_clip_for_the_bound_and_then_cuts_nothing():
    log = make_log(7)
    law = make_law(log, 7)
    box = evaluate(log, law, Ips(clip=1.5)).bernstein(low=0.0, high=2.0)
    assert (box.low < 0.0).all()


def slow_lower_end(observations, risk):
    """The least mean on a grid that the evidence does not rule out, observation by observation."""
    kept = []
    for mean in np.linspace(0.0, 1.0, 401):
        total = squares = ahead = 0.0
        for t, value in enumerate(observations, 1):
            guess = min(1.0, (0.5 + total) / t)
            squares += (value - guess) ** 2
            ahead += value - mean
            total += value
        x = ahead + squares + 1.0
        if x <= 0.0:
            kept.append(mean)
            continue
        # The mixture over 1 - l with a Gamma(1, 1) law cut to [0, 1], by a sum over its values.
        grid = (np.arange(20_000) + 0.5) / 20_000
        psi = -np.log(grid) - (1.0 - grid)
        density = np.exp(-grid) / (1.0 - np.exp(-1.0))
        evidence = (np.exp((1.0 - grid) * ahead - psi * squares) * density).mean()
        if evidence < 1.0 / risk:
            kept.append(mean)
    return min(kept)


@pytest.mark.long
def test_a_sequence_is_its_definition():
    log = make_log(9, rounds=120)
    law = make_law(log, 9)
    weights = law[np.arange(120), log.arms] / log.propensities
    shares = (log.rewards - [0.0, -1.0]) / [2.0, 3.0]
    box = evaluate(log, law, Ips()).sequence(0.9, low=[0.0, -1.0], high=2.0)
    for l, (low, span) in enumerate(((0.0, 2.0), (-1.0, 3.0))):
        lower = slow_lower_end(weights * shares[:, l], 0.1 / 4.0)
        upper = 1.0 - slow_lower_end(weights * (1.0 - shares[:, l]), 0.1 / 4.0)
        np.testing.assert_allclose(box.low[l], low + span * lower, atol=span / 300)
        np.testing.assert_allclose(box.high[l], low + span * upper, atol=span / 300)


@pytest.mark.long
def test_a_sequence_holds_at_every_look_where_the_logging_policy_learns():
    """A greedy logging policy, looked at after every 25 rounds: a box of one look fails often, this one may not."""
    misses, misses_of_one_look = 0, 0
    truth = np.array([0.5, 0.1])
    for seed in range(120):
        rng = np.random.default_rng(seed)
        rewards = (rng.random((400, 2)) < truth).astype(float)
        arms, propensities, counts, sums = [], [], np.ones(2), np.ones(2)
        for reward in rewards:
            best = int(np.argmax(sums / counts))
            law = np.full(2, 0.2)
            law[best] = 0.8
            arm = int(rng.random() < law[1])
            arms.append(arm)
            propensities.append(law[arm])
            counts[arm] += 1.0
            sums[arm] += reward[0]
        log = Feedback(np.ones((400, 0)), arms, rewards, propensities, range(2), "uv")
        boxes = [
            (found.sequence(0.9, low=0.0, high=1.0), found.box(0.9))
            for found in (evaluate(log[:t], ConstantTarget(0), Ips()) for t in range(25, 401, 25))
        ]
        misses += not all(always.contains(truth) for always, _ in boxes)
        misses_of_one_look += not all(once.contains(truth) for _, once in boxes)
    assert misses <= 0.1 * 120 < misses_of_one_look


def test_a_round_without_a_reward_is_left_out_of_a_sequence():
    log = make_log(10, rounds=300)
    law = make_law(log, 10)
    rewards = log.rewards.copy()
    rewards[::3, 0] = np.nan
    shape = (log.contexts, log.arms, rewards, log.propensities, log.arm_names, log.objective_names)
    thinned = evaluate(Feedback(*shape), law, Ips()).sequence(low=-1.0, high=2.0)
    kept = np.arange(300) % 3 != 0
    shorter = evaluate(log[kept], law[kept], Ips()).sequence(low=-1.0, high=2.0)
    np.testing.assert_allclose(thinned.low[0], shorter.low[0])
    np.testing.assert_allclose(thinned.high[0], shorter.high[0])
    whole = evaluate(log, law, Ips()).sequence(low=-1.0, high=2.0)
    np.testing.assert_allclose(thinned.low[1], whole.low[1])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda e: e[0].sequence(1.0, low=0.0, high=1.0), r"^level must be below 1, got 1.0$"),
        (
            lambda e: e[0].sequence(low=0.0, high=0.1),
            r"^rewards must be within low and high, got one outside in round \d+, objective 0$",
        ),
        (
            lambda e: e[1].sequence(low=0.0, high=2.0),
            r"^estimator must be Ips without clip .*, got Snips\(",
        ),
        (lambda e: e[0].ellipsoid(1.0), r"^level must be below 1, got 1.0$"),
        (lambda e: e[0].box(0.0), r"^level must be above 0, got 0.0$"),
        (lambda e: e[0].bootstrap(samples=1), r"^samples must be an integer of at least 2, got 1$"),
        (
            lambda e: e[0].bernstein(low=0.0, high=2.0),
            r"^weight_bound must be given where Ips.clip is None",
        ),
        (
            lambda e: e[0].bernstein(low=1.0, high=1.0, weight_bound=9.0),
            r"^low must be below high in every objective",
        ),
        (
            lambda e: e[0].bernstein(low=0.0, high=0.1, weight_bound=9.0),
            r"^weight times reward must lie in \[0, 0.9\]",
        ),
        (
            lambda e: e[1].bernstein(low=0.0, high=1.0, weight_bound=9.0),
            r"^estimator must be Ips .*, got Snips\(",
        ),
        (
            lambda e: e[2].bernstein(low=0.0, high=1.0, weight_bound=9.0),
            r"^estimator must be Ips .*, got DoublyRobust",
        ),
    ],
)
def test_what_makes_no_region_is_refused(call, message):
    log = make_log(8)
    law = make_law(log, 8)
    estimates = [evaluate(log, law, one) for one in (Ips(), Snips(), DoublyRobust())]
    with pytest.raises(ValueError, match=message):
        call(estimates)


def test_a_target_that_was_never_matched_is_unknown_everywhere():
    log = make_log(9)
    wider = dataclasses.replace(log, arm_names=(*log.arm_names, "new"))
    found = evaluate(wider, ConstantTarget("new"), Snips())
    assert np.isnan(found.value).all()
    for region in (found.ellipsoid(), found.box(), found.bootstrap(samples=10)):
        assert region.contains([[1e6, -1e6], [0.0, 0.0]]).all()
    assert [text.split(":")[0] for text in found.warnings] == [
        "few rounds",
        "wrong propensities",
        "overlap",
        *["few events"] * 2,
    ]


@pytest.mark.parametrize("estimator", [Snips(), Replay()], ids=repr)
def test_one_round_with_all_the_weight_bounds_nothing(estimator):
    """Its reward is the estimate, and no other round says how far off that may be."""
    arms = np.array([1] + [0] * 30)
    log = Feedback(np.ones((31, 0)), arms, np.full((31, 2), 0.5), [0.5] * 31, "ab", "uv")
    found = evaluate(log, ConstantTarget("b"), estimator)
    assert found.value.tolist() == [0.5, 0.5]
    assert np.isnan(found.standard_error).all()
    for region in (found.ellipsoid(), found.box(), found.bootstrap(samples=10)):
        assert region.contains([[1e6, -1e6], [0.0, 0.0]]).all()


def test_one_round_with_almost_all_the_weight_bounds_nothing_either():
    """What remains without it is lost in rounding."""
    law = np.column_stack([np.full(31, 1.0), np.full(31, 1e-30)])
    law[0] = [0.0, 1.0]
    arms = np.ones(31, np.int64)
    rewards = np.random.default_rng(0).random((31, 2))
    log = Feedback(np.ones((31, 0)), arms, rewards, [0.5] * 31, "ab", "uv")
    found = evaluate(log, law, Snips())
    for region in (found.ellipsoid(), found.box()):
        assert region.contains([[1e6, -1e6], [0.0, 0.0]]).all()


def test_one_round_is_no_spread():
    found = plain(np.array([[0.5, 0.7]]))
    for region in (found.ellipsoid(), found.box()):
        assert region.contains([1e6, -1e6])


def test_boxes_take_points_and_tables_of_points():
    box = Box(np.zeros(2), np.ones(2))
    assert bool(box.contains([0.5, 1.0]))
    assert box.contains([[0.5, 1.0], [0.5, 1.1]]).tolist() == [True, False]
