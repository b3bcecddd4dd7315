"""Drift alarms of a page: which streams, in which interval, how often falsely, how late."""

from types import SimpleNamespace

import numpy as np
import pytest

from mobandits.monitoring.drift_alarms import FIRST, RATE, DriftAlarms
from mobandits.statistics.drift import detect_drift

ARMS = 3


def objective(low=None, high=None):
    return SimpleNamespace(low=low, high=high)


def alarms_of(*objectives, arms=ARMS):
    names = list(range(arms))
    return DriftAlarms(SimpleNamespace(arms=SimpleNamespace(names=names), objectives=objectives))


def windows_of(arms, rewards, size):
    """What `DriftAlarms` looks at, window by window."""
    for start in range(0, len(arms), size):
        part = slice(start, start + size)
        yield SimpleNamespace(rewards=rewards[part], outcomes=SimpleNamespace(arms=arms[part]))


def watched(arms, rewards, *objectives, size=100):
    drift = alarms_of(*objectives)
    for number, data in enumerate(windows_of(arms, rewards, size), 1):
        drift.add(number, data)
    return drift.summary()


def played(rng, rounds, *, shift=None, after=0.4):
    """Arms, clicks of mean 0.7 and costs of an exponential law; arm 0 clicks less after a shift."""
    arms = rng.integers(ARMS, size=rounds)
    is_late = np.arange(rounds) >= (rounds if shift is None else shift)
    chances = np.where(is_late & (arms == 0), after, 0.7)
    clicks = (rng.random(rounds) < chances) * 1.0
    return arms, np.stack([clicks, rng.exponential(2.0, rounds)], axis=1)


def test_alarms_are_those_of_the_streams():
    rng = np.random.default_rng(0)
    arms, rewards = played(rng, 6000, shift=3000)
    rewards[rng.random(rewards.shape) < 0.3] = np.nan
    found = watched(arms, rewards, objective(0.0, 1.0), objective())
    (alarm,) = found["alarms"]
    assert (alarm["arm"], alarm["objective"]) == (0, 0)
    places = np.flatnonzero((arms == 0) & ~np.isnan(rewards[:, 0]))
    drift = detect_drift(rewards[places, 0], rate=RATE / 6)
    assert alarm["alarm"] == places[drift.alarm - 1] // 100 + 1
    assert alarm["change"] == places[drift.change] // 100 + 1
    assert abs(alarm["change"] - 31) <= 2
    assert alarm["before"] == pytest.approx(drift.before)
    assert alarm["after"] == pytest.approx(drift.after)
    assert (found["rate"], found["streams"], found["measured"]) == (RATE, 6, [False, True])
    costs = rewards[~np.isnan(rewards[:, 1]), 1]
    assert found["intervals"] == [(0.0, 1.0), (costs[:FIRST].min(), costs[:FIRST].max())]


def test_the_interval_does_not_depend_on_the_windows():
    rng = np.random.default_rng(1)
    arms, rewards = played(rng, 900)
    found = [watched(arms, rewards, objective(), objective(), size=size) for size in (7, 100, 900)]
    assert found[0]["intervals"] == found[1]["intervals"] == found[2]["intervals"]


def test_rewards_that_are_all_the_same_have_no_interval():
    arms = np.zeros(1000, int)
    found = watched(arms, np.full((1000, 1), 0.5), objective())
    assert (found["intervals"], found["alarms"]) == ([None], [])
    rewards = np.full((1000, 1), 0.5)
    rewards[700] = 2.0
    assert watched(arms, rewards, objective())["intervals"] == [(0.5, 2.0)]


def test_an_arm_that_joins_and_rewards_outside_of_the_range():
    rng = np.random.default_rng(2)
    arms = np.repeat([0, 2], 2000)
    rewards = rng.normal(0.5, 1.0, (4000, 1))
    rewards[3000:] += 2.0
    found = watched(arms, rewards, objective(0.0, 1.0))
    assert [alarm["arm"] for alarm in found["alarms"]] == [2]
    assert abs(found["alarms"][0]["change"] - 31) <= 1
    assert 0.0 <= found["alarms"][0]["before"] < found["alarms"][0]["after"] <= 1.0


# As docs/how-to/monitor.md has them: {mean after the shift: median decisions until the alarm}.
DELAYS = {0.5: 900, 0.4: 370, 0.2: 140}


def pages(count, rounds, **shift):
    for seed in range(count):
        rng = np.random.default_rng([11, seed])
        yield played(rng, rounds, **shift)


def test_pages_without_a_change_have_no_alarm():
    for arms, rewards in pages(5, 4000):
        assert watched(arms, rewards, objective(0.0, 1.0), objective())["alarms"] == []


@pytest.mark.slow
def test_false_alarms_are_as_rare_as_stated():
    """500 pages of 6,000 decisions: at most `RATE` of them have an alarm."""
    rings = 0
    for arms, rewards in pages(500, 6000):
        found = watched(arms, rewards, objective(0.0, 1.0), objective())
        rings += bool(found["alarms"])
    assert rings / 500 <= RATE


@pytest.mark.slow
@pytest.mark.parametrize("after", DELAYS)
def test_delays_are_those_of_the_documentation(after):
    delays = []
    for arms, rewards in pages(100, 9000, shift=3000, after=after):
        found = watched(arms, rewards, objective(0.0, 1.0), objective(), size=20)
        own = [alarm["alarm"] for alarm in found["alarms"] if alarm["arm"] == 0]
        delays.append(20 * own[0] - 3000 if own else 9000)
    assert np.median(delays) == pytest.approx(DELAYS[after], rel=0.1)
