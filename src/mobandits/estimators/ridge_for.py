"""The ridge regression that fits a problem."""

from mobandits.contracts.protocols import Shape
from mobandits.estimators.disjoint_ridge import DisjointRidge
from mobandits.estimators.fixed_ridge import FixedRidge
from mobandits.estimators.ridge import Ridge


def ridge_for(shape: Shape, penalty: float) -> Ridge | FixedRidge | DisjointRidge:
    """The ridge regression that fits a problem, by what its arms have in common.

    It is one model for all arms where each arm has features of its own, one model per arm where
    they share the context. Where the arms' features never change, the one model keeps tables of
    their means and widths.

    Raises:
        ValueError: where there are no features.

    Example:
        >>> ridge_for(Shape(arms=3, features=2, objectives=2, shared=True), penalty=1.0)
        DisjointRidge(features=2, objectives=2, slots=3, penalty=1.0)
    """
    if shape.features < 1:
        raise ValueError(f"features must be at least 1 for a linear policy, got {shape.features}")
    if shape.shared:
        # Arms that share their features can only differ in their parameters.
        return DisjointRidge(
            features=shape.features, objectives=shape.objectives, slots=shape.arms, penalty=penalty
        )

    ridge = Ridge(features=shape.features, objectives=shape.objectives, penalty=penalty)
    if shape.fixed_arms is None:
        return ridge

    return FixedRidge(ridge, shape.fixed_arms)
