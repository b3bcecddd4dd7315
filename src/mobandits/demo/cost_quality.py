"""The plane of cost and quality: all policies, and one learner under many preferences."""

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, MultipleLocator

from mobandits.demo.mixtures import Point, mixtures
from mobandits.figures.point_labels import along, name_points
from mobandits.figures.style import BLACK, BLUE, INK, SOFT, WIDTH, looks, panels, renderer, styled

PLAYERS = ("learner", "chance")
# Readings from this weight of quality on are named; below, they crowd at the cheapest model.
NAMED_WEIGHT = 0.5
READ = "MOL-UCB's beliefs, read with\na weight of 0 to 1 on quality"
KNOWN = "the best model for each prompt,\nknown only in hindsight"
COINS = "coins between\ntwo models"
DASHED = (0, (6, 3))
DOTTED = (0, (1, 1.6))


@styled()
def draw_cost_quality(points: pl.DataFrame, width: float = WIDTH) -> Figure:
    """Cost across (logarithmic), quality up: better is up and to the left.

    Args:
        points: from `outcomes`, of one environment.
        width: in inches; where it is less than WIDTH, a legend names what has no room for a name.
    """
    height = 5.2 if width >= WIDTH else 7.2  # a narrow figure has its legend below the panel
    figure, (panel,) = panels(width, height)
    means = mean_points(points)
    set_axes(panel)
    lines = draw_reference_lines(panel, means)
    dots = draw_players(panel, points)
    panel.margins(x=0.05, y=0.05)

    named = names(means)
    if width < WIDTH:
        legend = legend_entries(panel)
        figure.legend(
            legend.values(),
            legend.keys(),
            loc="outside lower left",
            frameon=False,
            fontsize=8.5,
        )
        named = {name: point for name, point in named.items() if name not in legend}

    # Names are placed last, when the legend has taken its room and the panel has its final size.
    measure = renderer(figure)
    avoid = []
    for line in lines:
        avoid += along(panel, line)

    for dot in dots:
        avoid += along(panel, [dot])

    colours = name_colours(named, means)
    name_points(panel, named, colours, avoid, renderer=measure)

    return figure


def set_axes(panel: Axes) -> None:
    """Set the axes, and an arrow to where better points are."""
    panel.set(xscale="log", xlabel="US dollars per 1,000 prompts (log scale)")
    panel.set(ylabel="mean quality of the answers, from 0 to 1")
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"${value:g}"))
    panel.yaxis.set_major_locator(MultipleLocator(0.05))
    panel.annotate(
        "better",
        (0.02, 0.98),
        (0.09, 0.9),
        "axes fraction",
        color=SOFT,
        arrowprops={"arrowstyle": "->", "color": SOFT},
    )


def legend_entries(panel: Axes) -> dict[str, Line2D]:
    """{label: line} of the labelled lines; of several lines with one label, the last."""
    entries = {}
    for line in panel.get_lines():
        label = str(line.get_label())
        if not label.startswith("_"):  # such labels are Matplotlib's own, of lines without one
            entries[label] = line

    return entries


def name_colours(named: dict[str, Point], means: pl.DataFrame) -> dict[str, str]:
    """{name: colour}: those of the readings have the colour of their line."""
    weights = means["weight"].drop_nulls()
    of_readings = [READ, *[f"{weight:g}" for weight in weights]]
    colours = dict.fromkeys(named, INK)
    for name in of_readings:
        # Readings of small weights are not named.
        if name in colours:
            colours[name] = BLUE

    return colours


def draw_reference_lines(panel: Axes, means: pl.DataFrame) -> list[list[Point]]:
    """Draw what lies behind the learners, and return the lines' points.

    These are coins between models, the models, one learner's readings, and hindsight.
    """
    models = points_of(means, "model")
    readings = points_of(means, "reading")
    hindsight = points_of(means, "hindsight")
    coins = mixtures(models)
    for coin in coins:
        panel.plot(
            *coordinates(coin),
            color=SOFT,
            linestyle=DOTTED,
            linewidth=1.2,
            label=COINS,
        )

    if hindsight:
        panel.plot(
            *coordinates(hindsight),
            color=SOFT,
            linestyle=DASHED,
            linewidth=1.4,
            label=KNOWN,
        )

    if readings:
        panel.plot(
            *coordinates(readings),
            color=BLUE,
            linewidth=1.8,
            marker="o",
            markersize=5,
            label=READ,
        )

    panel.plot(*coordinates(models), "s", color=BLACK, markersize=9)
    lines = [*coins, hindsight, readings]

    return [line for line in lines if line]


def coordinates(points: list[Point]) -> tuple[list[float], list[float]]:
    """The dollars and the qualities of points."""
    dollars = [point[0] for point in points]
    qualities = [point[1] for point in points]
    return dollars, qualities


def draw_players(panel: Axes, points: pl.DataFrame) -> list[Point]:
    """Draw every learner's mean, and faintly its trials, which are returned."""
    players = points.filter(pl.col("role").is_in(PLAYERS))
    names_of_players = players["policy"].unique(maintain_order=True)
    styles = looks(names_of_players)
    for trials in players.partition_by("policy", maintain_order=True):
        name = trials["policy"][0]
        style = styles[name]
        dollars = trials["dollars"].to_numpy()
        quality = trials["quality"].to_numpy()
        panel.plot(
            dollars,
            quality,
            "o",
            color=style.colour,
            markersize=3,
            alpha=0.3,
            markeredgewidth=0,
        )
        panel.plot(
            [dollars.mean()],
            [quality.mean()],
            style.marker,
            color=style.colour,
            markersize=9,
            markeredgecolor="white",
            label=name,
        )

    return players.select("dollars", "quality").rows()


def names(means: pl.DataFrame) -> dict[str, Point]:
    """{name: point} of what is named in the plane; readings go by their weight alone."""
    readings = points_of(means, "reading")
    hindsight = points_of(means, "hindsight")
    models = points_of(means, "model")
    # The line of the cheapest and the dearest model; late on it, the names of models are far.
    coin = mixtures(models)[1]
    late = 4 * len(coin) // 5
    named: dict[str, Point] = {COINS: coin[late]}
    if readings:
        # Near the high weights, where readings lie apart and their line has room beside it.
        named[READ] = middle(readings[-4], readings[-3])
    if hindsight:
        named[KNOWN] = hindsight[-3]

    for policy, role, weight, dollars, quality in means.rows():
        if role in {*PLAYERS, "model"}:
            named[policy] = (dollars, quality)
        elif role == "reading" and weight >= NAMED_WEIGHT:
            named[f"{weight:g}"] = (dollars, quality)

    return named


def middle(a: Point, b: Point) -> Point:
    """The point between two points, on a logarithmic scale of dollars."""
    dollars, quality = a
    other_dollars, other_quality = b
    geometric_mean = (dollars * other_dollars) ** 0.5
    return (float(geometric_mean), (quality + other_quality) / 2)


def points_of(means: pl.DataFrame, role: str) -> list[Point]:
    """(dollars, quality) of the policies with this role."""
    policies = means.filter(pl.col("role") == role)
    rows: list[Point] = policies.select("dollars", "quality").rows()
    return rows


def mean_points(points: pl.DataFrame) -> pl.DataFrame:
    """The means over trials: `policy`, `role`, `weight`, `dollars`, `quality`."""
    keys = ["policy", "role", "weight"]
    groups = points.group_by(keys, maintain_order=True)
    return groups.agg(
        pl.col("dollars").mean(),
        pl.col("quality").mean(),
    )
