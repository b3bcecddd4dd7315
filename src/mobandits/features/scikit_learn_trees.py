"""Nodes of the trees of fitted scikit-learn models."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from mobandits.contracts.protocols import Array, IntArray
from mobandits.support.naming import quoted, wrong_value

LARGEST = float(np.finfo(np.float64).max)


class TreeNodes(NamedTuple):
    """Nodes of one tree, with a context going left where its feature is at most the threshold.

    Attributes:
        feature: (nodes,) the position of the feature that a node looks at.
        threshold: (nodes,) for features in double precision.
        left: (nodes,) the position of the left child in this tree.
        right: (nodes,) that of the right child.
        is_leaf: (nodes,) whether a node has no children.
    """

    feature: IntArray
    threshold: Array
    left: IntArray
    right: IntArray
    is_leaf: Array


def trees_of(model: Any) -> Iterator[TreeNodes]:
    """The trees of a fitted model, in the order in which it adds them up.

    Raises:
        ValueError: where it has no trees, or one that splits on categories.
    """
    if hasattr(model, "_predictors"):
        yield from _histogram_trees(model)
        return

    single = getattr(model, "tree_", None)
    if single is not None:
        yield _published(single)
        return

    estimators = getattr(model, "estimators_", None)
    # Gradient boosting keeps a table of estimators, forests a list.
    members: Any = [] if estimators is None else np.ravel(np.asarray(estimators, object))
    trees = [getattr(member, "tree_", None) for member in members]
    if not trees or any(tree is None for tree in trees):
        raise wrong_value(
            "models must be fitted models of trees, such as GradientBoostingRegressor", model
        )

    for tree in trees:
        yield _published(tree)


def _published(tree: Any) -> TreeNodes:
    """The nodes of a `tree_`, which reads contexts in single precision."""
    return TreeNodes(
        feature=tree.feature,
        threshold=in_double_precision(tree.threshold),
        left=tree.children_left,
        right=tree.children_right,
        is_leaf=tree.children_left < 0,
    )


def in_double_precision(thresholds: Array) -> Array:
    """The largest doubles that are at most the thresholds once they are rounded to floats.

    A context on a threshold falls into the same leaf, without being rounded itself.

    Example:
        >>> threshold = in_double_precision(np.array([0.1]))[0]
        >>> following = np.nextafter(threshold, 1.0)
        >>> float(np.float32(threshold)) <= 0.1, float(np.float32(following)) <= 0.1
        (True, False)
    """
    nearest = np.asarray(thresholds, np.float32)
    is_above = nearest > thresholds
    below = np.nextafter(nearest, np.float32(-np.inf))
    lower = np.where(is_above, below, nearest)
    upper = np.nextafter(lower, np.float32(np.inf))
    # What lies between two floats goes to the nearer one, and their middle to the even one.
    middle = (lower.astype(np.float64) + upper.astype(np.float64)) / 2.0
    goes_down = middle.astype(np.float32) == lower

    return np.where(goes_down, middle, np.nextafter(middle, -np.inf))


def _histogram_trees(model: Any) -> Iterator[TreeNodes]:
    """The trees of HistGradientBoosting, a tree per class in every iteration."""
    if getattr(model, "is_categorical_", None) is not None:
        positions = np.flatnonzero(model.is_categorical_).tolist()
        rule = "models must split on numbers, so categories must be encoded as columns"
        raise ValueError(f"{rule}, got {quoted(model)} with categorical features {positions}")

    for trees in model._predictors:
        for tree in trees:
            nodes = tree.nodes
            # They read contexts in double precision. A split that only asks whether a value is
            # missing has an infinite threshold: contexts miss nothing, and all go left.
            yield TreeNodes(
                feature=nodes["feature_idx"].astype(np.int64),
                threshold=np.minimum(nodes["num_threshold"], LARGEST),
                left=nodes["left"].astype(np.int64),
                right=nodes["right"].astype(np.int64),
                is_leaf=nodes["is_leaf"] == 1,
            )
