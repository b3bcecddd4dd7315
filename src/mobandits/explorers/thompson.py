"""Posterior sampling with several optimistic draws."""

from typing import Any, ClassVar

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, Beliefs, IntArray, Rng
from mobandits.explorers.ucb import Ucb


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

    RANDOM_BELIEFS: ClassVar[bool] = True

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
        return Beliefs(sample, sample, sample)
