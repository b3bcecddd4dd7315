"""Every built-in order keeps every promise of `mobandits.testing`: one row each."""

import pytest
from rehearsals import check_behaviour, check_compiled

from mobandits import orders
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
from mobandits.orders.order import BaseOrder
from mobandits.testing import OrderCase

UNDOMINATED = "front-is-undominated"

CASES = [
    OrderCase(Pareto()),
    OrderCase(Pareto(on=[2, 0]), without=(UNDOMINATED,)),  # looks away from objective 1
    OrderCase(EffectivePareto()),
    OrderCase(EffectivePareto(), objectives=2),
    OrderCase(Lexicographic()),
    OrderCase(Chains([[0, 1], [2]])),
    OrderCase(Levels([[1, 2], [0]])),
    OrderCase(Weighted([0.5, 1.0, 0.25])),
    OrderCase(Gini([1.0, 0.5, 0.25])),
    # More of the denominator makes an arm worse, and a ratio does not grow with both.
    OrderCase(Ratio(2, 0, 0.5), without=(UNDOMINATED, "scaling-keeps-front")),
    OrderCase(Cone([[1.0, 0.5, 0.0], [0.0, 1.0, 0.25], [0.5, 0.0, 1.0]])),
    OrderCase(
        Chebyshev([1.0, 0.5, 2.0], [-1.0, -1.0, -1.0]), without=(UNDOMINATED, "scaling-keeps-front")
    ),
    OrderCase(
        ChainFilter([[0, 1], [2]]), without=(UNDOMINATED,)
    ),  # the winners of one chain may tie in another
    OrderCase(Dominant(margin=0.0, doubt=0.1), without=("scaling-keeps-front",)),
    OrderCase(ExploreWide(Pareto(), epsilon=0.3)),
    OrderCase(ExploreWide(Levels([[0], [1, 2]]), epsilon=0.3)),
]


@pytest.mark.long
@pytest.mark.parametrize("case", CASES, ids=str)
def test_every_promise_of_behaviour(case):
    check_behaviour(case)


@pytest.mark.compiled
@pytest.mark.parametrize("case", CASES, ids=str)
def test_compiled_it_does_the_same(case):
    check_compiled(case)


def test_every_order_has_a_row():
    members = [getattr(orders, name) for name in orders.__all__]
    public = {
        member for member in members if isinstance(member, type) and issubclass(member, BaseOrder)
    }
    assert {type(case.order) for case in CASES} == public
