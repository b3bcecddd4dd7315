"""The alarm of `detect_drift` for a stream that comes in parts, and goes on after an alarm."""

import math
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compile_loop
from mobandits.contracts.protocols import Array, IntArray
from mobandits.statistics.drift import (
    KEPT,
    RATE,
    SIZES,
    BettingProcesses,
    add_gambler,
    evidence_after,
    merge_old,
)
from mobandits.support.checks import number

PLACES = (KEPT + 1) * SIZES + 2  # gamblers at most, for a stream of any length: 23 kB


class Alarm(NamedTuple):
    """A change that was noticed.

    Attributes:
        alarm: after how many rewards of the whole stream it rang.
        change: after how many of them the mean most likely changed.
        before: the mean from the previous alarm, or from the start, to the change.
        after: the mean from the change to the alarm.
    """

    alarm: int
    change: int
    before: float
    after: float


class DriftWatch:
    """A watch over a stream of rewards that need not be kept.

    It says what `detect_drift` says of all rewards in one array. After an alarm it begins again
    with the next reward: each stretch between alarms rings falsely with probability at most `rate`.

    Args:
        low: the least that a reward can be.
        high: the largest.
        rate: of false alarms, between 0 and 1.

    Attributes:
        rewards: how many there were.

    Raises:
        ValueError: naming parameter, rule and value.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> clicks = rng.random(2000) < np.repeat([0.2, 0.4], 1000)
        >>> watch = DriftWatch()
        >>> found = []
        >>> for part in np.array_split(clicks.astype(float), 7):
        ...     found += watch.add(part)
        >>> [950 < alarm.change < 1050 < alarm.alarm < 1250 for alarm in found]
        [True]
    """

    def __init__(self, low: float = 0.0, high: float = 1.0, rate: float = RATE) -> None:
        number("rate", rate, above=0.0, below=1.0)
        number("low", low)
        number("high", high, above=low)
        number("high - low", high - low)
        self.rewards = 0
        self._low = low
        self._unit = high - low
        self._threshold = -math.log(rate)
        self._begin()

    def add(self, rewards: Array) -> list[Alarm]:
        """Look at the next rewards, all in [low, high], and say which alarms rang meanwhile."""
        follow = compile_loop(_follow)
        scaled = (np.asarray(rewards, np.float64) - self._low) / self._unit
        # By rounding, the quotient may leave the interval.
        rest = np.clip(scaled, 0.0, 1.0)
        alarms = []
        while len(rest):
            seen, rang = follow(
                self._gamblers, self._totals, self._counts, rest, self._threshold, KEPT
            )
            self.rewards += int(seen)
            rest = rest[seen:]
            if rang:
                alarms.append(self._alarm())
                self._begin()

        return alarms

    def _begin(self) -> None:
        self._start = self.rewards
        self._totals = np.zeros(2)
        # Of gamblers, and of rewards since the last alarm.
        self._counts: IntArray = np.array([1, 0])
        self._gamblers = BettingProcesses(
            np.zeros(PLACES),
            np.zeros(PLACES, np.int64),
            np.zeros(PLACES),
            np.zeros(PLACES),
            np.zeros(PLACES, np.int64),
        )
        self._gamblers.shares[0] = 1.0

    def _alarm(self) -> Alarm:
        gamblers = self._gamblers
        count, rounds = self._counts.tolist()
        # Who began to learn at the change has seen the rewards after it, and no others.
        richest = int(gamblers.shares[:count].argmax())
        since = float(gamblers.counts[richest])
        sum_since = float(gamblers.sums[richest])
        earlier = rounds - since
        after = sum_since / since
        before = after
        if earlier:  # else it is the one who has seen all of them
            before = (float(self._totals[1]) - sum_since) / earlier

        return Alarm(
            alarm=self.rewards,
            change=self._start + int(gamblers.starts[richest]),
            before=self._low + self._unit * before,
            after=self._low + self._unit * after,
        )


def _follow(
    gamblers: BettingProcesses,
    totals: Array,
    counts: IntArray,
    rewards: Array,
    threshold: float,
    kept: int,
) -> tuple[int, bool]:
    """Go on with the next rewards: how many were looked at, and whether the alarm rang then.

    Args:
        gamblers: of `PLACES` places.
        totals: as in `evidence_after`.
        counts: (2,) of gamblers, and of rewards since the start.
        rewards: in [0, 1].
        threshold: of ln E_n.
        kept: gamblers of each size.
    """
    for t in range(len(rewards)):
        counts[1] += 1
        rounds = counts[1]
        evidence = evidence_after(gamblers, totals, counts[0], rounds, rewards[t])
        if evidence >= threshold:
            return t + 1, True

        add_gambler(gamblers, counts[0], rounds)
        counts[0] = merge_old(gamblers, counts[0] + 1, kept)

    return len(rewards), False
