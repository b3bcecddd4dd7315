"""The mean rewards of a window, with intervals."""

import numpy as np

from mobandits.figures.monitor_contents import RewardWindow
from mobandits.monitoring.means import finite, half_width_of_mean
from mobandits.monitoring.window_data import WindowData


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
        has_interval = mean is not None and half is not None
        windows.append(
            {
                "count": len(values),
                "by_default": int(data.by_default[:, l].sum()),
                "mean": mean,
                "low": mean - half if has_interval else None,  # type: ignore[operator]
                "high": mean + half if has_interval else None,  # type: ignore[operator]
            }
        )

    return windows
