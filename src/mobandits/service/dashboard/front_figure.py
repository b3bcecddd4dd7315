"""The plane of two objectives: arms as points with their joint intervals, and the front of them.

It is laid out here and drawn by a template, as an SVG element in two widths: a phone has a narrow
one. Colours are classes, since pages allow no style inside.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from mobandits.service.dashboard.arm_means import ArmSummary, Mean, dominates
from mobandits.service.messages import ObjectiveState

WIDE = (640, 380)
NARROW = (350, 330)
LEFT = 62  # for the numbers of the vertical axis
RIGHT = 14
TOP = 12
BOTTOM = 46  # for the numbers and the name of the horizontal axis
LETTER = 7.0  # the width of one, about
LINE = 15.0  # the height of one
MOST_LETTERS = 24  # of a name beside its point


@dataclass(frozen=True)
class Tick:
    """A number of an axis, and where it stands."""

    at: float
    text: str


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
        anchor: "start" or "end".
        says: what is there to see, in words.
    """

    name: str
    short: str
    colour: str
    x: float
    y: float
    box: tuple[float, float, float, float] | None
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
    frame: tuple[float, float, float, float]
    across: str
    up: str
    ticks_across: list[Tick]
    ticks_up: list[Tick]
    dots: list[Dot]
    stairs: str
    label: str


@dataclass(frozen=True)
class Axis:
    """A scale from values to places."""

    low: float
    high: float
    begin: float
    end: float

    def place(self, value: float) -> float:
        """Where a value is drawn."""
        part = (value - self.low) / (self.high - self.low)
        return round(self.begin + part * (self.end - self.begin), 2)


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


def ticks(low: float, high: float, count: int) -> list[float]:
    """Round numbers between two others, about so many.

    Example:
        >>> ticks(0.0, 1.0, 5)
        [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    raw = (high - low) / count
    power = 10.0 ** math.floor(math.log10(raw))
    # Of 1, 2, 5 and 10 times a power of ten, the first that is wide enough; rounding may say less.
    widths = [factor * power for factor in (1.0, 2.0, 5.0, 10.0)]
    step = next(width for width in widths if width >= 0.999 * raw)
    first = math.ceil(low / step - 1e-9)
    last = math.floor(high / step + 1e-9)

    return [round(number * step, 12) for number in range(first, last + 1)]


def _figure(
    arms: Sequence[ArmSummary],
    objectives: Sequence[ObjectiveState],
    pair: tuple[int, int],
    shown: str,
    size: tuple[int, int],
) -> FrontFigure:
    width, height = size
    first, second = pair
    frame = (LEFT, TOP, width - RIGHT, height - BOTTOM)
    left, top, right, bottom = frame
    across = _axis([_known(arm.means[first]) for arm in arms], left, right)
    up = _axis([_known(arm.means[second]) for arm in arms], bottom, top)
    signs = [-1.0 if objectives[place].minimise else 1.0 for place in pair]
    rewards = [_rewards(arm, pair, signs) for arm in arms]
    are_dominated = [any(dominates(other, own) for other in rewards) for own in rewards]
    dots = _dots(arms, objectives, pair, across, up, are_dominated, right)
    ends = [own for own, beaten in zip(rewards, are_dominated, strict=True) if not beaten]
    count = 6 if shown == "wide" else 4
    numbers_across = [
        Tick(across.place(v), f"{v:g}") for v in ticks(across.low, across.high, count)
    ]
    numbers_up = [Tick(up.place(v), f"{v:g}") for v in ticks(up.low, up.high, 5)]
    names = [objectives[place].name for place in pair]
    label = f"Arms by their mean {names[0]} and {names[1]}: "
    label += "; ".join(dot.says for dot in dots)

    return FrontFigure(
        shown=shown,
        width=width,
        height=height,
        frame=frame,
        across=_axis_label(objectives[first]),
        up=_axis_label(objectives[second]),
        ticks_across=numbers_across,
        ticks_up=numbers_up,
        dots=dots,
        stairs=_stairs(ends, signs, across, up),
        label=label,
    )


def _known(mean: Mean | None) -> Mean:
    assert mean is not None  # noqa: S101 - arms without one are left out
    return mean


def _axis(means: Sequence[Mean], begin: float, end: float) -> Axis:
    """A scale on which all means and intervals have room."""
    lows = [mean.value - (mean.half or 0.0) for mean in means]
    highs = [mean.value + (mean.half or 0.0) for mean in means]
    low = min(lows)
    high = max(highs)
    room = 0.08 * (high - low)
    if room <= 1e-12 * max(abs(low), abs(high), 1e-300):
        # One value alone has no scale of its own.
        room = 0.1 * abs(low) or 1.0

    return Axis(low - room, high + room, begin, end)


def _axis_label(objective: ObjectiveState) -> str:
    unit = f", {objective.unit}" if objective.unit else ""
    # The label of the vertical axis is turned: its right end is the upper one.
    if objective.minimise:
        return f"← {objective.name}{unit} (less is better)"
    return f"{objective.name}{unit} (more is better) →"


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
    right: float,
) -> list[Dot]:
    taken: list[tuple[float, float, float]] = []
    dots = []
    for arm, is_dominated in zip(arms, are_dominated, strict=True):
        horizontal = _known(arm.means[pair[0]])
        vertical = _known(arm.means[pair[1]])
        x = across.place(horizontal.value)
        y = up.place(vertical.value)
        short = arm.name
        if len(short) > MOST_LETTERS:
            short = f"{short[: MOST_LETTERS - 1]}…"
        length = LETTER * len(short)
        is_left = x + 9.0 + length > right
        begin = x - 9.0 - length if is_left else x + 9.0
        line = _free_line(taken, begin, begin + length, y + 4.0)
        taken.append((begin, begin + length, line))
        said = []
        for place, mean in zip(pair, (horizontal, vertical), strict=True):
            half = "" if mean.half is None else f" ± {mean.half:.3g}"
            said.append(f"{objectives[place].name} {mean.value:.4g}{half}")

        dot = Dot(
            name=arm.name,
            short=short,
            colour=arm.colour,
            x=x,
            y=y,
            box=_box(horizontal, vertical, across, up),
            is_dominated=is_dominated,
            text_x=x - 9.0 if is_left else x + 9.0,
            text_y=line,
            anchor="end" if is_left else "start",
            says=f"{arm.name}, {', '.join(said)}",
        )
        dots.append(dot)

    return dots


def _free_line(
    taken: Sequence[tuple[float, float, float]], begin: float, end: float, wanted: float
) -> float:
    """Where a name stands that must not lie on others: as near as it can to where it belongs."""
    for distance in range(8):
        for sign in (1.0, -1.0):
            line = wanted + sign * distance * LINE
            is_free = all(
                begin > other_end or end < other_begin or abs(line - other) >= LINE - 1.0
                for other_begin, other_end, other in taken
            )
            if is_free:
                return line

    return wanted


def _box(
    horizontal: Mean, vertical: Mean, across: Axis, up: Axis
) -> tuple[float, float, float, float] | None:
    if horizontal.half is None or vertical.half is None:
        return None

    left = across.place(horizontal.value - horizontal.half)
    right = across.place(horizontal.value + horizontal.half)
    top = up.place(vertical.value + vertical.half)
    bottom = up.place(vertical.value - vertical.half)

    return (left, top, round(right - left, 2), round(bottom - top, 2))


def _stairs(ends: Sequence[list[float]], signs: Sequence[float], across: Axis, up: Axis) -> str:
    """The border of what the front dominates, from edge to edge."""
    across_sign, up_sign = signs
    worst_across = across.low if across_sign > 0.0 else across.high
    worst_up = up.low if up_sign > 0.0 else up.high
    in_order = sorted(ends)
    places = [(across_sign * first, up_sign * second) for first, second in in_order]
    floors = [y for _, y in places[1:]]
    floors.append(worst_up)
    corners = [(worst_across, places[0][1])]
    for (x, y), floor in zip(places, floors, strict=True):
        corners.append((x, y))
        corners.append((x, floor))

    return " ".join(f"{across.place(x):g},{up.place(y):g}" for x, y in corners)
