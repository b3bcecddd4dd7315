"""Calibration: whether the intervals that a policy held contained the mean reward.

A single reward is noisy, and says little of an interval for its mean. So windows are compared. Of
the decisions t = 1 ... n of a window whose reward is known, in one objective:

    r_t              the reward
    m_t, l_t, h_t    the estimate of the played arm when it was played, and the ends of its interval

    observed = mean r_t      estimate = mean m_t      low = mean l_t      high = mean h_t
    noise    = the 97.5 % quantile of Student's t with n - 1 degrees of freedom
               * the standard deviation of r_t - m_t / sqrt(n)
    held:      low - noise <= observed <= high + noise

If every interval holds the expectation mu_t of its reward, then mean mu_t lies in [low, high], and
`observed` is within `noise` of it but for 5 % of windows or fewer: r_t - mu_t are differences of a
martingale. So the intervals are off where more windows miss than 5 % explains: where so many or
more would miss in less than one case of a hundred.

Intervals are those that the policy's explorer rests on: of upper confidence bounds with their
radius, of Thompson sampling one standard deviation of its samples. A narrow radius may play well
and miss nevertheless.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import bdtrc

from mobandits.contracts.protocols import Array
from mobandits.figures.monitor_contents import CalibrationSummary, CalibrationWindow, WindowSummary
from mobandits.monitoring.beliefs import Believed, Replayed
from mobandits.monitoring.window_data import WindowData
from mobandits.monitoring.windows import half_width_of_mean

MISSES = 0.05  # of windows, where all intervals hold
SIGNIFICANT = 0.01  # so rarely do as many windows miss by chance
NO_INTERVALS = "the policy has estimates, but no intervals around them"

NOTHING: CalibrationWindow = {
    "count": 0,
    "observed": None,
    "noise": None,
    "estimate": None,
    "low": None,
    "high": None,
    "held": None,
}


def calibration_windows(data: WindowData, believed: Believed) -> list[CalibrationWindow]:
    """Rewards beside estimates, in each objective; see the module.

    Args:
        data: of the window.
        believed: of all decisions that were replayed.
    """
    own = believed.of(data.outcomes.ids)
    windows = []
    for l in range(data.rewards.shape[1]):
        columns = (data.rewards[:, l], own.mean[:, l], own.low[:, l], own.high[:, l])
        table = np.stack(columns)
        # Arms that were never played may have intervals without end.
        is_known = np.isfinite(table).all(axis=0)
        windows.append(_compared(table[:, is_known]))

    return windows


def _compared(table: Array) -> CalibrationWindow:
    """Rewards, estimates, and lower and upper ends, (4, decisions), in the mean."""
    rewards, estimates, _, _ = table
    noise = half_width_of_mean(rewards - estimates)
    if noise is None:
        return {**NOTHING, "count": len(rewards)}

    observed, estimate, low, high = table.mean(axis=1).tolist()

    return {
        "count": len(rewards),
        "observed": observed,
        "noise": noise,
        "estimate": estimate,
        "low": low,
        "high": high,
        "held": low - noise <= observed <= high + noise,
    }


def calibration_summary(
    replayed: Replayed | None, windows: Sequence[WindowSummary], objectives: int
) -> CalibrationSummary:
    """How many windows held, of those that can be judged.

    Args:
        replayed: None where it was not asked for.
        windows: of the page.
        objectives: how many there are.
    """
    judged = [0] * objectives
    held = [0] * objectives
    first = None
    for window in windows:
        for l, own in enumerate(window["calibration"] or ()):
            if own["held"] is None:
                continue
            if first is None:
                first = window["number"]

            judged[l] += 1
            held[l] += own["held"]

    off = []
    for count, good in zip(judged, held, strict=True):
        off.append(are_too_many(count - good, count))

    return {"why": _why(replayed), "first": first, "judged": judged, "held": held, "off": off}


def are_too_many(missed: int, judged: int) -> bool:
    """Whether so many windows miss by chance in less than one case of a hundred.

    Example:
        >>> are_too_many(0, 40), are_too_many(4, 40), are_too_many(8, 40)
        (False, False, True)
    """
    if not missed:
        return False

    chance = bdtrc(missed - 1, judged, MISSES)
    return bool(chance < SIGNIFICANT)


def _why(replayed: Replayed | None) -> str:
    if replayed is None:
        return "it was not asked for"
    believed = replayed.believed
    if believed is None:
        return replayed.why
    has_intervals = (believed.high > believed.low).any()
    if len(believed.ids) and not has_intervals:
        return NO_INTERVALS

    return ""
