"""Both filters against the definition, on the tables that are hard for them: ties, duplicates, infinities, fronts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from mobandits.compiling.compiled import compile_loop
from mobandits.numerics.pareto_filter import (
    LEAF,
    build_tree,
    front_of_many,
    nondominated,
    through_tree,
)
from mobandits.orders.pareto import Pareto

ALL, PARETO = np.zeros(0, np.int64), Pareto()
KINDS = (
    "random",
    "sphere",
    "grid",
    "coarse",
    "staircase",
    "chain",
    "equal",
    "infinite",
    "one_objective",
)


def obvious_front(values):
    """(arms,) whom nobody dominates, every pair compared."""
    out = np.empty(len(values), bool)
    for a, value in enumerate(values):
        out[a] = not ((values >= value).all(1) & (values > value).any(1)).any()
    return out


def small_loop(_order, values, on, among):
    return nondominated(values, on, among)


def tree_loop(_order, values, which, arms):
    """The tree alone, whatever the size of the table."""
    return through_tree(values, which, arms, len(arms))


def build_loop(_order, values, which, arms):
    tree = build_tree(values, which, arms, len(arms))
    return tree.points, tree.starts, tree.top, tree.bottom, tree.left


small, large = compile_loop(small_loop, PARETO), compile_loop(front_of_many)
tree_alone, planted = compile_loop(tree_loop, PARETO), compile_loop(build_loop, PARETO)


def table(kind, arms, objectives, seed=0):
    rng = np.random.default_rng(seed)
    if kind == "sphere":
        sphere = np.abs(rng.standard_normal((arms, objectives)))
        return sphere / np.linalg.norm(sphere, axis=1, keepdims=True)
    if kind == "infinite":
        choices = [-np.inf, 0.0, 0.5, 1.0, np.inf]
        return rng.choice(choices, (arms, objectives), p=[0.4, 0.2, 0.2, 0.15, 0.05])
    if kind == "staircase":  # many fronts, each of many arms
        x = rng.random((arms, objectives))
        return x / x.sum(1, keepdims=True) + rng.integers(0, 20, (arms, 1)) / 50
    if kind == "one_objective":  # all but the first are the same
        return np.column_stack([rng.random(arms), np.ones((arms, objectives - 1))])
    return {
        "random": rng.random((arms, objectives)),
        "grid": rng.integers(0, 30, (arms, objectives)).astype(float),
        "coarse": rng.integers(0, 3, (arms, objectives)).astype(float),
        "chain": np.repeat(rng.permutation(arms)[:, None].astype(float), objectives, 1),
        "equal": np.ones((arms, objectives)),
    }[kind]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("objectives", [1, 2, 3, 4, 8])
@pytest.mark.parametrize("arms", [1, 2, 65, 250, 251, 1000])
def test_tables_of_all_sizes(kind, objectives, arms):
    values = table(kind, arms, objectives, seed=arms)
    before, expected = values.copy(), obvious_front(values)
    np.testing.assert_array_equal(small(PARETO, values, ALL, np.ones(arms, bool)), expected)
    np.testing.assert_array_equal(large(values, ALL), expected)
    members = np.arange(arms)
    kept = tree_alone(PARETO, values, np.arange(objectives), members)
    assert sorted(members[:kept]) == np.flatnonzero(expected).tolist()
    np.testing.assert_array_equal(values, before)


@pytest.mark.parametrize("kind", KINDS)
def test_many_arms(kind):
    values = table(kind, 4000, 4)
    np.testing.assert_array_equal(large(values, ALL), obvious_front(values))


def test_strong_arms_come_late():
    values = np.sort(table("sphere", 2000, 3) + np.linspace(0, 0.3, 2000)[:, None], axis=0)
    np.testing.assert_array_equal(large(values, ALL), obvious_front(values))
    values = np.vstack([table("sphere", 1000, 3), np.full((1, 3), 2.0)])
    np.testing.assert_array_equal(large(values, ALL), np.arange(1001) == 1000)


@st.composite
def questions(draw):
    """A table of few distinct values, arms repeated up to hundreds of times, objectives with padding, and a mask."""
    few = draw(
        st.lists(
            st.sampled_from([-np.inf, -1.0, -0.0, 0.0, 1.0, 2.0, np.inf]), min_size=1, max_size=4
        )
    )
    shape = draw(st.integers(1, 12)), draw(st.integers(1, 5))
    rows = draw(arrays(np.float64, shape, elements=st.sampled_from(few)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    values = rows[rng.integers(0, len(rows), draw(st.integers(1, 400)))]
    noisy = draw(st.integers(0, shape[1]))  # so many objectives get values of their own
    values[:, :noisy] += rng.integers(0, 6, (len(values), noisy))
    on = draw(st.lists(st.integers(0, shape[1] - 1), unique=True, max_size=shape[1]))
    padding = draw(st.integers(0, 2)) if on else 0
    among = rng.random(len(values)) < draw(st.sampled_from([0.0, 0.1, 0.8, 1.0]))
    return values, on, np.array(on + [-1] * padding, np.int64), among


@settings(max_examples=300, deadline=None)
@given(questions())
def test_ties_duplicates_infinities_masks_and_chosen_objectives(question):
    values, on, padded, among = question
    seen = values[:, on] if on else values
    expected = np.zeros(len(values), bool)
    expected[among] = obvious_front(seen[among])
    np.testing.assert_array_equal(small(PARETO, values, padded, among), expected)
    np.testing.assert_array_equal(large(values, padded), obvious_front(seen))
    members = np.flatnonzero(among)
    if len(members):
        kept = tree_alone(PARETO, values, np.array(on or range(values.shape[1])), members)
        assert sorted(members[:kept]) == np.flatnonzero(expected).tolist()


@settings(max_examples=50, deadline=None)
@given(st.sampled_from(KINDS), st.integers(1, 700), st.integers(1, 4))
def test_a_tree_holds_every_arm_in_boxes_that_enclose_it(kind, arms, objectives):
    values, members = table(kind, arms, objectives), np.arange(arms)
    points, starts, top, bottom, left = planted(PARETO, values, np.arange(objectives), members)
    assert sorted(members) == list(range(arms))
    np.testing.assert_array_equal(points, values[members].T)
    leaves = len(starts) - 1
    assert starts[0] == 0
    assert starts[-1] == arms
    np.testing.assert_array_equal(left[leaves:], np.diff(starts))
    assert (np.diff(starts) <= LEAF).all()
    assert (np.diff(starts) > 0).all()
    for v in range(1, 2 * leaves):
        first, last = v, v
        while first < leaves:
            first, last = 2 * first, 2 * last + 1
        inside = points[:, starts[first - leaves] : starts[last - leaves + 1]]
        np.testing.assert_array_equal(top[v], inside.max(1))
        np.testing.assert_array_equal(bottom[v], inside.min(1))


def test_a_level_of_the_tree_halves_by_its_objective():
    values, members = table("random", 600, 2), np.arange(600)
    points, starts, *_ = planted(PARETO, values, np.arange(2), members)
    middle = starts[(len(starts) - 1) // 2]
    assert points[0, :middle].max() <= points[0, middle:].min()


def test_nan_ends():
    values = table("sphere", 600, 3)
    values[::7, 1] = np.nan
    assert large(values, ALL).shape == (600,)


def test_no_objectives_and_no_arms():
    nothing = np.array([-1], np.int64)
    for arms in (3, 300):
        values = table("random", arms, 2)
        among = np.arange(arms) % 2 == 0
        np.testing.assert_array_equal(small(PARETO, values, nothing, among), among)
        np.testing.assert_array_equal(large(values, nothing), np.ones(arms, bool))
        assert not small(PARETO, values, ALL, np.zeros(arms, bool)).any()
    assert large(np.empty((0, 2)), ALL).shape == (0,)
