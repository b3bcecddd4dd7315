"""What became of a window's decisions, and how long rewards took."""

from collections.abc import Sequence

import numpy as np

from mobandits.figures.monitor_contents import AgeWindow, StatusWindow
from mobandits.monitoring.window_data import (
    ABANDONED,
    COMPLETE,
    DROPPED,
    INACTIVE,
    WAITING,
    WindowData,
)


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
