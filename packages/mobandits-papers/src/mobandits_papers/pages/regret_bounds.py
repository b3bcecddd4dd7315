"""The regret of a policy beside the bounds that theorems put on it, on logarithmic axes."""

import polars as pl
from matplotlib.figure import Figure

from mobandits.figures.metric_curves import draw_curves
from mobandits.figures.plot_options import PlotOptions
from mobandits.figures.style import BLUE, INK, SOFT, WIDTH, Look

# {column of theorem checks: what its line is called}
NAMES = {"mean": "regret, mean", "highest": "regret, largest", "bound": "bound"}
LOOKS = {
    NAMES["mean"]: Look(BLUE, "", "-"),
    NAMES["highest"]: Look(SOFT, "", ":"),
    NAMES["bound"]: Look(INK, "", "--"),
}
# Rounds without regret are left out.
LOGARITHMIC = PlotOptions(log="both", band=None, legend="below")


def bounds_rows(curves: pl.DataFrame) -> pl.DataFrame:
    """`metric`, `round`, `policy`, `value` of theorem checks, as tables of experiments have them.

    Args:
        curves: columns name, round, mean, highest, bound.
    """
    named = curves.rename({"name": "metric", **NAMES})
    return named.unpivot(index=["metric", "round"], variable_name="policy")


def bounds_data(rows: pl.DataFrame) -> pl.DataFrame:
    """The lines of a figure of bounds, as `draw_curves` takes them.

    Args:
        rows: as from `bounds_rows`; what is no bound, and no regret beside one, is left out.
    """
    own = rows.filter(pl.col("policy").is_in(NAMES.values()))
    none = pl.lit(None, pl.Float64)
    return own.select("policy", "round", panel="metric", mean="value", low=none, high=none)


def draw_bounds(data: pl.DataFrame, width: float = WIDTH) -> Figure:
    """A panel per bound: the mean regret of the runs, the largest one, and the bound.

    Args:
        data: from `bounds_data`.
        width: in inches.

    Example:
        >>> curve = {"round": [1, 9], "mean": [1.0, 2.0], "highest": [1.0, 3.0]}
        >>> curves = pl.DataFrame({"name": "b", **curve, "bound": 9.0})
        >>> len(draw_bounds(bounds_data(bounds_rows(curves))).axes)
        1
    """
    widest = 2 if width >= WIDTH else 1
    columns = min(widest, data["panel"].n_unique())

    return draw_curves(data, "", width=width, style=LOOKS, options=LOGARITHMIC, columns=columns)
