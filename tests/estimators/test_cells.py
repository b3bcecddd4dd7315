"""The partition of the unit cube."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mobandits.estimators import Cells


@given(m=st.integers(1, 7), d=st.integers(1, 4), seed=st.integers(0, 2**32 - 1))
@settings(max_examples=60)
def test_a_cell_holds_its_points(m, d, seed):
    rng, cells = np.random.default_rng(seed), Cells(m, d, 3)
    points = np.vstack([rng.random((50, d)), rng.integers(0, m + 1, (20, d)) / m])
    for x in points:
        parts = np.minimum(np.floor(x * m), m - 1).astype(int)
        assert cells.cell(x) == np.ravel_multi_index(parts, (m,) * d)
    assert cells.size() == 3 * m**d


def test_points_outside_count_to_the_nearest_cell():
    cells = Cells(4, 2, 1)
    points = [([-3.0, 0.5], [0.0, 0.5]), ([9.0, np.inf], [1.0, 1.0]), ([np.nan, 0.2], [0.0, 0.2])]
    for outside, inside in points:
        assert cells.cell(np.array(outside)) == cells.cell(np.array(inside))


def test_slots_are_distinct():
    cells = Cells(3, 1, 4)
    centres, arms = (np.arange(3) + 0.5) / 3, np.arange(4)
    slots = [cells.slot(np.array([x]), a) for x in centres for a in arms]
    assert sorted(slots) == list(range(cells.size()))
    shared = cells.slots(np.array([[centres[1]]]), arms)
    own = cells.slots(np.full((4, 1), centres[1]), arms)
    assert shared.tolist() == own.tolist() == slots[4:8]
