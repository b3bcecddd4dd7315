"""Columns: some of the features, in a given order."""

from dataclasses import dataclass

import numpy as np

from mobandits.compiling.compiled import Ints, compiled
from mobandits.contracts.protocols import Array
from mobandits.features.feature_map import FeatureMap, refuse_no_features
from mobandits.support.checks import integer
from mobandits.support.naming import wrong_value


@compiled
class ColumnsMap:
    """See `Columns`."""

    columns: Ints
    size: int

    def apply(self, x: Array, out: Array) -> None:
        """The selected features of x."""
        for j in range(len(self.columns)):
            out[j] = x[self.columns[j]]


@dataclass(frozen=True)
class Columns(FeatureMap):
    """A selection: phi(x) = (x_c1, x_c2, ...), for rewards that depend on some features only.

    Other maps may follow: ``Features(Columns((0, 2)), Features(Crosses(2), recipe))`` multiplies
    features 0 and 2.

    Args:
        columns: positions of features, from 0, all different.

    Raises:
        ValueError: where they are no such positions; on `bind`, where contexts have too few
            features.

    Example:
        >>> Columns((2, 0))([[1.0, 2.0, 3.0]]).tolist()
        [[3.0, 1.0]]
    """

    columns: tuple[int, ...]

    def __post_init__(self) -> None:
        rule = "Columns.columns must be different positions of features, such as (0, 2)"
        is_sequence = isinstance(self.columns, tuple | list | range | np.ndarray)
        if not is_sequence or len(self.columns) == 0:
            raise wrong_value(rule, self.columns)

        for column in self.columns:
            integer("Columns.columns", column, at_least=0)

        columns = tuple(int(column) for column in self.columns)
        if len(set(columns)) < len(columns):
            raise wrong_value(rule, columns)

        object.__setattr__(self, "columns", columns)

    def bind(self, features: int) -> ColumnsMap:
        """The map for contexts of so many features."""
        refuse_no_features("Columns", features)
        largest = max(self.columns)
        if largest >= features:
            rule = f"Columns.columns must be below the number of features, {features}"
            raise ValueError(f"{rule}, got {largest}")

        return ColumnsMap(self.columns, len(self.columns))
