"""The plane of cost and quality on the second file: deployed policies, and mixtures of models."""

from collections.abc import Sequence

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MultipleLocator

from mobandits.demo.deployed import Deployed, cells
from mobandits.demo.deployment import MODELS
from mobandits.demo.mixtures import Point, mixtures
from mobandits.figures.style import BLACK, BLUE, SOFT, WIDTH, panels, styled

DOTTED = (0, (1, 1.6))
DASHED = (0, (6, 3))
# Dollars: the mixtures between the two cheaper models are where the budgets are.
LEFT = 0.024
RIGHT = 0.75


@styled()
def draw_deployment(
    table: pl.DataFrame, results: Sequence[Deployed], width: float = WIDTH
) -> Figure:
    """Cost across (logarithmic), quality up: better is up and to the left.

    Args:
        table: from `deployments`.
        results: of every budget.
        width: in inches.
    """
    height = 4.4 if width >= WIDTH else 5.6
    figure, (panel,) = panels(width, height)
    set_axes_around_budgets(panel)
    draw_mixtures(panel, table)
    draw_chosen_mixtures(panel, results)
    draw_deployed(panel, results)
    columns = 2 if width >= WIDTH else 1
    figure.legend(loc="outside lower left", ncols=columns, frameon=False, fontsize=8.5)

    return figure


def set_axes_around_budgets(panel: Axes) -> None:
    """Set the axes to where the budgets are."""
    panel.set(xscale="log", xlim=(LEFT, RIGHT))
    panel.set(xlabel="US dollars per 1,000 prompts (log scale)", ylabel="mean quality")
    panel.set_xticks([0.03, 0.1, 0.2, 0.5])
    panel.set_xticks([], minor=True)
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"${value:g}"))
    panel.yaxis.set_major_locator(MultipleLocator(0.02))
    panel.set_ylim(0.78, 0.94)


def draw_mixtures(panel: Axes, table: pl.DataFrame) -> None:
    """Draw the models and what mixtures of the two cheaper ones give, in hindsight."""
    points: dict[str, Point] = {}
    for model in MODELS:
        outcomes = cells(table, f"always {model}", None)
        cost = float(outcomes.dollars.mean())
        quality = float(outcomes.quality.mean())
        points[model] = (cost, quality)

    within = {model: point for model, point in points.items() if point[0] < RIGHT}
    for line in mixtures(list(within.values())):
        panel.plot(
            [cost for cost, _ in line],
            [quality for _, quality in line],
            color=SOFT,
            linestyle=DOTTED,
            linewidth=1.6,
            label="mixtures of models, in hindsight",
        )

    for model, (cost, quality) in within.items():
        # The names of dear models stand on the left, above the curve; there is room for them.
        is_cheap = cost < RIGHT / 10.0
        panel.plot([cost], [quality], "s", color=BLACK, markersize=8)
        panel.annotate(
            f"always {model}",
            (cost, quality),
            (6, -10) if is_cheap else (-10, 0),
            textcoords="offset points",
            ha="left" if is_cheap else "right",
            va="center",
            fontsize=8.5,
        )

    draw_dear_models(panel, points)


def draw_dear_models(panel: Axes, points: dict[str, Point]) -> None:
    """Draw a line for the quality of every model that costs more than the panel shows."""
    for model, (cost, quality) in points.items():
        if cost < RIGHT:
            continue

        panel.axhline(quality, color=SOFT, linestyle=DASHED, linewidth=0.9)
        panel.annotate(
            f"always {model}: ${cost:.0f}",
            (LEFT, quality),
            (6, 3),
            textcoords="offset points",
            fontsize=8.5,
            color=SOFT,
        )


def draw_chosen_mixtures(panel: Axes, results: Sequence[Deployed]) -> None:
    """Draw the mixtures that were chosen on the log."""
    panel.plot(
        [result.mixture_spent for result in results],
        [result.mixture.mean for result in results],
        "o",
        color="white",
        markeredgecolor=BLACK,
        markersize=6,
        label="best mixture by the log",
    )


def draw_deployed(panel: Axes, results: Sequence[Deployed]) -> None:
    """Draw the deployed policies with the intervals of their quality, and their budgets."""
    spent = [result.spent.mean for result in results]
    quality = [result.quality.mean for result in results]
    below = [result.quality.mean - result.quality.low for result in results]
    above = [result.quality.high - result.quality.mean for result in results]
    panel.errorbar(
        spent,
        quality,
        [below, above],
        fmt="o-",
        color=BLUE,
        markersize=7,
        linewidth=1.6,
        capsize=3,
        label="learned from the log, with a budget (95 %)",
    )
