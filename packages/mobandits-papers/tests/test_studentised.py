"""The studentised bootstrap: a slow twin, what is special, and its coverage on the paces of moslb2024 (-m slow)."""

import math

import numpy as np
import pytest

import mobandits as mob
from mobandits.statistics.bootstrap import RESAMPLES, Statistic, studentised
from mobandits_papers.moslb2024 import figures
from mobandits_papers.moslb2024.questions import DIFFERENCE, SHARE, SPREADS, relative_pace
from mobandits_papers.numbers import resample
from mobandits_papers.sequential_stopping import CONFIDENCE, LOOKS, Question

MEAN = Statistic(lambda means: means[0], np.ones_like)


def ratio_of(trials):
    return math.fsum(one for one, _ in trials) / math.fsum(two for _, two in trials)


def error_of(trials):
    """The standard error of a ratio of means, from its residuals."""
    ratio, size = ratio_of(trials), len(trials)
    below = math.fsum(two for _, two in trials) / size
    squares = math.fsum((one - ratio * two) ** 2 for one, two in trials)
    return math.sqrt(squares / size / (size - 1)) / below


def test_a_ratio_by_hand():
    """Every drawing is written out, and its own standard error is computed from its residuals."""
    samples = np.random.default_rng(3).gamma(2.0, size=(7, 2))
    trials = samples.tolist()
    counts = np.random.default_rng(0).multinomial(7, [1 / 7] * 7, RESAMPLES)
    value, deviations = ratio_of(trials), []
    for count in counts:
        again = [one for one, often in zip(trials, count, strict=True) for _ in range(often)]
        error = error_of(again)
        off = ratio_of(again) - value
        deviations.append(
            0.0
            if abs(off) < 1e-15
            else off / error
            if error > 1e-12
            else math.copysign(math.inf, off)
        )
    deviations.sort()
    low, high = (
        value - deviations[round(share * (RESAMPLES - 1))] * error_of(trials)
        for share in (0.975, 0.025)
    )
    found, interval = studentised(samples, SHARE)
    assert found == pytest.approx(value)
    assert interval == pytest.approx((max(low, 0.0), min(high, 3.0)), rel=1e-6)


@pytest.mark.parametrize(
    ("statistic", "size"), [(DIFFERENCE, 2), (SHARE, 2), (SPREADS, 4), (MEAN, 1)]
)
def test_gradients_are_derivatives(statistic, size):
    rng, step = np.random.default_rng(5), 1e-6
    first = rng.random((2, 30))
    moments = np.stack([first[0], first[0] ** 2 + 0.3, first[1], first[1] ** 2 + 0.2])[:size]
    gradient = statistic.gradient(moments)
    for i in range(size):
        up, down = moments.copy(), moments.copy()
        up[i] += step
        down[i] -= step
        slope = (statistic.value(up) - statistic.value(down)) / (2.0 * step)
        np.testing.assert_allclose(gradient[i], slope, rtol=1e-4, atol=1e-8)


def test_nothing_but_zeros_is_a_ratio_of_zero():
    assert studentised(np.zeros((20, 2)), SHARE) == (0.0, (0.0, 0.0))


def test_what_cannot_be_read_has_no_interval():
    value, interval = studentised(np.array([[1.0], [np.nan]]), MEAN)
    assert math.isnan(value)
    assert interval is None


def test_an_end_without_bound_is_cut_at_what_is_possible():
    """One trial in twelve has all the regret: many drawings have none of it, and no spread."""
    samples = np.zeros((12, 2))
    samples[:, 1] = 1.0
    samples[0] = 3.0
    value, (low, high) = studentised(samples, SHARE)
    assert low == pytest.approx(0.0)
    assert value == pytest.approx(3.0 / 14.0)
    assert high == 3.0
    unbounded = SHARE._replace(most=math.inf)
    assert studentised(samples, unbounded) == (value, None)


def test_a_lower_confidence_is_a_narrower_interval():
    samples = np.random.default_rng(0).random((30, 1))
    wide, narrow = (studentised(samples, MEAN, confidence)[1] for confidence in (0.975, 0.5))
    assert wide[0] < narrow[0] < narrow[1] < wide[1]


def rare(rng, trials):
    """Paces of which one problem in ten carries most."""
    common = 0.1 * rng.random(trials)
    last = np.where(rng.random(trials) < 0.1, 5.0 * rng.standard_exponential(trials), common)
    return np.stack([last, 1.0 + 0.7 * last], axis=1)


@pytest.mark.long
def test_it_covers_where_plain_resampling_does_not():
    rng = np.random.default_rng(7)
    last = 0.9 * 0.05 + 0.1 * 5.0
    truth = last / (1.0 + 0.7 * last)
    inside = {"plain": 0, "studentised": 0}
    for _ in range(200):
        samples = rare(rng, 40)
        low, high = resample(samples, SHARE.value)[1]
        inside["plain"] += low <= truth <= high
        low, high = studentised(samples, SHARE)[1]
        inside["studentised"] += low <= truth <= high
    assert inside["plain"] <= 0.9 * 200
    assert inside["studentised"] >= 0.92 * 200


@pytest.fixture(scope="module")
def paces():
    """(digits, 1,000 problems, 2) of MOSLB-PC with 5 features: the last pace and the mean pace of every problem."""
    run = figures.FIG3.runs[0]
    metric = run.metrics[0]
    place = run.environment
    policy = run.recipes()["MOSLB-PC, alpha = 0.03"]
    results = mob.simulate(
        policy, place, rounds=3000, trials=1000, metrics=[metric], record=3, seed=11
    )
    table = results.table.sort("component", "trial", "round")
    curves = table["value"].to_numpy().reshape(3, 1000, 3)
    last = curves[:, :, 2] - curves[:, :, 1]
    return np.stack([last, curves[:, :, 2] / 3.0], axis=2)


@pytest.mark.slow
def test_coverage_of_paces_of_moslb2024(paces):
    """The 1,000 problems are the truth, and others are drawn from them: 300 times for each number of problems."""
    rng = np.random.default_rng(2)
    found = {}
    for trials in (10, *LOOKS):
        for digit, truth in enumerate(paces.mean(axis=1)):
            inside = np.zeros(2)
            for _ in range(300):
                samples = paces[digit][rng.integers(0, 1000, trials)]
                ends = resample(samples, SHARE.value)[1], studentised(samples, SHARE)[1]
                inside += [low <= truth[0] / truth[1] <= high for low, high in ends]
            found[trials, digit] = inside / 300
    for digit in range(3):
        assert found[10, digit][0] < 0.85  # nominal: 0.95
        for look in LOOKS:
            assert found[look, digit][1] > 0.95 - 0.035  # 2.8 standard errors
    assert min(found[10, digit][0] for digit in range(3)) < 0.6


@pytest.mark.slow
def test_looking_three_times_is_wrong_in_at_most_one_case_in_twenty(paces):
    """A question whose truth is its bar is decided by mistake only; play goes on until it is."""
    rng, mistakes = np.random.default_rng(3), np.zeros(3)
    for digit, truth in enumerate(paces.mean(axis=1)):
        bar = float(truth[0] / truth[1])
        question = Question("", lambda outcome, run: outcome, SHARE, bar, plain=False)
        for _ in range(300):
            problems = paces[digit][rng.integers(0, 1000, LOOKS[-1])]
            looks = [studentised(problems[:look], SHARE, CONFIDENCE)[1] for look in LOOKS]
            mistakes[digit] += any(question.decided(interval) for interval in looks)
    assert (mistakes / 300 <= 0.05 + 0.035).all()


def test_the_paces_are_those_of_the_claim():
    """What the coverage is measured on is what the verdict reads."""

    class Curves:
        def curves(self, run, row, metric, component):
            return np.array([1000, 2000, 3000]), np.array([[1.0, 4.0, 9.0]])

    question = relative_pace("MOSLB-PC", "chain_regret_authors", 0, 0.2, above=False)
    assert question.read(Curves(), "d = 5").tolist() == [[5.0, 3.0]]
    assert question.statistic is SHARE
