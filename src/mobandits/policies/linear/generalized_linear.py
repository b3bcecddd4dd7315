"""The model of generalized linear rewards: links, their constants, estimator and ellipsoid.

Symbols, of moglb2019, section 3.2: mu_i the links, D the bound of the parameters' norms, kappa the
least slope of the links on [-D, D], U their largest absolute value there, lambda the penalty.
"""

from typing import Any, NamedTuple

from mobandits.contracts.protocols import Shape
from mobandits.estimators import OnlineNewton, ridge_for
from mobandits.explorers.radii import NewtonEllipsoid
from mobandits.numerics.links import combined_links, named_links
from mobandits.policies.linear.linear_radius import estimate_count


class GeneralizedLinearModel(NamedTuple):
    """Links and constants, resolved for a number of objectives.

    Attributes:
        links: one part for all objectives.
        curvature: kappa.
        ceiling: U, the largest mean in absolute value.
        bound: D.
        penalty: lambda.
    """

    links: Any
    curvature: float
    ceiling: float
    bound: float
    penalty: float

    def estimator(self, shape: Shape) -> OnlineNewton:
        """One model for all arms where they have features of their own, else one per arm."""
        # Newton steps move the estimate off that of a regression, so the tables of means that a
        # regression keeps for fixed arms would be wrong.
        without_tables = shape.replaced(fixed_arms=None)
        regression = ridge_for(without_tables, self.penalty)
        return OnlineNewton(regression, self.links, self.curvature, self.bound)

    def ellipsoid(self, shape: Shape, delta: float, noise: float) -> NewtonEllipsoid:
        """The radius of the theory, for rewards of at most `noise` in absolute value."""
        return NewtonEllipsoid(
            models=estimate_count(shape),
            delta=delta,
            reach=noise + self.ceiling,
            curvature=self.curvature,
            bound=self.bound,
            penalty=self.penalty,
        )


def generalized_linear_model(
    name: str,
    links: Any,
    shape: Shape,
    *,
    bound: float,
    curvature: float | None = None,
    ceiling: float | None = None,
    penalty: float | None = None,
) -> GeneralizedLinearModel:
    """The model with its constants resolved where they are None.

    kappa and U are taken from the links on [-D, D], and lambda = max(1, kappa / 2).

    Raises:
        ValueError: where the links do not fit the objectives, or the penalty is too small.

    Example:
        >>> shape = Shape(arms=4, features=2, objectives=2)
        >>> model = generalized_linear_model("MoglbUcb", ["probit", "logit"], shape, bound=1.0)
        >>> round(model.curvature, 6), round(model.ceiling, 6), model.penalty
        (0.196612, 0.841345, 1.0)
    """
    link_list = named_links(f"{name}.links", links, shape.objectives)
    # One kappa for all objectives: they share the matrix Z, which it scales.
    slopes = [float(link.least_slope(bound)) for link in link_list]
    kappa = curvature or min(slopes)
    if kappa <= 0.0:
        raise ValueError(
            f"{name}.links must have positive slopes on [-{bound:g}, {bound:g}], got {kappa:g}"
        )

    # Links are increasing: they are largest in absolute value at an end of [-D, D].
    means_at_ends = [float(link.mean(z)) for link in link_list for z in (-bound, bound)]
    largest_mean = ceiling or max(map(abs, means_at_ends))
    # Algorithm 1 requires it: with a smaller lambda, Theorem 1 need not hold.
    least_penalty = max(1.0, 0.5 * kappa)
    if penalty is not None and penalty < least_penalty:
        raise ValueError(
            f"{name}.penalty must be at least max(1, kappa / 2) = {least_penalty:g}, "
            f"got {penalty:g}"
        )

    shared_links = combined_links(link_list)

    return GeneralizedLinearModel(
        shared_links, kappa, largest_mean, bound, penalty or least_penalty
    )
