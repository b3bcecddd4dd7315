"""The values of policies by several estimators: a panel per objective, a row per policy."""

import math

import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mobandits.figures.contents import Objectives, ObjectiveSummary, distinct
from mobandits.figures.interval_rows import draw_intervals, name_rows
from mobandits.figures.labels import draw_legend
from mobandits.figures.style import INK, SOFT, WIDTH, Stroke, looks, panels, styled
from mobandits.figures.wrapping import LABEL, key, lines_high, most_lines, width_of, wrapped

LESS = "(less is better)"
# inches of an interval, between policies, and of title and axis
ROW = 0.15
GAP = 0.16
MARGIN = 0.75
BESIDE = 0.36  # of the width, for names beside a panel
STROKE = Stroke(marker=4.6)


def words_of(name: str, objectives: Objectives) -> ObjectiveSummary:
    """The description of an objective; of one without a description, more is better."""
    for each in objectives:
        if each["name"] == name:
            return each

    return {"name": name, "minimise": False, "unit": ""}


def title_of_objective(name: str, objectives: Objectives) -> str:
    """The name of an objective with its unit, and its direction where it is not the usual one.

    Example:
        >>> cost = {"name": "cost", "minimise": True, "unit": "USD"}
        >>> title_of_objective("cost", [cost]), title_of_objective("quality", [cost])
        ('cost, USD (less is better)', 'quality')
    """
    words = words_of(name, objectives)
    unit = f", {words['unit']}" if words["unit"] else ""
    direction = f" {LESS}" if words["minimise"] else ""
    return f"{name}{unit}{direction}"


def values_data(values: pl.DataFrame, *, apart: bool = True) -> pl.DataFrame:
    """The rows of a figure of values, with the height at which each interval is drawn.

    Args:
        values: `policy`, `estimator`, `objective` str, `value`, `low`, `high` float.
        apart: False where no policy has more than one estimator.

    Returns:
        The same rows that have a value, with `y` float: policies in order from the top, at distance
        1, the estimators of one policy side by side around it. Ends that are infinite are null.

    Example:
        >>> row = {"objective": "q", "value": 0.5, "low": 0.4, "high": float("inf")}
        >>> rows = [{"policy": "a", "estimator": name, **row} for name in "xy"]
        >>> values_data(pl.DataFrame(rows)).select("policy", "estimator", "y", "high").rows()
        [('a', 'x', -0.2, None), ('a', 'y', 0.2, None)]
    """
    policies = distinct(values, "policy")
    rows = {policy: i for i, policy in enumerate(policies)}
    row = pl.col("policy").replace_strict(rows, return_dtype=pl.Float64)

    estimators = distinct(values, "estimator")
    count = len(estimators)
    step = 0.8 / count if apart and count else 0.0
    middle = (count - 1) / 2
    offsets = {estimator: step * (i - middle) for i, estimator in enumerate(estimators)}
    offset = pl.col("estimator").replace_strict(offsets, return_dtype=pl.Float64)

    known = values.filter(pl.col("value").is_finite())
    # Rounded, because the order of floating-point additions should not show in a table.
    y = (row + offset).round(6)

    return known.with_columns(finite_or_null("low"), finite_or_null("high"), y=y)


def finite_or_null(column: str) -> pl.Expr:
    """A column with null for numbers without end, which cannot be drawn."""
    number = pl.col(column)
    finite = pl.when(number.is_finite()).then(number)
    return finite.alias(column)


@styled()
def draw_values(
    values: pl.DataFrame,
    width: float = WIDTH,
    *,
    apart: bool = True,
    objectives: Objectives = (),
) -> Figure:
    """The figure.

    Args:
        values: as in `values_data`.
        width: in inches; where it is less than WIDTH, the panels lie under each other.
        apart: as in `values_data`.
        objectives: what they mean.
    """
    data = values_data(values, apart=apart)
    style = looks(distinct(values, "estimator"))
    policies = distinct(values, "policy")
    names = distinct(values, "objective")
    labels = [wrapped(name, BESIDE * width) for name in policies]
    columns = min(len(names), 2) if width >= WIDTH else 1
    rows = math.ceil(len(names) / columns)
    room = (width - width_of(labels, LABEL)) / columns
    titles = [wrapped(title_of_objective(name, objectives), 0.9 * room) for name in names]
    # A row holds the intervals of all estimators, or all lines of the longest name.
    intervals = GAP + ROW * (len(style) if apart else 1)
    row = max(intervals, lines_high(most_lines(labels), LABEL))
    title = lines_high(most_lines(titles) - 1, LABEL)
    height = MARGIN + len(policies) * row + title
    legend = key(list(style), width)
    several = len(style) > 1
    above = max(0.3, legend.height) if several else 0.3
    figure, axes = panels(width, rows * height + above, len(names), columns)
    for i, (panel, objective) in enumerate(zip(axes, names, strict=True)):
        rows_of_objective = data.filter(objective=objective)
        draw_intervals(panel, rows_of_objective.rename({"estimator": "series"}), style, STROKE)
        panel.set_title(titles[i])
        is_leftmost = i % columns == 0
        name_rows(panel, labels if is_leftmost else [""] * len(labels), LABEL)
        set_rows_apart(panel, len(labels))

    if several:
        draw_legend(figure, legend, "outside upper left")

    return figure


def set_rows_apart(panel: Axes, count: int) -> None:
    """A hairline between policies, in place of a grid and of ticks."""
    panel.tick_params(axis="y", length=0, labelcolor=INK)
    panel.grid(visible=False, axis="y")
    for i in range(1, count):
        panel.axhline(i - 0.5, color=SOFT, linewidth=0.4, alpha=0.5)
