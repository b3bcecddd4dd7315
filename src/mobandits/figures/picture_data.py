"""The numbers behind a figure of curves: read by the script of a page, downloaded from it."""

import math
from typing import TypedDict

import polars as pl
from matplotlib.figure import Figure

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
    rounds: list[int]
    series: list[SeriesData]


class PictureData(TypedDict):
    """The numbers of one figure."""

    name: str
    panels: list[PanelData]


class Extent(TypedDict):
    """What an axis shows.

    Attributes:
        first: the number at its left or lower end.
        last: at the other end.
        logarithmic: whether numbers are.
    """

    first: float
    last: float
    logarithmic: bool


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


def picture_data(frame: pl.DataFrame, name: str) -> PictureData:
    """The numbers of a figure, as its page holds them.

    Args:
        frame: `panel` str, `policy` str, `round` int, `mean`, `low`, `high` float, as
            `metric_curves.curves_data` gives it.
        name: of the figure, and of the file that a reader may download.

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

    return PictureData(name=name, panels=panels)


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
                horizontal=_extent(axes.get_xlim(), axes.get_xscale()),
                vertical=_extent(axes.get_ylim(), axes.get_yscale()),
            )
        )

    return found


def _extent(limits: tuple[float, float], kind: str) -> Extent:
    first, last = limits
    return Extent(first=float(first), last=float(last), logarithmic=kind == "log")
