"""Orders as people say them: with the names of the objectives, and without a class or a list of numbers."""

import re

import pytest
from test_conformance_orders import CASES

from mobandits.compiling.compiled import compiled
from mobandits.orders import (
    ChainFilter,
    Chains,
    Chebyshev,
    Cone,
    Dominant,
    EffectivePareto,
    ExploreWide,
    Gini,
    Levels,
    Lexicographic,
    Pareto,
    Ratio,
    Weighted,
)
from mobandits.orders.order import BaseOrder, in_words
from mobandits.policies.lexicographic.lexicographic_filter import (
    ExploreWidest,
    FixedWidth,
    LastLeader,
)
from mobandits.policies.lexicographic.mtlo import StagedFilter

NAMES = ["quality", "cost", "speed"]
WORDS = {
    Pareto(): "Pareto front over all objectives",
    Pareto(on=[2, 0]): "Pareto front over speed and quality",
    EffectivePareto(): "effective Pareto front over all objectives",
    Lexicographic(): "lexicographic: quality, then cost, then speed",
    Lexicographic(
        0.25
    ): "lexicographic: quality, then cost, then speed, where differences up to 0.25 are ties",
    Levels([[2, 0], [1]]): "priority levels: speed and quality, then cost",
    Chains([[0, 1], [2]]): "Pareto front over priority chains: quality, then cost; speed",
    ChainFilter([[0], [2, 1]]): "filter of priority chains: quality; speed, then cost",
    Weighted([0.5, 0.0, 2.0]): "largest weighted sum, weights quality 0.5 and speed 2",
    Gini(
        [2, 1, 0.5]
    ): "largest Gini welfare, weights 2, 1, 0.5 from the worst objective to the best",
    Ratio(0, 2, 0.5): "largest quality per speed, which counts as 0.5 at least",
    Chebyshev(
        [1, 1, 2], [0, -1, 0.5]
    ): "largest worst lead over [0, -1, 0.5], weights quality 1, cost 1 and speed 2",
    Dominant(
        0.5, 0.25
    ): "dominant objectives: quality, then cost, then speed, among rivals within 0.5 once doubts are "
    "below 0.25",
    ExploreWide(
        Pareto(), 0.1
    ): "Pareto front over all objectives, after arms with intervals wider than ± 0.1",
    LastLeader(): "lexicographic filter: quality, then cost, then speed",
    FixedWidth(
        LastLeader(), 0.1
    ): "lexicographic filter: quality, then cost, then speed, with intervals of ± 0.1",
    ExploreWidest(
        LastLeader(), 0.1
    ): "lexicographic filter: quality, then cost, then speed, after the arm with the "
    "widest interval above ± 0.1",
    StagedFilter(1.0, 0.1): "lexicographic filter in stages: quality, then cost, then speed",
}


@pytest.mark.parametrize(("order", "words"), WORDS.items(), ids=lambda one: str(one)[:40])
def test_orders_in_words(order, words):
    assert in_words(order, NAMES) == words


def test_a_cone_in_words():
    words = in_words(Cone([[1.0, 0.5, 0.0], [0.0, -1.0, 2.0]]), NAMES)
    assert words == "Pareto front over 1 quality + 0.5 cost and -1 cost + 2 speed"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_order_has_words_of_its_own(case):
    words = in_words(case.order, [*NAMES, "thrift"][: case.objectives])
    assert words != repr(case.order)
    assert not re.search(r"[A-Za-z]+\(", words)


@compiled
class Mine(BaseOrder):
    """An order of a user's own, which says nothing of itself."""

    floor: float


class Plain:
    """Another, in plain Python."""

    def __repr__(self):
        return "Plain()"


def test_other_orders_are_said_by_their_text():
    assert in_words(Mine(0.5), NAMES) == "Mine(floor=0.5)"
    assert in_words(ExploreWide(Mine(0.5), 0.1), NAMES).startswith("Mine(floor=0.5), after")
    assert in_words(Plain(), NAMES) == "Plain()"
