"""The dominated hypervolume: how much space a set of points covers, seen from a reference point.

Everywhere `points` is (points, objectives), relative to the reference: the volume is that of the union of the boxes
from 0 to each point, and points with a coordinate of at most 0 add nothing.
"""

import math

import numpy as np

from mobandits.compiling.compiled import compile_loop, kernel
from mobandits.contracts.protocols import Array

TINY = 1e-300


@kernel
def descending(points: Array, coordinate: int) -> Array:
    """The points by one coordinate, largest first; ties as they come."""
    out = np.empty(points.shape)
    order = np.argsort(-points[:, coordinate], kind="mergesort")
    for i in range(len(order)):
        for l in range(points.shape[1]):
            out[i, l] = points[order[i], l]
    return out


@kernel
def volume(points: Array, objectives: int) -> float:
    """The exact volume in the first so many objectives, all of whose coordinates are positive.

    In one objective it is the largest point. Else the space is cut into slabs by the last coordinate of every point: a
    slab's volume is its height times the volume, in one objective less, of the points that reach above it.
    """
    if objectives == 1:
        largest = 0.0
        for i in range(len(points)):
            largest = max(largest, points[i, 0])
        return largest
    ranked = descending(points, objectives - 1)
    total = 0.0
    reach = 0.0
    last = objectives - 1
    for i in range(len(ranked)):
        height = ranked[i, last] - (ranked[i + 1, last] if i + 1 < len(ranked) else 0.0)
        reach = max(reach, ranked[i, 0])
        if height > 0.0:  # of equal points, only the last one sees all of them
            total += height * (reach if objectives == 2 else volume(ranked[: i + 1], last))
    return total


def exact(points: Array) -> float:
    """The volume of points whose coordinates are all positive."""
    return volume(points, points.shape[1])


def farthest(points: Array, directions: Array, out: Array) -> None:
    """out[k] (directions,) becomes max(out[k], max_y min_l y_l / w_l) for direction w = directions[k].

    So far reaches the union of the boxes in that direction.
    """
    for k in range(len(directions)):
        for i in range(len(points)):
            reach = math.inf
            for l in range(points.shape[1]):
                reach = min(reach, points[i, l] / max(directions[k, l], TINY))
            out[k] = max(out[k], reach)


def exact_volume(points: Array) -> float:
    """The volume, exactly: time n^(L - 1) log n for n points in L > 1 objectives.

    Example:
        >>> exact_volume(np.array([[2.0, 1.0], [1.0, 2.0], [1.0, 1.0], [9.0, 0.0]]))
        3.0
    """
    inside = np.ascontiguousarray(points[(points > 0.0).all(axis=1)], np.float64)
    found: float = compile_loop(exact)(inside) if len(inside) else 0.0
    return found


class Reach:
    """How far a growing set of points reaches in many random directions, always the same ones; hence its volume.

    HV = c_L E_w[ (max_y min_l y_l / w_l)^L ] with w uniform on the positive part of the unit sphere and
    c_L = pi^(L/2) / (2^L Gamma(L/2 + 1)), the volume of the positive part of the unit ball. Points take time
    `directions` each, in any number of objectives L.

    Args:
        objectives: L.
        directions: how many; 20,000 leave an error of 0.1 % in 3 objectives, 0.5 % in 5.
        seed: of the directions.

    Example:
        >>> reach = Reach(objectives=2)
        >>> reach.extend(np.array([[2.0, 1.0]]))
        >>> reach.extend(np.array([[1.0, 2.0]]))
        >>> abs(reach.volume() - 3.0) < 0.02
        True
    """

    def __init__(self, objectives: int, directions: int = 20_000, seed: int = 0) -> None:
        self._size = (directions, objectives)
        self._reach = np.zeros(directions)
        self._seed = seed
        self._w = np.empty((0, objectives))

    @property
    def started(self) -> bool:
        """Whether there are any points."""
        return len(self._w) > 0

    def extend(self, points: Array) -> None:
        """More points, (points, objectives)."""
        if (
            not self.started
        ):  # drawn when they are needed: most sets are small enough for the exact method
            self._w = np.abs(np.random.default_rng(self._seed).standard_normal(self._size))
            self._w /= np.sqrt((self._w * self._w).sum(axis=1))[:, None]
        inside = np.ascontiguousarray(points[(points > 0.0).all(axis=1)], np.float64)
        compile_loop(farthest)(inside, self._w, self._reach)

    def volume(self) -> float:
        """The estimate so far."""
        objectives = self._size[1]
        ball = math.pi ** (objectives / 2) / (2**objectives * math.gamma(objectives / 2 + 1))
        return float(ball * (self._reach**objectives).mean())
