"""Adaptive Pareto exploration: the arm that is hardest to decide, and its closest rival.

It has no context. Symbols, of kone2023: M(i, j) = max_l (mean_{i,l} - mean_{j,l}) and beta(i, j) the
half width of its interval; an arm is inside where it is surely on the front.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng, Traits
from mobandits.estimators import MeanState, SampleMean
from mobandits.numerics.masks import everyone, leaders
from mobandits.numerics.pareto_bounds import ParetoBounds
from mobandits.policies.identification.bounded import BoundedRecipe, least_played
from mobandits.policies.set_policy import MeanPolicy, SetPolicy


@compiled
class ApePolicy(SetPolicy, MeanPolicy):
    """See `Ape`; beliefs are the arms that the rule allows, several where there are ties."""

    means: SampleMean
    bounds: ParetoBounds

    def beliefs(self, state: MeanState, context: Array, arms: IntArray, rng: Rng) -> Mask:
        """(arms,) the arms to play from; once all are decided, those inside."""
        mean = self.means.mean(state, context, arms)
        comparison = self.bounds.compare(mean, state.seen[arms])
        inside = self.bounds.inside(comparison)
        hardest = leaders(comparison.high, ~inside)
        play = np.zeros(len(arms), np.bool_)
        is_decided = True
        for b in range(len(arms)):
            # Arms that are outside lead only where no arm is undecided.
            if hardest[b] and comparison.high[b] >= 0.0:
                is_decided = False
                pair = leaders(-comparison.low[b], everyone(len(arms)))
                pair[b] = True
                play |= least_played(comparison.plays, pair)

        return inside if is_decided else play


@dataclass(frozen=True)
class Ape(BoundedRecipe):
    """Play the arm that is hardest to decide or its closest rival, whichever was played less.

    The hardest arm is b = argmax over arms not inside of min_j M(b, j) + beta(b, j), its closest
    rival c = argmin_j M(b, j) - beta(b, j). Ties are broken by chance. Once every arm is inside or
    outside, arms inside are played, uniformly. Context is ignored. `mobandits.identify` stops then.

    Reference:
        kone2023, Algorithm 1, with the bounds of kaufmann2021; what is played at the end is ours.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> policy = Ape().bind(Shape(arms=4, features=0, objectives=2))
        >>> round(policy.bounds.threshold, 3)
        4.373
    """

    policy: ClassVar[type[ApePolicy]] = ApePolicy
    references = ("kone2023", "kaufmann2021")
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="the arm that is hardest to place inside or outside the Pareto set, or its rival",
        log="exact, with zeros",
    )
