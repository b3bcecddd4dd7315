"""Statements about results, judged by a rule, an interval and a number of trials: never by hand.

An interval is a 95 % bootstrap interval over trials: the trials are drawn again with replacement,
10,000 times, all rows of a trial together, and the quantiles of the recomputed statistic are its
ends. An ordering is reproduced where the interval of the difference of means excludes 0 on the
right side; a number, where it lies within the tolerance of the paper's. What has no rule is
reported, and so is what rests on fewer than five trials, and what cannot be read, as at scales that
are too small for it.

Only the paper's own claims have verdicts. A claim of another kind is judged by its rule too, and
what the rule gave is shown as `holds`, but its verdict is "reported", so that no count of
reproduced claims contains it, nor does its row repeat words that the paper does not have.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, get_args

import numpy as np

from mobandits.contracts.protocols import Array
from mobandits.figures.formatting import component_name
from mobandits.papers.contents import ClaimKind, PartEntry, Verdict
from mobandits.statistics.bootstrap import counts
from mobandits.support.checks import choice

LEAST = 5  # so many trials an interval needs: two of them agree on a sign half of the time
SECOND = ("measured", "interval", "verdict", "kind", "holds", "of")  # shown of a second judgement
Kind = ClaimKind
# What an ordering shows as the paper's words where it is given none.
TARGETS: dict[Kind, str] = {
    "paper": "as claimed",
    "extension": "said of another figure",
    "ours": "not in the paper",
    "stand-in": "said of other data",
    "check": "follows from the definitions",
}
Interval = tuple[float, float]


class Reading(Protocol):
    """A way to make one number per trial of a curve."""

    def __call__(self, points: Array, values: Array) -> Array:
        """(trials,) from the recorded rounds (points,) and the curves (trials, points)."""


class Outcome(Protocol):
    """The results that claims are read from."""

    def runs(self) -> Sequence[str]:
        """The names of the experiment's runs."""

    def rows(self, run: str) -> Sequence[str]:
        """The rows of a run."""

    def metrics(self, run: str, row: str) -> Sequence[str]:
        """The metrics that were measured of a row."""

    def components(self, run: str, row: str, metric: str) -> Sequence[int]:
        """The components of a metric, in order."""

    def curves(self, run: str, row: str, metric: str, component: int = 0) -> tuple[Array, Array]:
        """The recorded rounds (points,), and the values (trials, points)."""


class Part(NamedTuple):
    """One number of a claim.

    Attributes:
        said: what it is.
        measured: its value; NaN where it could not be read.
        interval: its 95 % interval, or None where there is none.
        holds: whether it is as claimed; None where no rule decides.
        trials: that it rests on.
    """

    said: str
    measured: float
    interval: Interval | None
    holds: bool | None
    trials: int


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, and how to judge it.

    Args:
        id: "paper/name/what".
        claim: a sentence.
        target: the paper's number or ordering.
        rule: how the verdict is computed, in words.
        parts: the numbers of which all must be as claimed.
        differs: one sentence on why ours may differ, true whatever comes out; shown unless the
            claim is reproduced.
        note: one sentence that is always shown, such as on what was chosen after looking at the
            target.
        kind: "paper", a sentence of the paper, which has a verdict. The others are reported, with
            what the rule gave: "extension", a sentence of the paper on one figure, asked of
            another one on which the paper is silent, or under another reading of what it leaves
            open, or of another policy; "ours", a statement that no paper makes; "stand-in", a sentence of the paper on
            data that are not here, asked of synthetic data; "check", a theorem or an identity,
            which no data can contradict.

    Raises:
        ValueError: where the kind is unknown.
    """

    id: str
    claim: str
    target: str
    rule: str
    parts: Callable[[Outcome], Sequence[Part]]
    differs: str = ""
    note: str = ""
    kind: Kind = "paper"

    def __post_init__(self) -> None:
        choice("kind", self.kind, get_args(Kind))

    @property
    def chosen_only(self) -> bool:
        """Whether it is read from rows of chosen constants alone, whatever others would be best."""
        return False

    def judge(self, outcome: Outcome) -> dict[str, Any]:
        """The claim's entry in claims.json, a `contents.ClaimEntry`."""
        # A claim without numbers, as at tiny scales, is reported like one that cannot be read.
        parts = [readable(part) for part in self.parts(outcome)] or [NOTHING]
        shown = weakest(parts)
        ruled = verdict(parts)

        return {
            "id": self.id,
            "claim": self.claim,
            "target": self.target,
            "measured": finite_or_none(shown.measured),
            "interval": shown.interval and list(shown.interval),
            "verdict": ruled if self.kind == "paper" else "reported",
            "kind": self.kind,
            "holds": HOLDS[ruled],
            "of": shown.said,
            "rule": self.rule,
            "trials": min(part.trials for part in parts),
            "differs": self.differs,
            "note": self.note,
            "parts": [_part_entry(part) for part in parts],
        }


def _part_entry(part: Part) -> PartEntry:
    return {
        "said": part.said,
        "measured": finite_or_none(part.measured),
        "interval": None if part.interval is None else list(part.interval),
        "holds": part.holds,
        "trials": part.trials,
    }


def verdict(parts: Sequence[Part]) -> Verdict:
    """Reproduced where all parts hold, reported where no rule decides one of them.

    Example:
        >>> verdict([Part("a", 1.0, (0.5, 1.5), True, 10), Part("b", 1.0, (-0.5, 1.5), False, 10)])
        'not reproduced'
    """
    # One number that no rule decides could turn the verdict: then there is none.
    if any(part.holds is None for part in parts):
        return "reported"
    return "reproduced" if all(part.holds for part in parts) else "not reproduced"


HOLDS: dict[Verdict, bool | None] = {"reproduced": True, "not reproduced": False, "reported": None}
SMALLER: Verdict = "not at the paper's scale"
OTHERS = ("papers_rule", "papers_trials")  # judgements beside the one of a claim


def at_smaller_scale(entry: dict[str, Any]) -> dict[str, Any]:
    """Entry of a claim below the paper's horizon: what fails there may hold at its end.

    Args:
        entry: from `Claim.judge`, or a judgement in it.

    Example:
        >>> at_smaller_scale({"verdict": "not reproduced", "holds": False})
        {'verdict': "not at the paper's scale", 'holds': None}
        >>> at_smaller_scale({"verdict": "reproduced", "holds": True})["verdict"]
        'reproduced'
    """
    changed = dict(entry)
    if entry["verdict"] == "not reproduced":
        changed |= {"verdict": SMALLER, "holds": None}

    for key in OTHERS:
        if key in entry:
            changed[key] = at_smaller_scale(entry[key])

    return changed


NOTHING = Part("nothing could be read at this scale", math.nan, None, None, 0)


def readable(part: Part) -> Part:
    """The part in Python's own numbers; where one is missing, a part that says so.

    Example:
        >>> readable(Part("a", math.nan, (math.nan, math.nan), False, 10)).said
        'a: cannot be read at this scale'
    """
    numbers = [part.measured]
    numbers += part.interval or ()
    if not all(math.isfinite(number) for number in numbers):
        name = f"{part.said}: cannot be read at this scale"
        return Part(name, math.nan, None, None, part.trials)

    # JSON knows no numbers of NumPy.
    interval = None
    if part.interval is not None:
        low, high = part.interval
        interval = (float(low), float(high))

    holds = None if part.holds is None else bool(part.holds)
    trials = int(part.trials)

    return Part(part.said, float(part.measured), interval, holds, trials)


def finite_or_none(value: float) -> float | None:
    """A number as JSON can hold it."""
    return value if math.isfinite(value) else None


def weakest(parts: Sequence[Part]) -> Part:
    """The part that stands for a claim: the first that no rule decides, else the weakest.

    Example:
        >>> parts = [Part("a", 1.0, (0.5, 1.5), True, 10), Part("b", 1.0, (0.1, 2.0), True, 10)]
        >>> weakest(parts).said
        'b'
    """
    for part in parts:
        if part.holds is None:
            return part
    return min(parts, key=_strength)


def _strength(part: Part) -> tuple[bool, float]:
    # What fails comes before what holds, then the interval whose lower end is relatively nearest to
    # 0.
    low = part.measured
    if part.interval is not None:
        low = part.interval[0]

    size = max(abs(part.measured), 1e-300)
    has_not_failed = part.holds is not False

    return has_not_failed, low / size


def resample(
    samples: Array, statistic: Callable[[Array], Array], confidence: float = 0.95
) -> tuple[float, Interval | None]:
    """A statistic of means over trials, and its bootstrap interval.

    There is no interval with fewer than `LEAST` trials, and neither interval nor value (NaN) where
    a sample could not be read.

    Intervals of few trials are too short. Of 3,000 drawings, those of 95 % contained the mean of a
    normal law in 85, 90 and 93 % with 5, 10 and 20 trials, and that of an exponential law in 78, 87
    and 90 %. Where a few trials in a hundred carry most of the sum, as with the paces of moslb2024,
    ten trials contain the truth in 77, 49 and 42 % of drawings: `studentised` with 100 trials or
    more is for those.

    Args:
        samples: (trials, k), what was read in each trial.
        statistic: from means (k, n) to (n,), one value per column.
        confidence: of the interval.

    Example:
        >>> value, (low, high) = resample(np.arange(5.0)[:, None], lambda means: means[0])
        >>> value, low < 2.0 < high
        (2.0, True)
    """
    trials = len(samples)
    if not np.isfinite(samples).all():
        return math.nan, None

    # Ratios to a mean of 0 are not finite; `readable` takes them for numbers that are missing.
    with np.errstate(divide="ignore", invalid="ignore"):
        means = samples.mean(axis=0)[:, None]
        # The mean itself, not that of the resamples, which chance has moved.
        value = float(statistic(means)[0])
        if trials < LEAST:
            return value, None

        drawn_means = counts(trials) @ samples / trials
        drawn = statistic(drawn_means.T)
        tail = (1.0 - confidence) / 2.0
        low, high = np.quantile(drawn, (tail, (1.0 + confidence) / 2.0))

    return value, (float(low), float(high))


def final(points: Array, values: Array) -> Array:  # noqa: ARG001 - one signature for all readings
    """The value at the last round."""
    return values[:, -1]


def growth(points: Array, values: Array) -> Array:
    """The growth in the last third of the rounds, per 1,000 rounds.

    NaN where only the end was recorded.
    """
    end = points[-1]
    start = int(np.searchsorted(points, end * 2 / 3))
    if start == len(points) - 1:
        return np.full(len(values), np.nan)

    last = values[:, -1]
    grown = last - values[:, start]
    rounds = float(end - points[start])
    per_thousand = grown / rounds * 1000.0

    return np.asarray(per_thousand)


def late_mean(points: Array, values: Array) -> Array:
    """The mean over the second half of the rounds."""
    is_late = points > points[-1] / 2
    means: Array = values[:, is_late].mean(axis=1)
    return means


def ordering(
    id: str,  # noqa: A002 - as in claims.json
    claim: str,
    metric: str,
    low: Sequence[str],
    high: Sequence[str],
    *,
    target: str = "",
    runs: Sequence[str] = (),
    components: Sequence[int] | None = (0,),
    reading: Reading = final,
    differs: str = "",
    note: str = "",
    kind: Kind = "paper",
) -> Claim:
    """The mean of every row in `low` is below that of every row in `high`.

    Args:
        id: of the claim.
        claim: a sentence.
        metric: that is compared.
        low: rows.
        high: rows.
        target: the paper's words; empty: "as claimed", or that the paper does not say it here.
        runs: which; none: all of the experiment's.
        components: of the metric; None: all.
        reading: how a curve becomes a number.
        differs: as in `Claim`.
        note: as in `Claim`.
        kind: as in `Claim`.
    """

    def parts(outcome: Outcome) -> list[Part]:
        places = runs or outcome.runs()
        several = len(places) > 1
        return [
            difference(outcome, run, metric, a, b, component, reading, several=several)
            for run, a, b in itertools.product(places, low, high)
            for component in _components(outcome, run, a, metric, components)
        ]

    rule = "the 95 % bootstrap interval of the difference of means is above 0"
    if len(low) * len(high) > 1:
        rule = f"each: {rule}"

    choice("kind", kind, get_args(Kind))
    shown_target = target or TARGETS[kind]

    return Claim(id, claim, shown_target, rule, parts, differs, note, kind)


def _components(
    outcome: Outcome, run: str, row: str, metric: str, components: Sequence[int] | None
) -> Sequence[int]:
    """The components to read of a metric; None: all that it has."""
    if components is not None:
        return components
    return outcome.components(run, row, metric)


def difference(
    outcome: Outcome,
    run: str,
    metric: str,
    a: str,
    b: str,
    component: int,
    reading: Reading,
    *,
    several: bool,
) -> Part:
    """Row b less row a, claimed to be above 0."""
    readings = []
    for row in (a, b):
        points, values = outcome.curves(run, row, metric, component)
        readings.append(reading(points, values))

    # Side by side, because both rows of a trial are drawn together.
    samples = np.stack(readings, axis=1)
    value, interval = resample(samples, lambda means: means[1] - means[0])
    name = f"{b} less {a}{_which(outcome, run, a, metric, component)}"
    if several:
        name += f", {run}"

    # Without an interval nothing is decided.
    holds = interval and interval[0] > 0.0

    return Part(name, value, interval, holds, len(samples))


def _which(outcome: Outcome, run: str, row: str, metric: str, component: int) -> str:
    """The end of a number's name that says which component it is of; empty where there is one."""
    if len(outcome.components(run, row, metric)) < 2:
        return ""
    return f", {component_name(metric)} {component + 1}"


def percentage(
    id: str,  # noqa: A002 - as in claims.json
    claim: str,
    metric: str,
    row: str,
    of: str,
    target: float,
    *,
    tolerance: float | None = None,
    run: str | None = None,
    component: int = 0,
    differs: str = "",
    note: str = "",
    kind: Kind = "paper",
    rule: str = "none: the set-up is not fully specified",
) -> Claim:
    """By how many per cent the mean of `row` is above that of the row `of`.

    Args:
        id: of the claim.
        claim: a sentence.
        metric: read at the last round.
        row: what is compared.
        of: with what.
        target: the paper's per cent.
        tolerance: in points, within which it counts as reproduced; None: it is reported.
        run: which; None: the first.
        component: of the metric.
        differs: as in `Claim`.
        note: as in `Claim`.
        kind: as in `Claim`.
        rule: why none decides, where there is no tolerance.
    """

    def parts(outcome: Outcome) -> list[Part]:
        place = run or outcome.runs()[0]
        ends = []
        for name in (row, of):
            points, values = outcome.curves(place, name, metric, component)
            ends.append(final(points, values))

        samples = np.stack(ends, axis=1)
        value, interval = resample(samples, lambda means: 100.0 * (means[0] / means[1] - 1.0))
        holds = None
        # The mean decides, not the interval: the papers print no spread to compare it with.
        if tolerance is not None and interval is not None:
            holds = abs(value - target) <= tolerance

        return [Part(f"{row} against {of}, %", value, interval, holds, len(samples))]

    if tolerance is not None:
        rule = (
            f"the mean is within {tolerance:g} points of the paper's; its interval may reach beyond"
        )

    return Claim(id, claim, f"{target:+g} %", rule, parts, differs, note, kind)


def level(
    id: str,  # noqa: A002 - as in claims.json
    claim: str,
    metric: str,
    rows: Sequence[str],
    *,
    target: str,
    runs: Sequence[str] = (),
    components: Sequence[int] | None = (0,),
    reading: Reading = final,
    within: Interval | None = None,
    differs: str = "",
    note: str = "",
    kind: Kind = "paper",
) -> Claim:
    """The mean of each row, which lies within two numbers, or is only reported.

    Args:
        id: of the claim.
        claim: a sentence.
        metric: that is read.
        rows: of which.
        target: the paper's number or words.
        runs: which; none: all of the experiment's.
        components: of the metric; None: all.
        reading: how a curve becomes a number.
        within: the whole interval must lie between these; None: reported.
        differs: as in `Claim`.
        note: as in `Claim`.
        kind: as in `Claim`.
    """

    def parts(outcome: Outcome) -> list[Part]:
        places = runs or outcome.runs()
        numbers = []
        for run, row in itertools.product(places, rows):
            end_of_name = f", {run}" if len(places) > 1 else ""
            for component in _components(outcome, run, row, metric, components):
                points, values = outcome.curves(run, row, metric, component)
                samples = reading(points, values)[:, None]
                value, interval = resample(samples, lambda means: means[0])
                holds = None
                if within is not None and interval is not None:
                    holds = within[0] <= interval[0] and interval[1] <= within[1]

                name = f"{row}{_which(outcome, run, row, metric, component)}{end_of_name}"
                numbers.append(Part(name, value, interval, holds, len(samples)))

        return numbers

    rule = "none: reported"
    if within is not None:
        rule = f"the 95 % bootstrap interval lies in [{within[0]:g}, {within[1]:g}]"

    return Claim(id, claim, target, rule, parts, differs, note, kind)
