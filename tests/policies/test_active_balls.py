"""Indices that are kept up to date against indices from their definition."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.zooming import Zoom

from mobandits.policies.zooming.active_balls import add_ball, add_reward, move_first, no_balls
from mobandits.policies.zooming.similarity import ScaledEuclidean

UNIT = st.floats(0, 1)
EUCLID = ScaledEuclidean()


@pytest.mark.long
@settings(max_examples=80)
@given(
    st.lists(st.tuples(UNIT, UNIT, st.integers(0, 50), UNIT, UNIT), min_size=1, max_size=60),
    st.booleans(),
)
def test_indices_are_what_they_mean(plays, prior):
    def doubt(n):
        return math.sqrt(3.0 / (n + prior)) if n + prior else math.inf

    twin = Zoom(doubt, lambda n, r: n >= 2, 2)
    state = add_ball(no_balls(2, 2), np.zeros(2), 1.0, doubt(0), EUCLID)
    for t, (x, y, ball, *reward) in enumerate(plays):
        b, pair = ball % len(twin.balls), np.array([x, y])
        if t == 0:
            move_first(state, pair)
        radius, seen = state.radius[b], state.seen[b]
        add_reward(state, b, np.array(reward), doubt(seen + 1), EUCLID)
        if seen >= 2:
            state = add_ball(state, pair, radius / 2, doubt(0), EUCLID)
        twin.learn(pair, b, reward)
        twin.agrees(state)


@pytest.mark.long
@settings(max_examples=80)
@given(
    st.lists(
        st.tuples(UNIT, UNIT, st.integers(0, 50), st.booleans(), st.booleans()),
        min_size=1,
        max_size=80,
    )
)
def test_indices_of_coins_are_exact(plays):
    """Sums of coins are whole numbers: indices are their formulas to the last bit, so that ties stay."""

    def doubt(n):
        return math.sqrt(3.0 / n) if n else math.inf

    state = add_ball(no_balls(2, 2), np.zeros(2), 1.0, doubt(0), EUCLID)
    wins, seen = [[0, 0]], [0]
    for x, y, ball, *coins in plays:
        b = ball % len(seen)
        add_reward(state, b, np.array(coins, float), doubt(seen[b] + 1), EUCLID)
        wins[b] = [won + coin for won, coin in zip(wins[b], coins, strict=True)]
        seen[b] += 1
        if seen[b] > 2:
            state = add_ball(state, np.array([x, y]), state.radius[b] / 2, doubt(0), EUCLID)
            wins, seen = [*wins, [0, 0]], [*seen, 0]
    apart = np.empty((len(seen), len(seen)))
    for b in range(len(seen)):
        EUCLID.distances(state.centre, state.centre, b, apart[b])
    for l in range(2):
        pairs = zip(wins, seen, state.radius, strict=True)
        reach = np.array([won[l] / n + doubt(n) + r if n else math.inf for won, n, r in pairs])
        np.testing.assert_array_equal(state.reach[l], reach)
        np.testing.assert_array_equal(
            state.bound[l], (state.radius + (reach[:, None] + apart)).min(axis=0)
        )
