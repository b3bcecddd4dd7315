"""The formulas: against the compiled radii, against each other, against small simulations."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits import gaps
from mobandits.contracts.protocols import Shape
from mobandits.explorers import radii
from mobandits.numerics.links import LINKS
from mobandits.orders import EffectivePareto
from mobandits.policies import MocMab
from mobandits.policies.linear.mol_ts import optimistic_draws
from mobandits_papers.drugan2013 import theory as drugan2013
from mobandits_papers.mocmab2018 import theory as mocmab2018
from mobandits_papers.moglb2019 import theory as moglb2019
from mobandits_papers.molts2025 import theory as molts2025
from mobandits_papers.moslb2024 import theory as moslb2024
from mobandits_papers.pcz2018 import theory as pcz2018

LINEAR = np.random.default_rng(0)


def design(rounds, features, scale, penalty, seed=0):
    """Widths ||x_t|| in the norm of V_t^-1 and volumes before each round, for V growing by scale x x'."""
    rng, gram = np.random.default_rng(seed), penalty * np.eye(features)
    widths, volumes = [], []
    for _ in range(rounds):
        x = rng.standard_normal(features)
        x /= max(1.0, np.linalg.norm(x))
        widths.append(math.sqrt(x @ np.linalg.solve(gram, x)))
        volumes.append(np.linalg.slogdet(gram)[1] - features * math.log(penalty))
        gram = gram + scale * np.outer(x, x)
    return np.array(widths), np.array(volumes)


# moglb2019


def test_constants_of_the_papers_experiment():
    found = moglb2019.constants(["probit", "probit", "logit", "logit", "logit"])
    assert found[:3] == pytest.approx((0.196612, 0.398942, 0.841345), abs=1e-6)
    assert found[3:] == (1, 1, 1)


@pytest.mark.parametrize("link", sorted(LINKS))
@pytest.mark.parametrize("bound", [0.5, 1.0, 2.0])
def test_slopes_are_those_of_the_links(link, bound):
    z = np.linspace(-bound, bound, 20_001)
    mean = np.array([LINKS[link].mean(value) for value in z])
    slopes, found = np.diff(mean) / np.diff(z), moglb2019.constants([link], bound=bound)
    assert slopes.min() == pytest.approx(found.curvature, rel=1e-3)
    assert slopes.max() == pytest.approx(found.lipschitz, rel=1e-3)
    assert np.abs(mean).max() == pytest.approx(found.ceiling)


def test_the_newton_radius_is_the_policys():
    given = moglb2019.constants(["probit", "logit"])
    policys = radii.NewtonEllipsoid(
        2, 0.05, given.noise + given.ceiling, given.curvature, given.bound, given.penalty
    )
    for t, volume in itertools.product([0, 7, 3000], [0.0, 3.5]):
        gamma = moglb2019.squared_radius(t, volume, given, 2, 0.05)
        assert gamma == pytest.approx(policys.at(t, volume) ** 2)


def test_the_newton_volume_and_regret_are_bounded():
    given = moglb2019.constants(["logit"])
    widths, volumes = design(400, 3, given.curvature / 2, given.penalty)
    t = np.arange(400)
    assert (volumes <= moglb2019.volume_bound(t, 3, given) + 1e-12).all()
    gamma = moglb2019.squared_radius(t, volumes, given, 1, 0.1)
    from_widths = np.cumsum(moglb2019.gap_bound(gamma, widths, given))[:-1]
    after, volume = t[1:], volumes[1:]
    middle = moglb2019.regret_bound_of_volume(
        after, moglb2019.squared_radius(after, volume, given, 1, 0.1), volume, given
    )
    assert (from_widths <= middle).all()  # each step of the proof loses something
    assert (middle <= moglb2019.regret_bound(after, 3, given, 1, 0.1)).all()


def test_the_newton_event():
    theta, estimate, gram = (
        np.array([[0.5, 0.0], [0.0, 0.5]]),
        np.zeros((2, 2)),
        np.diag([4.0, 8.0]),
    )
    assert moglb2019.holds(theta, estimate, gram, 2.0)
    assert not moglb2019.holds(theta, estimate, gram, 1.99)


# pcz2018


def test_balls_split_when_the_paper_says():
    """125, 497, 1985, 7940 plays for r = 1, 1/2, 1/4, 1/8."""
    for r, plays in ((1, 125), (0.5, 497), (0.25, 1985), (0.125, 7940)):
        u = pcz2018.sample_uncertainty([plays - 1, plays], 100_000, 2, 1e-5)
        assert u[0] > r >= u[1]


@pytest.mark.parametrize("dimension", [0.5, 1.0, 2.0])
def test_theorem_1_follows_from_lemma_5(dimension):
    rounds, constant = 50_000, 2.0
    least = rounds ** (-1 / (2 + dimension))
    numbers = {2.0**-i: constant * 2.0 ** (i * dimension) for i in range(20)}
    lemma = pcz2018.regret_bound_of_numbers(rounds, least, numbers, 2, 0.1)
    assert lemma <= pcz2018.regret_bound(rounds, constant, dimension, 2, 0.1)


NUMBERS = st.lists(st.integers(1, 500), min_size=1, max_size=8)


@given(NUMBERS, st.integers(10, 10**6))
@settings(max_examples=60)
def test_the_best_of_lemma_5_is_the_least_over_r0(counts, rounds):
    """No r0 gives less; a hair above a radius, or above half of the least one, gives as little."""
    numbers = {2.0**-i: count for i, count in enumerate(counts)}
    best = pcz2018.best_regret_bound_of_numbers(rounds, numbers, 2, 0.1)
    tried = np.geomspace(min(numbers) / 2.0 * (1.0 + 1e-9), 1.0, 300)
    corners = [radius / 2.0 * (1.0 + 1e-9) for radius in numbers]
    found = [
        pcz2018.regret_bound_of_numbers(rounds, least, numbers, 2, 0.1)
        for least in (*tried, *corners)
    ]
    assert best <= min(found) * (1 + 1e-12)
    assert best == pytest.approx(min(found), rel=1e-6)


@pytest.mark.parametrize("delta", [0.1, 1e-5])
def test_a_ball_has_its_share_of_lemma_5(delta):
    """The bound within a ball is what its proof says, and at most the term of the lemma."""
    rounds = 5000
    log = math.log(2 * math.sqrt(2) * 2 * rounds**1.5 / delta)
    for radius in (1.0, 0.25, 1 / 64):
        within = float(pcz2018.ball_regret_bound(radius, rounds, 2, delta))
        by_hand = 14 * radius * (1 + 2 * radius**-2 * (1 + 2 * log)) + 12 * radius
        assert within == pytest.approx(by_hand)
        assert within <= 56 / radius * (log + 1)
        plays = 1 + 2 * 0.01**2 * radius**-2 * (1 + 2 * log)
        scaled = pcz2018.ball_regret_bound(radius, rounds, 2, delta, scale=0.01)
        assert float(scaled) == pytest.approx(14 * radius * plays + 12 * radius)


def test_dominance_is_that_of_definition_1():
    """Positive exactly where an arm is better than the index in all objectives."""
    rng = np.random.default_rng(0)
    for _ in range(300):
        means, index = rng.random((5, 2)), rng.random(2)
        better = any(all(m > g for m, g in zip(arm, index, strict=True)) for arm in means)
        assert (pcz2018.dominance(index, means) > 0.0) == better


def test_the_event_of_balls():
    means, estimates = np.array([[0.5, 0.5], [0.2, 0.9]]), np.array([[0.1, 0.5], [0.2, 0.0]])
    assert pcz2018.holds(means, estimates, [0.2, math.inf], [0.2, 0.1])
    assert not pcz2018.holds(means, estimates, [0.2, 0.7], [0.2, 0.1])
    assert pcz2018.gap_bound([1.0, 0.5]).tolist() == [14, 7]
    assert pcz2018.child_gap_bound(0.5) == 6


# mocmab2018


def test_the_setting_is_the_policys():
    shape = Shape(arms=4, features=2, objectives=2, rounds=100_000, shared=True)
    setting = mocmab2018.Setting(
        100_000, 4, 2, mocmab2018.default_parts(100_000, 2), lipschitz=1.1, beta=0.5
    )
    policy = MocMab(lipschitz=1.1, beta=0.5).bind(shape)
    assert policy.cells.per_side == setting.parts == 10
    assert policy.policy.order.margin == pytest.approx(2 * setting.margin)
    assert policy.policy.order.doubt == pytest.approx(0.5 * setting.margin)
    assert policy.policy.explorer.radius.value == pytest.approx(
        float(mocmab2018.uncertainty(1, setting))
    )


@given(
    st.integers(100, 10**6),
    st.integers(1, 4),
    st.integers(1, 9),
    st.floats(0.2, 1.0),
    st.floats(0.1, 3.0),
)
@settings(max_examples=60)
def test_theorem_2_follows_from_theorem_1(rounds, features, arms, exponent, beta):
    parts = mocmab2018.default_parts(rounds, features, exponent)
    setting = mocmab2018.Setting(rounds, arms, features, parts, 1.3, exponent, beta)
    in_probability = mocmab2018.regret_bounds(rounds, setting, (0.7, 0.9))
    expected = mocmab2018.expected_regret_bounds(setting, (0.7, 0.9))
    assert in_probability[0] + 0.7 <= expected[0] * (1 + 1e-9)
    assert in_probability[1] + 0.9 <= expected[1] * (1 + 1e-9)


@given(st.lists(st.integers(0, 5000), min_size=9, max_size=9), st.floats(0.1, 3.0))
@settings(max_examples=60)
def test_theorem_1_follows_from_lemmas_5_and_6(visits, beta):
    """Their sum over the cells is at most the theorem's bound, and equals it for equal visits."""
    setting = mocmab2018.Setting(50_000, 3, 2, 3, 1.3, 0.8, beta)
    largest = (0.7, 0.9)
    for count in (visits, [400] * 9):
        lemmas = mocmab2018.cell_regret_bounds(count, setting, largest)
        theorem = mocmab2018.regret_bounds(sum(count), setting, largest)
        for lemma, whole in zip(lemmas, theorem, strict=True):
            assert lemma.sum() <= whole * (1 + 1e-12)
            if count == [400] * 9:
                assert lemma.sum() == pytest.approx(float(whole))


def test_lemmas_5_and_6_term_by_term():
    setting = mocmab2018.Setting(1000, 4, 2, 6, lipschitz=1.1, beta=0.5)
    A = 1 + 2 * math.log(4 * 4 * 36 * 1000**1.5)
    v = 1.1 * math.sqrt(2) / 6
    learning = 2 * (2 * math.sqrt(2 * A)) * math.sqrt(4 * 70)
    first = 4 * 0.8 + learning + 2 * 2.5 * v * 70
    second = 0.6 * 4 * (2 * A / (0.5 * v) ** 2 + 1) + 2 * v * 70 + learning
    found = mocmab2018.cell_regret_bounds(70, setting, (0.8, 0.6))
    assert [float(one) for one in found] == pytest.approx([first, second])


def test_cost_and_memory_are_those_of_the_remark():
    """Steps are counted by going through a round; numbers, by making the tables."""
    rounds, features, arms = 7, 3, 5
    steps = 0
    for _ in range(rounds):
        steps += len(["coordinate"] * features)
        steps += len(["arm"] * arms)
    assert mocmab2018.computations(rounds, features, arms) == steps
    assert mocmab2018.computations([0, 10], 2, 4, 0.5, 3.0).tolist() == [0.0, 130.0]
    setting = mocmab2018.Setting(100, arms=5, features=3, parts=4)
    counters = np.zeros((4**3, 5))
    means = np.zeros((4**3, 5, 2))
    assert mocmab2018.memory(setting) == counters.size + means.size


def test_the_event_of_cells():
    setting = mocmab2018.Setting(1000, 1, 2, 10)
    means = np.array([[0.5, 0.5]])
    assert mocmab2018.holds(means, means + 0.3, [0.2], setting)
    assert not mocmab2018.holds(means, means + 0.35, [0.2], setting)
    assert mocmab2018.holds(means, means + 9, [math.inf], setting)
    assert mocmab2018.rate(2) == 4 / 5
    assert mocmab2018.pareto_rate(2) == 3 / 4


# molts2025


@pytest.mark.parametrize("features", [1, 2, 5])
def test_the_ridge_radius_is_the_policys(features):
    policys = radii.SelfNormalised(features, 4, 0.01, noise=0.7, penalty=2.0)
    for count in (0, 9, 5000):
        assert molts2025.width(count, features, 4, 0.01, 0.7, 2.0) == pytest.approx(
            policys.at(count, 0.0)
        )


@pytest.mark.parametrize("objectives", range(1, 30))
def test_enough_draws_are_optimistic(objectives):
    draws = molts2025.draws_needed(objectives)
    assert draws == optimistic_draws(objectives)
    assert molts2025.optimism(objectives, draws) >= 0.15 - 1e-12
    assert molts2025.optimism(objectives, 1) == pytest.approx(0.15**objectives)


def test_the_ridge_regret_follows_from_the_widths():
    widths, _ = design(400, 3, 1.0, 1.0)
    t = np.arange(400)
    largest = molts2025.ucb_gap_bound(molts2025.width(t, 3, 4, 0.1), widths)
    assert (np.cumsum(largest) <= molts2025.ucb_regret_bound(t + 1, 3, 4, 0.1)).all()


def test_theorem_2_of_molts2025_term_by_term():
    d, L, M, T, delta, p = 3, 2, 6, 500, 0.1, 0.15
    c1 = float(molts2025.width(T - 1, d, L, delta))
    c = c1 + c1 * math.sqrt(2 * d * math.log(2 * L * M * d * T / delta))
    expected = (1 + 2 / (p - delta / T)) * c * math.sqrt(
        2 * T * d * math.log(1 + T)
    ) + 2 * delta * 2
    assert molts2025.regret_bound(T, d, L, M, delta) == pytest.approx(expected)
    assert molts2025.sample_factor(T, d, L, M, delta) == pytest.approx(c / c1 - 1)


@given(st.integers(1, 6), st.integers(2, 3), st.integers(0, 10**6))
@settings(max_examples=30)
def test_any_weights_bound_the_effective_gap(arms, objectives, seed):
    rng = np.random.default_rng(seed)
    means = rng.integers(0, 4, (arms, objectives)) / 3.0
    exact = gaps(means, EffectivePareto())[:, 0]
    weights = rng.dirichlet(np.ones(objectives), 300)
    for arm in range(arms):
        found = [molts2025.weighted_gap(w, means, arm) for w in weights]
        assert min(found) >= exact[arm] - 1e-9
        if objectives == 2:
            assert min(found) <= exact[arm] + 0.1


def test_the_ridge_event():
    theta, estimate = np.array([[0.6, 0.0]]), np.zeros((1, 2))
    assert molts2025.holds(theta, estimate, np.eye(2) * 4, 1.2 + 1e-12)
    assert not molts2025.holds(theta, estimate, np.eye(2) * 4, 1.19)


# moslb2024


def test_the_levelled_radius_is_the_policys():
    policys = radii.Levelled(5, 4, 0.05, scale=1.0, noise=0.3)
    for t in (1, 50):
        assert moslb2024.radius(t, 5, 4, 0.05, 0.3) == pytest.approx(policys.at(t - 1, 0.0))


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [1.0, 0.5, 0.25])
def test_wide_rounds_are_few(epsilon):
    widths, _ = design(3000, 2, 1.0, 1.0)
    gamma = moslb2024.radius(np.arange(1, 3001), 2, 3, 0.1, noise=0.1)
    limit = moslb2024.exploration_rounds_bound(3000, 2, 3, 0.1, epsilon, noise=0.1)
    assert (gamma * widths > epsilon).sum() <= limit
    assert limit <= float(moslb2024.level_regret_bound(3000, 2, 3, 0.1, epsilon, noise=0.1)) / 2


def test_the_widths_of_the_theory_balance_the_terms():
    d, K = 5, 25
    growth = []
    for T in (10**6, 10**9):
        chains = moslb2024.chain_regret_bound(T, K, d, 5, 0.1, moslb2024.chain_width(d, K, T))
        levels = moslb2024.level_regret_bound(T, d, 5, 0.1, moslb2024.level_width(d, T))
        growth.append((float(chains), float(levels)))
    for slow, fast in zip(*growth, strict=True):
        assert 2 / 3 <= math.log(fast / slow) / math.log(1000) < 0.8  # T^(2/3), and logarithms


# drugan2013


def test_pareto_ucb1_bound():
    means = np.array([[0.6, 0.5], [0.5, 0.6], [0.4, 0.4], [0.3, 0.5]])
    found = gaps(means)[2:, 0]
    by_hand = sum(8 * math.log(500 * 4**0.25) / gap + (1 + math.pi**2 / 3) * gap for gap in found)
    assert drugan2013.regret_bound(500, means) == pytest.approx(by_hand)
    weakly = np.array([[0.5, 0.5], [0.5, 0.4]])
    assert drugan2013.regret_bound(500, weakly) == math.inf
