"""The linked filter against connected components of the graph of all pairs of intervals."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins import orders as twins

from mobandits.orders import ChainFilter, Chains, Lexicographic


@pytest.mark.long
@settings(max_examples=300)
@given(st.data())
def test_front_of_intervals(data):
    low, high = data.draw(twins.intervals(infinite=data.draw(st.booleans())))
    chains = data.draw(twins.partitions(low.shape[1]))
    np.testing.assert_array_equal(
        twins.front_of(ChainFilter(chains), low, high), twins.chain_filter(low, high, chains)
    )


def test_front_of_many_intervals():
    rng = np.random.default_rng(3)
    for width in (0.001, 0.01, 0.03, 0.1):
        centre = rng.random((60, 3))
        low, high = centre - width * rng.random((60, 3)), centre + width
        got = twins.front_of(ChainFilter([[0, 1], [2]]), low, high)
        np.testing.assert_array_equal(got, twins.chain_filter(low, high, [[0, 1], [2]]))


def test_a_row_of_touching_intervals_is_one_component_in_any_order():
    ends = np.random.default_rng(0).permutation(40).astype(float)[:, None]
    assert twins.front_of(ChainFilter([[0]]), ends, ends + 1.0).all()
    apart = twins.front_of(ChainFilter([[0]]), ends, ends + 0.999)
    assert np.flatnonzero(apart).tolist() == [ends[:, 0].argmax()]


@pytest.mark.long
@settings(max_examples=150)
@given(st.data())
def test_on_points_it_is_the_union_of_the_chains_winners(data):
    means = data.draw(twins.tables())
    chains = data.draw(twins.partitions(means.shape[1]))
    winners = [twins.lexicographic_front(means[:, chain]) for chain in chains]
    np.testing.assert_array_equal(
        twins.survey(ChainFilter(chains), means)[0], np.any(winners, axis=0)
    )


@pytest.mark.long
@settings(max_examples=100)
@given(st.data())
def test_gap_is_that_of_the_chains(data):
    means = data.draw(twins.tables())
    chains = data.draw(twins.partitions(means.shape[1]))
    front, gaps = twins.survey(ChainFilter(chains), means)
    np.testing.assert_array_equal(gaps, twins.survey(Chains(chains), means)[1])
    assert not gaps[front].any()


@settings(max_examples=100)
@given(twins.tables())
def test_one_chain_on_points_is_the_lexicographic_order(means):
    one = ChainFilter([list(range(means.shape[1]))])
    np.testing.assert_array_equal(
        twins.front_of(one, means), twins.front_of(Lexicographic(), means)
    )


def test_chains_are_checked():
    with pytest.raises(
        ValueError, match=r"ChainFilter\.chains must name each objective once, got 2 twice"
    ):
        ChainFilter([[0, 2], [2]])
    with pytest.raises(
        ValueError, match=r"ChainFilter\.chains must name each of the 3 objectives, got no 2"
    ):
        ChainFilter([[0, 1]]).check(3)
