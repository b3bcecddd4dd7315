"""Pareto Thompson sampling: the Pareto front of one sample per arm and objective, without context.

Posteriors are Beta(alpha, beta), or Gaussian N(mean, noise^2 / (N + 1)) after N rewards.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import (
    Array,
    Assumption,
    Beliefs,
    IntArray,
    Recipe,
    Rng,
    Shape,
    Traits,
)
from mobandits.contracts.states import Field, state_fields
from mobandits.estimators.sample_mean import MeanState, SampleMean
from mobandits.orders import Pareto
from mobandits.policies.set_policy import FrontPolicy, MeanPolicy
from mobandits.support.checks import choice, number

# Outside [0, 1], counts of successes and failures would become negative.
COIN_REWARDS = Assumption(
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


@compiled
class BetaSampling(FrontPolicy):
    """Thompson sampling with Beta(1, 1) priors, for rewards in [0, 1]."""

    arms: int
    objectives: int
    order: Pareto

    RANDOM_BELIEFS = True

    def init(self) -> BetaState:
        """The state before the first round: the uniform prior."""
        size = (self.arms, self.objectives)
        # Beta(1, 1): no initial round through the arms is needed.
        alpha = np.ones(size)
        beta = np.ones(size)

        return BetaState(alpha, beta)

    def beliefs(self, state: BetaState, context: Array, arms: IntArray, rng: Rng) -> Beliefs:
        """One value per arm and objective from its posterior."""
        sample = np.empty((len(arms), self.objectives))
        for a in range(len(arms)):
            arm = arms[a]
            # Objectives are independent given the rewards: posteriors know nothing of correlation.
            for l in range(self.objectives):
                alpha = state.alpha[arm, l]
                beta = state.beta[arm, l]
                sample[a, l] = rng.beta(alpha, beta)

        return Beliefs(sample, sample, sample)

    def update(
        self, state: BetaState, x: Array, arm: int, note: float, reward: Array, rng: Rng
    ) -> BetaState:
        """The state after a reward: successes and failures are counted.

        A reward strictly between 0 and 1 becomes a coin with that probability. Rewards outside
        [0, 1] count as the nearer end: the posterior must stay one.
        """
        for l in range(self.objectives):
            if math.isnan(reward[l]):
                continue

            at_least_zero = max(reward[l], 0.0)
            success = min(at_least_zero, 1.0)
            # Only a reward that is not binary costs a random number: binary problems draw none.
            if 0.0 < success < 1.0:
                success = 1.0 if rng.random() < success else 0.0

            state.alpha[arm, l] += success
            state.beta[arm, l] += 1.0 - success

        return state


@compiled
class GaussianSampling(MeanPolicy, FrontPolicy):
    """Thompson sampling with posteriors N(mean, noise^2 / (N + 1))."""

    means: SampleMean
    noise: float
    order: Pareto

    RANDOM_BELIEFS = True

    def beliefs(self, state: MeanState, context: Array, arms: IntArray, rng: Rng) -> Beliefs:
        """One value per arm and objective from its posterior."""
        sample = self.means.mean(state, context, arms)
        for a in range(len(arms)):
            arm = arms[a]
            for l in range(self.means.objectives):
                # The 1 stands for the prior: without it, an arm never played has no posterior.
                observations = state.seen[arm, l] + 1.0
                deviation = self.noise / math.sqrt(observations)
                sample[a, l] += deviation * rng.standard_normal()

        return Beliefs(sample, sample, sample)


@dataclass(frozen=True)
class ParetoTs(Recipe):
    """Play a uniform arm from the Pareto front of one posterior sample per arm and objective.

    Context is ignored.

    Args:
        prior: "beta" for rewards in [0, 1] (Beta(1, 1); rewards that are not binary become coins),
            or "gaussian".
        noise: standard deviation of the rewards, for "gaussian".
        check: refuse rewards outside [0, 1], for "beta"; without, such rewards are cut to that
            range.

    Reference:
        yahyaa2015; P-TS of moglb2019.

    Example:
        >>> ParetoTs().bind(Shape(arms=4, features=0, objectives=2))
        BetaSampling(arms=4, objectives=2, order=Pareto(on=[]))
    """

    references = ("yahyaa2015",)
    traits = Traits(
        context="none",
        beliefs="drawn",
        plays="Pareto front of samples",
        log="sampled",
    )
    assumed = (COIN_REWARDS,)

    prior: str = "beta"
    noise: float = 1.0
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters."""
        choice("ParetoTs.prior", self.prior, ("beta", "gaussian"))
        # Checked for both priors: a wrong number should not wait until the prior is changed.
        number("ParetoTs.noise", self.noise, above=0.0)

    def assumptions(self) -> tuple[Assumption, ...]:
        """Rewards in [0, 1], for "beta"."""
        if self.prior == "beta":
            return super().assumptions()
        return ()

    def bind(self, shape: Shape) -> BetaSampling | GaussianSampling:
        """The policy of the chosen posterior family."""
        arms = shape.arms
        objectives = shape.objectives
        order = Pareto()
        if self.prior == "beta":
            return BetaSampling(arms, objectives, order)

        means = SampleMean(arms, objectives)

        return GaussianSampling(means, self.noise, order)
