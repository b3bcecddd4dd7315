"""MOSLB-PL: levels of objectives, each a Pareto problem of its own.

Symbols, of moslb2024, Algorithm 3: w_t(a) the half-width gamma_t ||x_a||_{V^-1}, epsilon the
half-width that ends exploration, u_{t,j} the upper confidence bounds in the objectives of level j.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mobandits.contracts.protocols import Shape, Traits
from mobandits.orders import Levels
from mobandits.policies.composite import Composite
from mobandits.policies.lexicographic.moslb import MoslbRecipe


@dataclass(frozen=True)
class MoslbPl(MoslbRecipe):
    """Explore while some interval is wide; then play the nested Pareto fronts of the upper bounds.

    With w_t(a) = gamma_t ||x_a||_{V^-1}: if some w_t(a) > epsilon, play a uniform arm among those.
    Else start from all arms and keep, for each level in turn, the Pareto front of estimate +
    alpha w_t in the level's objectives; play a uniform arm of what is left.

    Args:
        levels: groups of objectives (from 0), the most important first, e.g. ((0, 1, 2), (3, 4));
            None: one level with all, the Pareto order.
        epsilon: width that ends exploration; None: 5 d^(2/3) T^(-1/3), the authors' code (the
            theory's d^(2/3) T^(-1/3) explores for thousands of rounds).
        alpha: multiplies the intervals of the second stage, not the test of the first.
        delta: failure probability, in (0, 1).
        penalty: ridge penalty lambda.
        noise: sub-Gaussian constant R of the rewards.

    Reference:
        moslb2024, Algorithm 3 (line 11 is printed with its two arms exchanged; the code and the
        text keep the front).

    Example:
        >>> shape = Shape(arms=25, features=5, objectives=5, rounds=3000)
        >>> MoslbPl(levels=((0, 1, 2), (3, 4))).bind(shape).order
        ExploreWide(order=Levels(levels=[[0, 1, 2], [3, 4, -1]]), epsilon=0.10137...)
    """

    references = ("moslb2024",)
    traits = Traits(
        context="linear",
        beliefs="definite",
        plays="wide intervals, then nested fronts",
        log="exact, with zeros",
        horizon="or `epsilon`",
    )

    levels: Sequence[Sequence[int]] | None = None
    epsilon: float | None = None
    alpha: float = 0.1
    delta: float = 0.05
    penalty: float = 1.0
    noise: float = 1.0

    def __post_init__(self) -> None:
        """Check the parameters and make the levels a tuple, so that recipes compare by value."""
        self.check_parameters(self.epsilon)
        levels = self.levels
        if levels is not None:
            # Refuses what can never be levels, by name; the objectives are not known yet.
            Levels(levels)
            rows = tuple(map(tuple, levels))
            object.__setattr__(self, "levels", rows)

    def bind(self, shape: Shape) -> Composite:
        """The policy, with epsilon resolved and the levels checked against the objectives."""
        all_objectives = tuple(range(shape.objectives))
        one_level = (all_objectives,)
        # Algorithm 3, lines 9 to 12. Line 11 is printed with its two arms exchanged: literally, it
        # would keep arms that dominate no other. The authors' code keeps the front, and so do we.
        order = Levels(self.levels or one_level)
        return self.exploring(shape, order, self.epsilon)
