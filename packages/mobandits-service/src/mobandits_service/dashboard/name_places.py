"""Places of names beside dots: on no other name, and on no line where that is possible nearby."""

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

# The widths of letters, about.
LETTER = 8.7
WIDE_LETTER = 13.5
THIN_LETTER = 5.0
LINE = 15.0  # the height of a name
ASCENT = 11.0  # the part of it that is above the baseline
BESIDE = 9.0  # from a dot to its name
FARTHEST = 45.0  # from a dot to its name, where that stands beyond lines
MOST_LINES = 7  # that a name is moved up or down

Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]  # left, top, right, bottom
Box = tuple[float, float, float, float]  # left, top, width, height


class NamePlace(NamedTuple):
    """A place where a name may stand.

    Attributes:
        x: of its anchor.
        y: of its baseline.
        anchor: "start", "middle" or "end".
    """

    x: float
    y: float
    anchor: str

    def covered(self, length: float) -> Rectangle:
        """What a name of some length covers there."""
        before = {"start": 0.0, "middle": 0.5 * length, "end": length}
        left = self.x - before[self.anchor]
        top = self.y - ASCENT
        return (left, top, left + length, top + LINE)


def name_length(name: str) -> float:
    """The width of a name, about."""
    length = 0.0
    for letter in name:
        if letter in "mwMW":
            length += WIDE_LETTER
        elif letter in "fijlrt-.' ":
            length += THIN_LETTER
        else:
            length += LETTER

    return length


def cut(name: str, letters: int) -> str:
    """A name, or its beginning where it has more letters.

    Example:
        >>> cut("medium", 6), cut("medium", 5)
        ('medium', 'medi…')
    """
    return name if len(name) <= letters else f"{name[: letters - 1]}…"


def name_place(
    dot: Point,
    box: Box | None,
    length: float,
    taken: Sequence[Rectangle],
    lines: Sequence[Rectangle],
    frame: Rectangle,
) -> NamePlace:
    """A place on no dot and no other name, and on no line if there is such a place nearby.

    Args:
        dot: to which the name belongs.
        box: around the dot.
        length: of the name.
        taken: by dots and other names.
        lines: that should not cross it.
        frame: around all names.
    """
    places = list(_name_places(dot, box, length, frame))
    inside = [place for place in places if _is_inside(place.covered(length), frame)]
    near = [place for place in inside if abs(place.y - dot[1]) <= FARTHEST]
    for candidates, avoided in ((near, [*taken, *lines]), (inside, taken)):
        for place in candidates:
            if _is_free(place.covered(length), avoided):
                return place

    return (inside or places)[0]


def _name_places(
    dot: Point, box: Box | None, length: float, frame: Rectangle
) -> Iterator[NamePlace]:
    """Places of a name, the best first: beside its dot, around its region, and further away."""
    x, y = dot
    line = y + 4.0
    left, top, right, bottom = _near_region(dot, box)
    half = 0.5 * length
    middle = min(max(x, frame[0] + half), frame[2] - half)
    yield NamePlace(x + BESIDE, line, "start")
    yield NamePlace(x - BESIDE, line, "end")
    yield NamePlace(right + BESIDE, line, "start")
    yield NamePlace(left - BESIDE, line, "end")
    yield NamePlace(middle, top - BESIDE, "middle")
    yield NamePlace(middle, bottom + BESIDE + ASCENT, "middle")
    for distance, sign in itertools.product(range(1, MOST_LINES + 1), (1.0, -1.0)):
        moved = line + sign * distance * LINE
        yield NamePlace(x + BESIDE, moved, "start")
        yield NamePlace(x - BESIDE, moved, "end")
        yield NamePlace(middle, moved, "middle")


def _near_region(dot: Point, box: Box | None) -> Rectangle:
    """The region of an arm, without the sides that are far from its dot."""
    x, y = dot
    if box is None:
        return (x, y, x, y)

    left, top, width, height = box
    near_x = [side if abs(side - x) <= FARTHEST else x for side in (left, left + width)]
    near_y = [side if abs(side - y) <= FARTHEST else y for side in (top, top + height)]

    return (near_x[0], near_y[0], near_x[1], near_y[1])


def _is_inside(covered: Rectangle, frame: Rectangle) -> bool:
    left, top, right, bottom = frame
    begin, above, end, below = covered
    return begin >= left and above >= top and end <= right and below <= bottom


def _is_free(covered: Rectangle, others: Sequence[Rectangle]) -> bool:
    left, top, right, bottom = covered
    return not any(
        left < other_right and other_left < right and top < other_bottom and other_top < bottom
        for other_left, other_top, other_right, other_bottom in others
    )


def edges(box: Box | None) -> list[Rectangle]:
    """The four sides of a box, if there is one."""
    if box is None:
        return []

    left, top, width, height = box
    right = left + width
    bottom = top + height
    corners = [(left, top), (right, top), (right, bottom), (left, bottom), (left, top)]

    return segments(corners)


def segments(points: Sequence[Point]) -> list[Rectangle]:
    """The parts of a line, each of which goes across or up."""
    parts = []
    for one, other in itertools.pairwise(points):
        x, y = zip(one, other, strict=True)
        parts.append((min(x), min(y), max(x), max(y)))

    return parts
