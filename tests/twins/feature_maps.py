"""Feature maps as their docstrings define them, row by row, and one map of every class over two features."""

import itertools
import math

import numpy as np

from mobandits.features import (
    Bins,
    Clusters,
    Columns,
    Crosses,
    Fourier,
    Intercept,
    Layers,
    Leaves,
)
from mobandits.features.fourier import drawn_waves


def layers(widths, seed=0):
    """A network with normal weights."""
    rng = np.random.default_rng(seed)
    pairs = list(itertools.pairwise(widths))
    weights = [rng.standard_normal(pair) for pair in pairs]
    return Layers(weights, [rng.standard_normal(units) for _, units in pairs])


# Two trees: x0 <= 0.5 and then x1 <= 0.3; x1 <= 0.6.
LEAVES = Leaves(
    feature=[0, 1, 0, 0, 0, 1, 0, 0],
    threshold=[0.5, 0.3, 0.0, 0.0, 0.0, 0.6, 0.0, 0.0],
    left=[1, 2, -1, -1, -1, 6, -1, -1],
    right=[4, 3, -1, -1, -1, 7, -1, -1],
    roots=[0, 5],
)
MAPS = {
    "fourier": Fourier(8, length=0.7, seed=1),
    "crosses": Crosses(3, constant=True),
    "bins": Bins([[0.2, 0.4, 0.6], [0.3]]),
    "bins of one": Bins([[], [0.1, 0.5]]),
    "clusters": Clusters([[0.2, 0.4], [0.7, 0.1], [-0.5, 0.0]]),
    "columns": Columns((1, 0)),
    "intercept": Intercept(weight=20.0),
    "layers": layers((2, 5, 3)),
    "leaves": LEAVES,
}


def mapped(feature_map, rows):
    """(rows, size) phi of every row."""
    one = TWINS[type(feature_map)]
    return np.array([one(feature_map, row) for row in np.asarray(rows, float)])


def fourier(feature_map, x):
    waves = drawn_waves(feature_map.count, feature_map.seed, len(x))
    angles = [w @ x / feature_map.length + b for w, b in zip(*waves, strict=True)]
    amplitude = math.sqrt(2.0 / feature_map.count)
    return [1.0, *x, *(amplitude * math.cos(angle) for angle in angles)]


def crosses(feature_map, x):
    products = [
        math.prod(each)
        for degree in range(1, feature_map.degree + 1)
        for each in itertools.combinations_with_replacement(x, degree)
    ]
    return [1.0] * feature_map.constant + products


def bins(feature_map, x):
    values = []
    for value, edges in zip(x, feature_map.edges, strict=True):
        count = len(edges) + 1
        values += [value] if count == 1 else np.eye(count)[np.digitize(value, edges)].tolist()
    return values


def clusters(feature_map, x):
    distances = [math.dist(x, centre) for centre in feature_map.centres]
    return np.eye(len(distances))[np.argmin(distances)]


def columns(feature_map, x):
    return x[list(feature_map.columns)]


def network(feature_map, x):
    for weight, bias in zip(feature_map.weights, feature_map.biases, strict=True):
        x = np.maximum(x @ weight + bias, 0.0)
    return [1.0, *x]


def leaves(feature_map, x):
    is_leaf = feature_map.left < 0
    indicators = np.zeros(len(is_leaf))
    for root in feature_map.roots:
        node = root
        while not is_leaf[node]:
            below = x[feature_map.feature[node]] <= feature_map.threshold[node]
            node = (feature_map.left if below else feature_map.right)[node]
        indicators[node] = 1.0
    return indicators[is_leaf]


TWINS = {
    Fourier: fourier,
    Crosses: crosses,
    Intercept: lambda feature_map, x: [feature_map.weight, *x],
    Bins: bins,
    Clusters: clusters,
    Columns: columns,
    Layers: network,
    Leaves: leaves,
}
