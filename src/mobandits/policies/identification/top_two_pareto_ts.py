"""Top-two Pareto Thompson sampling: the front of a posterior sample, or the front of the rest.

It has no context. After N rewards of an arm its posterior is N(mean, sigma^2 / N).
"""

import math
from dataclasses import dataclass

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import (
    Array,
    Beliefs,
    Choice,
    IntArray,
    Mask,
    Recipe,
    Rng,
    Shape,
    Traits,
)
from mobandits.estimators import MeanState, SampleMean
from mobandits.numerics.dominance import nondominated
from mobandits.numerics.masks import count, pick, uniform
from mobandits.orders import Pareto
from mobandits.policies.set_policy import MeanPolicy
from mobandits.support.checks import number

SHARE = 0.5  # of the rounds that go to the front of the sample


@compiled
class TopTwoPolicy(MeanPolicy):
    """See `TopTwoParetoTs`; beliefs are a sample."""

    means: SampleMean
    sigma: float
    order: Pareto

    RANDOM_BELIEFS = True

    def beliefs(self, state: MeanState, context: Array, arms: IntArray, rng: Rng) -> Beliefs:
        """One value per arm and objective from its posterior; infinite before the first reward."""
        sample = self.means.mean(state, context, arms)
        width = self.means.width(state, context, arms)
        for a in range(len(arms)):
            for l in range(self.means.objectives):
                z = rng.standard_normal()
                spread = self.sigma * width[a, l]
                # So that arms without a reward are played first.
                sample[a, l] += spread if math.isinf(spread) else spread * z

        return Beliefs(sample, sample, sample)

    def draw(self, beliefs: Beliefs, rng: Rng) -> Choice:
        """A uniform arm of the first or the second front."""
        front = self.order.front(beliefs)
        if rng.random() >= SHARE:
            front = self.second(beliefs, front)

        arm = pick(front, rng)

        return Choice(arm, 0.0)

    def probabilities(self, beliefs: Beliefs) -> Array:
        """The probability of each arm, given the sample."""
        front = self.order.front(beliefs)
        second = self.second(beliefs, front)
        return SHARE * uniform(front) + (1.0 - SHARE) * uniform(second)

    def second(self, beliefs: Beliefs, front: Mask) -> Mask:
        """(arms,) the front of the arms that are not on it; the front itself where all are."""
        rest = ~front
        if count(rest) == 0:
            return front

        return nondominated(beliefs.high, self.order.on, rest)


@dataclass(frozen=True)
class TopTwoParetoTs(Recipe):
    """Play a uniform arm from the front of a posterior sample, or from the front of the others.

    Either with probability 1/2. Context is ignored. The answer is the front of the means, with no
    guarantee for a given number of rounds.

    Args:
        sigma: standard deviation of the rewards.

    Reference:
        ttpfts2026, which draws the deviation too, from a prior; flat priors and a given deviation
        are ours.

    Example:
        >>> TopTwoParetoTs().bind(Shape(arms=4, features=0, objectives=2)).sigma
        0.5
    """

    references = ("ttpfts2026",)
    traits = Traits(
        context="none",
        beliefs="drawn",
        plays="Pareto front of samples, or the front of the rest",
        log="sampled",
    )

    sigma: float = 0.5

    def __post_init__(self) -> None:
        """Check the parameter."""
        number("TopTwoParetoTs.sigma", self.sigma, above=0.0)

    def bind(self, shape: Shape) -> TopTwoPolicy:
        """The policy, with one mean per arm and objective."""
        means = SampleMean(shape.arms, shape.objectives)
        return TopTwoPolicy(means, self.sigma, Pareto())
