"""The max-min fairness regret: how far the worst objective is behind the best worst objective."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask
from mobandits.metrics.metric import BaseMetric, of_chosen
from mobandits.support.checks import number
from mobandits.support.naming import wrong_value


@dataclass(frozen=True)
class MaxMinRegret(BaseMetric):
    """The best worst objective of any arm, less that of the arm that was played, summed over rounds.

        R_T = sum_t ( max_a min_l g_{t,a,l}  -  min_l g_{t,a_t,l} ),
        g_{t,a,l} = (mu_{t,a,l} - r_l) / u_l

    mu are mean rewards, a_t the arm that was played, r a reference and u units. The regret is never
    negative, and zero where the arm that serves its worst objective best is always played.

    Objectives are compared with each other here, as in no order: their gains must have a common
    unit. Without parameters the rewards are taken as they are, which suits rewards that are all
    shares or all dollars; else give what each objective has without any effort as `reference`, and
    what counts as much in each as `units`.

    Pareto regret alone tells little. It is no harder than the regret of a single objective: a
    policy that plays one arm of the front for ever has none. Such a policy has a max-min regret
    wherever another arm serves the worst objective better.

    Args:
        reference: (objectives,) r; None: 0.
        units: (objectives,) u, above 0; None: 1.

    Raises:
        ValueError: where a parameter does not fit.

    Reference:
        Why it stands beside the Pareto regret: Guan and Xu, arXiv:2604.07096, 2026. Reference and
        units are ours.

    Example:
        >>> MaxMinRegret(units=[1, 100]).units
        (1.0, 100.0)
    """

    references = ("guan2026",)

    reference: Sequence[float] | None = None
    units: Sequence[float] | None = None
    name = "max_min_regret"
    better = "smaller"
    least = 0.0
    meaning = (
        "the sum over rounds of how far the worst objective of the arm that was played lies "
        "below the best worst objective of any arm"
    )

    def __post_init__(self) -> None:
        """Check the parameters, and make them tuples, so that metrics compare by value."""
        for field in ("reference", "units"):
            values = getattr(self, field)
            if values is not None:
                checked = _numbers(f"MaxMinRegret.{field}", values, positive=field == "units")
                object.__setattr__(self, field, checked)

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, 1) how far the worst objective is behind.

        Raises:
            ValueError: where a parameter has another length than there are objectives.
        """
        gains = self._gains(truth.block.means)
        worst: Array = gains.min(axis=2, keepdims=True)
        best: Array = worst.max(axis=1)
        regret: Array = best - of_chosen(worst, chosen)

        return regret

    def _gains(self, means: Array) -> Array:
        objectives = means.shape[2]
        for field in ("reference", "units"):
            values = getattr(self, field)
            if values is not None and len(values) != objectives:
                raise ValueError(
                    f"MaxMinRegret.{field} must have one entry per objective, {objectives}, "
                    f"got {len(values)}"
                )

        gains = means
        if self.reference is not None:
            gains = gains - np.array(self.reference)
        if self.units is not None:
            gains = gains / np.array(self.units)

        return gains


def _numbers(name: str, values: Any, *, positive: bool) -> tuple[float, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence | np.ndarray):
        raise wrong_value(f"{name} must be a list with a number per objective", values)

    for entry in values:
        number(name, entry, above=0.0 if positive else -np.inf)

    return tuple(float(entry) for entry in values)
