"""Bumps over the unit square: rewards that depend smoothly on a context that all arms share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.environments.tables import coins
from mobandits.support.checks import flag, integer, number
from mobandits.support.naming import quoted

Centre = tuple[float, float] | None
Centres = tuple[tuple[Centre, ...], ...]

# The centres of section VII-A, a row per arm: in the dominant objective, then in the other one.
PAPER: Centres = (
    ((0.3, 0.5), (0.3, 0.7)),
    ((0.3, 0.5), (0.3, 0.3)),
    ((0.7, 0.5), (0.7, 0.5)),
    (None, (0.7, 0.5)),
)


@dataclass(frozen=True)
class Bumps:
    """Four arms with two 0/1 rewards, whose means are bumps over the contexts in the unit square.

    In every round the context x is uniform in [0, 1]^2, the same for all arms. Objective i of arm a
    pays 1 with probability exp(-||x - c||^2 / (2 variance)), where c is the arm's centre in that
    objective, or with probability 0 where it has none. One coin per round and objective serves all
    arms.

    The first two arms tie exactly in the dominant objective 0, and differ in objective 1: the first
    is the better one for contexts whose second coordinate exceeds 0.5.

    Args:
        centres: per arm and objective (x1, x2), or None for an objective that never pays; None: the
            paper's.
        variance: of the Gaussian density that a bump is a multiple of.

    Attributes:
        lipschitz: the largest slope of a bump, exp(-1/2) / sqrt(variance). The paper's experiment
            assumes 1.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        mocmab2018, section VII-A.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> block = Bumps().problem(1000, rng).block(0, 100, rng)
        >>> block.contexts.shape, block.means.shape
        ((100, 1, 2), (100, 4, 2))
        >>> bool((block.means[:, 0, 0] == block.means[:, 1, 0]).all()), round(Bumps().lipschitz, 3)
        (True, 1.107)
    """

    references = ("mocmab2018",)

    centres: Sequence[Sequence[Sequence[float] | None]] | None = None
    variance: float = 0.3

    def __post_init__(self) -> None:
        object.__setattr__(self, "centres", as_centres("Bumps.centres", self.centres))
        number("Bumps.variance", self.variance, above=0)

    @property
    def lipschitz(self) -> float:
        """The largest slope of a mean reward."""
        return steepest_slope(self.variance)

    def problem(self, rounds: int, rng: Rng) -> "BumpProblem":
        """The problem of one trial; nothing is drawn."""
        return _problem(self.centres, self.variance, rounds)


@dataclass(frozen=True)
class PeriodicBumps:
    """The arms of `Bumps` with centres that circle with the time of day: periodic rewards.

    In round t, counted from 1, the time of day is s = (t mod period) / period, and the centre of
    every bump has moved by orbit (cos 2 pi s, sin 2 pi s). Arms that tie in an objective keep doing
    so.

    Args:
        period: the number of rounds T_s of a day.
        orbit: radius of the circle.
        clock: True appends s to the context, for policies that do not keep the time themselves.
        centres: as in `Bumps`.
        variance: as in `Bumps`.

    Attributes:
        lipschitz: a bound on the slope over contexts extended by s, that of `Bumps` times sqrt(1 +
            (2 pi orbit)^2).

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        mocmab2018, section VI-A (Assumption 2); the paper has no experiment on it, the motion is
        ours.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> problem = PeriodicBumps(period=24, clock=True).problem(1000, rng)
        >>> problem.block(0, 48, rng).contexts[22:25, 0, 2].round(3)
        array([0.958, 0.   , 0.042])
    """

    references = ("mocmab2018",)

    period: int = 1000
    orbit: float = 0.2
    clock: bool = False
    centres: Sequence[Sequence[Sequence[float] | None]] | None = None
    variance: float = 0.3

    def __post_init__(self) -> None:
        integer("PeriodicBumps.period", self.period, at_least=1)
        number("PeriodicBumps.orbit", self.orbit, at_least=0)
        flag("PeriodicBumps.clock", self.clock)
        object.__setattr__(self, "centres", as_centres("PeriodicBumps.centres", self.centres))
        number("PeriodicBumps.variance", self.variance, above=0)

    @property
    def lipschitz(self) -> float:
        """A bound on the slope of a mean reward over contexts and time of day together."""
        # Along the time of day s the centre moves with speed 2 pi orbit, along the context with 1.
        speed = 2.0 * math.pi * self.orbit
        slope = steepest_slope(self.variance)
        return slope * math.hypot(1.0, speed)

    def problem(self, rounds: int, rng: Rng) -> "BumpProblem":
        """The problem of one trial; nothing is drawn."""
        moves = (self.period, self.orbit, self.clock)
        return _problem(self.centres, self.variance, rounds, *moves)


class BumpProblem(NamedTuple):
    """One trial of `Bumps`, whose orbit is 0, or of `PeriodicBumps`."""

    shape: Shape
    centres: Centres
    variance: float
    period: int
    orbit: float
    clock: bool

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Rounds `first` to `first + rounds`: contexts are drawn first, then coins."""
        contexts = rng.random((rounds, 1, 2))
        numbers = np.arange(first + 1, first + rounds + 1)
        time = numbers % self.period / self.period
        angle = 2.0 * math.pi * time
        direction = np.stack([np.cos(angle), np.sin(angle)], axis=1)
        # A bump that moved, seen from a context, is a bump that stayed, seen from a context that
        # moved back.
        points = contexts[:, 0] - self.orbit * direction
        means = bumps(points, self.centres, self.variance)
        if self.clock:
            time_of_day = time[:, None, None]
            contexts = np.concatenate([contexts, time_of_day], axis=2)

        rewards = coins(means, rounds, rng)

        return Block(contexts, means, rewards)


def steepest_slope(variance: float) -> float:
    """The largest slope of a bump exp(-r^2 / (2 variance)), which it has at r = sqrt(variance).

    Example:
        >>> round(steepest_slope(0.3), 3)
        1.107
    """
    height = math.exp(-0.5)
    return height / math.sqrt(variance)


def bumps(points: Array, centres: Centres, variance: float) -> Array:
    """(points, arms, objectives) the heights of bumps of height 1, 0 for those without a centre.

    Each centre's formula is evaluated once and copied, so that ties are exact to the last bit.

    Example:
        >>> centres = (((0.0, 0.0), (1.0, 0.0)), (None, (1.0, 0.0)))
        >>> bumps(np.array([[0.0, 0.0]]), centres, 0.5).tolist()
        [[[1.0, 0.36787944117144233], [0.0, 0.36787944117144233]]]
    """
    arms = len(centres)
    objectives = len(centres[0])
    heights: dict[Centre, Array] = {None: np.zeros(len(points))}
    out = np.empty((len(points), arms, objectives))
    for a, row in enumerate(centres):
        for i, centre in enumerate(row):
            if centre is not None and centre not in heights:
                heights[centre] = _bump(points, centre, variance)

            out[:, a, i] = heights[centre]

    return out


def _bump(points: Array, centre: tuple[float, float], variance: float) -> Array:
    x1, x2 = centre
    across = points[:, 0] - x1
    along = points[:, 1] - x2
    squares = across**2 + along**2

    return np.exp(-squares / (2.0 * variance))


def as_centres(name: str, value: Any) -> Centres | None:
    """Centres as tuples of floats, so that environments compare by value; None stays None.

    Raises:
        ValueError: naming the parameter, the rule and the value.

    Example:
        >>> as_centres("Bumps.centres", [[[1, 0], None]])
        (((1.0, 0.0), None),)
    """
    if value is None:
        return None

    rule = f"{name} must hold (x1, x2) or None per arm and objective, got {quoted(value)}"
    try:
        rows = tuple(tuple(map(_as_centre, row)) for row in value)
    except (TypeError, ValueError) as error:
        raise ValueError(rule) from error

    objectives = {len(row) for row in rows}
    if len(objectives) != 1 or 0 in objectives:
        raise ValueError(rule)

    return rows


def _as_centre(value: Any) -> Centre:
    if value is None:
        return None

    x1, x2 = value
    centre = (float(x1), float(x2))
    if not all(map(math.isfinite, centre)):
        raise ValueError("a centre must be finite")

    return centre


def _problem(
    given: Any,
    variance: float,
    rounds: int,
    period: int = 1,
    orbit: float = 0.0,
    clock: bool = False,
) -> BumpProblem:
    centres: Centres = given or PAPER
    shape = Shape(
        arms=len(centres),
        features=2 + clock,
        objectives=len(centres[0]),
        rounds=rounds,
        shared=True,
    )
    return BumpProblem(shape, centres, variance, period, orbit, clock)
