"""The plane of cost and quality: the router, mixtures of models, published numbers, models."""

from collections.abc import Mapping, Sequence

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MultipleLocator

from mobandits.figures.labels import along, name_points
from mobandits.figures.style import BLACK, BLUE, ORANGE, SOFT, WIDTH, panels, renderer, styled
from mobandits_papers.demo.results import Point

ROUTER = "router (mobandits, Paced), 95 % intervals over logs"
MIXTURE = "best fixed mixture of models, in hindsight"
PUBLISHED = "ParetoBandit, published (arXiv 2604.00136)"
DOTTED = (0, (1, 1.6))
TICKS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0)


@styled()
def draw_budgets(
    results: pl.DataFrame,
    models: Mapping[str, Point],
    mixtures: Sequence[Point],
    width: float = WIDTH,
) -> Figure:
    """Cost across (logarithmic), quality up: better is up and to the left.

    Args:
        results: from `budget_results`.
        models: from `model_points`.
        mixtures: from `mixture_line`.
        width: in inches.
    """
    figure, (panel,) = panels(width, 4.4)
    _set_axes(panel)
    mixture_costs, mixture_qualities = zip(*mixtures, strict=True)
    panel.plot(
        mixture_costs,
        mixture_qualities,
        color=SOFT,
        linestyle=DOTTED,
        linewidth=1.6,
        label=MIXTURE,
    )
    published = _points(results, "published_spent", "published")
    panel.plot(*zip(*published, strict=True), "D--", color=ORANGE, markersize=5, label=PUBLISHED)
    router = _points(results, "spent", "quality")
    _draw_router(panel, results)
    panel.plot(*zip(*models.values(), strict=True), "s", color=BLACK, markersize=8)
    panel.margins(x=0.05, y=0.08)
    figure.legend(loc="outside lower left", frameon=False, fontsize=8.5, reverse=True)

    # The layout is settled before names are placed: they are measured in pixels.
    measure = renderer(figure)
    avoid = []
    for line in (mixtures, published, router):
        avoid += along(panel, line)

    name_points(panel, models, dict.fromkeys(models, BLACK), avoid, renderer=measure)

    return figure


def _set_axes(panel: Axes) -> None:
    panel.set(xscale="log", xlabel="US dollars per 1,000 prompts (log scale)")
    panel.set(ylabel="mean quality of the answers")
    panel.set_xticks(TICKS)
    panel.set_xticks([], minor=True)
    panel.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"${value:g}"))
    panel.yaxis.set_major_locator(MultipleLocator(0.02))


def _draw_router(panel: Axes, results: pl.DataFrame) -> None:
    """Draw the router at what it spent, with the interval of its quality."""
    quality = results["quality"]
    panel.errorbar(
        results["budget"] * results["spent"],
        quality,
        [quality - results["low"], results["high"] - quality],
        fmt="o-",
        color=BLUE,
        markersize=6,
        linewidth=1.8,
        capsize=3,
        label=ROUTER,
    )


def _points(results: pl.DataFrame, share: str, quality: str) -> list[Point]:
    """Points at what was spent of each budget."""
    spent = pl.col("budget") * pl.col(share)
    points: list[Point] = results.select(spent, quality).rows()
    return points
