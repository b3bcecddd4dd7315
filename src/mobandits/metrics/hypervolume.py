"""The hypervolume of the mean vectors of the played arms."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape
from mobandits.metrics.metric import BaseMetric, of_chosen
from mobandits.numerics.hypervolume import Reach, exact_volume
from mobandits.support.checks import matrix, number

MARGIN = 0.1  # of an objective's range, between the worst arm and the reference point
STEPS = 1_000_000  # of the exact method, at most: 1000 points in 3 objectives, 100 in 4, 31 in 5


def hypervolume(points: Any, reference: Sequence[float]) -> float:
    """The volume of the union of the boxes from `reference` to each point.

    Dominated points, repeated ones, and those that do not exceed the reference in every objective
    add nothing. With n points on the Pareto front and L objectives it is exact while n^(L - 1) is
    at most a million; beyond, it is the average over 20,000 directions, always the same, of how far
    the union reaches.

    Args:
        points: (points, objectives), finite, all maximised.
        reference: (objectives,) one point, below everything that should count.

    Raises:
        ValueError: where the points are not a matrix of finite numbers, or the reference has
            another length.

    Example:
        >>> hypervolume([[1, 0], [0, 1], [-1, -1]], reference=[-1, -1])
        3.0
    """
    array = matrix("points", points, ("points", "objectives"))
    objectives = array.shape[1]
    origin = _reference("reference", reference, objectives)
    front = positive_front(array - origin)
    if is_quick(front):
        return exact_volume(front)

    reach = Reach(objectives)
    reach.extend(front)

    return reach.volume()


@dataclass(frozen=True)
class Hypervolume(BaseMetric):
    """The volume covered by the mean vectors of all arms played so far, above a reference point.

    It grows as long as new trade-offs are found, and does not depend on how often each was played.

    Args:
        reference: (objectives,), the same for all policies. None: in each objective the smallest
            mean of any arm, less a tenth of the range of the means (less 1 where they are all
            equal); possible only where the means stay.

    Reference:
        zhang2024 (Q. Zhang, NeurIPS 2024); `hypervolume` says how it is computed.

    Example:
        >>> Hypervolume(reference=[0, 0]).name
        'hypervolume'
    """

    references = ("zhang2024",)

    reference: Sequence[float] | None = None
    name = "hypervolume"
    better = "larger"
    least = 0.0
    meaning = "the volume that the mean rewards of the arms played so far dominate"
    cumulative = False

    def __post_init__(self) -> None:
        """Make the reference a tuple, so that metrics compare by value."""
        if self.reference is not None:
            # How many objectives there are is known in the first block only.
            reference = _reference("Hypervolume.reference", self.reference, None)
            object.__setattr__(self, "reference", tuple(reference.tolist()))

    def components(self, shape: Shape) -> int:
        """One per objective: the mean vectors themselves."""
        return shape.objectives

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, objectives) the chosen arm's means less the reference.

        Raises:
            ValueError: where there is no reference, and the means change over the rounds.
        """
        means = truth.block.means
        if self.reference is None:
            if len(means) > 1:
                raise ValueError(
                    "Hypervolume.reference must be given where means change over the rounds, "
                    "got None"
                )

            reference = below_all(means[0])
        else:
            reference = _reference("Hypervolume.reference", self.reference, means.shape[2])

        return np.asarray(of_chosen(means, chosen) - reference)

    def accumulator(self, shape: Shape) -> "Covered":
        """The volume before the first play: 0."""
        return Covered(shape.objectives)


class Covered:
    """The Pareto front of all points so far, relative to the reference, and its hypervolume."""

    def __init__(self, objectives: int) -> None:
        self._front = np.empty((0, objectives))
        self._new = list[Array]()
        self._volume = 0.0
        self._reach = Reach(objectives)

    def add(self, values: Array) -> None:
        """More points, (points, objectives)."""
        # A volume is not a sum over rounds: only the front of all points so far is kept.
        candidates = positive_front(values)
        is_new = [not dominated_by(self._front, point) for point in candidates]
        points = candidates[is_new]
        if not len(points):
            return

        stays = [not dominated_by(points, point) for point in self._front]
        remaining = self._front[np.array(stays, np.bool_)]
        self._front = np.concatenate([remaining, points])
        self._new.append(points)

    def value(self) -> Array:
        """(1,) the volume."""
        # Computed where it is recorded, and only if the front has changed since.
        if self._new:
            self._volume = self._computed()
            self._new = []
        return np.array([self._volume])

    def _computed(self) -> float:
        if is_quick(self._front):
            return exact_volume(self._front)

        # The average over directions keeps its state: from the second time on new points suffice.
        points = np.concatenate(self._new) if self._reach.started else self._front
        self._reach.extend(points)

        return self._reach.volume()


def below_all(means: Array) -> Array:
    """A reference point below all means (arms, objectives), by a tenth of their range.

    Example:
        >>> below_all(np.array([[0.0, 1.0], [1.0, 1.0]])).tolist()
        [-0.1, 0.0]
    """
    size = np.ptp(means, axis=0)
    # Without a range any margin will do: all arms cover the same in that objective.
    margin = np.where(size > 0.0, MARGIN * size, 1.0)
    reference: Array = means.min(axis=0) - margin

    return reference


def positive_front(points: Array) -> Array:
    """The distinct points above 0 that no other point dominates, in a fixed order.

    Example:
        >>> points = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [9.0, -1.0]])
        >>> positive_front(points).tolist()
        [[2.0, 1.0], [1.0, 2.0]]
    """
    positive = points[(points > 0.0).all(axis=1)]
    distinct = np.unique(positive, axis=0)
    # In falling lexicographic order a point comes after all that dominate it.
    ranked = distinct[::-1]
    kept: list[int] = []
    for i, point in enumerate(ranked):
        if not dominated_by(ranked[kept], point):
            kept.append(i)

    return np.asarray(ranked[kept])


def dominated_by(points: Array, point: Array) -> bool:
    """Whether one of the points (points, objectives) is at least as good in every objective.

    Example:
        >>> dominated_by(np.array([[1.0, 2.0]]), np.array([1.0, 1.0]))
        True
    """
    at_least = (points >= point).all(axis=1)
    return bool(at_least.any())


def is_quick(points: Array) -> bool:
    """Whether the exact method is quick enough for so many points, (points, objectives)."""
    n, objectives = points.shape
    exponent = max(1, objectives - 1)
    steps = n**exponent  # of the exact method, up to a logarithm
    return bool(steps <= STEPS)


def _reference(name: str, value: Sequence[float], objectives: int | None) -> Array:
    for entry in value:
        number(name, entry)

    if objectives is not None and len(value) != objectives:
        raise ValueError(
            f"{name} must have one entry per objective, {objectives}, got {len(value)}"
        )

    return np.array(value, np.float64)
