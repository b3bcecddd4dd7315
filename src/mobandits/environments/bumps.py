"""Bumps over the unit square: rewards that depend smoothly on a context that all arms share."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.support.checks import integer, number
from mobandits.support.naming import quoted

Centre = tuple[float, float] | None
Centres = tuple[tuple[Centre, ...], ...]

PAPER: Centres = (
    ((0.3, 0.5), (0.3, 0.7)),
    ((0.3, 0.5), (0.3, 0.3)),
    ((0.7, 0.5), (0.7, 0.5)),
    (None, (0.7, 0.5)),
)


@dataclass(frozen=True)
class Bumps:
    """Four arms whose two rewards are coins, with a bias that is a bump over the contexts in the unit square.

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

    centres: Sequence[Sequence[Sequence[float] | None]] | None = None
    variance: float = 0.3

    def __post_init__(self) -> None:
        if self.centres is not None:
            object.__setattr__(self, "centres", as_centres("Bumps.centres", self.centres))
        number("Bumps.variance", self.variance, above=0)

    @property
    def lipschitz(self) -> float:
        """The largest slope of a mean reward."""
        return math.exp(-0.5) / math.sqrt(self.variance)

    def problem(self, rounds: int, rng: Rng) -> "BumpProblem":
        """The bumps; nothing is drawn."""
        centres: Any = self.centres or PAPER
        return BumpProblem(_shape(centres, 2, rounds), centres, self.variance)


@dataclass(frozen=True)
class PeriodicBumps:
    """The arms of `Bumps`, whose centres circle with the time of day: rewards that change periodically.

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
        >>> PeriodicBumps(period=24, clock=True).problem(1000, rng).block(0, 48, rng).contexts[22:25, 0, 2].round(3)
        array([0.958, 0.   , 0.042])
    """

    period: int = 1000
    orbit: float = 0.2
    clock: bool = False
    centres: Sequence[Sequence[Sequence[float] | None]] | None = None
    variance: float = 0.3

    def __post_init__(self) -> None:
        integer("PeriodicBumps.period", self.period, at_least=1)
        number("PeriodicBumps.orbit", self.orbit, at_least=0)
        if not isinstance(self.clock, bool):
            raise ValueError(f"PeriodicBumps.clock must be True or False, got {quoted(self.clock)}")
        if self.centres is not None:
            object.__setattr__(self, "centres", as_centres("PeriodicBumps.centres", self.centres))
        number("PeriodicBumps.variance", self.variance, above=0)

    @property
    def lipschitz(self) -> float:
        """A bound on the slope of a mean reward over contexts and time of day together."""
        return (
            math.exp(-0.5) / math.sqrt(self.variance) * math.hypot(1.0, 2.0 * math.pi * self.orbit)
        )

    def problem(self, rounds: int, rng: Rng) -> "PeriodicProblem":
        """The bumps; nothing is drawn."""
        centres: Any = self.centres or PAPER
        shape = _shape(centres, 3 if self.clock else 2, rounds)
        return PeriodicProblem(shape, centres, self.variance, self.period, self.orbit, self.clock)


class BumpProblem(NamedTuple):
    """One trial of `Bumps`."""

    shape: Shape
    centres: Centres
    variance: float

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds: contexts are drawn first, then coins."""
        contexts = rng.random((rounds, 1, 2))
        means = bumps(contexts[:, 0], self.centres, self.variance)
        return Block(contexts, means, _coins(means, rng))


class PeriodicProblem(NamedTuple):
    """One trial of `PeriodicBumps`."""

    shape: Shape
    centres: Centres
    variance: float
    period: int
    orbit: float
    clock: bool

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """Rounds `first` to `first + rounds`: contexts are drawn first, then coins."""
        contexts = rng.random((rounds, 1, 2))
        time = np.arange(first + 1, first + rounds + 1) % self.period / self.period
        turn = 2.0 * math.pi * time
        # A bump that moved, seen from a context, is a bump that stayed, seen from a context that
        # moved back.
        seen = contexts[:, 0] - self.orbit * np.stack([np.cos(turn), np.sin(turn)], axis=1)
        means = bumps(seen, self.centres, self.variance)
        if self.clock:
            contexts = np.concatenate([contexts, time[:, None, None]], axis=2)
        return Block(contexts, means, _coins(means, rng))


def bumps(points: Array, centres: Centres, variance: float) -> Array:
    """(points, arms, objectives) the heights of bumps of height 1, 0 for those without a centre.

    Each centre's formula is evaluated once and copied, so that ties are exact to the last bit.

    Example:
        >>> bumps(np.array([[0.0, 0.0]]), (((0.0, 0.0), (1.0, 0.0)), (None, (1.0, 0.0))), 0.5).tolist()
        [[[1.0, 0.36787944117144233], [0.0, 0.36787944117144233]]]
    """
    known: dict[Centre, Array] = {None: np.zeros(len(points))}
    out = np.empty((len(points), len(centres), len(centres[0])))
    for a, row in enumerate(centres):
        for i, centre in enumerate(row):
            if centre not in known:
                squares = (points[:, 0] - centre[0]) ** 2 + (points[:, 1] - centre[1]) ** 2  # type: ignore[index]
                known[centre] = np.exp(-squares / (2.0 * variance))
            out[:, a, i] = known[centre]
    return out


def as_centres(name: str, value: Any) -> Centres:
    """Centres as tuples of floats, so that environments compare by value.

    Raises:
        ValueError: naming the parameter, the rule and the value.

    Example:
        >>> as_centres("Bumps.centres", [[[1, 0], None]])
        (((1.0, 0.0), None),)
    """
    try:
        rows = tuple(
            tuple(c if c is None else (float(c[0]), float(c[1])) for c in row) for row in value
        )
        fits = bool(rows) and all(
            len(row) == len(rows[0]) > 0 and all(c is None or len(c) == 2 for c in row)
            for row in value
        )
        fits = fits and all(
            math.isfinite(z) for row in rows for c in row if c is not None for z in c
        )
    except (TypeError, ValueError, IndexError):
        fits = False
    if not fits:
        raise ValueError(
            f"{name} must hold (x1, x2) or None per arm and objective, got {quoted(value)}"
        )
    return rows


def _shape(centres: Centres, features: int, rounds: int) -> Shape:
    return Shape(len(centres), features, len(centres[0]), rounds, shared=True)


def _coins(means: Array, rng: Rng) -> Array:
    return np.asarray(rng.random((len(means), 1, means.shape[2])) < means, np.float64)
