"""The active balls of zooming algorithms: what they have seen, and upper bounds on the rewards inside them.

A ball is a centre, a point of the similarity space, and a radius, a power of two, so that comparing radii is exact.
Balls are only ever added; a ball's number is its position.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.numerics.averages import average

NEAR = 1e-9  # bounds that differ by less may be the same one, rounded


@state_fields(
    centre=Field(("dimensions", "balls")),
    radius=Field(("balls",), low=2.0**-1074, high=1.0),
    seen=counts("balls"),
    total=Field(("objectives", "balls")),
    # Bounds are infinite where nothing was seen.
    reach=Field(("objectives", "balls"), finite=False),
    bound=Field(("objectives", "balls"), finite=False),
)
class Balls(NamedTuple):
    """Active balls, in columns.

    Attributes:
        centre: (dimensions, balls).
        radius: (balls,).
        seen: (balls,) N, the rewards that a ball has seen.
        total: (objectives, balls) their sum.
        reach: (objectives, balls) the pre-index, a bound on the mean reward at the centre: average, plus doubt, plus
            radius.
        bound: (objectives, balls) the index, a bound on the mean rewards inside the ball.
    """

    centre: Array
    radius: Array
    seen: Array
    total: Array
    reach: Array
    bound: Array

    def upgraded(self) -> "Balls":
        """Sums, of a state in which `total` holds means."""
        return self._replace(total=self.total * self.seen)


@kernel
def no_balls(dimensions: int, objectives: int) -> Balls:
    """None yet."""
    none = (objectives, 0)
    return Balls(
        np.zeros((dimensions, 0)),
        np.zeros(0),
        np.zeros(0),
        np.zeros(none),
        np.zeros(none),
        np.zeros(none),
    )


@kernel
def add_ball(old: Balls, centre: Array, radius: float, doubt: float, similarity: Any) -> Balls:
    """The balls and a new one that has seen nothing.

    Copies them all, which costs as much as a round does.

    Args:
        old: the active balls.
        centre: (dimensions,).
        radius: of the new ball.
        doubt: about an average of no rewards; usually infinite.
        similarity: the distance.
    """
    b = len(old.radius)
    balls = Balls(
        longer(old.centre),
        longer(old.radius.reshape(1, -1))[0],
        longer(old.seen.reshape(1, -1))[0],
        longer(old.total),
        longer(old.reach),
        longer(old.bound),
    )
    balls.radius[b] = radius
    for i in range(len(centre)):
        balls.centre[i, b] = centre[i]
    apart = np.empty(b + 1)
    similarity.distances(balls.centre, balls.centre, b, apart)
    for l in range(len(balls.total)):
        balls.reach[l, b] = doubt + radius
        lower(balls, l, b, apart)
        renew(balls, l, b, similarity)
    return balls


@kernel
def move_first(balls: Balls, centre: Array) -> None:
    """Give the first ball, while it is the only one, another centre (dimensions,), in place."""
    for i in range(len(centre)):
        balls.centre[i, 0] = centre[i]


@kernel
def longer(table: Array) -> Array:
    """The same rows, each followed by a zero."""
    rows, columns = table.shape
    out = np.zeros((rows, columns + 1))
    for i in range(rows):
        for j in range(columns):
            out[i, j] = table[i, j]
    return out


@kernel
def learn(balls: Balls, b: int, reward: Array, doubt: float, similarity: Any) -> None:
    """Teach ball b a reward, in place, and keep every bound what its definition says.

    The bound of ball c, its index, is ``r_c + min_b (reach_b + D(b, c))`` over all balls b, in each objective. One
    reward changes one reach. Where that falls, the minima can only fall to it; where it rises, those that it was are
    computed anew.

    Args:
        balls: changed in place.
        b: the ball that was played.
        reward: (objectives,).
        doubt: half-width of the confidence interval around the new average.
        similarity: the distance.

    Reference:
        pcz2018, section 4, the index of a ball.
    """
    radius = balls.radius
    bound = balls.bound
    apart = np.empty(len(balls.radius))
    similarity.distances(balls.centre, balls.centre, b, apart)
    balls.seen[b] += 1.0
    for l in range(len(reward)):
        balls.total[l, b] += reward[l]
        old = balls.reach[l, b]
        new = average(balls.total[l, b], balls.seen[b]) + doubt + radius[b]
        balls.reach[l, b] = new
        if new <= old:
            lower(balls, l, b, apart)
        else:
            for c in range(len(radius)):
                if bound[l, c] >= radius[c] + (old + apart[c]) - NEAR:
                    renew(balls, l, c, similarity)


@kernel
def lower(balls: Balls, l: int, b: int, apart: Array) -> None:
    """Let every bound in objective l respect the reach of ball b, which lies `apart` (balls,) from each."""
    bound = balls.bound
    radius = balls.radius
    reach = balls.reach[l, b]
    for c in range(len(radius)):
        bound[l, c] = min(bound[l, c], radius[c] + (reach + apart[c]))


@kernel
def renew(balls: Balls, l: int, c: int, similarity: Any) -> None:
    """Compute the bound of ball c in objective l from its definition; infinite where nobody has seen anything."""
    reach = balls.reach
    radius = balls.radius[c]
    apart = np.empty(len(balls.radius))
    lowest = math.inf
    similarity.distances(balls.centre, balls.centre, c, apart)
    for b in range(len(apart)):
        lowest = min(lowest, radius + (reach[l, b] + apart[b]))
    balls.bound[l, c] = lowest
