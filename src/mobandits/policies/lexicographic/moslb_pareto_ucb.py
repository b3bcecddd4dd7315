"""P-UCB1 and P-UCB2 of moslb2024: the Pareto front of its bounds, without an exploration stage."""

from collections.abc import Sequence
from dataclasses import dataclass

from mobandits.contracts.protocols import Shape, Traits
from mobandits.orders import Pareto
from mobandits.policies.composite import Composite
from mobandits.policies.lexicographic.moslb import MoslbRecipe


@dataclass(frozen=True)
class MoslbParetoUcb(MoslbRecipe):
    """Play uniformly from the Pareto front of estimate + alpha gamma_t ||x_a||_{V^-1}.

    Args:
        on: the objectives that the front looks at; None: all (P-UCB1). P-UCB2 takes the first
            objective of each chain, or those of the first level. All objectives are learned either
            way.
        alpha: multiplies the intervals.
        delta: failure probability, in (0, 1).
        penalty: ridge penalty lambda.
        noise: sub-Gaussian constant R of the rewards.

    Reference:
        moslb2024, section "Experiments".

    Example:
        >>> MoslbParetoUcb(on=(0, 2)).bind(Shape(arms=25, features=5, objectives=5)).order
        Pareto(on=[0, 2])
    """

    references = ("moslb2024",)
    traits = Traits(
        context="linear",
        beliefs="definite",
        plays="Pareto front of bounds, on some objectives",
        log="exact, with zeros",
    )

    on: Sequence[int] | None = None
    alpha: float = 0.1
    delta: float = 0.05
    penalty: float = 1.0
    noise: float = 1.0

    def __post_init__(self) -> None:
        """Check the parameters and make `on` a tuple, so that recipes compare by value."""
        self.check_parameters()
        if self.on is not None:
            Pareto(self.on)  # refuses what can never be objectives, by name
            objectives = tuple(self.on)
            object.__setattr__(self, "on", objectives)

    def bind(self, shape: Shape) -> Composite:
        """The policy, with `on` checked against the objectives."""
        order = Pareto(self.on)
        order.check(shape.objectives)
        return self.by_bounds(shape, order)
