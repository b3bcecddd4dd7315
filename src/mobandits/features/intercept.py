"""Intercept: a constant before the features, so that ridge regression starts from each arm's mean."""

from dataclasses import dataclass

from mobandits.compiling.compiled import compiled
from mobandits.contracts.protocols import Array
from mobandits.features.feature_map import FeatureMap, refuse_many_features, refuse_no_features
from mobandits.support.checks import number

MOST_WEIGHT = 1000.0  # squares of larger ones leave too few digits for the other features


@compiled
class InterceptMap:
    """See `Intercept`.

    Attributes:
        weight: the constant.
        size: the length of phi.
    """

    weight: float
    size: int

    def apply(self, x: Array, out: Array) -> None:
        """The constant, and x."""
        out[0] = self.weight
        for j in range(len(x)):
            out[1 + j] = x[j]


@dataclass(frozen=True)
class Intercept(FeatureMap):
    """A large constant: phi(x) = (weight, x), so that ridge regression hardly shrinks the mean.

    A ridge penalty lambda draws every estimate towards 0, which is the worst reward there is where
    rewards are in [0, 1]: an arm with n rewards of mean m and a constant feature of 1 is believed
    to have n m / (n + lambda), however alike its contexts are. With a constant of `weight` that is
    n m / (n + lambda / weight^2), while the other coefficients are shrunk as before. So a large
    penalty, which averages over many features, does no harm to arms with few rewards.

    An arm without rewards still has the mean 0.

    Args:
        weight: positive, at most 1000.

    Raises:
        ValueError: where the weight does not fit; on `bind`, where there are no contexts.

    Reference:
        Intercepts that are not penalised: Hastie, Tibshirani and Friedman, "The elements of
        statistical learning", 2009, section 3.4.1.

    Example:
        >>> Intercept()([[2.0, 3.0]]).tolist()
        [[30.0, 2.0, 3.0]]
    """

    weight: float = 30.0

    def __post_init__(self) -> None:
        """Check the weight."""
        number("Intercept.weight", self.weight, above=0.0, at_most=MOST_WEIGHT)

    def bind(self, features: int) -> InterceptMap:
        """The map for contexts of so many features."""
        refuse_no_features("Intercept", features)
        refuse_many_features("Intercept", features + 1)
        return InterceptMap(float(self.weight), features + 1)
