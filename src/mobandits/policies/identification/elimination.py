"""Elimination: every arm in turn, without those that are decided and that no other one needs.

It has no context. Symbols as in `ape`.
"""

from dataclasses import dataclass
from typing import ClassVar

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array, IntArray, Mask, Rng, Traits
from mobandits.estimators import MeanState, SampleMean
from mobandits.numerics.masks import count
from mobandits.numerics.pareto_bounds import ParetoBounds
from mobandits.policies.identification.bounded import BoundedRecipe, least_played
from mobandits.policies.set_policy import MeanPolicy, SetPolicy


@compiled
class EliminationPolicy(SetPolicy, MeanPolicy):
    """See `Elimination`; beliefs are the active arms that were played least."""

    means: SampleMean
    bounds: ParetoBounds

    def beliefs(self, state: MeanState, context: Array, arms: IntArray, rng: Rng) -> Mask:
        """(arms,) the arms to play from; once all are decided, those inside."""
        mean = self.means.mean(state, context, arms)
        comparison = self.bounds.compare(mean, state.seen[arms])
        inside = self.bounds.inside(comparison)
        undecided = ~(inside | self.bounds.outside(comparison))
        if count(undecided) == 0:
            return inside

        active = undecided.copy()
        for i in range(len(arms)):
            for j in range(len(arms)):
                # An arm inside stays as long as it may still dominate an undecided one.
                may_dominate = comparison.low[i, j] + self.bounds.epsilon <= 0.0
                active[j] |= undecided[i] and inside[j] and may_dominate

        return least_played(comparison.plays, active)


@dataclass(frozen=True)
class Elimination(BoundedRecipe):
    """Play the active arms in turn.

    An arm is active while it is undecided, or inside and perhaps dominating an undecided one. Ties
    are broken by chance. Once every arm is inside or outside, arms inside are played, uniformly.
    Context is ignored.

    Reference:
        auer2016, Algorithm 1, with the bounds of kaufmann2021; that arms are active again where later
        rewards put a decision in doubt is ours.

    Example:
        >>> from mobandits.contracts.protocols import Shape
        >>> Elimination(epsilon=0.1).bind(Shape(arms=4, features=0, objectives=2)).bounds.epsilon
        0.1
    """

    policy: ClassVar[type[EliminationPolicy]] = EliminationPolicy
    references = ("auer2016", "kaufmann2021")
    traits = Traits(
        context="none",
        beliefs="definite",
        plays="in turn the arms that may or may not be in the Pareto set",
        log="exact, with zeros",
    )
