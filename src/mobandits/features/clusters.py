"""Clusters: an indicator of the centre that is nearest to a context."""

from dataclasses import dataclass

import numpy as np

from mobandits.compiling.compiled import Floats, compiled
from mobandits.contracts.protocols import Array
from mobandits.features.feature_map import (
    ArrayMap,
    refuse_many_features,
    refuse_other_features,
)
from mobandits.support.checks import matrix
from mobandits.support.naming import quantity


@compiled
class ClustersMap:
    """See `Clusters`.

    Attributes:
        centres: (clusters, features).
        size: the number of clusters.
    """

    centres: Floats
    size: int

    def apply(self, x: Array, out: Array) -> None:
        """An indicator per cluster."""
        nearest = 0
        least = np.inf
        for k in range(self.size):
            out[k] = 0.0
            distance = 0.0
            for j in range(len(x)):
                difference = x[j] - self.centres[k, j]
                distance += difference * difference

            # Of equally near centres the first one is taken.
            if distance < least:
                least = distance
                nearest = k

        out[nearest] = 1.0


@dataclass(frozen=True, eq=False, repr=False)
class Clusters(ArrayMap):
    """Clusters: phi_k(x) is 1 where centre k is the nearest to x, and 0 elsewhere.

    A linear policy on phi keeps the mean rewards of each cluster: a table, which is hard to beat
    where contexts are embeddings of prompts that fall into kinds. Distances are Euclidean. `fit(log,
    "clusters")` takes the centres that k-means finds in a log.

    Args:
        centres: (clusters, features), different from each other.

    Raises:
        ValueError: where they are no table of finite numbers, or two are equal; on `bind`, where
            contexts have another number of features.

    Example:
        >>> Clusters([[0.0, 0.0], [1.0, 1.0]])([[0.2, 0.1], [0.9, 0.4]]).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """

    centres: Array

    def __post_init__(self) -> None:
        centres = matrix("Clusters.centres", self.centres, ("clusters", "features")).copy()
        different = len(np.unique(centres, axis=0))
        if different < len(centres):
            rule = "Clusters.centres must be different rows"
            raise ValueError(f"{rule}, got {quantity(len(centres), 'row')}, {different} different")

        centres.flags.writeable = False
        object.__setattr__(self, "centres", centres)

    def sizes_text(self) -> str:
        """The number of centres."""
        return quantity(len(self.centres), "centre")

    def bind(self, features: int) -> ClustersMap:
        """The map for contexts of so many features."""
        clusters, own_features = self.centres.shape
        refuse_other_features("Clusters.centres", own_features, features)
        refuse_many_features("Clusters.centres", clusters)

        return ClustersMap(self.centres, clusters)
