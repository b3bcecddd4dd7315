"""The page of an agent's history: what should be looked at first, then how it went over time."""

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace

from mobandits.figures.formatting import UNKNOWN, digits_after_point, folded, number_or_dash
from mobandits.figures.monitor_contents import MonitorSummary, WindowSummary
from mobandits.figures.monitor_figures import (
    FIRST_DATE,
    LAST_DATE,
    Timeline,
    figures_of,
    timeline_of,
    unit_of,
)
from mobandits.figures.page import Table, render
from mobandits.figures.provenance import Provenance
from mobandits.figures.words import Definition, definitions
from mobandits.support.naming import quantity

MOST_NAMED = 4  # arms in a sentence
# Elsewhere larger is better; an agent's objectives may be costs.
OBJECTIVE = Definition("objective", "one of the rewards, or costs, of a decision")
MOST_ROWS = 20  # rows of a table; the others share one
DIGITS = 4  # of the largest mean in a column, with those after the point


def monitor_page(directory: Path, summary: MonitorSummary) -> str:
    """Write the figures of a history, and make its page.

    Args:
        directory: the figures go to its folder `figures`.
        summary: the content of monitor.json.
    """
    timeline = timeline_of(summary)
    # Read by the template alone, by these names.
    page = SimpleNamespace(
        title=f"The history of {summary['agent']}",
        summary=summary,
        lead=lead(summary),
        words=[*definitions("arm"), OBJECTIVE, *definitions("propensity")],
        notes=notes(summary),
        pictures=figures_of(directory / "figures", summary, timeline),
        arms=arms_table(summary),
        changes=changes_table(summary) if summary["changes"] else None,
        drift=drift_table(summary, timeline) if summary["drift"]["alarms"] else None,
        drift_words=drift_words(summary),
        calibration_words=calibration_words(summary),
        every_window=windows_table(summary, timeline),
        provenance=Provenance(
            [
                ("store", summary["source"]),
                ("agent", summary["agent"]),
                ("recipe", summary["recipe"] or "not in the store"),
                ("windows", f"{len(timeline.places)} of {summary['window']} each"),
                ("mobandits", summary["versions"]["mobandits"]),
            ]
        ),
    )

    return render("monitor.html", page)


def lead(summary: MonitorSummary) -> str:
    """The first sentences: the number of decisions, their period, and the arms played lately."""
    count = quantity(summary["decisions"], "decision")
    sentence = count
    start = summary["start"]
    end = summary["end"]
    if start is not None and end is not None:
        sentence += f" from {time_in_words(start)} to {time_in_words(end)} (UTC)"
    if summary["recipe"]:
        # Nested recipes fill a screen; the provenance has the whole text.
        sentence += f", by {folded(summary['recipe'])}"
    if not summary["windows"]:
        return f"{sentence}: there is nothing to show yet."

    last = summary["windows"][-1]
    plays = [(count, a) for a, count in enumerate(last["plays"]) if count]
    plays.sort(key=lambda pair: (-pair[0], pair[1]))
    shown = []
    for played, a in plays[:MOST_NAMED]:
        name = summary["arms"][a]["name"]
        shown.append(f"{name} ({share_in_words(played, last['decisions'])})")

    others = len(plays) - len(shown)
    more = f" and {quantity(others, 'other')}" if others else ""

    return f"{sentence}. In the last window it plays {', '.join(shown)}{more}."


def notes(summary: MonitorSummary) -> list[str]:
    """Remarks on the log that are no alarms."""
    found = []
    if summary["shortened"]:
        found.append(
            "The log was shortened: decisions that were deleted are not on this page, and those "
            "that were kept from before are shown as if they followed each other."
        )

    windows = summary["windows"]
    observed = sum(window["observed"] for window in windows)
    if observed:
        share = share_in_words(observed, summary["decisions"])
        found.append(
            f"{share} of the decisions were reported by the application, not chosen by the agent."
        )

    rewards = [reward for window in windows for reward in window["rewards"]]
    defaults = sum(reward["by_default"] for reward in rewards)
    if defaults:
        found.append(
            f"{quantity(defaults, 'reward')} never came, and count as the default of their "
            "objective. Of such an objective, decisions that are younger than its time limit are "
            "left out of means: what comes early is no fair sample."
        )

    return found


def drift_words(summary: MonitorSummary) -> list[str]:
    """The objectives that are watched for drift, with their intervals."""
    drift = summary["drift"]
    sentences = []
    for i, objective in enumerate(summary["objectives"]):
        interval = drift["intervals"][i]
        name = objective["name"]
        if interval is None:
            sentences.append(f"{name}: too few rewards to be watched yet.")
            continue

        low, high = interval
        ends = f"[{low:.3g}, {high:.3g}]"
        if drift["measured"][i]:
            sentences.append(
                f"{name}: in {ends}, the interval of its first rewards, which are not watched; "
                "later ones outside count as its ends."
            )
        else:
            sentences.append(f"{name}: in {ends}, the range that it was given.")

    return sentences


def calibration_words(summary: MonitorSummary) -> list[str]:
    """Whether intervals held, a sentence per objective."""
    calibration = summary["calibration"]
    sentences = []
    judged_windows = zip(calibration["held"], calibration["judged"], strict=True)
    for objective, (held, judged) in zip(summary["objectives"], judged_windows, strict=True):
        sentences.append(
            f"{objective['name']}: intervals held in {held} of {quantity(judged, 'window')}."
        )

    return sentences


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
    for arm in arms[:MOST_ROWS]:
        row = [arm["name"], f"{arm['plays']:,}"]
        row.append(share_in_words(arm["plays"], decisions))
        row.append(share_in_words(arm["recent"], recent))
        for mean, places in zip(arm["means"], digits, strict=True):
            row.append(number_or_dash(mean, places))

        rows.append(row)

    others = arms[MOST_ROWS:]
    if others:
        plays = sum(arm["plays"] for arm in others)
        lately = sum(arm["recent"] for arm in others)
        row = [f"{len(others)} others", f"{plays:,}", share_in_words(plays, decisions)]
        row.append(share_in_words(lately, recent))
        rows.append(row + [""] * len(digits))

    return Table(header, rows)


def changes_table(summary: MonitorSummary) -> Table:
    """A row per change of the agent, the last one first."""
    rows = []
    for change in summary["changes"]:
        at = change["at"]
        when = UNKNOWN if at is None else time_in_words(at)
        rows.append([when, change["what"], change["by"] or UNKNOWN])

    return Table(["time (UTC)", "change", "by"], rows, style="texts")


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
        plays = window["plays"]
        most = max(plays)
        name = summary["arms"][plays.index(most)]["name"]
        row = [window_in_words(window, timeline), f"{window['decisions']:,}"]
        row.append(f"{name} ({share_in_words(most, window['decisions'])})")
        for reward, places in zip(window["rewards"], digits, strict=True):
            mean = reward["mean"]
            low = reward["low"]
            half_width = "" if mean is None or low is None else f" ± {mean - low:.{places}f}"
            row.append(f"{number_or_dash(mean, places)}{half_width}")

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
    """The digits after the point of the means of one column."""
    sizes = [abs(value) for value in values if value is not None and math.isfinite(value)]
    largest = max(sizes, default=0.0)

    return digits_after_point(largest or 1.0, DIGITS)
