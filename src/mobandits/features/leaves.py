"""Leaves: which leaf of each of some decision trees a context falls into."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from mobandits.compiling.compiled import Floats, Ints, compiled
from mobandits.contracts.protocols import Array, IntArray
from mobandits.features.feature_map import (
    ArrayMap,
    refuse_many_features,
    refuse_no_features,
)
from mobandits.features.scikit_learn_trees import trees_of
from mobandits.support.checks import as_float_array
from mobandits.support.naming import wrong_value

NO_CHILD = -1


@compiled
class LeavesMap:
    """See `Leaves`; `places` are the positions in phi of leaves, -1 for other nodes."""

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    roots: Ints
    places: Ints
    size: int

    def apply(self, x: Array, out: Array) -> None:
        """1 for the leaf of each tree that x falls into, 0 for all others."""
        for j in range(self.size):
            out[j] = 0.0

        for k in range(len(self.roots)):
            node = self.roots[k]
            while self.left[node] >= 0:
                goes_left = x[self.feature[node]] <= self.threshold[node]
                node = self.left[node] if goes_left else self.right[node]

            out[self.places[node]] = 1.0


@dataclass(frozen=True, eq=False, repr=False)
class Leaves(ArrayMap):
    """Leaves of trees: phi(x) holds, per tree, 1 for the leaf that x falls into, 0 for others.

    A linear policy on phi learns a value per leaf, online; the trees are frozen. The indicators of
    a tree add up to 1: no constant is needed. `fit(log, "trees")` grows them on a log, and
    `Leaves.from_scikit_learn(model)` takes those of a model.

    All nodes stand in one list, tree by tree. At a node that has children, x goes to the left one
    where its feature is at most the threshold.

    Args:
        feature: (nodes,) the position of the feature that a node looks at.
        threshold: (nodes,) what it is compared with.
        left: (nodes,) the position of the left child, -1 at leaves.
        right: (nodes,) the position of the right child, -1 at leaves.
        roots: (trees,) the position of the first node of every tree, from 0.

    Raises:
        ValueError: where these are no trees; on `bind`, where a tree looks at a feature that
            contexts do not have, or there are more than 10,000 leaves.

    Reference:
        He et al., "Practical lessons from predicting clicks on ads at Facebook", 2014.

    Example:
        >>> stump = Leaves([0, 0, 0], [0.5, 0.0, 0.0], [1, -1, -1], [2, -1, -1], [0])
        >>> stump([[0.25], [0.75]]).tolist()
        [[1.0, 0.0], [0.0, 1.0]]
    """

    references = ("he2014",)

    feature: IntArray
    threshold: Array
    left: IntArray
    right: IntArray
    roots: IntArray

    def __post_init__(self) -> None:
        threshold = as_float_array("Leaves.threshold", self.threshold).copy()
        nodes = len(threshold) if threshold.ndim == 1 else 0
        if nodes == 0 or not np.isfinite(threshold).all():
            raise wrong_value(
                "Leaves.threshold must be finite numbers, one per node", self.threshold
            )

        threshold.setflags(write=False)
        object.__setattr__(self, "threshold", threshold)
        for name in ("feature", "left", "right", "roots"):
            positions = _positions(f"Leaves.{name}", getattr(self, name))
            if name != "roots" and len(positions) != nodes:
                rule = f"Leaves.{name} must be one per node, of which there are {nodes}"
                raise ValueError(f"{rule}, got {len(positions)}")

            object.__setattr__(self, name, positions)

        self._refuse_other_than_trees(nodes)

    def _refuse_other_than_trees(self, nodes: int) -> None:
        """Refuse lists in which a walk from a root could leave the list, or never end."""
        places = np.arange(nodes)
        is_leaf = self.left == NO_CHILD
        for name in ("left", "right"):
            children = getattr(self, name)
            # Children after their parents: every walk comes to an end.
            is_later = (children > places) & (children < nodes)
            fits = np.where(is_leaf, children == NO_CHILD, is_later)
            if not fits.all():
                wrong = places[~fits][0]
                rule = f"Leaves.{name} must be later nodes, or -1 on both sides"
                raise ValueError(f"{rule}, got {children[wrong]} at node {wrong}")

        is_node = (self.roots >= 0) & (self.roots < nodes)
        is_increasing = np.diff(self.roots) > 0
        fits = len(self.roots) > 0 and is_node.all() and is_increasing.all()
        if not fits:
            raise wrong_value(
                f"Leaves.roots must be increasing positions below {nodes}", self.roots.tolist()
            )
        if (self.feature[~is_leaf] < 0).any():
            raise ValueError("Leaves.feature must be at least 0 at nodes with children")

    @classmethod
    def from_scikit_learn(cls, *models: Any) -> "Leaves":
        """The trees of fitted models: gradient boosting, random forests, single decision trees.

        Every context falls into the leaf that scikit-learn puts it into: its trees read features
        in single precision, those of HistGradientBoosting in double precision. Contexts miss
        no values, so where a tree would send missing ones does not matter.

        Raises:
            ValueError: where a model has no trees to read, or splits on categories.
        """
        trees = [tree for model in models for tree in trees_of(model)]
        if not trees:
            raise ValueError("models must be at least one, got none")

        counts = [len(tree.feature) for tree in trees]
        roots = np.concatenate([[0], np.cumsum(counts)[:-1]])
        lefts = []
        rights = []
        for tree, root in zip(trees, roots, strict=True):
            lefts.append(_moved(tree.left, tree.is_leaf, root))
            rights.append(_moved(tree.right, tree.is_leaf, root))

        return cls(
            feature=np.concatenate([tree.feature for tree in trees]),
            threshold=np.concatenate([tree.threshold for tree in trees]),
            left=np.concatenate(lefts),
            right=np.concatenate(rights),
            roots=roots,
        )

    def sizes_text(self) -> str:
        """The numbers of trees and leaves."""
        leaves = int((self.left == NO_CHILD).sum())
        return f"{len(self.roots)} trees, {leaves} leaves"

    def bind(self, features: int) -> LeavesMap:
        """The map for contexts of so many features."""
        refuse_no_features("Leaves", features)
        is_leaf = self.left == NO_CHILD
        size = int(is_leaf.sum())
        refuse_many_features("Leaves.left", size)
        largest = int(self.feature[~is_leaf].max(initial=0))
        if largest >= features:
            rule = f"Leaves.feature must be below the number of features, {features}"
            raise ValueError(f"{rule}, got {largest}")

        ranks = np.cumsum(is_leaf) - 1
        places = np.where(is_leaf, ranks, NO_CHILD)

        return LeavesMap(
            feature=self.feature,
            threshold=self.threshold,
            left=self.left,
            right=self.right,
            roots=self.roots,
            places=places,
            size=size,
        )


def _positions(name: str, given: Any) -> IntArray:
    """A read-only array of whole numbers."""
    try:
        numbers = np.array(given)
    except ValueError as error:
        raise wrong_value(f"{name} must be whole numbers", given) from error

    if numbers.ndim != 1 or (numbers.size and numbers.dtype.kind not in "iu"):
        raise wrong_value(f"{name} must be whole numbers", given)

    positions = numbers.astype(np.int64)
    positions.setflags(write=False)

    return positions


def _moved(children: IntArray, is_leaf: Array, root: int) -> IntArray:
    """Positions in a tree as positions in the list of all nodes."""
    moved: IntArray = np.where(is_leaf, NO_CHILD, children + root)
    return moved
