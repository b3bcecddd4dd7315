"""The plane of cost and quality: what every policy spends and delivers, and one learner under many preferences."""

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MultipleLocator

from mobandits.demo.mixtures import Point, mixtures
from mobandits.figures.point_labels import along, name_points
from mobandits.figures.style import BLACK, BLUE, INK, SOFT, WIDTH, looks, panels, renderer, styled

PLAYERS = ("learner", "chance")
NAMED_WEIGHT = 0.5  # readings from this weight of quality on are named; below, they crowd at the cheapest model
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
    figure, (panel,) = panels(width, 5.2 if width >= WIDTH else 7.2)
    means = mean_points(points)
    panel.set(xscale="log", xlabel="US dollars per 1,000 prompts (log scale)")
    panel.set(ylabel="mean quality of the answers, from 0 to 1")
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"${value:g}"))
    panel.yaxis.set_major_locator(MultipleLocator(0.05))
    arrow = {"arrowstyle": "->", "color": SOFT}
    panel.annotate(
        "better", (0.02, 0.98), (0.09, 0.9), "axes fraction", color=SOFT, arrowprops=arrow
    )
    lines = draw_lines(panel, means)
    dots = draw_players(panel, points)
    panel.margins(x=0.05, y=0.05)
    named = names(means)
    if width < WIDTH:
        legend = {
            str(line.get_label()): line
            for line in panel.get_lines()
            if str(line.get_label())[0] != "_"
        }
        figure.legend(
            legend.values(), legend.keys(), loc="outside lower left", frameon=False, fontsize=8.5
        )
        named = {name: point for name, point in named.items() if name not in legend}
    measure = renderer(figure)
    avoid = [box for line in lines for box in along(panel, line)] + [
        box for dot in dots for box in along(panel, [dot])
    ]
    of_readings = {READ, *(f"{weight:g}" for weight in means["weight"].drop_nulls())}
    colours = {name: BLUE if name in of_readings else INK for name in named}
    name_points(panel, named, colours, avoid, renderer=measure)
    return figure


def draw_lines(panel: Axes, means: pl.DataFrame) -> list[list[Point]]:
    """What lies behind the learners: coins between models, the models, one learner's readings, and hindsight."""
    models, readings, hindsight = (
        points_of(means, role) for role in ("model", "reading", "hindsight")
    )
    coins = mixtures(models)
    for coin in coins:
        panel.plot(
            *zip(*coin, strict=True), color=SOFT, linestyle=DOTTED, linewidth=1.2, label=COINS
        )
    if hindsight:
        panel.plot(
            *zip(*hindsight, strict=True), color=SOFT, linestyle=DASHED, linewidth=1.4, label=KNOWN
        )
    if readings:
        panel.plot(
            *zip(*readings, strict=True),
            color=BLUE,
            linewidth=1.8,
            marker="o",
            markersize=5,
            label=READ,
        )
    panel.plot(*zip(*models, strict=True), "s", color=BLACK, markersize=9)
    return [line for line in (*coins, hindsight, readings) if line]


def draw_players(panel: Axes, points: pl.DataFrame) -> list[Point]:
    """Every learner's mean, and faintly its trials, which are returned."""
    players = points.filter(pl.col("role").is_in(PLAYERS))
    style = looks(players["policy"].unique(maintain_order=True))
    for trials in players.partition_by("policy", maintain_order=True):
        name = trials["policy"][0]
        dollars = trials["dollars"].to_numpy()
        quality = trials["quality"].to_numpy()
        colour = style[name].colour
        panel.plot(dollars, quality, "o", color=colour, markersize=3, alpha=0.3, markeredgewidth=0)
        mean = ([dollars.mean()], [quality.mean()])
        panel.plot(
            *mean,
            style[name].marker,
            color=colour,
            markersize=9,
            markeredgecolor="white",
            label=name,
        )
    return players.select("dollars", "quality").rows()


def names(means: pl.DataFrame) -> dict[str, Point]:
    """{name: point} of everything that is named in the plane; readings go by their weight alone."""
    readings = points_of(means, "reading")
    hindsight = points_of(means, "hindsight")
    coin = mixtures(points_of(means, "model"))[1]
    found: dict[str, Point] = {COINS: coin[4 * len(coin) // 5]}
    if readings:
        found[READ] = middle(readings[-4], readings[-3])
    if hindsight:
        found[KNOWN] = hindsight[-3]
    for policy, role, weight, dollars, quality in means.rows():
        if role in {*PLAYERS, "model"}:
            found[policy] = (dollars, quality)
        elif role == "reading" and weight >= NAMED_WEIGHT:
            found[f"{weight:g}"] = (dollars, quality)
    return found


def middle(a: Point, b: Point) -> Point:
    """The point between two points, on a logarithmic scale of dollars."""
    return (float((a[0] * b[0]) ** 0.5), (a[1] + b[1]) / 2)


def points_of(means: pl.DataFrame, role: str) -> list[Point]:
    """(dollars, quality) of the policies with this role."""
    rows: list[Point] = means.filter(pl.col("role") == role).select("dollars", "quality").rows()
    return rows


def mean_points(points: pl.DataFrame) -> pl.DataFrame:
    """The means over trials: `policy`, `role`, `weight`, `dollars`, `quality`."""
    keys = ["policy", "role", "weight"]
    return points.group_by(keys, maintain_order=True).agg(
        pl.col("dollars").mean(), pl.col("quality").mean()
    )
