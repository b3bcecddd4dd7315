"""Indices that are kept up to date against indices from their definition."""

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from twins.zooming import Zoom

from mobandits.policies.zooming.active_balls import add_ball, learn, move_first, no_balls
from mobandits.policies.zooming.similarity import ScaledEuclidean

UNIT = st.floats(0, 1)
EUCLID = ScaledEuclidean()


@settings(max_examples=80)
@given(st.lists(st.tuples(UNIT, UNIT, st.integers(0, 50), UNIT, UNIT), min_size=1, max_size=60), st.booleans())
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
        learn(state, b, np.array(reward), doubt(seen + 1), EUCLID)
        if seen >= 2:
            state = add_ball(state, pair, radius / 2, doubt(0), EUCLID)
        twin.learn(pair, b, reward)
        twin.agrees(state)
