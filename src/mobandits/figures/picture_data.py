"""The numbers behind a figure of curves: read by the script of a page, downloaded from it."""

import math
from typing import TypedDict

import polars as pl
from matplotlib.axis import Axis
from matplotlib.dates import ConciseDateFormatter
from matplotlib.figure import Figure
from matplotlib.ticker import PercentFormatter

from mobandits.figures.series import series_name

DIGITS = 6  # more than anybody sees; the table of the run has all of them
Numbers = list[float | None]


class SeriesData(TypedDict):
    """Numbers of one series at the rounds of its panel; None where there is none."""

    name: str
    mean: Numbers
    low: Numbers
    high: Numbers


class PanelData(TypedDict):
    """The numbers of one panel."""

    title: str
    rounds: list[float]
    series: list[SeriesData]


class PictureData(TypedDict):
    """The numbers of one figure.

    Attributes:
        name: of the figure.
        along: what its rounds are called.
        panels: with their numbers.
    """

    name: str
    along: str
    panels: list[PanelData]


class Extent(TypedDict):
    """What an axis shows.

    Attributes:
        first: the number at its left or lower end.
        last: at the other end.
        kind: "linear", "log", "share" of 1 in per cent, or "date" in days since 1970.
    """

    first: float
    last: float
    kind: str


class Scale(TypedDict):
    """The places of a panel's numbers, in a figure whose sides have length 1.

    Attributes:
        box: left, top, right, bottom.
        horizontal: the rounds.
        vertical: the values.
    """

    box: list[float]
    horizontal: Extent
    vertical: Extent


def picture_data(frame: pl.DataFrame, name: str, along: str = "round") -> PictureData:
    """The numbers of a figure, as its page holds them.

    Args:
        frame: `panel` str, `policy` str, `round` number, `mean`, `low`, `high` float, as
            `metric_curves.curves_data` gives it.
        name: of the figure, and of the file that a reader may download.
        along: what rounds are called.

    Example:
        >>> row = {"panel": "", "policy": "a", "round": 10, "mean": 0.5, "low": 0.4, "high": 0.6}
        >>> panel = picture_data(pl.DataFrame([row]), "regret")["panels"][0]
        >>> panel["rounds"], panel["series"]
        ([10], [{'name': 'a', 'mean': [0.5], 'low': [0.4], 'high': [0.6]}])
    """
    panels = []
    for group in frame.partition_by("panel", maintain_order=True):
        rounds = group["round"].unique().sort().to_list()
        every_round = pl.DataFrame({"round": rounds}, {"round": group.schema["round"]})
        series = []
        for own in group.partition_by("policy", maintain_order=True):
            # A policy may have ended earlier than others.
            complete = every_round.join(own, on="round", how="left", maintain_order="left")
            series.append(
                SeriesData(
                    name=series_name(own["policy"][0]),
                    mean=_rounded(complete["mean"]),
                    low=_rounded(complete["low"]),
                    high=_rounded(complete["high"]),
                )
            )

        panels.append(PanelData(title=group["panel"][0], rounds=rounds, series=series))

    return PictureData(name=name, along=along, panels=panels)


def _rounded(numbers: pl.Series) -> Numbers:
    """Numbers of six digits; None where one is unknown or infinite, which JSON cannot hold."""
    rounded: Numbers = []
    for number in numbers:
        is_known = number is not None and math.isfinite(number)
        rounded.append(float(f"{number:.{DIGITS}g}") if is_known else None)

    return rounded


def scales(figure: Figure, data: PictureData) -> list[Scale | None]:
    """The scale of each panel of a settled figure; None for panels without a time axis.

    Args:
        figure: whose first panels are those of the data, in the same order.
        data: from `picture_data`.
    """
    found: list[Scale | None] = []
    for axes, panel in zip(figure.axes, data["panels"], strict=False):
        if len(panel["rounds"]) < 2:  # drawn as points: the values are the horizontal axis
            found.append(None)
            continue

        place = axes.get_position()
        box = [place.x0, 1.0 - place.y1, place.x1, 1.0 - place.y0]
        found.append(
            Scale(
                box=[round(float(edge), 5) for edge in box],
                horizontal=_extent(axes.xaxis),
                vertical=_extent(axes.yaxis),
            )
        )

    return found


def _extent(axis: Axis) -> Extent:
    first, last = axis.get_view_interval()
    kind = axis.get_scale()
    formatter = axis.get_major_formatter()
    if isinstance(formatter, ConciseDateFormatter):
        kind = "date"
    elif isinstance(formatter, PercentFormatter):
        kind = "share"

    return Extent(first=float(first), last=float(last), kind=kind)
