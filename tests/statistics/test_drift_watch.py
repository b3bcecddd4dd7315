"""The drift alarm for a stream in parts: as `detect_drift` on the whole, alarm after alarm."""

import numpy as np
import pytest

from mobandits.statistics.drift import detect_drift
from mobandits.statistics.drift_watch import DriftWatch


def all_alarms(rewards, low, high, rate):
    """`detect_drift` again and again, after every alarm."""
    start, found = 0, []
    while True:
        drift = detect_drift(rewards[start:], low=low, high=high, rate=rate)
        if drift.alarm is None:
            return found
        found.append((start + drift.alarm, start + drift.change, drift.before, drift.after))
        start += drift.alarm


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("parts", [1, 13, 700])
def test_parts_are_the_whole(seed, parts):
    rng = np.random.default_rng(seed)
    chances = np.repeat([0.2, 0.7, 0.1], 700)
    clicks = (rng.random(len(chances)) < chances) * 1.0
    for rewards, low, high in (
        (clicks, 0.0, 1.0),
        (3.0 - 2.0 * chances * rng.random(2100), 1.0, 3.0),
    ):
        expected = all_alarms(rewards, low, high, 0.01)
        watch, found = DriftWatch(low, high), []
        before = rewards.copy()
        for part in np.array_split(rewards, parts):
            found += watch.add(part)
        assert (rewards == before).all()
        assert watch.rewards == len(rewards)
        assert [alarm[:2] for alarm in found] == [alarm[:2] for alarm in expected]
        for mine, theirs in zip(found, expected, strict=True):
            assert mine[2:] == pytest.approx(theirs[2:], rel=1e-9)
    assert len(all_alarms(clicks, 0.0, 1.0, 0.01)) >= 2


@pytest.mark.long
def test_nothing_and_a_constant():
    watch = DriftWatch()
    assert watch.add(np.array([])) == []
    assert watch.add(np.ones(5000)) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"rate": 0.0}, "rate must be"),
        ({"low": 1.0, "high": 1.0}, "high must be"),
        ({"low": float("nan")}, "low must be"),
        ({"low": -1e308, "high": 1e308}, "high - low must be"),
    ],
)
def test_refusals(options, message):
    with pytest.raises(ValueError, match=message):
        DriftWatch(**options)
