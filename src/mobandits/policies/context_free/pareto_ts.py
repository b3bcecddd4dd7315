"""Pareto Thompson sampling, without context: Beta or Gaussian posteriors per arm and objective."""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.assumptions import assumed
from mobandits.contracts.notes import NotesNothing
from mobandits.contracts.protocols import (
    Array,
    Assumption,
    Beliefs,
    Choice,
    IntArray,
    Recipe,
    Rng,
    Shape,
    Traits,
)
from mobandits.contracts.states import Field, state_fields
from mobandits.estimators.sample_mean import MeanState, SampleMean
from mobandits.numerics.masks import uniform
from mobandits.orders import Pareto
from mobandits.support.checks import choice, number

COINS = Assumption(
    "rewards", 0.0, 1.0, refuse=True, because="its Beta posteriors count successes and failures"
)


@state_fields(
    alpha=Field(("arms", "objectives"), low=1.0),
    beta=Field(("arms", "objectives"), low=1.0),
)
class BetaState(NamedTuple):
    """Parameters of the Beta posteriors, each (arms, objectives)."""

    alpha: Array
    beta: Array


class ParetoSampling(NotesNothing):
    """Draw a uniform arm from the Pareto front of a sample; subclasses sample and learn."""

    order: Pareto

    RANDOM_BELIEFS: ClassVar[bool] = True

    def draw(self, beliefs: Beliefs, rng: Rng) -> Choice:
        """A uniform arm of the sample's front."""
        return Choice(self.order.draw(beliefs, rng), 0.0)

    def probabilities(self, beliefs: Beliefs) -> Array:
        """Front / size of the front, given the sample."""
        return uniform(self.order.front(beliefs))


@compiled
class BetaSampling(ParetoSampling):
    """Beta(1, 1) priors for rewards in [0, 1]."""

    arms: int
    objectives: int
    order: Pareto

    def init(self) -> BetaState:
        """The uniform prior."""
        return BetaState(
            np.ones((self.arms, self.objectives)), np.ones((self.arms, self.objectives))
        )

    def beliefs(self, state: BetaState, context: Array, arms: IntArray, rng: Rng) -> Beliefs:
        """One value per arm and objective from its posterior."""
        sample = np.empty((len(arms), self.objectives))
        for a in range(len(arms)):
            for l in range(self.objectives):
                sample[a, l] = rng.beta(state.alpha[arms[a], l], state.beta[arms[a], l])
        return Beliefs(sample, sample, sample)

    def update(
        self, state: BetaState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> BetaState:
        """Count successes and failures; a reward strictly between 0 and 1 becomes a coin with that probability.

        Rewards outside [0, 1] count as the nearer end: the posterior must stay one.
        """
        for l in range(self.objectives):
            if math.isnan(reward[l]):
                continue
            r = min(max(reward[l], 0.0), 1.0)
            if 0.0 < r < 1.0:
                r = 1.0 if rng.random() < r else 0.0
            r = min(max(r, 0.0), 1.0)  # negative counts would be no posterior
            state.alpha[arm, l] += r
            state.beta[arm, l] += 1.0 - r
        return state


@compiled
class GaussianSampling(ParetoSampling):
    """Posteriors N(mean, noise^2 / (N + 1))."""

    means: SampleMean
    noise: float
    order: Pareto

    def init(self) -> MeanState:
        """Nothing seen."""
        return self.means.init()

    def beliefs(self, state: MeanState, context: Array, arms: IntArray, rng: Rng) -> Beliefs:
        """One value per arm and objective from its posterior."""
        sample = self.means.mean(state, context, arms)
        for a in range(len(arms)):
            for l in range(self.means.objectives):
                deviation = self.noise / math.sqrt(state.seen[arms[a], l] + 1.0)
                sample[a, l] += deviation * rng.standard_normal()
        return Beliefs(sample, sample, sample)

    def update(
        self, state: MeanState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> MeanState:
        """Learn the means."""
        return self.means.update(state, x, arm, reward)


@dataclass(frozen=True)
class ParetoTs(Recipe):
    """Draw one value per arm and objective from its posterior; play a uniform arm from the sample's Pareto front.

    Context is ignored.

    Args:
        prior: "beta" for rewards in [0, 1] (Beta(1, 1); rewards that are not binary become coins), or "gaussian".
        noise: standard deviation of the rewards, for "gaussian".
        check: refuse rewards outside [0, 1], for "beta"; without, such rewards are cut to that range.

    Reference:
        yahyaa2015; P-TS of moglb2019.

    Example:
        >>> ParetoTs().bind(Shape(arms=4, features=0, objectives=2))
        BetaSampling(arms=4, objectives=2, order=Pareto(on=[]))
    """

    traits: ClassVar[Traits] = Traits(
        context="none",
        beliefs="drawn",
        plays="Pareto front of samples",
    )

    prior: str = "beta"
    noise: float = 1.0
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        choice("ParetoTs.prior", self.prior, ("beta", "gaussian"))
        number("ParetoTs.noise", self.noise, above=0.0)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Rewards in [0, 1], for "beta"."""
        return assumed(self, COINS) if self.prior == "beta" else ()

    def bind(self, shape: Shape) -> BetaSampling | GaussianSampling:
        """The posterior family that was asked for."""
        if self.prior == "beta":
            return BetaSampling(shape.arms, shape.objectives, Pareto())
        return GaussianSampling(SampleMean(shape.arms, shape.objectives), self.noise, Pareto())
