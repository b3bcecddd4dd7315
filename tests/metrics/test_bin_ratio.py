"""Shares of bins against counting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mobandits.contracts.continuum import Scores
from mobandits.metrics import BinRatio
from mobandits.simulation.record import recorder


@pytest.mark.long
@given(st.lists(st.lists(st.integers(-1, 2), min_size=1, max_size=6), min_size=1, max_size=6))
def test_shares_are_those_of_counting(blocks):
    metric, plays = BinRatio(bins=3), [b for block in blocks for b in block]
    kept = recorder(metric, range(1, len(plays) + 1), None)
    for block in blocks:
        n = len(block)
        kept.add(
            metric.on_surface(Scores(np.zeros((n, 1)), np.zeros(n), np.zeros(n), np.array(block)))
        )
    for t, values in enumerate(kept.values(), start=1):
        counts = np.array([plays[:t].count(b) for b in range(3)], float)
        np.testing.assert_allclose(
            values, counts / counts.sum() if counts.sum() else np.full(3, np.nan)
        )
