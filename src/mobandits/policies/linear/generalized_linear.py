"""What the policies for generalized linear rewards share: links, their constants, the estimator, the ellipsoid."""

from typing import Any, NamedTuple

from mobandits.contracts.protocols import Shape
from mobandits.estimators import OnlineNewton, ridge_for
from mobandits.explorers.radii import NewtonEllipsoid
from mobandits.numerics.links import combined_links, named_links


class Generalized(NamedTuple):
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
        model = ridge_for(
            shape._replace(fixed_arms=None), self.penalty
        )  # its steps are not those of a regression
        return OnlineNewton(model, self.links, self.curvature, self.bound)

    def ellipsoid(self, shape: Shape, delta: float, noise: float) -> NewtonEllipsoid:
        """The radius of the theory, for rewards of at most `noise` in absolute value."""
        models = shape.objectives * (shape.arms if shape.shared else 1)
        return NewtonEllipsoid(
            models, delta, noise + self.ceiling, self.curvature, self.bound, self.penalty
        )


def generalized(
    name: str,
    links: Any,
    shape: Shape,
    *,
    bound: float,
    curvature: float | None = None,
    ceiling: float | None = None,
    penalty: float | None = None,
) -> Generalized:
    """Resolve what is None: kappa and U from the links on [-D, D], lambda = max(1, kappa / 2).

    Raises:
        ValueError: where the links do not fit the objectives, or the penalty is too small.

    Example:
        >>> found = generalized("MoglbUcb", ["probit", "logit"], Shape(arms=4, features=2, objectives=2), bound=1.0)
        >>> round(found.curvature, 6), round(found.ceiling, 6), found.penalty
        (0.196612, 0.841345, 1.0)
    """
    each = named_links(f"{name}.links", links, shape.objectives)
    kappa = curvature or min(float(link.least_slope(bound)) for link in each)
    if kappa <= 0.0:
        raise ValueError(
            f"{name}.links must have positive slopes on [-{bound:g}, {bound:g}], got {kappa:g}"
        )
    top = ceiling or max(abs(float(link.mean(z))) for link in each for z in (-bound, bound))
    least = max(1.0, 0.5 * kappa)
    if penalty is not None and penalty < least:
        raise ValueError(
            f"{name}.penalty must be at least max(1, kappa / 2) = {least:g}, got {penalty:g}"
        )
    return Generalized(combined_links(each), kappa, top, bound, penalty or least)
