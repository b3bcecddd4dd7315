"""The space that the played arms cover together."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from mobandits.contracts.protocols import Array, GroundTruth, IntArray, Mask, Shape
from mobandits.metrics.reward import of_chosen
from mobandits.numerics.hypervolume import Reach, exact_volume
from mobandits.support.checks import matrix, number

MARGIN = 0.1  # of an objective's range, between the worst arm and the reference point
STEPS = 1_000_000  # of the exact method, at most: 1000 points in 3 objectives, 100 in 4, 31 in 5


def hypervolume(points: Any, reference: Sequence[float]) -> float:
    """The volume of the union of the boxes from `reference` to each point.

    Dominated points, repeated ones, and those that do not exceed the reference in every objective add nothing. With n
    points on the Pareto front and L objectives it is exact while n^(L - 1) is at most a million; beyond, it is the
    average over 20,000 directions, always the same, of how far the union reaches.

    Args:
        points: (points, objectives), finite, all maximised.
        reference: (objectives,) one point, below everything that should count.

    Raises:
        ValueError: where the points are not a matrix of finite numbers, or the reference has another length.

    Example:
        >>> hypervolume([[1, 0], [0, 1], [-1, -1]], reference=[-1, -1])
        3.0
    """
    array = matrix("points", points, ("points", "objectives"))
    inside = front(array - _reference("reference", reference, array.shape[1]))
    if few(inside):
        return exact_volume(inside)
    reach = Reach(array.shape[1])
    reach.extend(inside)
    return reach.volume()


@dataclass(frozen=True)
class Hypervolume:
    """The volume covered by the mean vectors of all arms played so far, above a reference point.

    It grows as long as new trade-offs are found, and says nothing about how often each was played.

    Args:
        reference: (objectives,), the same for all policies. None: in each objective the smallest mean of any arm, less
            a tenth of the range of the means (less 1 where they are all equal); possible only where the means stay.

    Reference:
        zhang2024 (Q. Zhang, NeurIPS 2024); `hypervolume` says how it is computed.

    Example:
        >>> Hypervolume(reference=[0, 0]).name
        'hypervolume'
    """

    reference: Sequence[float] | None = None
    name: ClassVar[str] = "hypervolume"
    cumulative: ClassVar[bool] = False
    needs_fronts: ClassVar[bool] = False

    def __post_init__(self) -> None:
        """Make the reference a tuple, so that metrics compare by value."""
        if self.reference is not None:
            object.__setattr__(
                self,
                "reference",
                tuple(_reference("Hypervolume.reference", self.reference, None).tolist()),
            )

    def components(self, shape: Shape) -> int:
        """One per objective: the mean vectors themselves."""
        return shape.objectives

    def per_round(self, truth: GroundTruth, chosen: IntArray, fronts: Mask | None) -> Array:
        """(rounds, objectives) what the chosen arm's means exceed the reference by.

        Raises:
            ValueError: where there is no reference, and the means change over the rounds.
        """
        means = truth.block.means
        if self.reference is None:
            if len(means) > 1:
                raise ValueError(
                    "Hypervolume.reference must be given where means change over the rounds, got None"
                )
            size = np.ptp(means[0], axis=0)
            reference = means[0].min(axis=0) - np.where(size > 0.0, MARGIN * size, 1.0)
        else:
            reference = _reference("Hypervolume.reference", self.reference, means.shape[2])
        return np.asarray(of_chosen(means, chosen) - reference)

    def accumulator(self, shape: Shape) -> "Covered":
        """Nothing covered yet."""
        return Covered(shape.objectives)


class Covered:
    """The Pareto front of all points so far, relative to the reference, and how far it reaches."""

    def __init__(self, objectives: int) -> None:
        self._front = np.empty((0, objectives))
        self._new = list[Array]()
        self._volume = 0.0
        self._reach = Reach(objectives)

    def add(self, values: Array) -> None:
        """More points, (points, objectives)."""
        found = front(values)
        found = found[[not (self._front >= point).all(axis=1).any() for point in found]]
        if len(found):
            beaten = [bool((found >= point).all(axis=1).any()) for point in self._front]
            self._front = np.concatenate([self._front[~np.array(beaten, np.bool_)], found])
            self._new.append(found)

    def value(self) -> Array:
        """(1,) the volume."""
        if self._new:
            if few(self._front):
                self._volume = exact_volume(self._front)
            else:
                self._reach.extend(
                    np.concatenate(self._new) if self._reach.started else self._front
                )
                self._volume = self._reach.volume()
            self._new = []
        return np.array([self._volume])


def front(points: Array) -> Array:
    """The distinct points above 0 that no other dominates, in a fixed order.

    Example:
        >>> front(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 1.0], [1.0, 2.0], [9.0, -1.0]])).tolist()
        [[2.0, 1.0], [1.0, 2.0]]
    """
    ranked = np.unique(points[(points > 0.0).all(axis=1)], axis=0)[::-1]
    kept: list[int] = []
    for i, point in enumerate(ranked):  # whoever dominates a point comes before it
        if not (ranked[kept] >= point).all(axis=1).any():
            kept.append(i)
    return np.asarray(ranked[kept])


def few(points: Array) -> bool:
    """Whether the exact method is quick enough for so many points, (points, objectives)."""
    n, objectives = points.shape
    return bool(n ** max(1, objectives - 1) <= STEPS)


def _reference(name: str, value: Sequence[float], objectives: int | None) -> Array:
    for entry in value:
        number(name, entry)
    if objectives is not None and len(value) != objectives:
        raise ValueError(
            f"{name} must have one entry per objective, {objectives}, got {len(value)}"
        )
    return np.array(value, np.float64)
