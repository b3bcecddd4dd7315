"""Base of recipes that compare arms by bounds which hold at all times."""

from dataclasses import dataclass
from typing import Any, ClassVar

from mobandits.compiling.compiled import kernel
from mobandits.contracts.protocols import Array, Mask, Recipe, Shape
from mobandits.estimators import SampleMean
from mobandits.numerics.masks import leaders
from mobandits.numerics.pareto_bounds import check_risk, pareto_bounds


@kernel
def least_played(plays: Array, among: Mask) -> Mask:
    """(arms,) the arms of `among` with the fewest of `plays` (arms,)."""
    return leaders(-plays, among)


@dataclass(frozen=True)
class BoundedRecipe(Recipe):
    """Parameters of the bounds; subclasses bind to a policy that plays by them.

    Args:
        delta: the probability that the answer is wrong, at most.
        epsilon: an arm of the answer is dominated by at most this much in every objective, in the
            unit of the rewards. With 0 there is no end where two arms of the front tie.
        sigma: the rewards are sub-Gaussian with this scale in every objective: half of their range,
            or the standard deviation of Gaussian ones.
    """

    policy: ClassVar[Any]  # what it binds to

    delta: float = 0.05
    epsilon: float = 0.0
    sigma: float = 0.5

    def __post_init__(self) -> None:
        """Check the parameters."""
        name = type(self).__name__
        check_risk(f"{name}.", self.delta, self.epsilon, self.sigma)

    def bind(self, shape: Shape) -> Any:
        """The policy, with one mean per arm and objective."""
        arms = shape.arms
        objectives = shape.objectives
        means = SampleMean(arms, objectives)
        bounds = pareto_bounds(arms, objectives, self.delta, self.epsilon, self.sigma)

        return self.policy(means, bounds)
