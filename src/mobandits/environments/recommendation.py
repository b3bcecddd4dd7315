"""Recommendation of items to users, simulated: clicks against novelty."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, Block, Rng, Shape
from mobandits.environments.tables import coins, with_constant
from mobandits.support.checks import flag, integer, number

OBJECTIVES = 2


@dataclass(frozen=True)
class Recommendation:
    """Recommendation of one of several items, which a user may click on and may rate as novel.

    A user is a point x, uniform in the unit cube, which the context shows; an item is a point z_a,
    drawn per trial from the same distribution. With the nearness n_a(x) = exp(-||x - z_a||^2 / (2
    width^2)), a user clicks with probability q_a n_a(x) and rates the item as novel with
    probability 1 - p_a n_a(x): what lies near is clicked on, and known the more, the more popular
    it is. The appeal q_a is uniform in [1/2, 1], the popularity p_a uniform in [0, 1], both drawn
    per trial. Objective 0, the dominant one, pays 1 for a click, objective 1 pays 1 for a novel
    item. Given the user, clicks and ratings are independent; one coin per objective serves all
    items of a round.

    The paper states what is observed and what is paid, and that the distribution of both depends on
    the context and is unknown. All equations are ours.

    Args:
        items: number of arms.
        features: number of coordinates of a user.
        width: how far a user's taste reaches.
        constant: whether the context ends with a constant 1, which linear policies need and
            policies in cells do not.

    Raises:
        ValueError: naming parameter, rule and value.

    Reference:
        mocmab2018, section III-C, application 3.

    Example:
        >>> rng = np.random.default_rng(0)
        >>> block = Recommendation(items=4).problem(1000, rng).block(0, 100, rng)
        >>> block.contexts.shape, block.means.shape
        ((100, 1, 3), (100, 4, 2))
    """

    references = ("mocmab2018",)

    items: int = 8
    features: int = 2
    width: float = 0.3
    constant: bool = True

    def __post_init__(self) -> None:
        integer("Recommendation.items", self.items, at_least=2)
        integer("Recommendation.features", self.features, at_least=1)
        number("Recommendation.width", self.width, above=0)
        flag("Recommendation.constant", self.constant)

    def problem(self, rounds: int, rng: Rng) -> "Items":
        """Draw the items: first their points, then appeal, then popularity."""
        features = self.features + self.constant
        shape = Shape(
            arms=self.items,
            features=features,
            objectives=OBJECTIVES,
            rounds=rounds,
            shared=True,
        )
        points = rng.random((self.items, self.features))
        appeal = rng.uniform(0.5, 1.0, self.items)
        popularity = rng.random(self.items)

        return Items(
            shape=shape,
            points=points,
            appeal=appeal,
            popularity=popularity,
            width=self.width,
            constant=self.constant,
        )


class Items(NamedTuple):
    """One trial of `Recommendation`.

    Attributes:
        shape: one context for all items, two objectives.
        points: (items, features) z_a.
        appeal: (items,) q_a.
        popularity: (items,) p_a.
        width: of the tastes.
        constant: whether contexts end with a 1.
    """

    shape: Shape
    points: Array
    appeal: Array
    popularity: Array
    width: float
    constant: bool

    def block(self, first: int, rounds: int, rng: Rng) -> Block:
        """The next `rounds` rounds: users are drawn first, then coins."""
        coordinates = self.points.shape[1]
        users = rng.random((rounds, 1, coordinates))
        squares = ((users - self.points) ** 2).sum(axis=2)
        nearness = np.exp(-squares / (2.0 * self.width**2))
        clicks = self.appeal * nearness
        # What is near is known already, the more so the more popular it is.
        novelty = 1.0 - self.popularity * nearness
        means = np.stack([clicks, novelty], axis=2)
        rewards = coins(means, rounds, rng)
        contexts = with_constant(users) if self.constant else users

        return Block(contexts, means, rewards)
