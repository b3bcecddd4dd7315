"""Linear rewards: an arm's means are scalar products of its features and unknown vectors."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.environments.balls import DISTRIBUTIONS, Distribution
from mobandits.environments.tables import noisy
from mobandits.support.checks import choice, flag, integer, number


@dataclass(frozen=True)
class Linear:
    """Linear rewards in several objectives, with new arms each round or with arms that stay.

    Objective l of the arm with features x pays theta_l . x + noise * z_l, with z_l standard normal,
    independent over rounds and objectives. One z serves all arms of a round: a policy sees one arm,
    so the distribution of its rewards is the same, and comparisons between policies are sharper.

    Every trial draws its own theta and, with fixed arms, its own arms. The defaults are the main
    setting of molts2025; the chains setting of moslb2024 is ``Linear(arms=25, features=5,
    objectives=5, fixed_arms=True, theta="ball", round_decimals=2)``.

    Args:
        arms: number of arms K.
        features: length d of a feature row.
        objectives: number of objectives L.
        fixed_arms: True draws K feature rows once per trial; False draws K new ones each round.
        theta: distribution of the L parameter vectors, one of those of `context_law`.
        context_law: distribution of the feature rows: "ball" is uniform in the unit ball, "sphere"
            uniform on its surface, "gauss_clipped" normal with variance 1/d per coordinate, scaled
            back to norm 1 where it is longer.
        noise: standard deviation of the rewards.
        round_decimals: rounds the means, also those that rewards are drawn around, to so many
            decimals (at most 12): exact ties become possible, and the linear model is wrong by up
            to half a unit of the last decimal. None does not round.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        molts2025, Section 6 (theta on the sphere, new arms); moslb2024, Section 5 (theta in the
        ball), with fixed arms and rounding as in its authors' code.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> problem = Linear(arms=3, features=2, objectives=2).problem(100, rng)
        >>> block = problem.block(0, 4, rng)
        >>> block.contexts.shape, block.means.shape, block.rewards.shape
        ((4, 3, 2), (4, 3, 2), (4, 3, 2))
    """

    references = ("molts2025", "moslb2024")

    arms: int = 50
    features: int = 5
    objectives: int = 4
    fixed_arms: bool = False
    theta: Literal["ball", "gauss_clipped", "sphere"] = "sphere"
    context_law: Literal["ball", "gauss_clipped", "sphere"] = "ball"
    noise: float = 1.0
    round_decimals: int | None = None

    def __post_init__(self) -> None:
        for name in ("arms", "features", "objectives"):
            integer(f"Linear.{name}", getattr(self, name), at_least=1)

        flag("Linear.fixed_arms", self.fixed_arms)
        choice("Linear.theta", self.theta, DISTRIBUTIONS)
        choice("Linear.context_law", self.context_law, DISTRIBUTIONS)
        number("Linear.noise", self.noise, at_least=0)
        if self.round_decimals is not None:
            # Gaps of rounded means are computed on 64-bit integers, which hold 12 decimals.
            integer("Linear.round_decimals", self.round_decimals, at_least=0, at_most=12)

    def problem(self, rounds: int, rng: Rng) -> "LinearProblem":
        """Draw theta and, with fixed arms, the arms of one trial.

        Args:
            rounds: the horizon, which policies may know.
            rng: the trial's stream for the instance.
        """
        draw_theta = DISTRIBUTIONS[self.theta]
        draw_features = DISTRIBUTIONS[self.context_law]
        theta = draw_theta(rng, (self.objectives, self.features))
        arms = None
        if self.fixed_arms:
            arms = draw_features(rng, (self.arms, self.features))

        shape = Shape(
            arms=self.arms,
            features=self.features,
            objectives=self.objectives,
            rounds=rounds,
            fixed_arms=arms,
        )

        return LinearProblem(shape, theta, draw_features, self.noise, self.round_decimals)


class LinearProblem(NamedTuple):
    """One trial of `Linear`; `theta` is (objectives, features).

    Where arms stay, a block draws nothing but noise, round by round: other block borders are the
    same rounds. Where they do not, it draws all its features first and then its noise: other block
    borders are other rounds.
    """

    shape: Shape
    theta: Array
    draw_features: Distribution
    noise: float
    decimals: int | None

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds; of arms that stay, contexts and means have one row."""
        arms = self.shape.fixed_arms
        if arms is None:
            size = (rounds, self.shape.arms, self.shape.features)
            contexts = self.draw_features(rng, size)
        else:
            contexts = arms[None]

        means = _means(contexts, self.theta, self.decimals)
        rewards = noisy(means, rounds, self.noise, rng)

        return Block(contexts, means, rewards, self.decimals)


def _means(contexts: Array, theta: Array, decimals: int | None) -> Array:
    # One product per round: usually too small for BLAS to split over threads, whose number must not
    # change a bit.
    means: Array = contexts @ theta.T
    if decimals is None:
        return means
    return np.round(means, decimals)
