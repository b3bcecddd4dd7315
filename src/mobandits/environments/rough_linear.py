"""Linear rewards with heavy tails, or with parameters that drift and jump."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.environments.balls import DISTRIBUTIONS
from mobandits.numerics.normals import normals
from mobandits.support.checks import integer, number


@dataclass(frozen=True)
class RoughLinear:
    """`Linear` with arms that stay, whose rewards have heavy tails, or whose theta changes.

    Objective l of the arm with features x pays theta_l . x + noise * z_l in a round. Arms are
    uniform in the unit ball, and theta on the unit sphere. One z serves all arms of a round, as in
    `Linear`.

    Args:
        arms: number of arms K.
        features: length d of a feature row.
        objectives: number of objectives L.
        noise: standard deviation of the rewards.
        degrees: z is Student's t with so many degrees of freedom, at least 3, divided by its
            standard deviation; None: z is standard normal.
        period: theta moves in a straight line from one draw to another for so many rounds, and
            jumps to a third one then; None: it stays.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        Ours.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> problem = RoughLinear(arms=3, degrees=3, period=100).problem(200, rng)
        >>> block = problem.block(0, 4, rng)
        >>> block.contexts.shape, block.means.shape, block.rewards.shape
        ((1, 3, 5), (4, 3, 3), (4, 3, 3))
    """

    references = ("mobandits",)

    arms: int = 20
    features: int = 5
    objectives: int = 3
    noise: float = 1.0
    degrees: int | None = None
    period: int | None = None

    def __post_init__(self) -> None:
        for name in ("arms", "features", "objectives"):
            integer(f"RoughLinear.{name}", getattr(self, name), at_least=1)

        number("RoughLinear.noise", self.noise, at_least=0)
        # With 2 degrees or fewer there is no standard deviation.
        if self.degrees is not None:
            integer("RoughLinear.degrees", self.degrees, at_least=3)
        if self.period is not None:
            integer("RoughLinear.period", self.period, at_least=1)

    def problem(self, rounds: int, rng: Rng) -> "RoughArms":
        """Draw the arms, and theta at the ends of every period of one trial."""
        arms = DISTRIBUTIONS["ball"](rng, (self.arms, self.features))
        periods = 0 if self.period is None else -(-rounds // self.period)
        means = []
        for _ in range(max(1, 2 * periods)):
            theta = DISTRIBUTIONS["sphere"](rng, (self.objectives, self.features))
            means.append(arms @ theta.T)

        shape = Shape(
            arms=self.arms,
            features=self.features,
            objectives=self.objectives,
            rounds=rounds,
            fixed_arms=arms,
        )

        return RoughArms(shape, arms, np.array(means), self)


class RoughArms(NamedTuple):
    """One trial of `RoughLinear`.

    Attributes:
        shape: with fixed arms.
        arms: (arms, features).
        ends: (2 periods or 1, arms, objectives) the means at the start and the end of each period.
        asked: the environment.
    """

    shape: Shape
    arms: Array
    ends: Array
    asked: RoughLinear

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds; means have a first axis of length 1 where theta stays."""
        means = self._means(first, rounds)
        noise = self._noise((rounds, 1, self.shape.objectives), rng)
        rewards = means + self.asked.noise * noise

        return Block(
            contexts=self.arms[None],
            means=means,
            rewards=rewards,
        )

    def _means(self, first: int, rounds: int) -> Array:
        period = self.asked.period
        if period is None:
            return self.ends

        t = np.arange(first, first + rounds)
        # The last block may reach past the horizon.
        number = np.minimum(t // period, len(self.ends) // 2 - 1)
        share = ((t % period) / period)[:, None, None]
        starts = self.ends[2 * number]
        means: Array = starts + share * (self.ends[2 * number + 1] - starts)

        return means

    def _noise(self, size: tuple[int, ...], rng: Rng) -> Array:
        """(size) numbers of variance 1."""
        z = normals(rng, size)
        degrees = self.asked.degrees
        if degrees is None:
            return z

        # Of normals and square roots alone, whose bits are the same on every machine.
        squares = normals(rng, (degrees, *size)) ** 2
        chi = np.sqrt(squares.sum(axis=0) / (degrees - 2))
        tailed: Array = z / chi

        return tailed
