"""The domains of active balls, and uniform draws from them: exact for arms in [0, 1] and for finitely many points.

The domain of a ball is what it covers and no smaller ball does. So a pair of context and arm belongs to the smallest of
the balls around it, of which several may be of equal size. The first ball has radius 1, the largest distance there is:
it contains everything, whatever rounding says.
"""

import math
from typing import Any, NamedTuple

import numpy as np

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng
from mobandits.numerics.masks import pick
from mobandits.policies.zooming.active_balls import Balls

SHORT = 1e-12  # pieces of [0, 1] that are not longer are rounding


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
def cut(balls: Balls, context: Array) -> Slice:
    """The slice {context} x [0, 1] of all balls, with distances ``||z - w|| / sqrt(dimensions)``.

    The arm is the last coordinate of a centre. A ball of radius r, whose centre is at the Euclidean distance s from the
    slice, contains the arms up to ``sqrt(dimensions r^2 - s^2)`` away from its own.
    """
    centre = balls.centre
    radius = balls.radius
    n = len(balls.radius)
    half = np.empty(n)
    which = np.empty(n, np.int64)
    found = 0
    for b in range(n):
        half[b] = len(centre) * radius[b] * radius[b]
    for i in range(len(centre) - 1):
        for b in range(n):
            half[b] -= (centre[i, b] - context[i]) * (centre[i, b] - context[i])
    half[0] = math.inf
    for b in range(n - 1, -1, -1):  # young balls are small: nearly in order
        if half[b] > 0.0:
            i = found
            while i > 0 and radius[which[i - 1]] > radius[b]:
                which[i] = which[i - 1]
                i -= 1
            which[i] = b
            found += 1
    ends = np.empty((3, found))
    for i in range(found):
        b = which[i]
        arm = centre[len(centre) - 1, b]
        reach = math.sqrt(half[b])
        ends[0, i] = max(0.0, arm - reach)
        ends[1, i] = min(1.0, arm + reach)
        ends[2, i] = radius[b]
    return Slice(which[:found], ends)


@kernel
def append_uncovered(cover: Array, n: int, low: float, high: float, pieces: Array, k: int) -> int:
    """Append to the k `pieces` what remains of [low, high] without the n intervals of `cover`; returns the new k.

    Both are (2 or more, room), an interval in each column; those of `cover` are disjoint and from the left to the
    right. Column k of `pieces` is written in any case.
    """
    i = 0
    while i < n and cover[0, i] < high:
        if cover[1, i] > low:
            pieces[0, k] = low
            pieces[1, k] = cover[0, i]
            k += cover[0, i] - low > SHORT
            low = cover[1, i]
        i += 1
    pieces[0, k] = low
    pieces[1, k] = high
    return k + (high - low > SHORT)


@kernel
def include(cover: Array, n: int, low: float, high: float) -> int:
    """Make `cover` the union of its n intervals and [low, high]; returns the new n."""
    first = 0
    while first < n and cover[1, first] < low:
        first += 1
    last = first  # the intervals from `first` to before `last` touch [low, high] and become one with it
    while last < n and cover[0, last] <= high:
        low = min(low, cover[0, last])
        high = max(high, cover[1, last])
        last += 1
    shift = 1 - (last - first)
    if shift == 1:
        for i in range(n, first, -1):
            cover[0, i], cover[1, i] = cover[0, i - 1], cover[1, i - 1]
    else:
        for i in range(last, n):
            cover[0, i + shift], cover[1, i + shift] = cover[0, i], cover[1, i]
    cover[0, first] = low
    cover[1, first] = high
    return n + shift


@kernel
def is_full(cover: Array, n: int) -> bool:
    """Whether the n intervals of `cover` are all of [0, 1]."""
    return bool(n == 1 and cover[0, 0] <= 0.0 and cover[1, 0] >= 1.0)


@kernel
def relevant(ends: Array) -> Mask:
    """(some,) the balls of a slice whose domain is not empty: those with something that no smaller ball covers."""
    count = ends.shape[1]
    out = np.zeros(count, np.bool_)
    work = np.empty((4, count + 2))
    n = 0
    first = 0
    cover = work[:2]
    pieces = work[2:]
    while first < count and not is_full(cover, n):
        last = first
        while last < count and ends[2, last] == ends[2, first]:
            out[last] = append_uncovered(cover, n, ends[0, last], ends[1, last], pieces, 0) > 0
            last += 1
        for i in range(first, last):
            n = include(cover, n, ends[0, i], ends[1, i])
        first = last
    return out


@kernel
def owned(ends: Array, chosen: Mask) -> Array:
    """(3, pieces) the union of the domains of the chosen balls: disjoint pieces, and the radius of the balls of each.

    Balls of one size share what they have in common: the chosen ones take it before the others cover it.
    """
    count = ends.shape[1]
    work = np.empty((5, 2 * count + 2))
    n = 0
    k = 0
    first = 0
    cover = work[:2]
    pieces = work[2:]
    while first < count and not is_full(cover, n):
        before = k
        last = first
        while last < count and ends[2, last] == ends[2, first]:
            if chosen[last]:
                k = append_uncovered(cover, n, ends[0, last], ends[1, last], pieces, k)
                n = include(cover, n, ends[0, last], ends[1, last])
            last += 1
        for i in range(first, last):
            if not chosen[i]:
                n = include(cover, n, ends[0, i], ends[1, i])
        for p in range(before, k):
            pieces[2, p] = ends[2, first]
        first = last
    return pieces[:, :k]


@kernel
def draw_from_slice(ends: Array, chosen: Mask, rng: Rng) -> Spot:
    """A uniform arm in the union of the domains of the chosen balls, and a uniform one of those that own it.

    Args:
        ends: of a slice.
        chosen: (some,) balls of the slice, at least one of them `relevant`.
        rng: two random numbers are drawn.
    """
    pieces = owned(ends, chosen)
    count = pieces.shape[1]
    total = 0.0
    p = 0
    for q in range(count):
        total += pieces[1, q] - pieces[0, q]
    rest = rng.random() * total
    while p < count - 1 and rest >= pieces[1, p] - pieces[0, p]:
        rest -= pieces[1, p] - pieces[0, p]
        p += 1
    arm = min(pieces[0, p] + rest, pieces[1, p])
    owners = np.zeros(len(chosen), np.bool_)
    for i in range(len(chosen)):
        owners[i] = chosen[i] and ends[2, i] == pieces[2, p] and ends[0, i] <= arm <= ends[1, i]
    return Spot(arm, pick(owners, rng))


@kernel
def owners_of(balls: Balls, points: Array, similarity: Any) -> Mask:
    """(balls, points) which balls own which of `points` (dimensions, points): the smallest of those around each."""
    radius = balls.radius
    count = points.shape[1]
    out = np.zeros((len(radius), count), np.bool_)
    apart = np.empty(count)
    least = np.ones(count)
    for b in range(len(radius)):
        similarity.distances(points, balls.centre, b, apart)
        own = radius[b]
        for j in range(count):
            inside = b == 0 or apart[j] <= own
            out[b, j] = inside
            least[j] = own if inside and own < least[j] else least[j]
    for b in range(len(radius)):
        own = radius[b]
        for j in range(count):
            out[b, j] &= least[j] == own
    return out
