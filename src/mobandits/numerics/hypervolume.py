"""The dominated hypervolume: how much space a set of points covers, seen from a reference point.

Everywhere `points` is (points, objectives), relative to the reference: the volume is that of the
union of the boxes from 0 to each point, and points with a coordinate of at most 0 add nothing.
"""

import math

import numpy as np

from mobandits.compiling.compiled import compile_loop, kernel
from mobandits.contracts.protocols import Array

# Components of directions are divisors. A component of 0 stands for a border that is never reached:
# divided by this number the distance is too large to be a minimum, and compiled code does not
# raise.
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
    """The exact volume in the first `objectives` coordinates, all of which are positive.

    In one objective it is the largest point. Else the space is cut into slabs by the last
    coordinate of every point: a slab's volume is its height times the volume, in one objective
    less, of the points that reach above it.
    """
    if objectives == 1:
        largest = 0.0
        for i in range(len(points)):
            largest = max(largest, points[i, 0])

        return largest

    last = objectives - 1
    ranked = descending(points, last)
    total = 0.0
    reach = 0.0
    for i in range(len(ranked)):
        below = ranked[i + 1, last] if i + 1 < len(ranked) else 0.0
        height = ranked[i, last] - below
        reach = max(reach, ranked[i, 0])
        # Of points with equal coordinates, only the last one sees all of them above its slab.
        if height > 0.0:
            # Two objectives are the deepest level, and most of the time: there no call is made.
            base = reach if objectives == 2 else volume(ranked[: i + 1], last)
            total += height * base

    return total


def exact(points: Array) -> float:
    """The volume of points whose coordinates are all positive."""
    return volume(points, points.shape[1])


def farthest(points: Array, directions: Array, out: Array) -> None:
    """out[k] (directions,) becomes max(out[k], max_y min_l y_l / w_l) for w = directions[k].

    So far reaches the union of the boxes in that direction.
    """
    objectives = points.shape[1]
    for k in range(len(directions)):
        for i in range(len(points)):
            reach = math.inf
            for l in range(objectives):
                component = max(directions[k, l], TINY)
                reach = min(reach, points[i, l] / component)

            out[k] = max(out[k], reach)


def positive_points(points: Array) -> Array:
    """The points that dominate the reference in every objective: no others add volume."""
    dominating = (points > 0.0).all(axis=1)
    return np.ascontiguousarray(points[dominating], np.float64)


def exact_volume(points: Array) -> float:
    """The volume, exactly: time n^(L - 1) log n for n points in L > 1 objectives.

    Example:
        >>> exact_volume(np.array([[2.0, 1.0], [1.0, 2.0], [1.0, 1.0], [9.0, 0.0]]))
        3.0
    """
    inside = positive_points(points)
    if len(inside) == 0:
        return 0.0

    exactly = compile_loop(exact)

    return float(exactly(inside))


class Reach:
    """How far a growing set of points reaches in many fixed random directions; hence its volume.

    HV = c_L E_w[ (max_y min_l y_l / w_l)^L ] with w uniform on the positive part of the unit sphere
    and c_L = pi^(L/2) / (2^L Gamma(L/2 + 1)), the volume of the positive part of the unit ball.
    Points take time `directions` each, in any number of objectives L.

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
        self._directions = np.empty((0, objectives))

    @property
    def started(self) -> bool:
        """Whether there are any points."""
        return len(self._directions) > 0

    def extend(self, points: Array) -> None:
        """More points, (points, objectives)."""
        # Drawn when they are needed: most sets are small enough for the exact method.
        if not self.started:
            self._draw_directions()
        inside = positive_points(points)
        compile_loop(farthest)(inside, self._directions, self._reach)

    def _draw_directions(self) -> None:
        # A normal vector points in a uniform direction, and absolute values fold the whole sphere
        # onto its positive part.
        normal = np.random.default_rng(self._seed).standard_normal(self._size)
        directions = np.abs(normal)
        norms = np.sqrt((directions * directions).sum(axis=1))
        directions /= norms[:, None]
        self._directions = directions

    def volume(self) -> float:
        """The estimate so far."""
        objectives = self._size[1]
        half = objectives / 2
        # The volume of the unit ball, of which 1 / 2^L is where all coordinates are positive.
        ball = math.pi**half / (2**objectives * math.gamma(half + 1))
        powers = self._reach**objectives

        return float(ball * powers.mean())
