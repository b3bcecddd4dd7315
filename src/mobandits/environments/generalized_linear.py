"""Generalized linear rewards: an increasing function of the scalar product of features and unknown vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Mask, Rng, Shape
from mobandits.environments.balls import ball
from mobandits.numerics.links import LINKS, named_links
from mobandits.support.checks import choice, integer
from mobandits.support.naming import quoted

ATTEMPTS = 1000  # draws of all arms before a problem is given up; the paper's settings need 1.0 to 1.2 on average
WIDE = 0.25  # the share of arms that may lie anywhere in the unit ball


@dataclass(frozen=True)
class GeneralizedLinear:
    """Coins whose bias depends on a scalar product, in several objectives; the arms stay.

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

    features: int = 5
    arms: int | None = None
    links: Sequence[str] = ("probit", "probit", "logit", "logit", "logit")
    fixed_arms: bool = True

    def __post_init__(self) -> None:
        integer("GeneralizedLinear.features", self.features, at_least=1)
        if self.arms is not None:
            integer("GeneralizedLinear.arms", self.arms, at_least=1)
        if isinstance(self.links, str) or not self.links:
            raise ValueError(
                f"GeneralizedLinear.links must be a list of at least one link, got {quoted(self.links)}"
            )
        for link in self.links:
            choice("GeneralizedLinear.links", link, LINKS)
        object.__setattr__(self, "links", tuple(self.links))
        if not isinstance(self.fixed_arms, bool):
            raise ValueError(
                f"GeneralizedLinear.fixed_arms must be True or False, got {quoted(self.fixed_arms)}"
            )

    @property
    def objectives(self) -> int:
        """The number of objectives."""
        return len(self.links)

    def problem(self, rounds: int, rng: Rng) -> "FixedCoins | NewCoins":
        """Draw theta and, where the arms stay, the arms of one trial.

        Raises:
            ValueError: where a thousand draws of the arms had fronts that are too large.
        """
        shape = Shape(self.arms or 4 * self.features, self.features, self.objectives, rounds)
        theta = np.abs(ball(rng, (self.objectives, self.features)))
        if not self.fixed_arms:
            return NewCoins(shape, theta, tuple(self.links))
        for _ in range(ATTEMPTS):
            arms = _arms(rng, 1, shape)[0]
            means = _means(arms[None], theta, self.links)
            if front(means[0]).sum() <= self.features:
                return FixedCoins(shape._replace(fixed_arms=arms), theta, tuple(self.links), means)
        raise ValueError(
            f"{quoted(self)}: all of {ATTEMPTS} sets of arms had more than {self.features} arms in their front; "
            "take fewer arms or more features"
        )


class FixedCoins(NamedTuple):
    """A problem whose arms stay; `theta` is (objectives, features), `means` (1, arms, objectives).

    Other block borders are the same rounds.
    """

    shape: Shape
    theta: Array
    links: tuple[str, ...]
    means: Array

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds: contexts and means have a first axis of length 1."""
        contexts = np.array(self.shape.fixed_arms)[None]
        return Block(contexts, self.means.copy(), _coins(self.means, self.links, rounds, rng))


class NewCoins(NamedTuple):
    """A problem whose arms are drawn anew each round; `theta` is (objectives, features)."""

    shape: Shape
    theta: Array
    links: tuple[str, ...]

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds: features are drawn first, then coins."""
        contexts = _arms(rng, rounds, self.shape)
        means = _means(contexts, self.theta, self.links)
        return Block(contexts, means, _coins(means, self.links, rounds, rng))


def front(means: Array) -> Mask:
    """(arms,) the Pareto front of (arms, objectives).

    Example:
        >>> front(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]))
        array([ True,  True, False])
    """
    at_least = (means[:, None] >= means[None]).all(2)
    dominates = at_least & ~at_least.T
    return np.asarray(~dominates.any(0))


def _arms(rng: Rng, rounds: int, shape: Shape) -> Array:
    points = ball(rng, (rounds, shape.arms, shape.features))
    points[:, : shape.arms - int(WIDE * shape.arms)] *= 0.5
    return points


def _means(contexts: Array, theta: Array, links: Sequence[str]) -> Array:
    means: Array = contexts @ theta.T
    for i, link in enumerate(named_links("links", links, len(links))):
        means[:, :, i] = np.vectorize(link.mean, otypes=[np.float64])(means[:, :, i])
    return means


def _coins(means: Array, links: Sequence[str], rounds: int, rng: Rng) -> Array:
    coin = rng.random((rounds, 1, len(links)))
    low = np.where(np.array(links) == "identity", -1.0, 0.0)
    return np.asarray(np.where(coin < (means - low) / (1.0 - low), 1.0, low))
