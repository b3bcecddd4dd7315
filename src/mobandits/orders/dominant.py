"""The rule of MOC-MAB: play the leader while its interval is wide, then decide among its rivals."""

import math
from collections.abc import Sequence

import numpy as np

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.protocols import Beliefs, Mask
from mobandits.numerics.masks import everyone
from mobandits.orders.intervals import half_width, largest
from mobandits.orders.lexicographic import ScoresByPriority
from mobandits.support import checks


@kernel
def interval_leaders(beliefs: Beliefs, objective: int, among: Mask) -> tuple[Mask, int]:
    """(arms,) the leaders of `among` in one objective, and the first of them.

    They have the largest upper bound, and of these the largest lower one.
    """
    arms = len(among)
    top = -math.inf
    floor = -math.inf
    first = -1
    for a in range(arms):
        high = beliefs.high[a, objective]
        low = beliefs.low[a, objective]
        # The first arm leads even where its bounds are -inf, which exceed nothing.
        if among[a] and (first < 0 or high > top or (high == top and low > floor)):
            top = high
            floor = low
            first = a

    out = np.empty(arms, np.bool_)
    for a in range(arms):
        high = beliefs.high[a, objective]
        low = beliefs.low[a, objective]
        out[a] = among[a] and high == top and low == floor

    return out, first


@compiled
class Dominant(ScoresByPriority):
    """The order of MOC-MAB: a leader with a wide interval wins, else the best of its near rivals.

    Objectives are taken one by one. In objective l, of the arms still in, the leader has the
    largest upper bound (of several, the largest lower bound). Where its half-width exceeds `doubt`,
    the front is the leader, with those that share its interval. Else the arms whose upper bound is
    at least the leader's lower bound minus `margin` stay in. In the last objective the largest
    upper bound wins. The gap is the lexicographic one.

    Args:
        margin: how far below the leader a rival may stay; MOC-MAB's ``2 v``.
        doubt: the half-width above which the leader is played; MOC-MAB's ``beta v``.

    Raises:
        ValueError: where `margin` or `doubt` is not a finite number of at least 0.

    Reference:
        mocmab2018, Algorithm 1 (two objectives); with more, every objective but the last is treated
        like the first, which the paper leaves open.

    Example:
        >>> import mobandits as mob
        >>> means = [[1.0, 0], [0.9, 2], [0.5, 9]]
        >>> mob.front(means, mob.orders.Dominant(margin=0.2, doubt=0.1))
        array([False,  True, False])
        >>> mob.gaps(means, mob.orders.Dominant(margin=0.2, doubt=0.1)).round(3).tolist()
        [[0.0, 0.0], [0.1, 0.0], [0.5, 0.0]]
    """

    margin: float
    doubt: float

    def __post_init__(self) -> None:
        checks.number("Dominant.margin", self.margin, at_least=0.0)
        checks.number("Dominant.doubt", self.doubt, at_least=0.0)

    def check(self, objectives: int) -> None:
        """Accept any number of objectives."""

    def in_words(self, objectives: Sequence[str]) -> str:
        """The objectives by priority, and how far rivals may stay behind."""
        order = ", then ".join(objectives)
        rivals = f"rivals within {self.margin:g} once doubts are below {self.doubt:g}"
        return f"dominant objectives: {order}, among {rivals}"

    def front(self, beliefs: Beliefs) -> Mask:
        """(arms,) the leader whose interval is too wide, else the best of the rivals left."""
        among = everyone(len(beliefs.high))
        last = beliefs.high.shape[1] - 1
        # The last objective needs no interval: nothing is decided after it.
        for objective in range(last):
            leading, leader = interval_leaders(beliefs, objective, among)
            floor = beliefs.low[leader, objective]
            top = beliefs.high[leader, objective]
            if half_width(floor, top) > self.doubt:
                return leading

            bar = floor - self.margin
            for a in range(len(among)):
                among[a] = among[a] and beliefs.high[a, objective] >= bar

        return largest(beliefs.high, last, among)
