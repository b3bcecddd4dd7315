"""Arms with the same rewards of 0 and 1, in any order, tie exactly under every recipe that averages rewards."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.contracts.notes import note_of
from mobandits.contracts.protocols import Shape
from mobandits.policies import (
    AnnealingPareto,
    CdUcb1,
    CpUcb1,
    CsUcb1,
    MocMab,
    ParetoKg,
    ParetoTs,
    ParetoUcb1,
    PfLex,
    ScalarizedUcb1,
    Ucb1,
)
from mobandits.support.naming import short_repr

SHAPE = Shape(arms=3, features=1, objectives=2, rounds=1000, shared=True)
RECIPES = [
    Ucb1(),
    ParetoUcb1(),
    ParetoTs(prior="gaussian"),
    ScalarizedUcb1(shared=True),
    ScalarizedUcb1(shared=True, chebyshev=True),
    AnnealingPareto(),
    ParetoKg(),
    PfLex(),
    MocMab(per_side=2),
    CpUcb1(per_side=2),
    CdUcb1(per_side=2),
    CsUcb1(per_side=2),
]
COINS = st.tuples(st.integers(0, 1), st.integers(0, 1))
X = np.array([0.3])


def taught(policy, lessons):
    """The state after lessons (arm, coins) in one context."""
    state, rng = policy.init(), np.random.default_rng(0)
    for arm, coins in lessons:
        state = policy.update(state, X, arm, note_of(policy), np.array(coins, float), rng)
    return state


@pytest.mark.long
@pytest.mark.parametrize("recipe", RECIPES, ids=short_repr)
@settings(max_examples=25)
@given(st.lists(COINS, min_size=2, max_size=40), COINS, st.randoms(use_true_random=False))
def test_the_order_of_coins_does_not_matter(recipe, coins, third, random):
    policy = recipe.bind(SHAPE)
    again = coins.copy()
    random.shuffle(again)
    lessons = [(2, third)]
    for one, other in zip(coins, again, strict=True):
        lessons += [(0, one), (1, other)]
    state = taught(policy, lessons)
    beliefs = policy.beliefs(state, X[None], np.arange(3), np.random.default_rng(1))
    if not isinstance(recipe, ParetoTs):  # its beliefs are a sample
        law = policy.probabilities(beliefs)
        assert law[0] == law[1]
    random.shuffle(lessons)
    lessons.sort(key=lambda lesson: lesson[0] < 2)  # the third arm first, as before
    for known, same in zip(state, taught(policy, lessons), strict=True):
        np.testing.assert_array_equal(known, same)
