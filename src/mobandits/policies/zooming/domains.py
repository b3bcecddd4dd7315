"""The domains of active balls, and uniform draws from them.

Both are exact for arms in [0, 1] and for finitely many points. The domain of a ball is the part of
it that no smaller ball covers (pcz2018, section 4, dom_t(B)). So a pair of context and arm belongs
to the smallest of the balls around it, of which several may be of equal size. The first ball has
radius 1, the largest distance there is: it contains everything, also where distances are rounded.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng
from mobandits.numerics.masks import pick
from mobandits.policies.zooming.active_balls import Balls

# Pieces of [0, 1] that are not longer are rounding: the ends of two balls that should coincide.
SHORT = 1e-12


class Slice(NamedTuple):
    """The balls that contain arms of [0, 1] at some context, the smallest first.

    Attributes:
        balls: (some,) their numbers.
        ends: (3, some) the lowest and the highest arm that each contains, and its radius.
    """

    balls: IntArray
    ends: Array


class Spot(NamedTuple):
    """An arm in [0, 1], and the position in a slice of a ball whose domain it belongs to."""

    arm: float
    ball: int


@kernel
def slice_at(balls: Balls, context: Array) -> Slice:
    """The slice {context} x [0, 1] of all balls, with distances ``||z - w|| / sqrt(dimensions)``.

    The arm is the last coordinate of a centre. A ball of radius r, whose centre is at the Euclidean
    distance s from the slice, contains the arms up to ``sqrt(dimensions r^2 - s^2)`` away from its
    own.
    """
    centre = balls.centre
    radius = balls.radius
    count = len(radius)
    dimensions = len(centre)
    # Square of half the length that each ball cuts out of the slice.
    squares = np.empty(count)
    order = np.empty(count, np.int64)
    found = 0
    for b in range(count):
        squares[b] = dimensions * radius[b] * radius[b]

    # Balls are the innermost loop: centres keep them side by side in memory.
    for i in range(dimensions - 1):
        coordinate = context[i]
        for b in range(count):
            difference = centre[i, b] - coordinate
            squares[b] -= difference * difference

    # The first ball contains everything, also where distances are rounded.
    squares[0] = math.inf
    # Insertion sort by radius, from the youngest: young balls are small, so it is nearly in order.
    for b in range(count - 1, -1, -1):
        if squares[b] > 0.0:
            i = found
            while i > 0 and radius[order[i - 1]] > radius[b]:
                order[i] = order[i - 1]
                i -= 1

            order[i] = b
            found += 1

    ends = np.empty((3, found))
    for i in range(found):
        b = order[i]
        arm = centre[dimensions - 1, b]
        half_length = math.sqrt(squares[b])
        ends[0, i] = max(0.0, arm - half_length)
        ends[1, i] = min(1.0, arm + half_length)
        ends[2, i] = radius[b]

    return Slice(order[:found], ends)


@kernel
def append_uncovered(cover: Array, n: int, low: float, high: float, pieces: Array, k: int) -> int:
    """The number of pieces after appending what the n intervals of `cover` leave of [low, high].

    Both arrays are (2 or more, room), an interval in each column; those of `cover` are disjoint and
    from the left to the right. There are k pieces before. Column k of `pieces` is written in any
    case.
    """
    i = 0
    while i < n and cover[0, i] < high:
        if cover[1, i] > low:
            gap_end = cover[0, i]
            pieces[0, k] = low
            pieces[1, k] = gap_end
            # No branch: a piece that is too short is overwritten by the next one.
            k += gap_end - low > SHORT
            low = cover[1, i]

        i += 1

    pieces[0, k] = low
    pieces[1, k] = high

    return k + (high - low > SHORT)


@kernel
def include(cover: Array, n: int, low: float, high: float) -> int:
    """The number of intervals after `cover` became the union of its n intervals and [low, high]."""
    first = 0
    while first < n and cover[1, first] < low:
        first += 1

    # The intervals from `first` to before `last` touch [low, high] and become one with it.
    last = first
    while last < n and cover[0, last] <= high:
        low = min(low, cover[0, last])
        high = max(high, cover[1, last])
        last += 1

    merged = last - first
    shift = 1 - merged
    if shift == 1:
        # Room for one more: from the right, or an interval would be overwritten before it moved.
        for i in range(n, first, -1):
            cover[0, i] = cover[0, i - 1]
            cover[1, i] = cover[1, i - 1]
    else:
        for i in range(last, n):
            cover[0, i + shift] = cover[0, i]
            cover[1, i + shift] = cover[1, i]

    cover[0, first] = low
    cover[1, first] = high

    return n + shift


@kernel
def is_full(cover: Array, n: int) -> bool:
    """Whether the n intervals of `cover` are all of [0, 1]."""
    # Touching intervals were merged: all of [0, 1] is a single one.
    if n != 1:
        return False

    low = cover[0, 0]
    high = cover[1, 0]

    # Ends were cut to [0, 1], so that these comparisons are exact.
    return bool(low <= 0.0 and high >= 1.0)


@kernel
def relevant_balls(ends: Array) -> Mask:
    """(some,) the balls of a slice whose domain is not empty: those that smaller ones do not cover.

    They are the relevant balls of pcz2018, Algorithm 1, line 7.
    """
    count = ends.shape[1]
    relevant = np.zeros(count, np.bool_)
    workspace = np.empty((4, count + 2))
    cover = workspace[:2]
    pieces = workspace[2:]
    n = 0
    first = 0
    # Balls come by size: once the smaller ones cover [0, 1], the larger ones own nothing.
    while first < count and not is_full(cover, n):
        radius = ends[2, first]
        last = first
        # Balls of one size do not cover one another: all are tested before any is included.
        while last < count and ends[2, last] == radius:
            low = ends[0, last]
            high = ends[1, last]
            relevant[last] = append_uncovered(cover, n, low, high, pieces, 0) > 0
            last += 1

        for i in range(first, last):
            n = include(cover, n, ends[0, i], ends[1, i])

        first = last

    return relevant


@kernel
def owned_pieces(ends: Array, chosen: Mask) -> Array:
    """(3, pieces) the union of the chosen balls' domains: disjoint pieces, and their balls' radius.

    Balls of one size share what they have in common: the chosen ones take it before the others
    cover it.
    """
    count = ends.shape[1]
    workspace = np.empty((5, 2 * count + 2))
    cover = workspace[:2]
    pieces = workspace[2:]
    n = 0
    k = 0
    first = 0
    while first < count and not is_full(cover, n):
        radius = ends[2, first]
        before = k
        last = first
        while last < count and ends[2, last] == radius:
            if chosen[last]:
                low = ends[0, last]
                high = ends[1, last]
                k = append_uncovered(cover, n, low, high, pieces, k)
                # Included at once: the next ball of this size must not count the same piece again.
                n = include(cover, n, low, high)

            last += 1

        for i in range(first, last):
            if not chosen[i]:
                n = include(cover, n, ends[0, i], ends[1, i])

        for p in range(before, k):
            pieces[2, p] = radius

        first = last

    return pieces[:, :k]


@kernel
def draw_from_slice(ends: Array, chosen: Mask, rng: Rng) -> Spot:
    """A uniform arm in the union of the chosen balls' domains, and a uniform ball that owns it.

    These are lines 9 and 10 of pcz2018, Algorithm 1.

    Args:
        ends: of a slice.
        chosen: (some,) balls of the slice, at least one of them relevant.
        rng: two random numbers are drawn.
    """
    pieces = owned_pieces(ends, chosen)
    count = pieces.shape[1]
    total = 0.0
    for p in range(count):
        total += pieces[1, p] - pieces[0, p]

    rest = rng.random() * total
    piece = 0
    length = pieces[1, 0] - pieces[0, 0]
    # Differences are rounded otherwise than their sum: what is left belongs to the last piece.
    while piece < count - 1 and rest >= length:
        rest -= length
        piece += 1
        length = pieces[1, piece] - pieces[0, piece]

    # Rounding must not carry the arm beyond the piece: no chosen ball would own it.
    arm = min(pieces[0, piece] + rest, pieces[1, piece])
    radius = pieces[2, piece]
    owners = np.zeros(len(chosen), np.bool_)
    for i in range(len(chosen)):
        is_inside = ends[0, i] <= arm <= ends[1, i]
        # No smaller ball is around the arm, or the piece would be that ball's.
        is_smallest = ends[2, i] == radius
        owners[i] = chosen[i] and is_smallest and is_inside

    ball = pick(owners, rng)

    return Spot(arm, ball)


@kernel
def owners_of(balls: Balls, points: Array, similarity: Any) -> Mask:
    """(balls, points) the smallest balls around each of `points` (dimensions, points)."""
    radius = balls.radius
    count = points.shape[1]
    ball_count = len(radius)
    owners = np.zeros((ball_count, count), np.bool_)
    distances = np.empty(count)
    # The radius of the smallest ball around each point; the first ball has radius 1.
    least = np.ones(count)
    for b in range(ball_count):
        similarity.distances(points, balls.centre, b, distances)
        own = radius[b]
        for j in range(count):
            # The first ball contains everything, also where distances are rounded.
            inside = b == 0 or distances[j] <= own
            owners[b, j] = inside
            least[j] = own if inside and own < least[j] else least[j]

    # Radii are powers of two, so that equal sizes compare as equal.
    for b in range(ball_count):
        own = radius[b]
        for j in range(count):
            owners[b, j] &= least[j] == own

    return owners
