"""The propensities of a window: how small they are, and how random its decisions were."""

import numpy as np

from mobandits.figures.monitor_contents import PropensityWindow
from mobandits.monitoring.means import finite
from mobandits.monitoring.window_data import WindowData


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
        entropy = finite(-np.log2(known).mean())

    return {
        "known": len(known),
        "smallest": smallest,
        # Minus zero is a number of no meaning here.
        "entropy": None if entropy is None else entropy + 0.0,
        "choices": int(is_choice.sum()),
        "certain": certain,
    }
