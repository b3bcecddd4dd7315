"""What should be looked at in an agent's history, in sentences."""

from collections.abc import Sequence

from mobandits.agent.error_hints import FEWEST_LOGGED
from mobandits.figures.monitor_contents import (
    CalibrationSummary,
    DriftSummary,
    WindowSummary,
)

MOST_ALARMS = 6  # in sentences; the page has a table of all
MANY_WAITING = 0.5  # of all decisions
MANY_DROPPED = 0.1


def findings(
    arms: Sequence[str],
    objectives: Sequence[str],
    windows: Sequence[WindowSummary],
    drift: DriftSummary,
    calibration: CalibrationSummary,
) -> list[str]:
    """A sentence for everything that should be looked at, the most urgent first.

    Args:
        arms: their names.
        objectives: their names.
        windows: of the page.
        drift: alarms.
        calibration: of intervals.
    """
    found = _of_drift(arms, objectives, windows, drift)
    for l, is_off in enumerate(calibration["off"]):
        if is_off:
            held = calibration["held"][l]
            judged = calibration["judged"][l]
            found.append(
                f"Calibration: the intervals of {objectives[l]} held the mean reward in only "
                f"{held} of {judged} windows."
            )

    found += _of_propensities(windows)
    for l, objective in enumerate(objectives):
        counts = [window["rewards"][l]["count"] for window in windows]
        if windows and not any(counts):
            found.append(f"Rewards: no {objective} was ever reported.")

    return found + _of_waiting(windows)


def _of_drift(
    arms: Sequence[str],
    objectives: Sequence[str],
    windows: Sequence[WindowSummary],
    drift: DriftSummary,
) -> list[str]:
    latest = list(reversed(drift["alarms"]))
    sentences = []
    for alarm in latest[:MOST_ALARMS]:
        window = windows[alarm["change"] - 1]
        objective = objectives[alarm["objective"]]
        before = f"{alarm['before']:.3g}"
        after = f"{alarm['after']:.3g}"
        sentences.append(
            f"Drift: the mean {objective} of {arms[alarm['arm']]} went from {before} to {after} in "
            f"window {window['number']} (decisions {window['first']:,} to {window['last']:,}), or "
            "near to it."
        )

    left = len(latest) - MOST_ALARMS
    if left > 0:
        sentences.append(f"Drift: {left} earlier alarms are in the table of drift.")

    return sentences


def _of_propensities(windows: Sequence[WindowSummary]) -> list[str]:
    decisions = sum(window["decisions"] for window in windows)
    known = sum(window["propensities"]["known"] for window in windows)
    choices = sum(window["propensities"]["choices"] for window in windows)
    certain = sum(window["propensities"]["certain"] for window in windows)
    sentences = []
    if 2 * known < decisions:
        sentences.append(
            f"Evaluation: the propensities of {percent(decisions - known, decisions)} of the "
            "decisions are not known, so that these cannot value other policies."
        )
    # As an agent warns of its own log.
    if choices >= FEWEST_LOGGED and 2 * certain > choices:
        sentences.append(
            f"Evaluation: {percent(certain, choices)} of the decisions between several arms were "
            "certain (propensity 1), so that the log cannot value other policies."
        )

    return sentences


def _of_waiting(windows: Sequence[WindowSummary]) -> list[str]:
    decisions = sum(window["decisions"] for window in windows)
    waiting = sum(window["status"]["waiting"] for window in windows)
    dropped = sum(window["status"]["dropped"] for window in windows)
    sentences = []
    if waiting > MANY_WAITING * decisions:
        share = percent(waiting, decisions)
        sentences.append(f"Waiting: {share} of the decisions still wait for a reward.")
    if dropped > MANY_DROPPED * decisions:
        share = percent(dropped, decisions)
        sentences.append(f"Dropped: {share} of the decisions were dropped before all rewards came.")

    return sentences


def percent(part: float, whole: float) -> str:
    """A share in words.

    Example:
        >>> percent(1, 3), percent(1, 1000), percent(999, 1000), percent(0, 5)
        ('33 %', 'less than 1 %', 'more than 99 %', '0 %')
    """
    share = 100.0 * part / whole
    if 0.0 < share < 1.0:
        return "less than 1 %"
    if 99.0 < share < 100.0:
        return "more than 99 %"
    return f"{share:.0f} %"
