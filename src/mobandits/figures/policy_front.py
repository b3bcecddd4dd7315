"""The front of policies and how sure it is: ellipses for two objectives, intervals for more."""

from collections.abc import Sequence

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from mobandits.figures.contents import Objectives, distinct
from mobandits.figures.labels import Point, along, draw_legend, name_points
from mobandits.figures.policy_values import draw_values, title_of_objective, words_of
from mobandits.figures.series import tag_marks, tag_name
from mobandits.figures.style import INK, SOFT, WIDTH, Look, Looks, looks, panels, renderer, styled
from mobandits.figures.wrapping import NAME, key, wrapped

DASHED = (0, (4, 2.5))


def front_data(front: pl.DataFrame) -> pl.DataFrame:
    """The place of each policy in the plane of the first two objectives, and its state.

    Args:
        front: `policy`, `objective`, `dominated_by` str, `value` float, `on_front` bool, a row per
            policy and objective, the first two of which are drawn.

    Returns:
        `policy` str, `x`, `y` float, `on_front` bool, `beaten` bool (shown to be dominated);
        without policies whose value is not known.

    Example:
        >>> rows = [("a", "q", 1.0, True, ""), ("a", "c", 2.0, True, "")]
        >>> columns = ["policy", "objective", "value", "on_front", "dominated_by"]
        >>> front_data(pl.DataFrame(rows, columns, orient="row")).rows()
        [('a', 1.0, 2.0, True, False)]
    """
    across, up = distinct(front, "objective")[:2]
    first = front.filter(objective=across)
    second = front.filter(objective=up).select("policy", y="value")
    both = first.join(second, on="policy", maintain_order="left")

    is_known = pl.col("value").is_finite() & pl.col("y").is_finite()
    known = both.filter(is_known)
    x = pl.col("value").alias("x")
    beaten = pl.col("dominated_by") != ""

    return known.select("policy", x, "y", "on_front", beaten=beaten)


def axis_labels(names: Sequence[str], objectives: Objectives) -> list[str]:
    """The labels of axes; arrows point to the better side where it is not the same for all.

    An arrow to the left points down where the label is turned to stand along a vertical axis.

    Example:
        >>> cost = {"name": "cost", "minimise": True, "unit": "USD"}
        >>> axis_labels(["quality", "cost"], [cost])
        ['quality (more is better) →', '← cost, USD (less is better)']
        >>> axis_labels(["quality", "thrift"], [])
        ['quality', 'thrift']
    """
    titles = [title_of_objective(name, objectives) for name in names]
    are_minimised = [words_of(name, objectives)["minimise"] for name in names]
    if not any(are_minimised):
        return titles

    pairs = zip(titles, are_minimised, strict=True)
    return [f"← {title}" if less else f"{title} (more is better) →" for title, less in pairs]


@styled()
def draw_front(
    front: pl.DataFrame,
    outlines: pl.DataFrame,
    width: float = WIDTH,
    *,
    objectives: Objectives = (),
) -> Figure:
    """The figure: a plane where there are two objectives, else a panel per objective.

    Args:
        front: from `mobandits.evaluation.front`.
        outlines: `policy` str, `x`, `y` float, the borders of joint regions, point after point; not
            needed where there are not two objectives.
        width: in inches.
        objectives: what they mean.
    """
    names = distinct(front, "objective")
    if len(names) != 2:
        # A panel per objective, where a plane cannot show all of them. In place of estimators,
        # which a front has one of, the colours say who may be on it.
        is_open = pl.col("dominated_by") == ""
        state = pl.when(is_open).then(pl.lit("may be on the front")).otherwise(pl.lit("dominated"))
        by_state = front.with_columns(estimator=state)
        return draw_values(by_state, width, apart=False, objectives=objectives)

    is_wide = width >= WIDTH
    # The factors that turn values into those of which more is better.
    is_cost = [words_of(name, objectives)["minimise"] for name in names]
    signs = (-1.0 if is_cost[0] else 1.0, -1.0 if is_cost[1] else 1.0)
    points = front_data(front)
    style = looks(distinct(front, "policy"))
    below = key(points["policy"].to_list(), width)
    # A phone has no room for names beside the points: they stand below, where the figure grows.
    height = 0.7 * width if is_wide else width + below.height
    figure, (panel,) = panels(width, height)
    labels = axis_labels(names, objectives)
    horizontal = wrapped(labels[0], 0.7 * width)
    vertical = wrapped(labels[1], 0.7 * height)
    panel.set(xlabel=horizontal, ylabel=vertical)

    draw_outlines(panel, outlines, style)
    for name, x, y, _, beaten in points.rows():
        dot = draw_dot(panel, (x, y), style[name], hollow=beaten)
        dot.set_label(name)
        tag_marks([dot], name)

    panel.margins(0.08)
    panel.locator_params(nbins=7 if is_wide else 5)
    draw_key(figure, panel)
    if not is_wide:
        draw_legend(figure, below, fontsize=NAME)

    # The layout is settled before names are placed: they are measured in pixels.
    measure = renderer(figure)
    borders = outlines.partition_by("policy")
    lines = [draw_stairs(panel, points, signs)]
    lines += [border.select("x", "y").rows() for border in borders]
    if not is_wide:
        return figure

    # The names stand beside their dots, off the lines where they can be.
    places = {}
    policies = {}
    for name, x, y, _, _ in points.rows():
        label = wrapped(name, 0.3 * width, NAME)
        places[label] = (x, y)
        policies[label] = name

    avoid = [box for line in lines for box in along(panel, line)]
    texts = name_points(panel, places, dict.fromkeys(places, INK), avoid, renderer=measure)
    for label, text in texts.items():
        tag_name(text, policies[label])

    return figure


def draw_dot(panel: Axes, at: Point, look: Look, *, hollow: bool) -> Line2D:
    """The dot of a policy."""
    x, y = at
    (dot,) = panel.plot(
        [x],
        [y],
        look.marker,
        markerfacecolor="white" if hollow else look.colour,
        markeredgecolor=look.colour,
        markersize=7,
        markeredgewidth=1.3,
        zorder=4,
    )
    return dot


def draw_key(figure: Figure, panel: Axes) -> None:
    """The meaning of full dots, hollow dots and the dashed line, above the panel."""
    grey = Look(SOFT, "o", DASHED)
    nowhere = (float("nan"), float("nan"))
    (line,) = panel.plot([nowhere[0]], [nowhere[1]], color=SOFT, linestyle=DASHED, linewidth=1.1)
    full = draw_dot(panel, nowhere, grey, hollow=False)
    hollow = draw_dot(panel, nowhere, grey, hollow=True)
    figure.legend(
        [full, hollow, line],
        ("may be on the front", "dominated", "front of the estimates"),
        loc="outside upper left",
        ncols=3 if figure.get_figwidth() >= WIDTH else 1,
        frameon=False,
        fontsize=NAME,
        columnspacing=1.4,
        handletextpad=0.5,
    )


def draw_outlines(panel: Axes, outlines: pl.DataFrame, style: Looks) -> None:
    """The joint region of every policy."""
    for outline in outlines.partition_by("policy", maintain_order=True):
        name = outline["policy"][0]
        colour = style[name].colour
        x = outline["x"].to_numpy()
        y = outline["y"].to_numpy()
        region = panel.fill(x, y, facecolor=colour, alpha=0.13, linewidth=0)
        border = panel.plot(x, y, color=colour, linewidth=0.9)
        tag_marks([*region, *border], name)


def draw_stairs(panel: Axes, points: pl.DataFrame, signs: Point) -> list[Point]:
    """The border of what the estimated front dominates, drawn from edge to edge.

    Args:
        panel: the plane, with everything else in it.
        points: from `front_data`.
        signs: of both axes, -1 for an objective that is minimised.
    """
    across, up = signs
    # Such that more is better on both axes.
    rewards = points.with_columns(x=pl.col("x") * across, y=pl.col("y") * up)
    front = rewards.filter("on_front").sort("x", "y")
    ends: list[Point] = front.select("x", "y").rows()
    if not ends:
        return []

    limits = (panel.get_xlim(), panel.get_ylim())
    # What is dominated reaches to the worse edge, which is the right or the upper one of a cost.
    left = min(across * edge for edge in limits[0])
    bottom = min(up * edge for edge in limits[1])
    corners = [(across * x, up * y) for x, y in stairs(ends, left, bottom)]
    x, y = zip(*corners, strict=True)
    panel.plot(x, y, color=SOFT, linestyle=DASHED, linewidth=1.1, zorder=1)
    # A line from edge to edge must not move the edges.
    panel.set(xlim=limits[0], ylim=limits[1])

    return corners


def stairs(ends: list[Point], left: float, bottom: float) -> list[Point]:
    """The corners of the stairs below points that rise to the left.

    Example:
        >>> stairs([(1.0, 3.0), (2.0, 1.0)], 0.0, 0.0)
        [(0.0, 3.0), (1.0, 3.0), (1.0, 1.0), (2.0, 1.0), (2.0, 0.0)]
    """
    corners = [(left, ends[0][1])]
    floors = [y for _, y in ends[1:]]
    floors.append(bottom)
    for (x, y), floor in zip(ends, floors, strict=True):
        corners.append((x, y))
        corners.append((x, floor))

    return corners
