"""Random hypervolume scalarisation of upper confidence bounds, or of a posterior sample.

Symbols: w a direction drawn on the positive unit sphere, z the reference point, ucb_{a,l} the upper
confidence bound of arm a in objective l.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.contracts.protocols import Shape, Traits
from mobandits.explorers import RandomHypervolume, Thompson, Ucb
from mobandits.orders import Pareto
from mobandits.policies.composite import Composite
from mobandits.policies.linear.linear_radius import (
    DATA,
    RadiusRecipe,
    Scale,
    check_radius,
    linear_estimator,
    linear_radius,
)
from mobandits.support.checks import choice, number


@dataclass(frozen=True)
class HypervolumeUcb(RadiusRecipe):
    """Play the largest min_l max(0, ucb_{a,l} - z_l) / w_l, with w from the positive unit sphere.

    In every round w is drawn uniformly. The bounds are theta_l . x_a + c ||x_a||_{V^-1} of ridge
    regressions, or one sample x_a . N(theta_l, c^2 V^-1). Over many rounds every arm of the Pareto
    front is played, those most that add most to the dominated hypervolume.

    Args:
        scale: "data" for one standard deviation of the rewards, estimated as they come (see
            `estimators.Scaled`); a constant radius c > 0; "theory" for the radius of the theory,
            which is so wide that thousands of rounds are played almost at random.
        reference: z, one number or one per objective; below all means. Linear rewards with norms of
            at most 1 lie above -1.
        exploration: "ucb" or "thompson".
        penalty: ridge penalty.
        delta: failure probability of the theory's radius, in (0, 1).
        noise: sub-Gaussian constant of the rewards, for the theory's radius.
        check: warn where features have norms above 1, for the theory's radius.

    Reference:
        zhang2024, Algorithms 1 and 2.

    Example:
        >>> HypervolumeUcb(scale=0.3).bind(Shape(arms=50, features=5, objectives=2)).explorer
        RandomHypervolume(explorer=Ucb(radius=Constant(value=0.3)), reference=[-1.0, -1.0])
    """

    references = ("zhang2024",)
    traits = Traits(
        context="linear",
        beliefs="drawn",
        plays="best for a drawn direction above the reference point",
        log="sampled",
    )

    scale: Scale = DATA
    reference: float | Sequence[float] = -1.0
    exploration: str = "ucb"
    penalty: float = 1.0
    delta: float = 0.01
    noise: float = 1.0
    check: bool = True

    def __post_init__(self) -> None:
        """Check the parameters and make the reference a tuple, so that recipes compare by value."""
        check_radius(self)
        choice("HypervolumeUcb.exploration", self.exploration, ("ucb", "thompson"))
        reference: Any = self.reference
        if isinstance(reference, Sequence):
            coordinates = tuple(reference)
            object.__setattr__(self, "reference", coordinates)
        else:
            coordinates = (reference,)

        for coordinate in coordinates:
            number("HypervolumeUcb.reference", coordinate)

    def bind(self, shape: Shape) -> Composite:
        """The policy, with its radius resolved and its reference checked against the objectives."""
        reference: Any = self.reference
        if isinstance(reference, Sequence) and len(reference) != shape.objectives:
            raise ValueError(
                "HypervolumeUcb.reference must have one entry per objective, "
                f"{shape.objectives}, got {len(reference)}"
            )

        radius = linear_radius(self, shape)
        bounds: Any = Ucb(radius)
        if self.exploration == "thompson":
            # One sample in place of the bound: the random direction explores as well.
            bounds = Thompson(radius, draws=1)

        reference_point = np.broadcast_to(reference, shape.objectives)
        explorer = RandomHypervolume(bounds, reference_point)
        estimator = linear_estimator(self, shape)

        # The scalarised beliefs are one number per arm, whose Pareto front is the largest.
        return Composite(estimator, explorer, Pareto())
