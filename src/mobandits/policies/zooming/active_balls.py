"""The active balls of zooming algorithms, and upper bounds on the mean rewards inside them.

A ball is a centre, a point of the similarity space, and a radius, a power of two, so that comparing
radii is exact. Balls are only ever added; a ball's number is its position. Symbols, of pcz2018,
section 4: N_B the rewards that ball B has seen, r(B) its radius, u_B the half-width of its
confidence interval, g_B^pre its pre-index, g_B its index, D the distance of centres.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array
from mobandits.contracts.states import Field, counts, state_fields
from mobandits.numerics.averages import average

# Bounds that differ by less may be the same one, rounded.
NEAR = 1e-9


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
        reach: (objectives, balls) the pre-index, a bound on the mean reward at the centre: average,
            plus half-width, plus radius.
        bound: (objectives, balls) the index, a bound on the mean rewards inside the ball.
    """

    centre: Array
    radius: Array
    seen: Array
    total: Array
    reach: Array
    bound: Array


@kernel
def no_balls(dimensions: int, objectives: int) -> Balls:
    """The balls before the first one: none."""
    size = (objectives, 0)
    centre = np.zeros((dimensions, 0))
    radius = np.zeros(0)
    seen = np.zeros(0)
    total = np.zeros(size)
    reach = np.zeros(size)
    bound = np.zeros(size)

    return Balls(centre, radius, seen, total, reach, bound)


@kernel
def add_ball(old: Balls, centre: Array, radius: float, half_width: float, similarity: Any) -> Balls:
    """The balls and a new one that has seen nothing.

    Copies them all, which costs as much as a round does; balls are rare, about 45 in 1e5 rounds.

    Args:
        old: the active balls.
        centre: (dimensions,).
        radius: of the new ball.
        half_width: of the interval around an average of no rewards; usually infinite.
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

    distances = np.empty(b + 1)
    similarity.distances(balls.centre, balls.centre, b, distances)
    objectives = len(balls.total)
    for l in range(objectives):
        balls.reach[l, b] = half_width + radius
        # The reach is finite where a prior makes it so: the old bounds may fall to it.
        lower_bounds(balls, l, b, distances)
        recompute_bound(balls, l, b, similarity)

    return balls


@kernel
def move_first(balls: Balls, centre: Array) -> None:
    """Give the first ball, while it is the only one, another centre (dimensions,), in place."""
    # The only ball is at distance 0 of itself wherever it lies: its bounds stay what they are.
    dimensions = len(centre)
    for i in range(dimensions):
        balls.centre[i, 0] = centre[i]


@kernel
def longer(table: Array) -> Array:
    """The same rows, each followed by a zero."""
    rows, columns = table.shape
    longer_table = np.zeros((rows, columns + 1))
    for i in range(rows):
        for j in range(columns):
            longer_table[i, j] = table[i, j]

    return longer_table


@kernel
def add_reward(balls: Balls, b: int, reward: Array, half_width: float, similarity: Any) -> None:
    """Teach ball b a reward, in place, and keep every bound equal to its definition.

    The bound of ball c, its index, is ``r_c + min_b (reach_b + D(b, c))`` over all balls b, in each
    objective. One reward changes one reach. Where that falls, the minima can only fall to it; where
    it rises, those that it was are computed anew.

    Args:
        balls: changed in place.
        b: the ball that was played.
        reward: (objectives,).
        half_width: of the confidence interval around the new average.
        similarity: the distance.

    Reference:
        pcz2018, Algorithm 1, line 16; section 4, the index of a ball.
    """
    radius = balls.radius
    bound = balls.bound
    distances = np.empty(len(radius))
    similarity.distances(balls.centre, balls.centre, b, distances)
    balls.seen[b] += 1.0
    for l in range(len(reward)):
        balls.total[l, b] += reward[l]
        mean = average(balls.total[l, b], balls.seen[b])
        old_reach = balls.reach[l, b]
        new_reach = mean + half_width + radius[b]
        balls.reach[l, b] = new_reach
        if new_reach <= old_reach:
            lower_bounds(balls, l, b, distances)
        else:
            # Bounds that ball b attained are among these; NEAR lets in some more, which costs
            # time and changes nothing.
            for c in range(len(radius)):
                old_candidate = radius[c] + (old_reach + distances[c])
                if bound[l, c] >= old_candidate - NEAR:
                    recompute_bound(balls, l, c, similarity)


@kernel
def lower_bounds(balls: Balls, l: int, b: int, distances: Array) -> None:
    """Lower the bounds in objective l to what the reach of ball b allows, in place.

    Args:
        balls: changed in place.
        l: the objective.
        b: the ball whose reach fell.
        distances: (balls,) of ball b from each ball.
    """
    bound = balls.bound
    radius = balls.radius
    reach = balls.reach[l, b]
    for c in range(len(radius)):
        # The order of the sum is that of `recompute_bound`: bounds are equal to the last bit.
        candidate = radius[c] + (reach + distances[c])
        bound[l, c] = min(bound[l, c], candidate)


@kernel
def recompute_bound(balls: Balls, l: int, c: int, similarity: Any) -> None:
    """Compute the bound of ball c in objective l from its definition, in place.

    It is infinite where no ball has seen anything.
    """
    reach = balls.reach
    centre = balls.centre
    radius = balls.radius[c]
    count = len(balls.radius)
    distances = np.empty(count)
    lowest = math.inf
    similarity.distances(centre, centre, c, distances)
    for b in range(count):
        candidate = radius + (reach[l, b] + distances[b])
        lowest = min(lowest, candidate)

    balls.bound[l, c] = lowest
