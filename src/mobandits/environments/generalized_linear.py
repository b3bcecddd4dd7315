"""Generalized linear rewards: means that are increasing functions of scalar products."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Mask, Rng, Shape
from mobandits.environments.balls import ball
from mobandits.numerics.links import LINKS, named_links
from mobandits.support.checks import choice, flag, integer
from mobandits.support.naming import quoted, wrong_value

# Draws of all arms before a problem is given up; the paper's settings need 1.0 to 1.2 on average.
ATTEMPTS = 1000
# The share of arms that may lie anywhere in the unit ball; the others have norm at most 0.5.
WIDE = 0.25


@dataclass(frozen=True)
class GeneralizedLinear:
    """Coins whose mean is a function of a scalar product, in several objectives; the arms stay.

    Objective i of the arm with features x has mean mu_i(theta_i . x). Where mu_i is "logit" or
    "probit" it pays 1 with that probability, else 0; where it is "identity" it pays 1 or -1, so
    that every reward lies in [-1, 1]. Coins are independent over rounds and objectives; one coin
    serves all arms of a round, as in `Linear`.

    Every trial draws its own problem. Theta is uniform in the positive part of the unit ball. Three
    quarters of the arms are uniform in the ball of radius 0.5, the others in the unit ball, and all
    of them are drawn again until the Pareto front of the means has at most `features` arms.

    Args:
        features: length d of a feature row.
        arms: number of arms K; None: 4 d.
        links: mu_1, ..., mu_L, each "identity", "logit" or "probit".
        fixed_arms: True keeps the arms of a trial; False draws new ones each round, whatever the
            size of their front.

    Attributes:
        objectives: the number of objectives, L.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        moglb2019, section 4. The identity link, and arms that change, are not in the paper.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> problem = GeneralizedLinear(features=5).problem(3000, rng)
        >>> block = problem.block(0, 100, rng)
        >>> block.contexts.shape, block.rewards.shape
        ((1, 20, 5), (100, 20, 5))
    """

    references = ("moglb2019",)

    features: int = 5
    arms: int | None = None
    links: Sequence[str] = ("probit", "probit", "logit", "logit", "logit")
    fixed_arms: bool = True

    def __post_init__(self) -> None:
        integer("GeneralizedLinear.features", self.features, at_least=1)
        if self.arms is not None:
            integer("GeneralizedLinear.arms", self.arms, at_least=1)
        if isinstance(self.links, str) or not self.links:
            raise wrong_value(
                "GeneralizedLinear.links must be a list of at least one link", self.links
            )

        for link in self.links:
            choice("GeneralizedLinear.links", link, LINKS)

        object.__setattr__(self, "links", tuple(self.links))
        flag("GeneralizedLinear.fixed_arms", self.fixed_arms)

    @property
    def objectives(self) -> int:
        """The number of objectives."""
        return len(self.links)

    def problem(self, rounds: int, rng: Rng) -> "CoinProblem":
        """Draw theta and, where the arms stay, the arms of one trial.

        Raises:
            ValueError: where a thousand draws of the arms had fronts that are too large.
        """
        count = self.arms or 4 * self.features
        shape = Shape(
            arms=count,
            features=self.features,
            objectives=self.objectives,
            rounds=rounds,
        )
        links = tuple(self.links)
        points = ball(rng, (self.objectives, self.features))
        theta = np.abs(points)
        if not self.fixed_arms:
            return CoinProblem(shape, theta, links)

        # Section 4 draws the arms again until their front is no larger than the dimension.
        for _ in range(ATTEMPTS):
            arms = _arms(rng, 1, shape)
            means = _means(arms, theta, links)
            front = undominated(means[0])
            if front.sum() <= self.features:
                return CoinProblem(shape.replaced(fixed_arms=arms[0]), theta, links, means)

        raise ValueError(
            f"{quoted(self)}: all of {ATTEMPTS} sets of arms had more than {self.features} arms in "
            "their front; take fewer arms or more features"
        )


class CoinProblem(NamedTuple):
    """One trial of `GeneralizedLinear`; where arms stay, other block borders are the same rounds.

    Attributes:
        shape: with the arms that stay, if any.
        theta: (objectives, features).
        links: of the objectives.
        means: (1, arms, objectives) of arms that stay; None where they are drawn anew each round.
    """

    shape: Shape
    theta: Array
    links: tuple[str, ...]
    means: Array | None = None

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds: features, where arms are new, are drawn first, then coins."""
        if self.means is None:
            contexts = _arms(rng, rounds, self.shape)
            means = _means(contexts, self.theta, self.links)
        else:
            contexts = np.array(self.shape.fixed_arms)[None]
            means = self.means.copy()

        rewards = _coins(means, self.links, rounds, rng)

        return Block(contexts, means, rewards)


def undominated(means: Array) -> Mask:
    """(arms,) the Pareto front of (arms, objectives).

    Example:
        >>> undominated(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
        array([ True,  True, False])
    """
    at_least = (means[:, None] >= means[None]).all(2)
    # An arm with the same means is at least as good in turn, and dominates nothing.
    dominates = at_least & ~at_least.T
    dominated = dominates.any(0)

    return np.asarray(~dominated)


def _arms(rng: Rng, rounds: int, shape: Shape) -> Array:
    points = ball(rng, (rounds, shape.arms, shape.features))
    narrow = shape.arms - int(WIDE * shape.arms)
    points[:, :narrow] *= 0.5
    return points


def _means(contexts: Array, theta: Array, links: Sequence[str]) -> Array:
    means: Array = contexts @ theta.T
    for i, link in enumerate(named_links("links", links, len(links))):
        # `link.mean` is a scalar function, the one that policies call: the means agree with theirs.
        mean = np.vectorize(link.mean, otypes=[np.float64])
        means[:, :, i] = mean(means[:, :, i])

    return means


def _coins(means: Array, links: Sequence[str], rounds: int, rng: Rng) -> Array:
    # One coin serves all arms of a round, as in `Linear`.
    uniforms = rng.random((rounds, 1, len(links)))
    low = np.array([-1.0 if link == "identity" else 0.0 for link in links])
    # The probability of 1 for which the mean over the values `low` and 1 is right.
    probabilities = (means - low) / (1.0 - low)

    return np.where(uniforms < probabilities, 1.0, low)
