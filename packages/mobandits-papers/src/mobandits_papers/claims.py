"""Statements about results, judged by a rule, an interval and a number of trials: never by hand.

An ordering is reproduced where the interval of the difference of means excludes 0 on the right
side; a number, where it lies within the tolerance of the paper's. What has no rule is reported, and
so is what rests on fewer than five trials, and what cannot be read, as at scales that are too small
for it.

Only the paper's own claims have verdicts. A claim of another kind is judged by its rule too, and
what the rule gave is shown as `holds`, but its verdict is "reported", so that no count of
reproduced claims contains it, nor does its row repeat words that the paper does not have.
"""

import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, get_args

import numpy as np

from mobandits.support.checks import choice
from mobandits_papers.contents import ClaimKind, Verdict
from mobandits_papers.numbers import (
    Interval,
    Part,
    Parts,
    Reading,
    Rule,
    above,
    at_most,
    below,
    difference,
    difference_of_means,
    final,
    final_pair,
    final_values,
    inside,
    mean_part,
    near,
    only_mean,
    percent_above,
    ratio_of_means,
    resampled_part,
    where,
)
from mobandits_papers.outcome import Outcome

SECOND = ("measured", "interval", "verdict", "kind", "holds", "of")  # shown of a second judgement
Kind = ClaimKind
Entry = dict[str, Any]  # a `contents.ClaimEntry` in the making
Revise = Callable[[Entry, Outcome], Entry]
# What an ordering shows as the paper's words where it is given none.
TARGETS: dict[Kind, str] = {
    "paper": "as claimed",
    "extension": "said of another figure",
    "ours": "not in the paper",
    "stand-in": "said of other data",
    "check": "follows from the definitions",
}


@dataclass(frozen=True)
class Claim:
    """A statement of a paper, and how to judge it.

    Args:
        id: "paper/name/what".
        claim: a sentence.
        target: the paper's number or ordering; empty: that of its kind.
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
        revise: what else the results say of the claim: the keys of its entry that it changes, from
            the entry and the results; None: nothing.
        chosen_only: whether it is read from rows of chosen constants alone, whatever others would
            be best.

    Raises:
        ValueError: where the kind is unknown.
    """

    id: str
    claim: str
    target: str
    rule: str
    parts: Parts
    differs: str = ""
    note: str = ""
    kind: Kind = "paper"
    revise: Revise | None = None
    chosen_only: bool = False

    def __post_init__(self) -> None:
        choice("kind", self.kind, get_args(Kind))
        if not self.target:
            object.__setattr__(self, "target", TARGETS[self.kind])

    @property
    def what(self) -> str:
        """The end of the ID, after that of its experiment."""
        return self.id.rpartition("/")[2]

    def judge(self, outcome: Outcome) -> Entry:
        """The claim's entry in claims.json, a `contents.ClaimEntry`."""
        # A claim without numbers, as at tiny scales, is reported like one that cannot be read.
        parts = [readable(part) for part in self.parts(outcome)] or [NOTHING]
        ruled = verdict(parts)
        entries = [_part_entry(part) for part in parts]
        shown = entries[parts.index(weakest(parts))]
        entry = {
            "id": self.id,
            "claim": self.claim,
            "target": self.target,
            "measured": shown["measured"],
            "interval": shown["interval"],
            "verdict": ruled if self.kind == "paper" else "reported",
            "kind": self.kind,
            "holds": HOLDS[ruled],
            "of": shown["said"],
            "rule": self.rule,
            "trials": min(part.trials for part in parts),
            "differs": self.differs,
            "note": self.note,
            "parts": entries,
        }
        if self.revise is None:
            return entry

        return entry | self.revise(entry, outcome)


def _part_entry(part: Part) -> Entry:
    """A `contents.PartEntry`: JSON has neither tuples nor NaN."""
    measured = part.measured if math.isfinite(part.measured) else None
    interval = part.interval and list(part.interval)
    return part._asdict() | {"measured": measured, "interval": interval}


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


def at_smaller_scale(entry: Entry) -> Entry:
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


def noted(sentence: Callable[[Outcome], str]) -> Revise:
    """A sentence that results add to the note of a claim; empty: none."""

    def revise(entry: Entry, outcome: Outcome) -> Entry:
        added = sentence(outcome)
        note = f"{entry['note']} {added}"
        return {"note": note.strip()}

    return revise


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

    return Part(part.said, float(part.measured), interval, holds, int(part.trials))


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
        low, _ = part.interval

    size = max(abs(part.measured), 1e-300)
    return part.holds is not False, low / size


# An argument that all kinds of comparisons have: `differs`, `note` and `kind` of `Claim`.
Texts = Any


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
    **texts: Texts,
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
        texts: `differs`, `note` and `kind` of `Claim`.
    """

    def one(outcome: Outcome, run: str, rows: tuple[str, str], component: int) -> Part:
        worse, better = rows
        return difference(outcome, run, metric, worse, better, component, reading)

    rule = "the 95 % bootstrap interval of the difference of means is above 0"
    pairs = list(itertools.product(low, high))
    if len(pairs) > 1:
        rule = f"each: {rule}"

    parts = _of_runs(one, runs, pairs, components, lambda pair: pair[0], metric)

    return Claim(id, claim, target, rule, parts, **texts)


def _of_runs(
    one: Callable[[Outcome, str, Any, int], Part],
    runs: Sequence[str],
    things: Sequence[Any],
    components: Sequence[int] | None,
    row_of: Callable[[Any], str],
    metric: str,
) -> Parts:
    """A number per run, thing that is read, and component of its metric; None: all of them."""

    def parts(outcome: Outcome) -> list[Part]:
        places = runs or outcome.runs()
        numbers = []
        for run, thing in itertools.product(places, things):
            all_components = outcome.components(run, row_of(thing), metric)
            for component in all_components if components is None else components:
                part = one(outcome, run, thing, component)
                end = f", {run}" if len(places) > 1 else ""
                numbers.append(part._replace(said=part.said + end))

        return numbers

    return parts


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
    **texts: Texts,
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
        texts: `differs`, `note` and `kind` of `Claim`.
    """
    rule = "none: reported"
    limits = None
    if within is not None:
        limits = inside(*within)
        rule = f"the 95 % bootstrap interval lies in [{within[0]:g}, {within[1]:g}]"

    def one(outcome: Outcome, run: str, row: str, component: int) -> Part:
        points, curves = outcome.curves(run, row, metric, component)
        values = reading(points, curves)
        end = where(outcome, run, row, metric, component)
        return mean_part(f"{row}{end}", values, limits)

    parts = _of_runs(one, runs, rows, components, str, metric)

    return Claim(id, claim, target, rule, parts, **texts)


def percentage(
    id: str,  # noqa: A002 - as in claims.json
    claim: str,
    metric: str,
    row: str,
    of: str,
    percent: float,
    *,
    tolerance: float | None = None,
    component: int = 0,
    rule: str = "none: the set-up is not fully specified",
    **texts: Texts,
) -> Claim:
    """By how many per cent the mean of `row` is above that of the row `of`, at the last round.

    Args:
        id: of the claim.
        claim: a sentence.
        metric: read in the first run.
        row: what is compared.
        of: with what.
        percent: the paper's.
        tolerance: in points, within which it counts as reproduced; None: it is reported.
        component: of the metric.
        rule: why none decides, where there is no tolerance.
        texts: `differs`, `note` and `kind` of `Claim`.
    """

    def parts(outcome: Outcome) -> list[Part]:
        samples = final_pair(outcome, row, of, metric, component)
        part = resampled_part(f"{row} against {of}, %", samples, percent_above)
        if tolerance is None:
            return [part]

        return [near(part, percent, tolerance)]

    if tolerance is not None:
        rule = (
            f"the mean is within {tolerance:g} points of the paper's; its interval may reach beyond"
        )

    return Claim(id, claim, f"{percent:+g} %", rule, parts, **texts)


def in_order(
    order: Sequence[Sequence[str]], metric: str, component: int = 0, **texts: Texts
) -> Claim:
    """Groups of rows from the highest to the lowest mean, in the first run.

    Every row of a group is above every row of the next group.

    Args:
        order: the groups.
        metric: that is compared.
        component: of the metric.
        texts: the other arguments of `Claim`.
    """

    def parts(outcome: Outcome) -> list[Part]:
        run = outcome.runs()[0]
        # Neighbouring groups imply all others, and a test of each pair would fail more often.
        return [
            difference(outcome, run, metric, low, high, component)
            for higher, lower in itertools.pairwise(order)
            for high in higher
            for low in lower
        ]

    return Claim(parts=parts, **texts)


STATISTICS = {
    "mean": only_mean,
    "ratio": ratio_of_means,
    "difference": difference_of_means,
    "percent": percent_above,
}
RULES: dict[str, Callable[[float], Rule]] = {
    each.__name__: each for each in (above, at_most, below)
}


def listed(
    numbers: Sequence[Mapping[str, Any]],
    metric: str,
    statistic: str,
    *,
    reading: Reading = final,
    keeps: Mapping[str, float] = MappingProxyType({}),
    tolerance: float = math.nan,
    **texts: Texts,
) -> Claim:
    """Statistics of what is read of some rows, each with a name of its own.

    Args:
        numbers: tables of `said`, the name; `of`, tables of the row that is read, and where it is
            not the first, of its component and its run; and `papers`, the paper's number, where
            one decides.
        metric: that is read.
        statistic: of the means of what is read, one of `STATISTICS`.
        reading: how a curve becomes a number.
        keeps: {one of `RULES`: the limit that every interval keeps to}.
        tolerance: within which a number is as the paper's.
        texts: the other arguments of `Claim`.
    """
    rules: list[Rule | None] = [RULES[name](limit) for name, limit in keeps.items()]
    (rule,) = rules or [None]

    def one(
        outcome: Outcome, said: str, of: Sequence[Mapping[str, Any]], papers: float | None = None
    ) -> Part:
        values = [final_values(outcome, metric=metric, reading=reading, **place) for place in of]
        samples = np.stack(values, axis=1)
        part = resampled_part(said, samples, STATISTICS[statistic], rule)
        return part if papers is None else near(part, papers, tolerance)

    def parts(outcome: Outcome) -> list[Part]:
        return [one(outcome, **number) for number in numbers]

    return Claim(parts=parts, **texts)
