"""Every map against a slow twin, as values, in files, and what it refuses."""

import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from twins.feature_maps import LEAVES, MAPS, TWINS, layers, mapped

from mobandits import features
from mobandits.features import (
    Bins,
    Clusters,
    Columns,
    Crosses,
    FeatureMap,
    Fourier,
    Intercept,
    Layers,
    Leaves,
    median_distance,
)
from mobandits.logs.parts_as_data import described, made
from mobandits.spec import build, catalogue
from mobandits.support.naming import short_repr

NUMBERS = st.floats(-2.0, 2.0).map(lambda number: round(number, 3))
ROWS = arrays(np.float64, (4, 2), elements=NUMBERS)
EVERY = pytest.mark.parametrize("feature_map", MAPS.values(), ids=MAPS)


@pytest.mark.long
@EVERY
@given(rows=ROWS)
def test_it_is_what_its_docstring_says(feature_map, rows):
    before = rows.copy()
    np.testing.assert_allclose(feature_map(rows), mapped(feature_map, rows), rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(rows, before)


@EVERY
def test_it_takes_rows_of_any_table(feature_map):
    rng = np.random.default_rng(0)
    contexts = rng.random((3, 4, 2))
    phi = feature_map(contexts)
    assert phi.shape == (3, 4, feature_map.bind(2).size)
    np.testing.assert_array_equal(phi[1], feature_map(contexts[1]))
    np.testing.assert_array_equal(phi[1, 2], feature_map(contexts[1, 2].tolist()))


@EVERY
def test_it_is_a_value(feature_map):
    again = made(described(feature_map, "map"), "map")
    assert again == feature_map
    assert hash(again) == hash(feature_map)
    assert repr(again) == repr(feature_map)
    assert len(repr(feature_map)) < 60
    assert pickle.loads(pickle.dumps(feature_map)) == feature_map
    assert again.bind(2) == feature_map.bind(2)
    assert all(feature_map != other for other in MAPS.values() if other is not feature_map)


def test_every_map_is_tested():
    public = {catalogue("features")[name] for name in catalogue("features")}
    assert public == set(TWINS)
    assert all(issubclass(one, FeatureMap) for one in public)


def test_names_that_load_late_are_there():
    assert all(hasattr(features, name) for name in features.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'fitt'"):
        features.fitt  # noqa: B018


def test_other_arrays_are_another_map_with_another_name():
    nets = [layers((2, 5, 3)), layers((2, 5, 3), seed=1), layers((2, 5))]
    assert len(set(nets)) == len({short_repr(net) for net in nets}) == 3
    assert repr(nets[0]).startswith("Layers(2-5-3, ")
    assert repr(LEAVES).startswith("Leaves(2 trees, 5 leaves, ")
    # The same numbers in another shape.
    wide = Layers([np.ones((1, 2)), np.ones((2, 2))], [np.ones(2), np.ones(2)])
    narrow = Layers([np.ones((2, 1)), np.ones((1, 2))], [np.ones(1), np.ones(2)])
    assert wide != narrow


def test_arrays_are_kept_as_they_were():
    weights, biases = [np.ones((2, 3))], [np.zeros(3)]
    net = Layers(weights, biases)
    weights[0][0, 0] = 7.0
    assert net.weights[0][0, 0] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        net.weights[0][0, 0] = 7.0


@given(rows=ROWS)
def test_the_first_degree_is_the_identity(rows):
    np.testing.assert_array_equal(Crosses(1)(rows), rows)
    np.testing.assert_array_equal(Crosses(1, constant=True)(rows)[:, 1:], rows)


@given(rows=ROWS)
def test_one_indicator_per_feature_and_per_tree(rows):
    phi = MAPS["bins"](rows)
    np.testing.assert_array_equal(phi[:, :4].sum(1), 1.0)
    np.testing.assert_array_equal(phi[:, 4:].sum(1), 1.0)
    assert set(np.unique(phi)) <= {0.0, 1.0}
    np.testing.assert_array_equal(LEAVES(rows).sum(1), 2.0)


def test_a_spec_names_maps():
    entry = {
        "name": "features",
        "map": {"name": "crosses", "degree": 3},
        "recipe": {"name": "mol-ucb", "scale": 0.3},
    }
    recipe = build("policies", entry, "policy")
    assert recipe.map == Crosses(3)
    assert recipe.recipe.scale == 0.3
    binned = build("features", {"name": "bins", "edges": [[0.5], []]}, "map")
    assert binned == Bins([[0.5], []])
    with pytest.raises(
        ValueError, match=r"policy\.map\.name: 'cross' is unknown; did you mean crosses"
    ):
        build("policies", entry | {"map": "cross"}, "policy")


TREE = {"feature": [0, 0, 0], "threshold": [0.5, 0.0, 0.0]}
TREE |= {"left": [1, -1, -1], "right": [2, -1, -1], "roots": [0]}


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: Fourier(0), "Fourier.count must be an integer of at least 1, got 0"),
        (lambda: Fourier(8, length=0.0), "Fourier.length must be above 0, got 0.0"),
        (lambda: Fourier(8, length=float("nan")), "Fourier.length must be a finite number"),
        (lambda: Fourier(8, seed=-1), "Fourier.seed must be an integer of at least 0"),
        (lambda: Fourier(8).bind(2), r"Fourier\.length must be a number to play: .*got None"),
        (lambda: Fourier(20_000, 1.0).bind(2), "at most 10000 features, got 20003"),
        (lambda: Intercept(0.0), "Intercept.weight must be above 0"),
        (lambda: Intercept(1e6), "Intercept.weight must be at most 1000"),
        (lambda: Crosses(0), "Crosses.degree must be an integer of at least 1, got 0"),
        (lambda: Crosses(2, constant=1), "Crosses.constant must be True or False, got 1"),
        (lambda: Crosses(9).bind(300), "Crosses.degree must lead to at most 10000 features"),
        (lambda: Columns(()), "Columns.columns must be different positions"),
        (lambda: Columns("ab"), "Columns.columns must be different positions"),
        (lambda: Columns((0, 0)), "Columns.columns must be different positions"),
        (lambda: Columns((0, -1)), "Columns.columns must be an integer of at least 0, got -1"),
        (lambda: Columns((2,)).bind(2), "must be below the number of features, 2, got 2"),
        (lambda: Bins([]), "Bins.edges must be a list of increasing"),
        (lambda: Bins("01"), "Bins.edges must be a list of increasing"),
        (lambda: Bins([0.5]), "Bins.edges must be a list of increasing"),
        (lambda: Bins([[1.0, 1.0]]), r"Bins.edges must be .*, got \[1.0, 1.0\]"),
        (lambda: Bins([["a"]]), "Bins.edges must be a list of increasing"),
        (lambda: Bins([[0.0, float("inf")]]), "Bins.edges must be a list of increasing"),
        (lambda: Bins([[0.5]]).bind(2), "of as many features as contexts have, 2, got 1"),
        (lambda: Clusters([0.5]), r"Clusters.centres must have shape \(clusters, features\)"),
        (lambda: Clusters([[0.5], [0.5]]), "Clusters.centres must be different rows, got 2 rows"),
        (lambda: Clusters([[0.5]]).bind(2), "Clusters.centres must be of as many features as"),
        (lambda: Layers([], []), "Layers.weights must be a list of arrays with 2 axes"),
        (lambda: Layers([[1.0]], [[1.0]]), "Layers.weights must be a list of arrays"),
        (lambda: Layers([[[1.0]]], []), "Layers.biases must be a list of arrays"),
        (lambda: Layers([[[1.0]]], [[1.0], [1.0]]), "Layers.biases must be as many as"),
        (lambda: Layers([[[1.0]]], [[1.0, 2.0]]), r"Layers.weights\[0\] must have shape"),
        (lambda: Layers([[[float("nan")]]], [[1.0]]), r"Layers.weights\[0\] must be finite"),
        (lambda: Layers([[[1.0]]], [[1.0]]).bind(2), "of as many features as contexts have"),
        (lambda: Layers.from_scikit_learn(3), "network must be a fitted MLPRegressor"),
        (lambda: Leaves(**{**TREE, "threshold": []}), "Leaves.threshold must be finite"),
        (lambda: Leaves(**{**TREE, "left": [0, -1, -1]}), "Leaves.left must be later nodes"),
        (lambda: Leaves(**{**TREE, "right": [3, -1, -1]}), "Leaves.right must be later nodes"),
        (lambda: Leaves(**{**TREE, "right": [-1, -1, -1]}), "Leaves.right must be later nodes"),
        (lambda: Leaves(**{**TREE, "left": [1, -1]}), "Leaves.left must be one per node"),
        (lambda: Leaves(**{**TREE, "left": [0.5, 1, 1]}), "Leaves.left must be whole numbers"),
        (lambda: Leaves(**{**TREE, "roots": [3]}), "Leaves.roots must be increasing"),
        (lambda: Leaves(**{**TREE, "roots": []}), "Leaves.roots must be increasing"),
        (lambda: Leaves(**{**TREE, "feature": [-2, 0, 0]}), "Leaves.feature must be at least 0"),
        (lambda: Leaves(**{**TREE, "feature": [5, 0, 0]}).bind(2), "Leaves.feature must be below"),
        (Leaves.from_scikit_learn, "models must be at least one, got none"),
        (lambda: Leaves.from_scikit_learn(3), "models must be fitted models of trees"),
        (lambda: Crosses(2)([[np.nan, 1.0]]), "contexts must be finite"),
        (lambda: Crosses(2)(3.0), r"contexts must have shape \(..., features\)"),
        (lambda: Crosses(2)([["a", "b"]]), "contexts must be numbers"),
        (lambda: median_distance([[1.0]]), "contexts must have at least 2 rows"),
        (lambda: median_distance([[1.0], [1.0]]), "contexts must differ"),
    ],
)
def test_what_is_refused(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@EVERY
def test_problems_without_contexts_are_refused(feature_map):
    with pytest.raises(ValueError, match=r"at least 1 feature, got 0|contexts have, 0"):
        feature_map.bind(0)


def test_the_median_distance_of_a_long_table_is_that_of_an_even_sample():
    rows = np.random.default_rng(0).random((3000, 2))
    every = [np.linalg.norm(a - b) for i, a in enumerate(rows[:400]) for b in rows[:i]]
    assert median_distance(rows) == pytest.approx(np.median(every), rel=0.05)
    assert median_distance(rows) == median_distance(rows.tolist())
