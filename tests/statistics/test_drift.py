"""The drift alarm: against its twin and a formula, as a bet that is fair, its errors and its delays."""

import itertools
import math

import numpy as np
import pytest
from drift_twin import best_constant, capitals, watch_twin

from mobandits.statistics.drift import Drift, _watch, detect_drift, watch


def stream(seed, before, after, at, length):
    rng = np.random.default_rng(seed)
    chances = np.where(np.arange(length) < at, before, after)
    return (rng.random(length) < chances).astype(float)


def same(mine, theirs):
    assert mine[:3] == theirs[:3]
    assert mine[3] == pytest.approx(theirs[3], abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("kept", [1, 2, 8])
@pytest.mark.parametrize("seed", range(4))
def test_the_loop_is_its_twin(seed, kept):
    rng = np.random.default_rng(seed)
    for rewards in (
        stream(seed, 0.2, 0.8, 100, 200),
        rng.random(150),
        np.concatenate([rng.beta(2, 5, 100), rng.beta(5, 2, 100)]),
        np.zeros(40),
        np.ones(40),
        np.repeat([1.0, 0.0], 30),
    ):
        before = rewards.copy()
        same(watch(rewards, 5.0, kept), watch_twin(rewards.tolist(), 5.0, kept))
        same(watch(rewards, 500.0, kept), watch_twin(rewards.tolist(), 500.0, kept))
        assert (rewards == before).all()


def test_the_compiled_loop_is_the_interpreted_one():
    rewards = np.concatenate([stream(0, 0.2, 0.8, 100, 150), np.random.default_rng(0).random(50)])
    for threshold in (4.0, 400.0):
        plain = _watch(rewards, threshold, 3, 300)
        assert watch(rewards, threshold, 3) == pytest.approx(plain, rel=1e-12)


def krichevsky_trofimov(rewards):
    hits = sum(rewards)
    misses = len(rewards) - hits
    beta = math.lgamma(hits + 0.5) + math.lgamma(misses + 0.5) - math.lgamma(len(rewards) + 1)
    return beta - 2 * math.lgamma(0.5)


def test_without_merging_the_capital_is_a_sum_over_all_changes():
    rewards = stream(3, 0.3, 0.9, 60, 120).tolist()
    largest = -math.inf
    for n in range(1, len(rewards) + 1):
        # W_1 = 1; no change so far means one after reward n or later.
        weights = [1 / (1 + math.log(s)) - 1 / (1 + math.log(s + 1)) for s in range(1, n)]
        terms = [
            weight * math.exp(krichevsky_trofimov(rewards[:s]) + krichevsky_trofimov(rewards[s:n]))
            for s, weight in enumerate(weights, 1)
        ]
        none_yet = math.exp(krichevsky_trofimov(rewards[:n])) / (1 + math.log(n))
        evidence = math.log(sum(terms) + none_yet) - best_constant(rewards[:n])
        largest = max(largest, evidence)
    assert watch(np.array(rewards), 1e9, 1000)[3] == pytest.approx(largest, abs=1e-9)


@pytest.mark.long
@pytest.mark.parametrize("kept", [1, 2, 100])
def test_capitals_of_all_streams_of_zeros_and_ones_add_up_to_one(kept):
    """Each is a probability of the stream: the bet is fair, whatever is merged."""
    final = [
        math.exp([capital for capital, _ in capitals(rewards, kept)][-1])
        for rewards in itertools.product((0.0, 1.0), repeat=11)
    ]
    assert sum(final) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("probabilities", [(0.3, 0.4, 0.3), (0.1, 0.3, 0.6), (0.0, 0.9, 0.1)])
def test_the_bet_is_no_better_than_fair_for_rewards_between_zero_and_one(probabilities):
    values = (0.0, 0.5, 1.0)
    mean = float(np.dot(values, probabilities))
    expected = 0.0
    for places in itertools.product(range(3), repeat=7):
        rewards = [values[place] for place in places]
        chance = math.prod(probabilities[place] for place in places)
        constant = math.prod(mean**x * (1 - mean) ** (1 - x) for x in rewards)
        capital = [capital for capital, _ in capitals(rewards, 2)][-1]
        expected += chance * math.exp(capital) / constant
    assert expected <= 1.0 + 1e-12


@pytest.mark.long
def test_a_change_is_found_and_described():
    rewards = 10.0 - 5.0 * stream(0, 0.2, 0.5, 2000, 4000)
    drift = detect_drift(rewards, low=5.0, high=10.0)
    assert 1950 < drift.change < 2050 < drift.alarm < 2400
    assert drift.rewards == drift.alarm
    assert drift.before == pytest.approx(rewards[: drift.change].mean())
    assert drift.after == pytest.approx(rewards[drift.change : drift.alarm].mean())
    assert 0.0 < drift.p_value <= 0.01
    assert detect_drift(rewards[drift.alarm :], low=5.0, high=10.0).alarm is None


@pytest.mark.long
def test_a_larger_rate_rings_no_later():
    rewards = stream(1, 0.4, 0.6, 1000, 3000)
    alarms = [detect_drift(rewards, rate=rate).alarm for rate in (0.5, 0.1, 0.01, 1e-6)]
    assert alarms == sorted(alarms)


@pytest.mark.long
def test_streams_without_a_change_and_without_rewards():
    drift = detect_drift(stream(5, 0.3, 0.3, 0, 5000))
    assert (drift.rewards, drift.alarm, drift.change, drift.before) == (5000, None, None, None)
    assert 0.01 < drift.p_value <= 1.0
    assert detect_drift([]) == Drift(0, None, None, None, None, -math.inf)
    assert detect_drift([]).p_value == 1.0
    assert detect_drift([1, 0, 1]).alarm is None
    assert detect_drift(np.full(10_000, 0.1 + 0.2)).alarm is None


@pytest.mark.parametrize(
    ("rewards", "options", "message"),
    [
        ([0.5, np.nan], {}, r"rewards must be in \[low, high\] = \[0, 1\], got nan at 1"),
        ([0.5, 2.0], {}, r"rewards must be in \[low, high\] = \[0, 1\], got 2.0 at 1"),
        ([[0.5]], {}, r"rewards must have shape \(rewards,\), got shape \(1, 1\)"),
        (["a"], {}, "rewards"),
        ([0.5], {"rate": 0.0}, "rate must be"),
        ([0.5], {"rate": 1.0}, "rate must be"),
        ([0.5], {"low": 1.0, "high": 1.0}, "high must be"),
        ([0.5], {"low": np.nan}, "low must be"),
        ([0.5], {"low": -1e308, "high": 1e308}, "high - low must be a finite number"),
    ],
)
def test_refusals(rewards, options, message):
    with pytest.raises(ValueError, match=message):
        detect_drift(rewards, **options)


def alternating(rng, size):
    """Rewards whose spread depends on the one before, and whose mean given the past is always 1/2."""
    signs = rng.choice([-1.0, 1.0], size)
    out = np.empty(size)
    spread = 0.5
    for i in range(size):
        out[i] = 0.5 + spread * signs[i]
        spread = 0.5 if out[i] > 0.6 else 0.05
    return out


LAWS = {
    "half": lambda rng, size: (rng.random(size) < 0.5) * 1.0,
    "rare": lambda rng, size: (rng.random(size) < 0.02) * 1.0,
    "nearly always": lambda rng, size: (rng.random(size) < 0.99) * 1.0,
    "uniform": lambda rng, size: rng.random(size),
    "narrow": lambda rng, size: rng.beta(20, 60, size),
    "u-shaped": lambda rng, size: rng.beta(0.2, 0.1, size),
    "dependent": alternating,
}


@pytest.mark.slow
@pytest.mark.parametrize("law", LAWS)
def test_false_alarms_are_as_rare_as_stated(law):
    """2,000 streams of 5,000 rewards: at most `rate` of them ring, and far fewer do."""
    evidence = np.array(
        [
            watch(LAWS[law](np.random.default_rng([7, seed]), 5000), 1e9, 8)[3]
            for seed in range(2000)
        ]
    )
    for rate in (0.2, 0.05, 0.01):
        share = (evidence >= -math.log(rate)).mean()
        assert share <= rate / 10


# As in the docstring of `detect_drift`: {(before, after): median delays after 1,000 and 10,000 rewards}.
DELAYS = {
    (0.5, 0.7): (270, 260),
    (0.5, 0.6): (5500, 1200),
    (0.1, 0.2): (700, 490),
    (0.1, 0.05): (6600, 1400),
}


def median_delay(before, after, at, streams=400, most=20_000):
    delays = []
    for seed in range(streams):
        drift = detect_drift(stream([seed, at], before, after, at, at + most))
        delays.append(most if drift.alarm is None else drift.alarm - at)
    return float(np.median(delays))


@pytest.mark.slow
@pytest.mark.parametrize("means", DELAYS, ids=str)
@pytest.mark.parametrize("place", [0, 1])
def test_delays_are_those_of_the_documentation(means, place):
    assert median_delay(*means, (1000, 10_000)[place]) == pytest.approx(
        DELAYS[means][place], rel=0.04
    )
