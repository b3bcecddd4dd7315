"""The difference of the values of two targets on the same rounds, in one objective or their sum."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.evaluation.estimate import Estimate
from mobandits.evaluation.regions import FLAT
from mobandits.evaluation.reliability import FREEDOM
from mobandits.evaluation.spread import Spread, reach, spread_of, tail
from mobandits.evaluation.terms import influence
from mobandits.logs.objectives import Objective
from mobandits.support.checks import as_float_array, choice
from mobandits.support.naming import wrong_value


class CandidateGain(NamedTuple):
    """A number that was estimated from a log, with an interval.

    Attributes:
        value: the estimate.
        low: the lower end.
        high: the upper end.
        p_value: of the claim that the number is above 0.
        freedom: degrees of freedom of its standard error: few where few rounds decide.
    """

    value: float
    low: float
    high: float
    p_value: float
    freedom: float

    def moved(self, distance: float) -> "CandidateGain":
        """The same number and interval, further to the right."""
        return self._replace(
            value=self.value + distance, low=self.low + distance, high=self.high + distance
        )

    @property
    def doubts(self) -> tuple[str, ...]:
        """Why the interval may not be trusted."""
        if self.freedom >= FREEDOM:
            return ()

        freedom = f"{self.freedom:.2g} degrees of freedom"
        return (f"few rounds decide: the gain has {freedom}, fewer than {FREEDOM}",)

    @property
    def text(self) -> str:
        """The number with its interval, in four digits."""
        return f"{self.value:.4g} ({self.low:.4g} to {self.high:.4g})"


def weighted_value(estimate: Estimate, weights: Array, probability: float) -> CandidateGain:
    """The weighted sum of a target's values.

    Args:
        estimate: of the values.
        weights: (objectives,) at least 0.
        probability: with which each end by itself is right.

    Example:
        >>> from mobandits.evaluation import LoggingPolicy, evaluate
        >>> from mobandits.logs import Feedback
        >>> rewards = [[0.0, 1.0], [1.0, 1.0], [0.0, 1.0], [1.0, 1.0]]
        >>> log = Feedback(np.ones((4, 1)), [0, 1, 0, 1], rewards, [0.5] * 4, ["a", "b"], "qc")
        >>> estimate = evaluate(log, LoggingPolicy(), "snips")
        >>> weighted_value(estimate, np.array([1.0, 0.5]), 0.975).value
        1.0
    """
    sizes = np.abs(estimate.value)
    if estimate.moments is not None:
        spread = estimate.moments.along(weights, weighted(sizes, weights))
    else:
        spread = _spread(influence(estimate.terms), sizes, weights)

    return _weighted_sum(estimate.value, sizes, weights, spread, probability)


def gain_over(
    estimate: Estimate, baseline: Estimate, weights: Array, probability: float
) -> CandidateGain:
    """How much more a target brings than another one, in a weighted sum of the objectives.

    The difference is taken round by round: what both owe to the same rounds cancels.

    Args:
        estimate: of the one target.
        baseline: of the other, from the same rounds by the same estimator.
        weights: (objectives,) at least 0.
        probability: with which each end by itself is right.

    Example:
        >>> from mobandits.evaluation import LoggingPolicy, evaluate
        >>> from mobandits.logs import Feedback
        >>> log = Feedback(np.ones((2, 1)), [0, 1], [[0.5], [1.0]], [0.5, 0.5], ["a", "b"], ["q"])
        >>> estimate = evaluate(log, LoggingPolicy(), "snips")
        >>> gain_over(estimate, estimate, np.ones(1), 0.975)[:4]
        (0.0, 0.0, 0.0, 1.0)
    """
    difference = estimate.value - baseline.value
    sizes = np.abs(estimate.value) + np.abs(baseline.value)
    if baseline.moments is None:
        effects = influence(estimate.terms) - influence(baseline.terms)
        spread = _spread(effects, sizes, weights)
    elif estimate is baseline:
        spread = baseline.moments.along(0.0 * weights, 0.0)
    else:
        # The other way round: the first of two targets has what is known of both.
        moments = baseline.differences[estimate.target]
        spread = moments.along(-weights, weighted(sizes, weights))

    return _weighted_sum(difference, sizes, weights, spread, probability)


def weights_of_values(weights: Array, objectives: Sequence[Objective]) -> Array:
    """(objectives,) the weights of values in the sum of learned rewards, where ranges are [0, 1]."""
    factors = np.array([factor for _, factor in (each.line for each in objectives)])
    scaled: Array = weights * np.abs(factors)

    return scaled


def checked_weights(weights: Any, objectives: tuple[Any, ...]) -> Array | None:
    """(objectives,) the weights of the sum that decides; None for the Pareto order.

    Args:
        weights: a number per objective, or {objective: number}; None: 1 where there is one
            objective, else the Pareto order.
        objectives: names.

    Raises:
        ValueError: where an objective is not known, or they are not numbers, at least 0 and one
            above it.

    Example:
        >>> checked_weights({"speed": 2.0}, ("quality", "speed")).tolist()
        [0.0, 2.0]
    """
    if weights is None:
        return np.ones(1) if len(objectives) == 1 else None
    if isinstance(weights, Mapping):
        # By their texts: a command line has no other names.
        names = [str(objective) for objective in objectives]
        weight_of_name = {str(name): weight for name, weight in weights.items()}
        for name in weight_of_name:
            choice("weights: an objective", name, names)

        weights = [weight_of_name.get(name, 0.0) for name in names]

    vector = as_float_array("weights", weights)
    are_weights = vector.shape == (len(objectives),) and np.isfinite(vector).all()
    if not are_weights or (vector < 0.0).any() or not vector.any():
        rule = f"weights must be {len(objectives)} numbers, one per objective"
        raise wrong_value(f"{rule}, at least 0 and not all 0", vector.tolist())

    return vector


def _spread(effects: Array, sizes: Array, weights: Array) -> Spread:
    """The spread of a weighted sum whose rounds have these influences."""
    counted = weights > 0.0
    effect = effects[:, counted] @ weights[counted]
    return spread_of(effect[:, None], np.array([weighted(sizes, weights)]))


def weighted(numbers: Array, weights: Array) -> float:
    """The weighted sum of numbers (objectives,)."""
    # An objective without weight may have no value at all: 0 times NaN would be NaN.
    counted = weights > 0.0
    return float(numbers[counted] @ weights[counted])


def _weighted_sum(
    values: Array, sizes: Array, weights: Array, spread: Spread, probability: float
) -> CandidateGain:
    """The weighted sum of values (objectives,)."""
    value = weighted(values, weights)
    if abs(value) <= FLAT * weighted(sizes, weights):
        value = 0.0

    below, above = reach(spread, probability)
    p_value = tail(spread, np.array([value]))

    return CandidateGain(
        value=value,
        low=value - float(below[0]),
        high=value + float(above[0]),
        p_value=float(p_value[0]),
        freedom=spread.freedom,
    )
