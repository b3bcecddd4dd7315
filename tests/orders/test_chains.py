"""Priority chains: the exact gap against a search over digits, and what the authors' code computes instead."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from twins import orders as twins

from mobandits.contracts.protocols import Block
from mobandits.fronts import gaps
from mobandits.metrics import ChainRegretAuthors
from mobandits.orders import Chains, Lexicographic, Pareto, pc_gap_authors
from mobandits.orders.chains_authors import AuthorsChains
from mobandits.simulation.truth import BlockGroundTruth


@pytest.mark.long
@settings(max_examples=300)
@given(st.data())
def test_front_and_gap(data):
    means = data.draw(twins.tables())
    chains = data.draw(twins.partitions(means.shape[1]))
    front, gaps = twins.survey(Chains(chains), means)
    np.testing.assert_array_equal(front, twins.chains_front(means, chains))
    np.testing.assert_array_equal(gaps, twins.chains_gap(means, chains))


@pytest.mark.long
@settings(max_examples=150)
@given(st.data())
def test_front_with_infinite_entries(data):
    means = data.draw(twins.tables(infinite=True))
    chains = data.draw(twins.partitions(means.shape[1]))
    np.testing.assert_array_equal(
        twins.front_of(Chains(chains), means), twins.chains_front(means, chains)
    )


@pytest.mark.parametrize(
    "chains", [[[0, 1], [2, 3]], [[0, 1], [2, 3, 4]], [[0], [1, 2]], [[0, 1, 2]], [[0], [1], [2]]]
)
def test_gap_is_the_infimum_of_the_definition(chains):
    rng = np.random.default_rng(7)
    for _ in range(40):
        means = rng.integers(0, 4, (rng.integers(2, 7), sum(map(len, chains)))).astype(float)
        _, gaps = twins.survey(Chains(chains), means)
        for arm in range(len(means)):
            np.testing.assert_array_equal(gaps[arm], twins.chains_gap_by_search(means, chains, arm))


@pytest.mark.long
@settings(max_examples=150)
@given(twins.tables(infinite=True))
def test_chains_of_one_objective_are_the_pareto_order(means):
    singles = Chains([[i] for i in range(means.shape[1])])
    np.testing.assert_array_equal(twins.front_of(singles, means), twins.front_of(Pareto(), means))
    if np.isfinite(means).all():
        np.testing.assert_array_equal(
            twins.survey(singles, means)[1], twins.survey(Pareto(), means)[1]
        )


@pytest.mark.long
@settings(max_examples=150)
@given(twins.tables())
def test_one_chain_is_the_lexicographic_order(means):
    one = Chains([list(range(means.shape[1]))])
    front, gaps = twins.survey(one, means)
    expected, priority = twins.survey(Lexicographic(), means)
    np.testing.assert_array_equal(front, expected)
    np.testing.assert_array_equal(front, ~gaps.any(axis=1))
    lost = (priority > 0.0).argmax(axis=1)
    for a in np.flatnonzero(
        ~front
    ):  # the same first positive digit; the chain's gap goes on after it
        np.testing.assert_array_equal(gaps[a, : lost[a] + 1], priority[a, : lost[a] + 1])


def test_digits_after_a_negative_one_are_zero():
    _, gaps = twins.survey(
        Chains([[0, 1, 2]]), np.array([[2.0, 0.0, 5.0], [1.0, 3.0, 0.0], [1.0, 0.0, 2.0]])
    )
    assert gaps.tolist() == [[0, 0, 0], [1, 0, 0], [1, 0, 3]]


def test_a_shorter_chain_is_padded_with_zeros():
    _, gaps = twins.survey(Chains([[0], [1, 2]]), np.array([[1.0, 1.0, 7.0], [0.0, 0.0, 0.0]]))
    assert gaps.tolist() == [[0, 0], [1, 0]]


@pytest.mark.long
@settings(max_examples=200)
@given(st.data())
def test_authors_gap(data):
    means = data.draw(twins.tables())
    chains = data.draw(twins.partitions(means.shape[1]))
    got = pc_gap_authors(means, chains)
    np.testing.assert_array_equal(got, twins.authors_gap(means, chains))
    assert not np.signbit(got).any()


@pytest.mark.long
@settings(max_examples=200)
@given(st.data())
def test_authors_gap_is_zero_where_the_exact_one_is_and_its_first_digit_never_larger(data):
    means = data.draw(twins.tables(grid=True))
    chains = data.draw(twins.partitions(means.shape[1]))
    authors, (_, exact) = pc_gap_authors(means, chains), twins.survey(Chains(chains), means)
    np.testing.assert_array_equal(authors.any(axis=1), exact.any(axis=1))
    assert (authors[:, 0] <= exact[:, 0]).all()


def test_the_authors_take_small_differences_for_equality():
    means = np.array([[0.5, 1.0, 1.0], [0.5 - 5e-7, 0.0, 0.0], [0.5 - 2e-6, 0.0, 0.0]])
    np.testing.assert_allclose(pc_gap_authors(means, [[0, 1], [2]])[1:], [[5e-7, 1.0], [2e-6, 1.0]])
    assert not pc_gap_authors(means, [[0], [1], [2]])[1].any()


def test_authors_gap_undercounts_and_overcounts():
    means = np.array([[3.0, 0.0, 3.0, 3.0], [1.0, 5.0, 9.0, 9.0], [0.0, 1.0, 0.0, 0.0]])
    assert pc_gap_authors(means, [[0, 1], [2, 3]])[2].tolist() == [1.0, 4.0]
    assert twins.survey(Chains([[0, 1], [2, 3]]), means)[1][2].tolist() == [3.0, 0.0]


@pytest.mark.long
@settings(max_examples=100)
@given(st.data())
def test_authors_gap_of_rounded_means(data):
    """As `mob.gaps` rounds for every order: on integers, where ties are exact."""
    hundredths = data.draw(arrays(np.int64, (5, 3), elements=st.integers(0, 40)))
    chains = data.draw(twins.partitions(3))
    means = hundredths / 100.0 + data.draw(st.sampled_from([0.0, 1e-4, -1e-4]))
    exact = twins.authors_gap(hundredths.astype(float), chains) / 100.0
    np.testing.assert_array_equal(pc_gap_authors(means, chains, decimals=2), exact)
    np.testing.assert_array_equal(gaps(means, AuthorsChains(chains), decimals=2), exact)


def test_decimals_do_not_change_what_the_authors_take_for_equality():
    means = np.array([[0.5, 1.0, 1.0], [0.4999995, 0.0, 0.0], [0.499998, 0.0, 0.0]])
    exact = [[0.0, 0.0], [5e-7, 1.0], [2e-6, 1.0]]
    assert pc_gap_authors(means, [[0, 1], [2]], decimals=8).tolist() == exact
    assert gaps(means, AuthorsChains([[0, 1], [2]]), decimals=8).tolist() == exact
    assert not pc_gap_authors(means, [[0], [1], [2]], decimals=8)[1].any()


def test_decimals_of_a_block_reach_the_authors_regret():
    means = np.array([[[0.3, 0.3], [0.1, 0.1]]])
    block = Block(np.zeros((1, 1, 0)), means, np.zeros((2, 2, 2)), decimals=2)
    metric = ChainRegretAuthors([[0], [1]])
    assert metric.per_round(BlockGroundTruth(block), np.array([1, 0]), None).tolist() == [
        [0.2],
        [0.0],
    ]


@pytest.mark.parametrize("decimals", [-1, 0.5, "2", 16])
def test_authors_decimals_are_checked(decimals):
    with pytest.raises(ValueError, match="decimals must"):
        pc_gap_authors([[1.0]], [[0]], decimals=decimals)


@pytest.mark.parametrize(
    ("means", "chains", "said"),
    [
        ([[1.0, np.nan]], [[0, 1]], "means must be finite, got nan at arm 0, objective 1"),
        ([[1.0, 2.0]], [[0]], r"Chains\.chains must name each of the 2 objectives, got no 1"),
        ([[1.0, 2.0]], [[0, 1, 1]], r"Chains\.chains must name each objective once, got 1 twice"),
    ],
)
def test_authors_gap_checks(means, chains, said):
    with pytest.raises(ValueError, match=said):
        pc_gap_authors(means, chains)


def test_chains_must_fit_the_objectives():
    Chains([[2, 0], [1]]).check(3)
    with pytest.raises(ValueError, match=r"Chains\.chains must name objectives below 2, got 2"):
        Chains([[2, 0], [1]]).check(2)
