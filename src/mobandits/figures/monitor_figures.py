"""The figures of an agent's history."""

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from mobandits.figures.contents import Number
from mobandits.figures.history_panels import HistoryPanel, Series, draw_history, history_data
from mobandits.figures.monitor_contents import (
    CalibrationWindow,
    MonitorSummary,
    WindowSummary,
)
from mobandits.figures.page import Picture, draw_picture
from mobandits.figures.policy_values import title_of_objective

MOST_LINES = 6  # with a line of their own; the others share one
DAY = 86_400.0  # seconds
# Of dates that a calendar can show: from the year 1 to the year 9999.
FIRST_DATE = -62_135_596_800.0
LAST_DATE = 253_402_300_799.0
UNITS = (("days", 86_400.0), ("hours", 3600.0), ("minutes", 60.0), ("seconds", 1.0))
STATUSES = ("waiting", "inactive", "abandoned", "dropped")
TABLE = "The table of every window has the numbers."
ALT = {
    "arms": "Shares of the arms over time.",
    "rewards": "Mean rewards over time, with intervals.",
    "calibration": "Mean estimates with their mean intervals, and mean rewards beside them.",
    "propensities": "The entropy of decisions and the smallest propensity over time.",
    "waiting": "Shares of decisions that lack rewards, and how long rewards took.",
}


class Timeline(NamedTuple):
    """The places of windows on the horizontal axis.

    Attributes:
        places: of their middles.
        label: of the axis.
        dates: whether places are days since 1970.
    """

    places: list[float]
    label: str
    dates: bool


def timeline_of(summary: MonitorSummary) -> Timeline:
    """The horizontal axis: time where windows are periods, else the number of the decision."""
    windows = summary["windows"]
    starts = [window["start"] for window in windows]
    ends = [window["end"] for window in windows]
    are_dates = all(
        moment is not None and FIRST_DATE <= moment <= LAST_DATE for moment in starts + ends
    )
    is_period = summary["window"] in {"day", "hour"}
    if is_period and are_dates:
        middles = []
        for start, end in zip(starts, ends, strict=True):
            assert start is not None  # noqa: S101 - it is a date
            assert end is not None  # noqa: S101 - likewise
            middles.append((start + end) / 2.0 / DAY)

        return Timeline(middles, "time (UTC)", True)

    numbers = [(window["first"] + window["last"]) / 2.0 for window in windows]
    return Timeline(numbers, "number of the decision", False)


def figures_of(figures: Path, summary: MonitorSummary, timeline: Timeline) -> dict[str, Picture]:
    """All figures for which there is something to draw, by the part of the page.

    Args:
        figures: where their files are written.
        summary: the content of monitor.json.
        timeline: from `timeline_of`.
    """
    if not summary["windows"]:
        return {}

    contents = {
        "arms": arm_panels(summary, timeline),
        "rewards": reward_panels(summary, timeline),
        "calibration": calibration_panels(summary),
        "propensities": propensity_panels(summary["windows"]),
        "waiting": status_panels(summary["windows"]) + age_panels(summary),
    }
    pictures = {}
    for name, panels in contents.items():
        if not panels:
            continue

        draw = functools.partial(
            draw_history, panels, timeline.places, timeline.label, dates=timeline.dates
        )
        alt = f"{ALT[name]} {TABLE}"
        data = history_data(panels, timeline.places)
        pictures[name] = draw_picture(draw, figures, name, alt, "", data, timeline.label)

    return pictures


def arm_panels(summary: MonitorSummary, timeline: Timeline) -> list[HistoryPanel]:
    """Shares of the most played arms; decisions per window where windows are periods."""
    windows = summary["windows"]
    arms = summary["arms"]
    order = sorted(range(len(arms)), key=lambda a: (-arms[a]["plays"], a))
    played = [a for a in order if arms[a]["plays"]]
    # One line for all that are left: a single one gets its own.
    shown = played if len(played) <= MOST_LINES + 1 else played[:MOST_LINES]
    groups = [(arms[a]["name"], [a]) for a in shown]
    others = played[len(shown) :]
    if others:
        groups.append((f"{len(others)} others", others))
    series = []
    for name, group in groups:
        shares = []
        for window in windows:
            plays = sum(window["plays"][a] for a in group)
            shares.append(plays / window["decisions"])

        series.append(Series(name, shares))

    panels = [HistoryPanel("Share of the decisions", series, "share")]
    if timeline.dates:
        counts = [window["decisions"] for window in windows]
        title = f"Decisions per {summary['window']}"
        panels.append(HistoryPanel(title, [Series("decisions", counts)]))

    return panels


def reward_panels(summary: MonitorSummary, timeline: Timeline) -> list[HistoryPanel]:
    """The mean reward of every objective that has one, with drift alarms as vertical lines."""
    panels = []
    for l in range(len(summary["objectives"])):
        rows = [window["rewards"][l] for window in summary["windows"]]
        if not any(row["count"] for row in rows):
            continue

        series = _series("mean reward", rows, "mean", "low", "high")
        alarms = [alarm for alarm in summary["drift"]["alarms"] if alarm["objective"] == l]
        marks = [timeline.places[alarm["change"] - 1] for alarm in alarms]
        panels.append(HistoryPanel(objective_title(summary, l), [series], marks=marks))

    return panels


def objective_title(summary: MonitorSummary, place: int) -> str:
    """The name of an objective with its unit and its direction."""
    objectives = summary["objectives"]
    return title_of_objective(objectives[place]["name"], objectives)


def calibration_panels(summary: MonitorSummary) -> list[HistoryPanel]:
    """The mean estimate and interval of every objective, and the mean reward with its noise."""
    if summary["calibration"]["why"]:
        return []

    panels = []
    for l in range(len(summary["objectives"])):
        if not summary["calibration"]["judged"][l]:
            continue

        rows = []
        for window in summary["windows"]:
            assert window["calibration"] is not None  # noqa: S101 - some were judged
            rows.append(window["calibration"][l])

        estimate = _series("mean estimate and interval", rows, "estimate", "low", "high")
        held = _observed("mean reward, held", rows, held=True)
        missed = _observed("mean reward, missed", rows, held=False)
        # In this order, since the second colour is the one that warns.
        series = [estimate, missed, held]
        panels.append(HistoryPanel(objective_title(summary, l), series))

    return panels


def _series(name: str, rows: Sequence[Any], *keys: str) -> Series:
    """A number of every window and, by two more keys, the ends of its interval."""
    columns: Any = [[row[key] for row in rows] for key in keys]
    return Series(name, *columns)


def _observed(name: str, rows: Sequence[CalibrationWindow], *, held: bool) -> Series:
    """The mean rewards of those windows whose intervals held, or of those whose did not."""
    points: list[tuple[Number, ...]] = []
    for row in rows:
        observed = row["observed"]
        noise = row["noise"]
        if row["held"] is not held or observed is None or noise is None:
            points.append((None, None, None))
        else:
            points.append((observed, observed - noise, observed + noise))

    values, lows, highs = zip(*points, strict=True)

    return Series(name, values, lows, highs, as_points=True)


def propensity_panels(windows: Sequence[WindowSummary]) -> list[HistoryPanel]:
    """Entropy and smallest propensity, where propensities are known."""
    rows = [window["propensities"] for window in windows]
    if not any(row["known"] for row in rows):
        return []

    smallest = _series("smallest propensity", rows, "smallest")

    return [
        HistoryPanel("Entropy, bits", [_series("entropy", rows, "entropy")]),
        HistoryPanel("Smallest propensity", [smallest], "log"),
    ]


def status_panels(windows: Sequence[WindowSummary]) -> list[HistoryPanel]:
    """Shares of decisions that lack rewards, where some do."""
    series = []
    for name in STATUSES:
        counts = [window["status"][name] for window in windows]  # type: ignore[literal-required]
        if not any(counts):
            continue
        pairs = zip(counts, windows, strict=True)
        shares = [count / window["decisions"] for count, window in pairs]
        series.append(Series(name, shares))

    if not series:
        return []

    return [HistoryPanel("Decisions without all rewards", series, "share")]


def age_panels(summary: MonitorSummary) -> list[HistoryPanel]:
    """The ages of the rewards of every objective, where not all came at once."""
    panels = []
    for l, objective in enumerate(summary["objectives"]):
        ages = [window["ages"][l] for window in summary["windows"]]
        longest = max((age["ninety"] or 0.0 for age in ages), default=0.0)
        if not longest:
            continue

        unit, seconds = unit_of(longest)
        medians = [_scaled(age["median"], seconds) for age in ages]
        nineties = [_scaled(age["ninety"], seconds) for age in ages]
        series = [Series("median", medians), Series("90 % quantile", nineties)]
        panels.append(HistoryPanel(f"Until {objective['name']} came, {unit}", series))

    return panels


def unit_of(seconds: float) -> tuple[str, float]:
    """The unit in which a time is a number of about 1 or more, and its seconds.

    Example:
        >>> unit_of(7200.0), unit_of(0.5)
        (('hours', 3600.0), ('seconds', 1.0))
    """
    for name, size in UNITS:
        if seconds >= 2.0 * size or size == 1.0:
            return name, size

    raise AssertionError  # the last unit takes all


def _scaled(value: Number, unit: float) -> Number:
    return None if value is None else value / unit
