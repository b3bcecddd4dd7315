"""The tables of an agent's history."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime

from mobandits.figures.formatting import UNKNOWN, digits_after_point, number_or_dash
from mobandits.figures.monitor_contents import MonitorSummary, WindowSummary
from mobandits.figures.monitor_figures import FIRST_DATE, LAST_DATE, Timeline, unit_of
from mobandits.figures.page import Table

MOST_ARMS = 20  # rows of a table; the others share one
DIGITS = 4  # of the largest mean in a column, with those after the point


def arms_table(summary: MonitorSummary) -> Table:
    """A row per arm, the most played ones first: shares and mean rewards."""
    arms = sorted(summary["arms"], key=lambda arm: -arm["plays"])
    decisions = summary["decisions"]
    windows = summary["windows"]
    recent = windows[-1]["decisions"] if windows else 0
    header = ["arm", "decisions", "share", "share in the\nlast window"]
    digits = []
    for l, objective in enumerate(summary["objectives"]):
        header.append(f"mean\n{objective['name']}")
        digits.append(_digits([arm["means"][l] for arm in arms]))

    rows = []
    for arm in arms[:MOST_ARMS]:
        row = [arm["name"], f"{arm['plays']:,}"]
        row.append(share_in_words(arm["plays"], decisions))
        row.append(share_in_words(arm["recent"], recent))
        for mean, places in zip(arm["means"], digits, strict=True):
            row.append(number_or_dash(mean, places))

        rows.append(row)

    others = arms[MOST_ARMS:]
    if others:
        plays = sum(arm["plays"] for arm in others)
        lately = sum(arm["recent"] for arm in others)
        row = [f"{len(others)} others", f"{plays:,}", share_in_words(plays, decisions)]
        row.append(share_in_words(lately, recent))
        rows.append(row + [""] * len(digits))

    return Table(header, rows)


def drift_table(summary: MonitorSummary, timeline: Timeline) -> Table:
    """A row per alarm, the last one first."""
    rows = []
    windows = summary["windows"]
    for alarm in reversed(summary["drift"]["alarms"]):
        change = windows[alarm["change"] - 1]
        noticed = windows[alarm["alarm"] - 1]
        rows.append(
            [
                summary["arms"][alarm["arm"]]["name"],
                summary["objectives"][alarm["objective"]]["name"],
                f"{alarm['before']:.3g}".replace("-", "−"),
                f"{alarm['after']:.3g}".replace("-", "−"),
                window_in_words(change, timeline),
                window_in_words(noticed, timeline),
            ]
        )

    header = ["arm", "objective", "mean before", "mean after", "changed about", "alarm in"]
    return Table(header, rows)


def windows_table(summary: MonitorSummary, timeline: Timeline) -> Table:
    """A row per window: what the figures show."""
    windows = summary["windows"]
    header = ["window", "decisions", "most played"]
    digits = []
    for l, objective in enumerate(summary["objectives"]):
        header.append(f"mean {objective['name']}\nwith 95 % interval")
        digits.append(_digits([window["rewards"][l]["mean"] for window in windows]))

    header += ["entropy,\nbits", "smallest\npropensity", "waiting", "abandoned\nor dropped"]
    units = []
    for l, objective in enumerate(summary["objectives"]):
        longest = max((window["ages"][l]["ninety"] or 0.0 for window in windows), default=0.0)
        unit, seconds = unit_of(longest)
        header.append(f"median time to\n{objective['name']}, {unit}")
        units.append(seconds)

    rows = []
    for window in windows:
        row = [window_in_words(window, timeline), f"{window['decisions']:,}"]
        row.append(_most_played(summary, window))
        for reward, places in zip(window["rewards"], digits, strict=True):
            row.append(_with_interval(reward["mean"], reward["low"], places))

        propensities = window["propensities"]
        status = window["status"]
        smallest = propensities["smallest"]
        row.append(number_or_dash(propensities["entropy"], 2))
        row.append(UNKNOWN if smallest is None else f"{smallest:.2g}")
        row.append(f"{status['waiting'] + status['inactive']:,}")
        row.append(f"{status['abandoned'] + status['dropped']:,}")
        for age, seconds in zip(window["ages"], units, strict=True):
            median = age["median"]
            row.append(UNKNOWN if median is None else f"{median / seconds:.3g}")

        rows.append(row)

    return Table(header, rows)


def _most_played(summary: MonitorSummary, window: WindowSummary) -> str:
    plays = window["plays"]
    most = max(plays)
    name = summary["arms"][plays.index(most)]["name"]
    return f"{name} ({share_in_words(most, window['decisions'])})"


def window_in_words(window: WindowSummary, timeline: Timeline) -> str:
    """A window by its time where that is the axis, else by its decisions."""
    if timeline.dates and window["start"] is not None:
        return f"{window['number']}: {time_in_words(window['start'])}"
    return f"{window['number']}: {window['first']:,} to {window['last']:,}"


def time_in_words(seconds: float) -> str:
    """A date and time of UTC; where no calendar has it, seconds.

    Example:
        >>> time_in_words(1769860800.0), time_in_words(1e20)
        ('2026-01-31 12:00', '1e+20 s')
    """
    if not FIRST_DATE <= seconds <= LAST_DATE:
        return f"{seconds:g} s"
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%d %H:%M}"


def share_in_words(part: int, whole: int) -> str:
    """A share in per cent.

    Example:
        >>> share_in_words(1, 3), share_in_words(1, 1000), share_in_words(0, 0)
        ('33 %', '0.1 %', '–')
    """
    if not whole:
        return UNKNOWN

    share = 100.0 * part / whole
    digits = 1 if 0.0 < share < 1.0 or 99.0 < share < 100.0 else 0

    return f"{share:.{digits}f} %"


def _digits(values: Sequence[float | None]) -> int:
    """How many digits after the point the means of one column have."""
    largest = 0.0
    for value in values:
        if value is not None and math.isfinite(value):
            largest = max(largest, abs(value))

    return digits_after_point(largest or 1.0, DIGITS)


def _with_interval(mean: float | None, low: float | None, digits: int) -> str:
    number = number_or_dash(mean, digits)
    if mean is None or low is None:
        return number
    return f"{number} ± {mean - low:.{digits}f}"
