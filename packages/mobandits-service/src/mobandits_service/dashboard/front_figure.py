"""The plane of two objectives: arms as points with their joint intervals, and the front of them.

It is laid out here and drawn by a template, as an SVG element in two widths: a phone has a narrow
one. Colours are classes, since pages allow no style inside.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from mobandits_client.messages import ObjectiveState
from mobandits_service.dashboard.arm_means import ArmSummary, Mean, dominates
from mobandits_service.dashboard.axes import Axis, Tick, axis_label, axis_of, ticks_of
from mobandits_service.dashboard.name_places import (
    LINE,
    Box,
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
        name: of the arm.
        short: the name as it stands beside the dot.
        colour: the name of one of the palette.
        x: from the left.
        y: from the top.
        box: left, top, width and height of the region; None where it is not known.
        is_dominated: whether another arm's means are better, in these two objectives.
        text_x: where the name stands.
        text_y: likewise.
        anchor: "start", "middle" or "end".
        says: what is there to see, in words.
    """

    name: str
    short: str
    colour: str
    x: float
    y: float
    box: Box | None
    is_dominated: bool
    text_x: float
    text_y: float
    anchor: str
    says: str


@dataclass(frozen=True)
class FrontFigure:
    """A plane, laid out.

    Attributes:
        shown: "wide" or "narrow".
        width: of the element.
        height: likewise.
        frame: left, top, right and bottom of the plane in it.
        across: the label of the horizontal axis.
        up: of the vertical one.
        ticks_across: numbers of the horizontal axis.
        ticks_up: of the vertical one.
        dots: the arms.
        stairs: the border of what the front dominates, as points of a line.
        label: what there is to see, for those who do not.
    """

    shown: str
    width: int
    height: int
    frame: Rectangle
    across: str
    up: str
    ticks_across: list[Tick]
    ticks_up: list[Tick]
    dots: list[Dot]
    stairs: str
    label: str


def front_figures(
    arms: Sequence[ArmSummary], objectives: Sequence[ObjectiveState], pair: tuple[int, int]
) -> list[FrontFigure]:
    """The plane of a pair of objectives in both widths; empty where no arm has both means."""
    first, second = pair
    known = [arm for arm in arms if arm.means[first] is not None and arm.means[second] is not None]
    if not known:
        return []

    wide = _figure(known, objectives, pair, "wide", WIDE)
    narrow = _figure(known, objectives, pair, "narrow", NARROW)

    return [wide, narrow]


def _figure(
    arms: Sequence[ArmSummary],
    objectives: Sequence[ObjectiveState],
    pair: tuple[int, int],
    shown: str,
    size: tuple[int, int],
) -> FrontFigure:
    width, height = size
    first, second = pair
    right = width - RIGHT
    bottom = height - BOTTOM
    up = axis_of([_known(arm.means[second]) for arm in arms], objectives[second], bottom, TOP)
    ticks_up = ticks_of(up, 5, 2.0 * LINE)
    digits = max(len(tick.text) for tick in ticks_up)
    left = max(LEFT, TITLE + DIGIT * digits)
    across = axis_of([_known(arm.means[first]) for arm in arms], objectives[first], left, right)
    signs = [-1.0 if objectives[place].minimise else 1.0 for place in pair]
    rewards = [_rewards(arm, pair, signs) for arm in arms]
    are_dominated = [any(dominates(other, own) for other in rewards) for own in rewards]
    ends = [own for own, beaten in zip(rewards, are_dominated, strict=True) if not beaten]
    stairs = _stairs(ends, signs, across, up)
    frame = (left, TOP, right, bottom)
    dots = _dots(arms, objectives, pair, across, up, are_dominated, stairs, frame)
    names = [objectives[place].name for place in pair]
    label = f"Arms by their mean {names[0]} and {names[1]}: "
    label += "; ".join(dot.says for dot in dots)

    return FrontFigure(
        shown=shown,
        width=width,
        height=height,
        frame=frame,
        across=axis_label(objectives[first], across),
        up=axis_label(objectives[second], up),
        ticks_across=ticks_of(across, 6 if shown == "wide" else 4, 8.0 * DIGIT),
        ticks_up=ticks_up,
        dots=dots,
        stairs=" ".join(f"{x:g},{y:g}" for x, y in stairs),
        label=label,
    )


def _known(mean: Mean | None) -> Mean:
    assert mean is not None  # noqa: S101 - arms without one are left out
    return mean


def _rewards(arm: ArmSummary, pair: tuple[int, int], signs: Sequence[float]) -> list[float]:
    values = [_known(arm.means[place]).value for place in pair]
    return [sign * value for sign, value in zip(signs, values, strict=True)]


def _dots(
    arms: Sequence[ArmSummary],
    objectives: Sequence[ObjectiveState],
    pair: tuple[int, int],
    across: Axis,
    up: Axis,
    are_dominated: Sequence[bool],
    stairs: Sequence[Point],
    frame: Rectangle,
) -> list[Dot]:
    means = [(_known(arm.means[pair[0]]), _known(arm.means[pair[1]])) for arm in arms]
    boxes = [_box(one, other, across, up) for one, other in means]
    places = [(across.place(one.value), up.place(other.value)) for one, other in means]
    lines = segments(stairs)
    for box in boxes:
        lines += edges(box)
    taken = [(x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS) for x, y in places]
    dots = []
    for i, arm in enumerate(arms):
        x, y = places[i]
        short = cut(arm.name, MOST_LETTERS)
        length = name_length(short)
        name = name_place(places[i], boxes[i], length, taken, lines, frame)
        taken.append(name.covered(length))
        said = []
        for place, mean in zip(pair, means[i], strict=True):
            half = "" if mean.half is None else f" ± {mean.half:.3g}"
            said.append(f"{objectives[place].name} {mean.value:.4g}{half}")

        dot = Dot(
            name=arm.name,
            short=short,
            colour=arm.colour,
            x=x,
            y=y,
            box=boxes[i],
            is_dominated=are_dominated[i],
            text_x=name.x,
            text_y=name.y,
            anchor=name.anchor,
            says=f"{arm.name}, {', '.join(said)}",
        )
        dots.append(dot)

    return dots


def _box(horizontal: Mean, vertical: Mean, across: Axis, up: Axis) -> Box | None:
    if horizontal.half is None or vertical.half is None:
        return None

    left = across.place(horizontal.value - horizontal.half)
    right = across.place(horizontal.value + horizontal.half)
    top = up.place(vertical.value + vertical.half)
    bottom = up.place(vertical.value - vertical.half)

    return (left, top, round(right - left, 2), round(bottom - top, 2))


def _stairs(
    ends: Sequence[list[float]], signs: Sequence[float], across: Axis, up: Axis
) -> list[Point]:
    """The border of what the front dominates, from edge to edge."""
    across_sign, up_sign = signs
    worst_x = across.begin if across_sign > 0.0 else across.end
    worst_y = up.begin if up_sign > 0.0 else up.end
    in_order = sorted(ends)
    places = [(across.place(across_sign * one), up.place(up_sign * two)) for one, two in in_order]
    floors = [y for _, y in places[1:]]
    floors.append(worst_y)
    corners = [(worst_x, places[0][1])]
    for (x, y), floor in zip(places, floors, strict=True):
        corners.append((x, y))
        corners.append((x, floor))

    return corners
