"""The dominance primitives against their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import orders as twins

from mobandits.compiling.compiled import compile_loop
from mobandits.orders.pareto import Pareto

ALL, PARETO = np.zeros(0, np.int64), Pareto()
primitives = compile_loop(twins.primitives_loop, PARETO)
gap_primitives = compile_loop(twins.gap_primitives_loop, PARETO)


@st.composite
def questions(draw, infinite=False):
    """A table, objectives to look at (none for all, perhaps padded), and a set of arms that is not empty."""
    table = draw(twins.tables(infinite=infinite))
    on = draw(st.lists(st.integers(0, table.shape[1] - 1), unique=True, max_size=table.shape[1]))
    padding = draw(st.integers(0, 2)) if on else 0
    among = np.array(
        draw(st.lists(st.booleans(), min_size=len(table), max_size=len(table)).filter(any))
    )
    return table, on or list(range(table.shape[1])), np.array(on + [-1] * padding, np.int64), among


@settings(max_examples=400)
@given(questions(infinite=True))
def test_front_against_the_definition(question):
    table, on, padded, among = question
    front, beaten = primitives(PARETO, table, padded, among)
    expected = np.zeros(len(table), bool)
    expected[among] = twins.pareto_front(table[among][:, on])
    np.testing.assert_array_equal(front, expected)
    np.testing.assert_array_equal(
        beaten, [any(twins.dominates(v, u) for v in table[among][:, on]) for u in table[:, on]]
    )


@settings(max_examples=400)
@given(questions())
def test_gap_against_the_closed_form(question):
    table, on, padded, among = question
    gaps, one_by_one = gap_primitives(PARETO, table, padded, among)
    np.testing.assert_array_equal(gaps, twins.pareto_gap_closed(table[:, on], table[among][:, on]))
    np.testing.assert_array_equal(gaps, one_by_one)


@pytest.mark.parametrize("objectives", [1, 2, 3, 5])
@pytest.mark.parametrize("kind", ["random", "sphere", "grid", "chain", "equal", "nobody"])
def test_more_arms_than_a_block(kind, objectives):
    rng = np.random.default_rng(objectives)
    table = {
        "random": rng.random((300, objectives)),
        "sphere": rng.standard_normal((300, objectives)),
        "grid": rng.integers(0, 4, (300, objectives)).astype(float),
        "chain": np.repeat(rng.permutation(300)[:, None].astype(float), objectives, 1),
        "equal": np.ones((300, objectives)),
        "nobody": rng.random((300, objectives)),
    }[kind]
    if kind == "sphere":
        table = np.abs(table) / np.linalg.norm(table, axis=1, keepdims=True)
    among = np.full(300, kind != "nobody")
    front, beaten = primitives(PARETO, table, ALL, among)
    expected = ~((table[:, None] >= table).all(2) & (table[:, None] > table).any(2)).any(0) & among
    np.testing.assert_array_equal(front, expected)
    np.testing.assert_array_equal(beaten & among, ~expected & among)


def test_masks_and_tables_are_left_alone():
    table, among = np.random.default_rng(0).random((50, 3)), np.ones(50, bool)
    before = table.copy()
    primitives(PARETO, table, ALL, among)
    np.testing.assert_array_equal(table, before)
    assert among.all()
