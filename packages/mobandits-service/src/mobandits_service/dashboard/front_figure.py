"""The plane of two objectives: arms as points with their joint intervals, and the front of them.

It is laid out here and drawn by a template, as an SVG element in two widths: a phone has a narrow
one. Colours are classes, since pages allow no style inside.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import NamedTuple

from mobandits_service.agent_states import Objectives
from mobandits_service.dashboard.arm_means import ArmSummary, Mean, as_rewards, dominates
from mobandits_service.dashboard.axes import Axis, axis_label, axis_of, ticks_of
from mobandits_service.dashboard.name_places import (
    LINE,
    Box,
    NamePlace,
    Point,
    Rectangle,
    cut,
    edges,
    name_length,
    name_place,
    segments,
)

WIDE = (640, 380)
NARROW = (350, 330)
LEFT = 62.0  # for the numbers of the vertical axis, at least
RIGHT = 14
TOP = 12
BOTTOM = 46  # for the numbers and the name of the horizontal axis
DIGIT = 8.0  # the width of one, about
TITLE = 26.0  # the width of the vertical axis without its numbers
RADIUS = 6.0  # of a dot with its border
MOST_LETTERS = 24  # of a name beside its point


@dataclass(frozen=True)
class Dot:
    """An arm in the plane.

    Attributes:
        short: the name of the arm, as it stands beside the dot.
        colour: the name of one of the palette.
        x: from the left.
        y: from the top.
        box: left, top, width and height of the region; None where it is not known.
        is_dominated: whether another arm's means are better, in these two objectives.
        name: where the name stands.
        says: what is there to see, in words.
    """

    short: str
    colour: str
    x: float
    y: float
    box: Box | None
    is_dominated: bool
    name: NamePlace
    says: str


class DrawnArm(NamedTuple):
    """An arm with a mean in both objectives.

    Attributes:
        arm: itself.
        across: its mean in the objective of the horizontal axis.
        up: in that of the vertical one.
        rewards: both means, with the signs that make more better.
    """

    arm: ArmSummary
    across: Mean
    up: Mean
    rewards: list[float]


class Plane(NamedTuple):
    """The axes of both objectives.

    Attributes:
        across: the horizontal one.
        up: the vertical one.
    """

    across: Axis
    up: Axis

    def place(self, drawn: DrawnArm) -> Point:
        """Where the means of an arm are."""
        return (self.across.place(drawn.across.value), self.up.place(drawn.up.value))

    def box(self, drawn: DrawnArm) -> Box | None:
        """The region of an arm; None where it is not known."""
        horizontal = self.across.ends(drawn.across)
        vertical = self.up.ends(drawn.up)
        if horizontal is None or vertical is None:
            return None

        left, right = horizontal
        bottom, top = vertical

        return (left, top, round(right - left, 2), round(bottom - top, 2))


def front_figures(
    arms: Sequence[ArmSummary], objectives: Objectives, pair: tuple[int, int]
) -> list[SimpleNamespace]:
    """The plane of a pair of objectives in both widths; empty where no arm has both means."""
    of_axes = [objectives[place] for place in pair]
    drawn = []
    for arm in arms:
        means = [arm.means[place] for place in pair]
        known = [mean for mean in means if mean is not None]
        if len(known) == len(means):
            across, up = known
            drawn.append(DrawnArm(arm, across, up, as_rewards(known, of_axes)))
    if not drawn:
        return []

    wide = _figure(drawn, of_axes, "wide", WIDE)
    narrow = _figure(drawn, of_axes, "narrow", NARROW)

    return [wide, narrow]


def _figure(
    drawn: Sequence[DrawnArm],
    objectives: Objectives,
    shown: str,
    size: tuple[int, int],
) -> SimpleNamespace:
    width, height = size
    first, second = objectives
    right = width - RIGHT
    bottom = height - BOTTOM
    up = axis_of([each.up for each in drawn], second, bottom, TOP)
    ticks_up = ticks_of(up, 5, 2.0 * LINE)
    digits = max(len(tick.text) for tick in ticks_up)
    left = max(LEFT, TITLE + DIGIT * digits)
    across = axis_of([each.across for each in drawn], first, left, right)
    plane = Plane(across, up)
    frame = (left, TOP, right, bottom)
    rewards = [each.rewards for each in drawn]
    front = [each for each in drawn if not any(dominates(other, each.rewards) for other in rewards)]
    stairs = _stairs(front, plane, objectives)
    dots = _dots(drawn, front, objectives, plane, stairs, frame)
    said = "; ".join(dot.says for dot in dots)

    # Read by the template alone, by these names.
    return SimpleNamespace(
        shown=shown,
        width=width,
        height=height,
        frame=frame,
        across=axis_label(first, across),
        up=axis_label(second, up),
        ticks_across=ticks_of(across, 6 if shown == "wide" else 4, 8.0 * DIGIT),
        ticks_up=ticks_up,
        dots=dots,
        # The border of what the front dominates, as points of a line.
        stairs=" ".join(f"{x:g},{y:g}" for x, y in stairs),
        label=f"Arms by their mean {first.name} and {second.name}: {said}",
    )


def _dots(
    drawn: Sequence[DrawnArm],
    front: Sequence[DrawnArm],
    objectives: Objectives,
    plane: Plane,
    stairs: Sequence[Point],
    frame: Rectangle,
) -> list[Dot]:
    boxes = [plane.box(each) for each in drawn]
    places = [plane.place(each) for each in drawn]
    lines = segments(stairs)
    for box in boxes:
        lines += edges(box)
    taken = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in places]
    dots = []
    for each, place, box in zip(drawn, places, boxes, strict=True):
        short = cut(each.arm.name, MOST_LETTERS)
        length = name_length(short)
        name = name_place(place, box, length, taken, lines, frame)
        taken.append(name.covered(length))
        x, y = place
        dot = Dot(
            short=short,
            colour=each.arm.colour,
            x=x,
            y=y,
            box=box,
            is_dominated=each not in front,
            name=name,
            says=_in_words(each, objectives),
        )
        dots.append(dot)

    return dots


def _in_words(drawn: DrawnArm, objectives: Objectives) -> str:
    said = [drawn.arm.name]
    for objective, mean in zip(objectives, (drawn.across, drawn.up), strict=True):
        half = "" if mean.half is None else f" ± {mean.half:.3g}"
        said.append(f"{objective.name} {mean.value:.4g}{half}")

    return ", ".join(said)


def _stairs(front: Sequence[DrawnArm], plane: Plane, objectives: Objectives) -> list[Point]:
    """The border of what the front dominates, from edge to edge."""
    worst_x, worst_y = (
        axis.end if objective.minimise else axis.begin
        for axis, objective in zip(plane, objectives, strict=True)
    )
    in_order = sorted(front, key=lambda each: each.rewards)
    places = [plane.place(each) for each in in_order]
    floors = [y for _, y in places[1:]]
    floors.append(worst_y)
    corners = [(worst_x, places[0][1])]
    for (x, y), floor in zip(places, floors, strict=True):
        corners.append((x, y))
        corners.append((x, floor))

    return corners
