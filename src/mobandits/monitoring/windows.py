"""Numbers of a window: its mean rewards, its propensities, and what became of its decisions."""

import math
from collections.abc import Sequence

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.figures.monitor_contents import (
    AgeWindow,
    PropensityWindow,
    RewardWindow,
    StatusWindow,
)
from mobandits.monitoring.window_data import (
    ABANDONED,
    COMPLETE,
    DROPPED,
    INACTIVE,
    WAITING,
    WindowData,
)
from mobandits.statistics.bands import interval_factor


def reward_windows(data: WindowData) -> list[RewardWindow]:
    """The mean reward of a window's decisions in each objective, with its 95 % interval.

    The interval is Student's t: it is about the mean of what the same decisions would have brought
    again, as if they were independent.
    """
    windows: list[RewardWindow] = []
    for l in range(data.rewards.shape[1]):
        column = data.rewards[:, l]
        is_known = ~np.isnan(column)
        values = column[is_known]
        mean = finite(values.mean()) if len(values) else None
        half = half_width_of_mean(values)
        window: RewardWindow = {
            "count": len(values),
            "by_default": int(data.by_default[:, l].sum()),
            "mean": mean,
            "low": None,
            "high": None,
        }
        if mean is not None and half is not None:
            window["low"] = mean - half
            window["high"] = mean + half

        windows.append(window)

    return windows


def propensity_window(data: WindowData) -> PropensityWindow:
    """The smallest propensity of a window, and its entropy in bits.

    A store has the probability p of the arm that was played, and not of the others. The mean of
    -log2 p over decisions is nevertheless an unbiased estimate of the mean entropy of their laws,
    since an arm is played with probability p. It is 0 where one arm is certain, and log2 K where K
    arms are equally likely.
    """
    propensities = data.outcomes.propensities
    is_known = ~np.isnan(propensities)
    known = propensities[is_known]
    # Where there is one arm to play, that it is certain says nothing of the policy.
    is_choice = is_known & (data.choices > 1)
    certain = int((propensities[is_choice] >= 1.0).sum())
    smallest = None
    entropy = None
    if len(known):
        smallest = float(known.min())
        # Minus zero is a number of no meaning here.
        entropy = finite(-np.log2(known).mean() + 0.0)

    return {
        "known": len(known),
        "smallest": smallest,
        "entropy": entropy,
        "choices": int(is_choice.sum()),
        "certain": certain,
    }


def status_window(data: WindowData) -> StatusWindow:
    """How many decisions of a window have all rewards, wait, or wait no more."""
    counts = np.bincount(data.status, minlength=5).tolist()
    return {
        "complete": counts[COMPLETE],
        "waiting": counts[WAITING],
        "inactive": counts[INACTIVE],
        "abandoned": counts[ABANDONED],
        "dropped": counts[DROPPED],
    }


def drop_beyond(limit: float, windows: Sequence[StatusWindow]) -> None:
    """Count as dropped what an agent dropped because too many decisions waited.

    It drops the oldest one that waits when another would be one too many: so of those that still
    lack rewards, the newest ones wait.

    Args:
        limit: how many may wait.
        windows: in order; they are changed.
    """
    room = limit
    for status in reversed(windows):
        waiting = status["waiting"] + status["inactive"]
        dropped = max(waiting - room, 0)
        room -= waiting - dropped
        of_waiting = int(min(dropped, status["waiting"]))
        status["waiting"] -= of_waiting
        status["inactive"] -= int(dropped) - of_waiting
        status["dropped"] += int(dropped)


def age_windows(data: WindowData) -> list[AgeWindow]:
    """The median and the 90 % quantile of the seconds until rewards came, in each objective."""
    windows: list[AgeWindow] = []
    for l in range(data.ages.shape[1]):
        column = data.ages[:, l]
        ages = column[~np.isnan(column)]
        median = None
        ninety = None
        if len(ages):
            median = float(np.quantile(ages, 0.5))
            ninety = float(np.quantile(ages, 0.9))

        windows.append({"count": len(ages), "median": median, "ninety": ninety})

    return windows


def finite(value: float) -> float | None:
    """A number, None where it is none: JSON has no NaN."""
    return float(value) if math.isfinite(value) else None


def half_width_of_mean(values: Array) -> float | None:
    """Half the 95 % interval of a mean, by Student's t; None for fewer than two numbers.

    Example:
        >>> import numpy as np
        >>> round(half_width_of_mean(np.array([1.0, 3.0])), 2), half_width_of_mean(np.array([1.0]))
        (12.71, None)
    """
    if len(values) < 2:
        return None
    return finite(interval_factor(len(values)) * values.std(ddof=1))
