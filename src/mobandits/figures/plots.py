"""A plot of one metric, for a paper: any size, scale, band, legend and style of `PlotOptions`."""

from collections.abc import Sequence

import polars as pl
from matplotlib.figure import Figure

from mobandits.figures.contents import distinct
from mobandits.figures.formatting import axis_title
from mobandits.figures.metric_curves import CURVE, curves_data, draw_curves, panel_rows
from mobandits.figures.plot_options import PlotOptions
from mobandits.support.checks import choice

QUANTILES = (0.1, 0.5, 0.9)


def plot(table: pl.DataFrame, metric: str, options: PlotOptions) -> Figure:
    """The figure of one metric as the options ask for it.

    Args:
        table: rows as `simulate` records them.
        metric: a name in its column `metric`.
        options: how it is drawn.

    Raises:
        ValueError: where the metric or a policy is not in the table, or nothing of the metric is
            above 0 for a logarithmic axis.
    """
    rows = rows_of(table, options.policies)
    data = plot_data(rows, metric, options)
    if options.log_values and not (data["mean"] > 0.0).any():
        raise ValueError(f"log must be None or 'x' for {metric}: none of its values is above 0")

    return draw_curves(data, axis_title(metric), width=options.width, options=options)


def rows_of(table: pl.DataFrame, policies: Sequence[str] | None) -> pl.DataFrame:
    """The rows of some policies, in the order of their names here.

    Raises:
        ValueError: where one of them is not in the table.
    """
    if policies is None:
        return table

    known = distinct(table, "policy")
    for name in policies:
        choice("policies", name, known)

    parts = [table.filter(policy=name) for name in dict.fromkeys(policies)]
    return pl.concat(parts)


def plot_data(table: pl.DataFrame, metric: str, options: PlotOptions) -> pl.DataFrame:
    """`panel`, `policy`, `round`, `mean`, `low`, `high`, `trials` of lines and their bands.

    `mean` is the median where the band is of quantiles.
    """
    if options.band in (None, "interval"):
        return curves_data(table, metric)

    value = pl.col("value")
    if options.band == "deviation":
        middle = value.mean()
        deviation = value.std().fill_null(0.0)
        low = middle - deviation
        high = middle + deviation
    else:
        low, middle, high = (value.quantile(at, "linear") for at in QUANTILES)

    curves = panel_rows(table, metric).group_by(CURVE, maintain_order=True)
    return curves.agg(mean=middle, low=low, high=high, trials=pl.len())
