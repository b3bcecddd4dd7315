"""The page of an agent's history: what should be looked at first, then how it went over time."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from mobandits.figures.formatting import folded
from mobandits.figures.monitor_contents import MonitorSummary
from mobandits.figures.monitor_figures import Timeline, figures_of, timeline_of
from mobandits.figures.monitor_tables import (
    arms_table,
    drift_table,
    share_in_words,
    time_in_words,
    windows_table,
)
from mobandits.figures.page import Picture, Table, render
from mobandits.figures.provenance import Provenance
from mobandits.figures.words import Definition, definitions
from mobandits.support.naming import quantity

MOST_NAMED = 4  # arms in a sentence
# Of an agent, some are costs: here larger is not always better.
OBJECTIVE = Definition("objective", "one of the rewards, or costs, of a decision")


@dataclass(frozen=True)
class CalibrationSection:
    """What the page says of calibration.

    Args:
        why: why there is none, as the end of a sentence; empty where there is.
        first: the number of the first window with estimates.
        counts: a sentence per objective.
        picture: None where there is nothing to draw.
    """

    why: str
    first: int | None
    counts: Sequence[str]
    picture: Picture | None


@dataclass(frozen=True)
class MonitorPage:
    """What `monitor.html` shows.

    Args:
        title: of the page.
        lead: how many decisions from when to when, and what is played lately.
        alarms: what should be looked at.
        words: that the page uses.
        notes: what else a reader must know of the log.
        window: what a window is.
        windows: how many there are.
        pictures: by the part of the page; where there is nothing to draw, it lacks one.
        arms: the table of arms.
        drift: the table of drift alarms; None where none rang.
        drift_rate: of false alarms.
        drift_words: what is watched, in sentences.
        calibration: whether intervals held.
        every_window: the table of all windows.
        provenance: what was read, and by what.
    """

    title: str
    lead: str
    alarms: Sequence[str]
    words: Sequence[Definition]
    notes: Sequence[str]
    window: str
    windows: int
    pictures: dict[str, Picture]
    arms: Table
    drift: Table | None
    drift_rate: str
    drift_words: Sequence[str]
    calibration: CalibrationSection
    every_window: Table
    provenance: Provenance


def monitor_page(directory: Path, summary: MonitorSummary) -> str:
    """Write the figures of a history, and make its page.

    Args:
        directory: the figures go to its folder `figures`.
        summary: the content of monitor.json.
    """
    timeline = timeline_of(summary)
    pictures = figures_of(directory / "figures", summary, timeline)
    alarms = summary["drift"]["alarms"]
    page = MonitorPage(
        title="The history of an agent",
        lead=lead(summary),
        alarms=summary["alarms"],
        words=[*definitions("arm"), OBJECTIVE, *definitions("propensity")],
        notes=notes(summary),
        window=summary["window"],
        windows=len(summary["windows"]),
        pictures=pictures,
        arms=arms_table(summary),
        drift=drift_table(summary, timeline) if alarms else None,
        drift_rate=f"{100.0 * summary['drift']['rate']:g} %",
        drift_words=drift_words(summary),
        calibration=calibration_section(summary, pictures),
        every_window=windows_table(summary, timeline),
        provenance=provenance_of_store(summary, timeline),
    )

    return render("monitor.html", page)


def lead(summary: MonitorSummary) -> str:
    """How many decisions from when to when, and what is played lately."""
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
    plays.sort(key=_most_played)
    shown = []
    for played, a in plays[:MOST_NAMED]:
        name = summary["arms"][a]["name"]
        shown.append(f"{name} ({share_in_words(played, last['decisions'])})")

    others = len(plays) - len(shown)
    more = f" and {quantity(others, 'other')}" if others else ""

    return f"{sentence}. In the last window it plays {', '.join(shown)}{more}."


def _most_played(pair: tuple[int, int]) -> tuple[int, int]:
    plays, arm = pair
    return -plays, arm


def notes(summary: MonitorSummary) -> list[str]:
    """What a reader must know of the log, and is no alarm."""
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
        found.append(f"{share} of the decisions were made by somebody else, and adopted.")

    defaults = 0
    for window in windows:
        for reward in window["rewards"]:
            defaults += reward["by_default"]

    if defaults:
        found.append(
            f"{quantity(defaults, 'reward')} never came, and count as the default of their "
            "objective. Of such an objective, decisions that are younger than its time limit are "
            "left out of means: what comes early is no fair sample."
        )

    return found


def drift_words(summary: MonitorSummary) -> list[str]:
    """What is watched for drift, and in which interval."""
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


def calibration_section(
    summary: MonitorSummary, pictures: dict[str, Picture]
) -> CalibrationSection:
    """Whether intervals held, in words, and the figure."""
    calibration = summary["calibration"]
    counts = []
    judged_windows = zip(calibration["held"], calibration["judged"], strict=True)
    for objective, (held, judged) in zip(summary["objectives"], judged_windows, strict=True):
        counts.append(f"{objective['name']}: held in {held} of {quantity(judged, 'window')}.")

    return CalibrationSection(
        why=calibration["why"],
        first=calibration["first"],
        counts=counts,
        picture=pictures.get("calibration"),
    )


def provenance_of_store(summary: MonitorSummary, timeline: Timeline) -> Provenance:
    """What was read, and by what."""
    return Provenance(
        [
            ("store", summary["source"]),
            ("agent", summary["agent"]),
            ("recipe", summary["recipe"] or "not in the store"),
            ("windows", f"{len(timeline.places)} of {summary['window']} each"),
            ("mobandits", summary["versions"]["mobandits"]),
        ]
    )
