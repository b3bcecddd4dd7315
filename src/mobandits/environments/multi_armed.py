"""Arms without context: a given table of means."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.environments.tables import coins, noisy
from mobandits.support.checks import choice, matrix, number

# The two-objective problem of drugan2013: the front, two arms below it, and fourteen equal ones.
DRUGAN_FRONT = ((0.55, 0.5), (0.53, 0.51), (0.52, 0.54), (0.5, 0.57))
DRUGAN_DOMINATED = ((0.51, 0.51), (0.5, 0.5), *((0.48, 0.48),) * 14)
PRESETS = {"drugan2013": DRUGAN_FRONT + DRUGAN_DOMINATED}


@dataclass(frozen=True)
class MultiArmed:
    """Arms with given means and no context.

    Bernoulli rewards are coins; Gaussian ones are mean + noise z with z standard normal. Rewards
    are independent over rounds and objectives; one coin, or one z, serves all arms of a round: a
    policy sees one arm, so the distribution of its rewards is the same, and comparisons between
    policies are sharper.

    Args:
        means: (arms, objectives), or the name of a known table: "drugan2013" has 20 arms, of which
            the first four are its Pareto front.
        rewards: "bernoulli" or "gaussian".
        noise: standard deviation of Gaussian rewards.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        drugan2013, the two-objective problem with 20 arms.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> block = MultiArmed([[1.0, 0.0], [0.0, 1.0]]).problem(100, rng).block(0, 3, rng)
        >>> block.rewards.tolist()
        [[[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]]]
    """

    references = ("drugan2013",)

    means: Sequence[Sequence[float]] | Literal["drugan2013"] = "drugan2013"
    rewards: Literal["bernoulli", "gaussian"] = "bernoulli"
    noise: float = 1.0

    def __post_init__(self) -> None:
        choice("MultiArmed.rewards", self.rewards, ("bernoulli", "gaussian"))
        number("MultiArmed.noise", self.noise, at_least=0)
        if isinstance(self.means, str):
            choice("MultiArmed.means", self.means, PRESETS)
            return

        table = matrix("MultiArmed.means", self.means, ("arms", "objectives"))
        outside = table[(table < 0) | (table > 1)]
        if self.rewards == "bernoulli" and len(outside):
            raise ValueError(
                f"MultiArmed.means must lie in [0, 1] for Bernoulli rewards, got {outside[0]}"
            )

        rows = tuple(map(tuple, table.tolist()))
        object.__setattr__(self, "means", rows)

    def problem(self, rounds: int, rng: Rng) -> "ArmProblem":
        """The arms; nothing is drawn."""
        rows = PRESETS[self.means] if isinstance(self.means, str) else self.means
        means = np.array(rows)
        arms, objectives = means.shape
        shape = Shape(
            arms=arms,
            features=0,
            objectives=objectives,
            rounds=rounds,
        )
        gaussian = self.rewards == "gaussian"

        return ArmProblem(
            shape=shape,
            means=means[None],
            gaussian=gaussian,
            noise=self.noise,
        )


class ArmProblem(NamedTuple):
    """One trial of `MultiArmed`; `means` is (1, arms, objectives).

    Other block borders are the same rounds.
    """

    shape: Shape
    means: Array
    gaussian: bool
    noise: float

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds."""
        no_context = np.zeros((1, 1, 0))
        if self.gaussian:
            rewards = noisy(self.means, rounds, self.noise, rng)
        else:
            rewards = coins(self.means, rounds, rng)

        return Block(no_context, self.means.copy(), rewards)
