"""Crosses: products of features, so that linear policies learn polynomials."""

import itertools
import math
from dataclasses import dataclass

from mobandits.compiling.compiled import Ints, compiled
from mobandits.contracts.protocols import Array
from mobandits.features.feature_map import (
    FeatureMap,
    refuse_many_features,
    refuse_no_features,
)
from mobandits.support.checks import flag, integer


@compiled
class CrossesMap:
    """See `Crosses`.

    Attributes:
        first: 1 where phi begins with the constant, else 0.
        prefixes: per product of at least two features, the position in phi of the product without
            its last factor.
        factors: the position in x of that last factor.
        size: the length of phi.
    """

    first: int
    prefixes: Ints
    factors: Ints
    size: int

    def apply(self, x: Array, out: Array) -> None:
        """The features of x, and their products."""
        features = len(x)
        if self.first == 1:
            out[0] = 1.0

        for j in range(features):
            out[self.first + j] = x[j]

        # Every product is one multiplication more than a product before it.
        products = self.first + features
        for k in range(len(self.factors)):
            out[products + k] = out[self.prefixes[k]] * x[self.factors[k]]


@dataclass(frozen=True)
class Crosses(FeatureMap):
    """Products: phi(x) holds x_j, x_i x_j with i <= j, and so on up to `degree` factors.

    Contexts of d features become C(d + degree, degree) - 1 features: 20 of 5 with degree 2, 230 of
    20. A context with a column of ones multiplies it to copies, which cost time and teach nothing:
    leave it out, and take `constant`.

    Args:
        degree: the largest number of factors; with 1, phi(x) = x.
        constant: whether phi begins with a constant 1, the intercept of linear policies.

    Raises:
        ValueError: where the degree is no integer of at least 1; on `bind`, where phi would have
            more than 10,000 features.

    Example:
        >>> Crosses(2, constant=True)([[2.0, 3.0]]).tolist()
        [[1.0, 2.0, 3.0, 4.0, 6.0, 9.0]]
        >>> Crosses(1)([[2.0, 3.0]]).tolist()
        [[2.0, 3.0]]
    """

    degree: int = 2
    constant: bool = False

    def __post_init__(self) -> None:
        integer("Crosses.degree", self.degree, at_least=1)
        flag("Crosses.constant", self.constant)

    def bind(self, features: int) -> CrossesMap:
        """The map for contexts of so many features."""
        refuse_no_features("Crosses", features)
        first = int(self.constant)
        products = math.comb(features + self.degree, self.degree) - 1
        size = first + products
        # Before they are listed, which would take all memory.
        refuse_many_features("Crosses.degree", size)

        position_of = {}
        prefixes = []
        factors = []
        place = first
        for degree in range(1, self.degree + 1):
            for product in itertools.combinations_with_replacement(range(features), degree):
                position_of[product] = place
                place += 1
                if degree > 1:
                    *prefix, factor = product
                    prefixes.append(position_of[tuple(prefix)])
                    factors.append(factor)

        return CrossesMap(first, prefixes, factors, size)
