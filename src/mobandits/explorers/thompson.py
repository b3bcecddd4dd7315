"""Posterior sampling with several optimistic draws."""

from typing import Any

from mobandits.compiling.compiled import compiled, kernel
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng
from mobandits.explorers.ucb import Ucb


@kernel
def add_noise(sample: Array, deviations: Array, rng: Rng) -> None:
    """Add to a sample (arms, objectives) independent normal noise of these deviations."""
    arms, objectives = sample.shape
    normals = rng.standard_normal((arms, objectives))
    for a in range(arms):
        for l in range(objectives):
            noise = deviations[a, l] * normals[a, l]
            sample[a, l] += noise


@compiled
class Thompson:
    """The explorer of optimistic posterior samples: the largest of M per arm and objective.

    M grows with the number of objectives, so that the sample is optimistic in all of them at once
    with constant probability. M = 1 is plain Thompson sampling.

    Args:
        radius: one of `explorers.radii`: the samples' standard deviation is radius times width.
        draws: M, at least 1.

    Reference:
        molts2025, Algorithm 1 and Lemma 1.

    Example:
        >>> from mobandits.explorers.radii import Constant
        >>> Thompson(Constant(0.3), draws=10).draws
        10
    """

    radius: Any
    draws: int = 1

    RANDOM_BELIEFS = True

    def intervals(self) -> Ucb:
        """The estimates, and one standard deviation of the samples on either side."""
        return Ucb(self.radius)

    def beliefs(
        self, estimator: Any, state: Any, context: Array, arms: IntArray, rng: Rng
    ) -> Beliefs:
        """The sample as a degenerate interval: fresh in every round."""
        # Per model, also for a constant radius: `sample` takes it in that form.
        radius = self.radius.of_models(estimator, state, context, arms)
        sample = estimator.sample(state, context, arms, self.draws, radius, rng)
        # Where arms share a model, samples of parameters know nothing of the penalty's bias.
        if len(radius) == 1:
            leeway = self.radius.leeway(estimator, state, context, arms)
            if leeway.size > 0:
                add_noise(sample, leeway, rng)

        return Beliefs(sample, sample, sample)
