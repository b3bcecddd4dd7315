import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.text import Text

from mobandits.figures.labels import spread
from mobandits.figures.point_labels import along, name_points, overlap
from mobandits.figures.style import panels, renderer, styled


@settings(max_examples=60)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=8), st.floats(0.001, 0.3))
def test_spread_keeps_the_order_and_the_gap(wanted, gap):
    placed = spread(wanted, gap)
    order = np.argsort(wanted, kind="stable")
    assert all(b - a >= gap - 1e-9 for a, b in itertools.pairwise(np.array(placed)[order]))
    assert abs(np.mean(placed) - np.mean(wanted)) < 1e-9  # nothing is pushed to one side


def test_spread_leaves_alone_what_has_room():
    assert spread([0.5, 0.0, 1.0], 0.2) == [0.5, 0.0, 1.0]


def test_names_do_not_cover_each_other():
    with styled():
        figure, (panel,) = panels(5.0, 4.0)
        points = {f"policy {i}": (0.5 + 0.01 * i, 0.5) for i in range(6)}
        panel.plot(*zip(*points.values(), strict=True), "o")
        panel.set(xlim=(0, 1), ylim=(0, 1))
        measure = renderer(figure)
        name_points(panel, points, dict.fromkeys(points, "black"), renderer=measure)
        boxes = [Text.get_window_extent(text, measure) for text in panel.texts]
    corners = [(box.x0, box.y0, box.x1, box.y1) for box in boxes]
    for one, other in itertools.combinations(corners, 2):
        assert overlap(one, [other]) < 0.1 * (one[2] - one[0]) * (one[3] - one[1])


def test_along_follows_a_line():
    figure, (panel,) = panels(4.0, 3.0)
    panel.set(xlim=(0, 1), ylim=(0, 1))
    renderer(figure)
    boxes = along(panel, [(0.0, 0.0), (1.0, 1.0)])
    ends = panel.transData.transform([(0.0, 0.0), (1.0, 1.0)])
    assert boxes[0][0] < ends[0][0] < boxes[0][2]
    assert boxes[-1][0] < ends[1][0] < boxes[-1][2]
    assert all(b[0] - a[0] < 9.0 for a, b in itertools.pairwise(boxes))
