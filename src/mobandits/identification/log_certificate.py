"""The certificate of a log, whose objectives are compared in units of their ranges."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.identification.certificate import Certificate, certify
from mobandits.logs import Feedback
from mobandits.logs.objectives import Objective
from mobandits.support.checks import number
from mobandits.support.naming import wrong_value


def certificate_of_log(
    log: Feedback, delta: float, epsilon: float, sigma: Mapping[Any, float]
) -> Certificate:
    """The certificate of a log's end; see `identify`."""
    known = log.objective_names
    for name in sigma:
        if name not in known:
            listed = ", ".join(map(str, known))
            raise wrong_value(f"sigma must name objectives, {listed}", name)

    arms = len(log.arm_names)
    shape = (arms, len(log.objectives))
    seen = np.zeros(shape)
    mean = np.zeros(shape)
    for l, objective in enumerate(log.objectives):
        own = log.own_rewards[:, l]
        scale = sigma.get(objective.name)
        unit = _unit(objective, own, scale)
        is_observed = np.isfinite(own)
        played = log.arms[is_observed]
        rewards = log.rewards[is_observed, l] / unit
        total = np.bincount(played, rewards, arms)
        seen[:, l] = np.bincount(played, minlength=arms)
        # An arm that was not seen has no mean, and 0 will do.
        divisor = np.maximum(seen[:, l], 1.0)
        mean[:, l] = total / divisor

    return certify(seen, mean, delta=delta, epsilon=epsilon, names=log.arm_names)


def _unit(objective: Objective, own: Array, sigma: float | None) -> float:
    """The length of an objective's range, of which a scale is half."""
    name = objective.name
    if sigma is not None:
        number(f"sigma of {name}", sigma, above=0.0)
        return 2.0 * sigma

    low, high = objective.bounded_range
    is_outside = (own < low) | (own > high)
    outside = own[is_outside]
    if outside.size:
        rule = f"in [{low:g}, {high:g}], or have another range or a sigma"
        raise ValueError(f"rewards of {name} must lie {rule}, got {outside[0]:g}")

    return high - low
