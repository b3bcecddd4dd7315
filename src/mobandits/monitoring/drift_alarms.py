"""Alarms for the mean rewards of every arm in every objective."""

import bisect
import operator
from collections.abc import Sequence

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.figures.monitor_contents import DriftAlarm, DriftSummary
from mobandits.logs.objectives import Objective
from mobandits.monitoring.history import History
from mobandits.monitoring.window_data import WindowData
from mobandits.statistics.drift_watch import DriftWatch

RATE = 0.01  # of false alarms, of all arms and objectives together
FIRST = 200  # rewards that an interval is measured from, where the objective has none


class DriftAlarms:
    """A `DriftWatch` for every arm and objective, window by window.

    The rate of false alarms is shared among the streams: where no mean ever changes, a page has an
    alarm with probability at most `RATE`, however long its history is.

    Rewards must lie in an interval that is known beforehand. It is that of the objective, or else
    that of its first `FIRST` rewards (more where these are all the same), which are not watched.
    Rewards outside count as its ends: their mean, too, stays where nothing changes.

    Args:
        history: whose arms and objectives these are.
    """

    def __init__(self, history: History) -> None:
        arms = len(history.arms.names)
        objectives = len(history.objectives)
        self._streams = arms * objectives
        self._intervals = [_Interval(objective) for objective in history.objectives]
        self._watches: dict[tuple[int, int], _Stream] = {}
        self._alarms: list[DriftAlarm] = []

    def add(self, number: int, data: WindowData) -> None:
        """Look at the rewards of the next window, which has this number."""
        for l, interval in enumerate(self._intervals):
            is_known = ~np.isnan(data.rewards[:, l])
            rewards = data.rewards[is_known, l]
            arms = data.outcomes.arms[is_known]
            used = interval.measure(rewards)
            if not interval.is_known:
                continue

            low = interval.low
            high = interval.high
            watched = np.clip(rewards[used:], low, high)
            played = arms[used:]
            for arm in np.unique(played).tolist():
                key = (arm, l)
                if key not in self._watches:
                    self._watches[key] = _Stream(low, high, RATE / self._streams)

                self._alarms += self._watches[key].add(watched[played == arm], key, number)

    def summary(self) -> DriftSummary:
        """All alarms so far."""
        intervals: list[tuple[float, float] | None] = []
        for interval in self._intervals:
            ends = (float(interval.low), float(interval.high))
            intervals.append(ends if interval.is_known else None)

        return {
            "rate": RATE,
            "streams": self._streams,
            "intervals": intervals,
            "measured": [interval.is_measured for interval in self._intervals],
            "alarms": sorted(self._alarms, key=operator.itemgetter("alarm", "change")),
        }


class _Interval:
    """The interval of an objective's rewards: its own, or that of the first ones."""

    def __init__(self, objective: Objective) -> None:
        self.low = np.inf
        self.high = -np.inf
        self.is_measured = True
        self.is_known = False
        self._count = 0
        if objective.low is not None and objective.high is not None:
            self.low = objective.low
            self.high = objective.high
            self.is_measured = False
            self.is_known = True

    def measure(self, rewards: Array) -> int:
        """Take in rewards until the interval is known; how many of these it took."""
        if self.is_known or not len(rewards):
            return 0

        lows = np.minimum(np.minimum.accumulate(rewards), self.low)
        highs = np.maximum(np.maximum.accumulate(rewards), self.high)
        counts = self._count + np.arange(1, len(rewards) + 1)
        is_enough = (counts >= FIRST) & (highs > lows)
        # The end of the interval depends on what came before it only: else what is watched would
        # not be fair.
        last = int(is_enough.argmax()) if is_enough.any() else len(rewards) - 1
        self.low = float(lows[last])
        self.high = float(highs[last])
        self._count = int(counts[last])
        self.is_known = bool(is_enough[last])

        return last + 1


class _Stream:
    """The watch over one arm and objective, and which window each of its rewards is of."""

    def __init__(self, low: float, high: float, rate: float) -> None:
        self._watch = DriftWatch(low, high, rate)
        self._ends: list[int] = []
        self._windows: list[int] = []

    def add(self, rewards: Array, key: tuple[int, int], window: int) -> Sequence[DriftAlarm]:
        """Look at the rewards of a window, and say which alarms rang."""
        found = self._watch.add(rewards)
        self._ends.append(self._watch.rewards)
        self._windows.append(window)
        arm, objective = key
        alarms: list[DriftAlarm] = []
        for alarm in found:
            # Counted from 0, the first reward after the change has its number.
            place = bisect.bisect_right(self._ends, alarm.change)
            alarms.append(
                {
                    "arm": arm,
                    "objective": objective,
                    "change": self._windows[place],
                    "alarm": window,
                    "before": alarm.before,
                    "after": alarm.after,
                }
            )

        return alarms
