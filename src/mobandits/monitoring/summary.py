"""An agent's history in numbers, window by window, from its store."""

import importlib.metadata
import math
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.errors import LogError
from mobandits.figures.monitor_contents import ArmSummary, MonitorSummary, WindowSummary
from mobandits.logs.address import Place, place_of
from mobandits.logs.store.connection import explained, reading, warn_of_loss
from mobandits.logs.store.windows import (
    Window,
    decision_count,
    windows_by_count,
    windows_by_period,
)
from mobandits.monitoring.beliefs import replayed_beliefs
from mobandits.monitoring.calibration import calibration_summary, calibration_windows
from mobandits.monitoring.changes import KINDS, SHOWN, changes_in_words
from mobandits.monitoring.drift_alarms import DriftAlarms
from mobandits.monitoring.findings import findings
from mobandits.monitoring.history import History, history_of
from mobandits.monitoring.window_data import WindowData, window_data
from mobandits.monitoring.windows import (
    age_windows,
    drop_beyond,
    finite,
    propensity_window,
    reward_windows,
    status_window,
)
from mobandits.support.checks import choice, integer

FORMAT = 1
PERIODS = {"day": 86_400.0, "hour": 3_600.0}  # seconds
USUAL_WINDOWS = 40  # of a history, at most, where no size was asked for
LEAST_WINDOW = 50  # decisions, likewise: means of fewer are noise
MOST_WINDOWS = 1000  # more are neither drawn nor read


def summary(
    store: str | Place,
    *,
    window: int | None = None,
    window_by: str | None = None,
    calibration: bool = True,
    agent: str | None = None,
) -> MonitorSummary:
    """The history of an agent in a store: what the page of `mobandits monitor` shows.

    The store may be larger than memory, and may be written meanwhile: a window at a time is read,
    at some 50 bytes per decision and 24 per reward, of one state of the file. Every row is checked.

    Args:
        store: the path of the file, or the URL of a database.
        window: decisions per window, at least 2; None: as many as make up to 40 windows.
        window_by: "day" or "hour", of UTC, in place of a number.
        calibration: whether the log is replayed, at most 100,000 events of it, to compare what the
            agent believed with what came.
        agent: whose history, where the store has several agents.

    Returns:
        The content of `monitor.json`: numbers per window, alarms, and sentences.

    Raises:
        LogError: where the file is no store, damaged, or cannot be cut in this way.
        ValueError: naming parameter, rule and value.

    Example:
        >>> import tempfile
        >>> from mobandits.logs import Store
        >>> path = Path(tempfile.mkdtemp()) / "router.db"
        >>> with Store(path) as log:
        ...     log.describe({"arms": ["small", "large"], "objectives": ["quality"]})
        ...     for i in range(6):
        ...         arm = int(i >= 3)
        ...         log.append({"kind": "decide", "id": i, "arm": arm, "propensity": 0.5})
        ...         log.append({"kind": "learn", "id": i, "rewards": {"quality": 0.5 + arm}})
        >>> found = summary(path, window=3)
        >>> [window["plays"] for window in found["windows"]]
        [[3, 0], [0, 3]]
        >>> [window["rewards"][0]["mean"] for window in found["windows"]]
        [0.5, 1.5]
    """
    if window is not None:
        integer("window", window, at_least=2)
    if window_by is not None:
        choice("window_by", window_by, tuple(PERIODS))
    if window is not None and window_by is not None:
        raise ValueError(f"window must be left out with window_by, got {window}")

    place = place_of(store)
    if isinstance(place, Path):
        warn_of_loss(place)
    with reading(place) as connection, explained(place):
        history = history_of(connection, place, agent)
        total = decision_count(history.log)
        size = usual_size(total) if window is None else int(window)
        windows = _windows(history, size, window_by)
        in_words = f"{size} decisions" if window_by is None else window_by

        return _summary(history, windows, in_words, calibration=calibration)


def usual_size(decisions: int) -> int:
    """Decisions per window that make up to 40 windows, as a round number.

    Example:
        >>> [usual_size(decisions) for decisions in (0, 3000, 100_000, 7_000_000)]
        [50, 100, 2500, 200000]
    """
    least = max(decisions / USUAL_WINDOWS, LEAST_WINDOW)
    power = 10.0 ** math.floor(math.log10(least))
    for factor in (1, 2, 2.5, 5, 10):
        size = round(factor * power)
        if size >= least:
            return size

    raise AssertionError  # ten times the power is more


def _windows(history: History, size: int, window_by: str | None) -> list[Window]:
    """All windows, of which there must not be too many."""
    if window_by is not None:
        found = windows_by_period(history.log, PERIODS[window_by])
        advice = "longer ones"
    else:
        found = windows_by_count(history.log, size)
        advice = "larger ones"

    windows = []
    for window in found:
        windows.append(window)
        if len(windows) > MOST_WINDOWS:
            raise ValueError(
                f"window must leave at most {MOST_WINDOWS} windows, got more: choose {advice}"
            )

    return windows


def _summary(
    history: History, windows: Iterable[Window], in_words: str, *, calibration: bool
) -> MonitorSummary:
    replayed = replayed_beliefs(history) if calibration else None
    believed = None if replayed is None else replayed.believed
    drift = DriftAlarms(history)
    sums = _ArmSums(len(history.arms.names), len(history.objectives))
    rows: list[WindowSummary] = []
    for window, data in _read(history, windows):
        number = len(rows) + 1
        drift.add(number, data)
        sums.add(data)
        outcomes = data.outcomes
        rows.append(
            {
                "number": number,
                "first": window.first,
                "last": window.first + window.decisions - 1,
                "start": finite(outcomes.times[0]),
                "end": finite(outcomes.times[-1]),
                "decisions": window.decisions,
                "observed": int(outcomes.observed.sum()),
                "plays": np.bincount(outcomes.arms, minlength=sums.arms).tolist(),
                "rewards": reward_windows(data),
                "propensities": propensity_window(data),
                "status": status_window(data),
                "ages": age_windows(data),
                "calibration": None if believed is None else calibration_windows(data, believed),
            }
        )

    drop_beyond(history.limit, [row["status"] for row in rows])
    arms = [str(name) for name in history.arms.names]
    objectives = [str(objective.name) for objective in history.objectives]
    drifts = drift.summary()
    calibrations = calibration_summary(replayed, rows, len(objectives))
    log = history.log
    recipe = log.agent.description.get("recipe", "")
    events = log.last_changes(KINDS, sys.maxsize, SHOWN)
    changes = changes_in_words(events, objectives)

    return {
        "format": FORMAT,
        "source": log.source,
        "agent": log.agent.name,
        "recipe": str(recipe),
        "decisions": sum(row["decisions"] for row in rows),
        "start": rows[0]["start"] if rows else None,
        "end": rows[-1]["end"] if rows else None,
        "window": in_words,
        "shortened": log.agent.complete_after > 0,
        "objectives": [
            {"name": name, "minimise": objective.minimise, "unit": objective.unit}
            for name, objective in zip(objectives, history.objectives, strict=True)
        ],
        "arms": sums.summaries(arms, rows),
        "changes": [{"at": each.at, "what": each.what, "by": each.by} for each in changes],
        "windows": rows,
        "drift": drifts,
        "calibration": calibrations,
        "alarms": findings(arms, objectives, rows, drifts, calibrations),
        "versions": {"mobandits": importlib.metadata.version("mobandits")},
    }


def _read(history: History, windows: Iterable[Window]) -> Iterator[tuple[Window, WindowData]]:
    arms = len(history.arms.names)
    for window in windows:
        data = window_data(history, window)
        numbers = data.outcomes.arms
        if (numbers >= arms).any():
            wrong = int(numbers.max())
            rule = f"{history.log.source} must have decisions for its {arms} arms"
            raise LogError(f"{rule}, got one for arm {wrong}")

        yield window, data


class _ArmSums:
    """Sums of rewards of every arm, over all windows."""

    def __init__(self, arms: int, objectives: int) -> None:
        self.arms = arms
        self._sums: Array = np.zeros((arms, objectives))
        self._counts: Array = np.zeros((arms, objectives))

    def add(self, data: WindowData) -> None:
        """Count the rewards of a window."""
        played = data.outcomes.arms
        for l in range(data.rewards.shape[1]):
            column = data.rewards[:, l]
            is_known = ~np.isnan(column)
            arms = played[is_known]
            rewards = column[is_known]
            sums = np.bincount(arms, rewards, self.arms)
            counts = np.bincount(arms, minlength=self.arms)
            self._sums[:, l] += sums
            self._counts[:, l] += counts

    def summaries(self, names: list[str], windows: list[WindowSummary]) -> list[ArmSummary]:
        """Plays and mean rewards of every arm."""
        with np.errstate(invalid="ignore"):
            means = self._sums / self._counts

        plays = np.zeros(self.arms, np.int64)
        for window in windows:
            plays += np.array(window["plays"], np.int64)

        recent = windows[-1]["plays"] if windows else [0] * self.arms
        arms: list[ArmSummary] = []
        for a, name in enumerate(names):
            arms.append(
                {
                    "name": name,
                    "plays": int(plays[a]),
                    "recent": recent[a],
                    "means": [finite(mean) for mean in means[a].tolist()],
                }
            )

        return arms
