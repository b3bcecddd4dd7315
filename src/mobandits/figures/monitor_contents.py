"""The content of `monitor.json`, as types that its writer and the page share."""

from typing import TypedDict

from mobandits.figures.contents import Number, ObjectiveSummary


class RewardWindow(TypedDict):
    """The rewards of a window in one objective; null where there is no such number.

    Attributes:
        count: how many there are.
        by_default: of these, how many are defaults.
        mean: of them.
        low: the lower end of its 95 % interval.
        high: the upper end.
    """

    count: int
    by_default: int
    mean: Number
    low: Number
    high: Number


class PropensityWindow(TypedDict):
    """The propensities of a window; null where none is known.

    Attributes:
        known: of how many decisions.
        smallest: of these.
        entropy: the mean of -log2 propensity.
        choices: how many of the known ones are of decisions between several arms.
        certain: of these, how many are 1.
    """

    known: int
    smallest: Number
    entropy: Number
    choices: int
    certain: int


class StatusWindow(TypedDict):
    """Numbers of a window's decisions by their status.

    Attributes:
        complete: all rewards are known.
        waiting: some are waited for.
        inactive: never took effect, so far.
        abandoned: by the application.
        dropped: too old, or too many waited.
    """

    complete: int
    waiting: int
    inactive: int
    abandoned: int
    dropped: int


class AgeWindow(TypedDict):
    """Seconds from a window's decisions to their rewards in one objective; null: none is known.

    Attributes:
        count: of how many rewards.
        median: of them.
        ninety: their 90 % quantile.
    """

    count: int
    median: Number
    ninety: Number


class CalibrationWindow(TypedDict):
    """The estimates of a window in one objective, beside its rewards; null where none is known.

    Attributes:
        count: of how many decisions.
        observed: the mean of the rewards.
        noise: how far it may be from the mean of its expectations, at 95 %.
        estimate: the mean of the estimates.
        low: the mean of the lower ends of the intervals.
        high: the mean of the upper ends.
        held: whether low - noise <= observed <= high + noise.
    """

    count: int
    observed: Number
    noise: Number
    estimate: Number
    low: Number
    high: Number
    held: bool | None


class WindowSummary(TypedDict):
    """Consecutive decisions, in `monitor.json`.

    Attributes:
        number: of the window, from 1.
        first: the number of its first decision, from 1.
        last: of its last one.
        start: the time of the first one, in seconds since 1970, or null.
        end: of the last one.
        decisions: how many there are.
        observed: of these, how many somebody else made.
        plays: of each arm.
        rewards: by objective.
        propensities: of the decisions.
        status: what became of them.
        ages: of the rewards, by objective.
        calibration: by objective; null where estimates are not known.
    """

    number: int
    first: int
    last: int
    start: Number
    end: Number
    decisions: int
    observed: int
    plays: list[int]
    rewards: list[RewardWindow]
    propensities: PropensityWindow
    status: StatusWindow
    ages: list[AgeWindow]
    calibration: list[CalibrationWindow] | None


class DriftAlarm(TypedDict):
    """A change in the mean reward of an arm.

    Attributes:
        arm: its number.
        objective: its number.
        change: the number of the window in which the mean most likely changed.
        alarm: of the window in which the alarm rang.
        before: the mean before the change.
        after: the mean from the change to the alarm.
    """

    arm: int
    objective: int
    change: int
    alarm: int
    before: float
    after: float


class DriftSummary(TypedDict):
    """The watch over the rewards of every arm and objective.

    Attributes:
        rate: of false alarms, on the whole page.
        streams: how many pairs of an arm and an objective there are.
        intervals: by objective, in which rewards are watched; null where there were too few.
        measured: by objective, whether its interval is that of its first rewards.
        alarms: in the order in which they rang.
    """

    rate: float
    streams: int
    intervals: list[tuple[float, float] | None]
    measured: list[bool]
    alarms: list[DriftAlarm]


class CalibrationSummary(TypedDict):
    """Whether intervals held the mean rewards.

    Attributes:
        why: what stands against it, as the end of a sentence; empty where nothing does.
        first: the number of the first window with estimates of all its decisions, or null.
        judged: windows, by objective.
        held: of these, those whose intervals held.
        off: by objective, whether so many missed that it is no chance.
    """

    why: str
    first: int | None
    judged: list[int]
    held: list[int]
    off: list[bool]


class ArmSummary(TypedDict):
    """An arm, in `monitor.json`.

    Attributes:
        name: of the arm.
        plays: in all windows.
        recent: in the last one.
        means: of its rewards, by objective; null where there are none.
    """

    name: str
    plays: int
    recent: int
    means: list[Number]


class ChangeSummary(TypedDict):
    """A change of the agent, in `monitor.json`.

    Attributes:
        at: seconds since 1970, or null.
        what: in words.
        by: the key that changed it; empty where that is not known.
    """

    at: Number
    what: str
    by: str


class MonitorSummary(TypedDict):
    """`monitor.json`.

    Attributes:
        format: the version of this layout.
        source: the store.
        agent: its name there.
        recipe: what it plays; empty where the store does not say.
        decisions: how many there are.
        start: the time of the first one, in seconds since 1970, or null.
        end: of the last one.
        window: what a window is, such as "100 decisions" or "day".
        shortened: whether older decisions were deleted.
        objectives: of the agent.
        arms: all that there ever were.
        changes: the last ones, the newest first.
        windows: in order.
        drift: alarms.
        calibration: of intervals.
        alarms: what should be looked at, in sentences.
        versions: of what computed it.
    """

    format: int
    source: str
    agent: str
    recipe: str
    decisions: int
    start: Number
    end: Number
    window: str
    shortened: bool
    objectives: list[ObjectiveSummary]
    arms: list[ArmSummary]
    changes: list[ChangeSummary]
    windows: list[WindowSummary]
    drift: DriftSummary
    calibration: CalibrationSummary
    alarms: list[str]
    versions: dict[str, str]
