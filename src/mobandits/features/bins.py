"""Bins: every feature becomes an indicator of the interval that it lies in."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.protocols import Array
from mobandits.features.feature_map import (
    FeatureMap,
    refuse_many_features,
    refuse_no_features,
    refuse_other_features,
)
from mobandits.support.naming import wrong_value

RULE = "Bins.edges must be a list of increasing, finite numbers per feature"


@compiled
class BinsMap:
    """See `Bins`.

    Attributes:
        edges: of all features, one after the other.
        starts: (features + 1,) where the edges of each feature begin.
        size: the length of phi.
    """

    edges: Floats
    starts: Ints
    size: int

    def apply(self, x: Array, out: Array) -> None:
        """An indicator per bin and feature; a feature without edges as it is."""
        place = 0
        for j in range(len(x)):
            first = self.starts[j]
            last = self.starts[j + 1]
            if first == last:
                out[place] = x[j]
                place += 1
                continue

            # By halving: the number of edges that are at most x_j is that of its bin.
            low = first
            high = last
            while low < high:
                middle = (low + high) // 2
                if self.edges[middle] <= x[j]:
                    low = middle + 1
                else:
                    high = middle

            bins = last - first + 1
            for k in range(bins):
                out[place + k] = 0.0

            out[place + low - first] = 1.0
            place += bins


@dataclass(frozen=True)
class Bins(FeatureMap):
    """Bins: phi(x) holds, per feature, 1 for the bin that x_j lies in and 0 for the others.

    With the edges e_1 < e_2 < ... of a feature, bin 0 holds x < e_1, bin k holds e_k <= x < e_k+1,
    and the last bin all that are at least the last edge. So linear policies learn sums of step
    functions, one per feature. The indicators of a feature add up to 1: no constant is needed.

    Args:
        edges: per feature its edges in increasing order; an empty list leaves the feature as it is.

    Raises:
        ValueError: where they are not increasing finite numbers; on `bind`, where contexts have
            another number of features.

    Example:
        >>> Bins(edges=[[0.0, 1.0], []])([[0.5, 7.0], [1.0, 7.0]]).tolist()
        [[0.0, 1.0, 0.0, 7.0], [0.0, 0.0, 1.0, 7.0]]
    """

    edges: Sequence[Sequence[float]]

    def __post_init__(self) -> None:
        edges = tuple(map(_checked_edges, _as_list(self.edges)))
        if not edges:
            raise wrong_value(RULE, self.edges)

        object.__setattr__(self, "edges", edges)

    def bind(self, features: int) -> BinsMap:
        """The map for contexts of so many features."""
        refuse_no_features("Bins", features)
        refuse_other_features("Bins.edges", len(self.edges), features)
        counts = [len(edges) for edges in self.edges]
        starts = np.cumsum([0, *counts])
        size = sum(counts) + features
        refuse_many_features("Bins.edges", size)
        flat = [edge for edges in self.edges for edge in edges]

        return BinsMap(flat, starts, size)


def _checked_edges(given: Any) -> tuple[float, ...]:
    """The edges of one feature, as floats."""
    try:
        edges = np.array(_as_list(given), np.float64)
    except (TypeError, ValueError) as error:
        raise wrong_value(RULE, given) from error

    is_list = edges.ndim == 1
    is_fit = is_list and np.isfinite(edges).all() and (np.diff(edges) > 0.0).all()
    if not is_fit:
        raise wrong_value(RULE, given)

    return tuple(edges.tolist())


def _as_list(given: Any) -> list[Any]:
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        raise wrong_value(RULE, given)
    return list(given)
