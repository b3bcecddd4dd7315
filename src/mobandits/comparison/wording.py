"""Comparisons in sentences."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from mobandits.figures.formatting import (
    SUPERLATIVE,
    component_name,
    digits_after_point,
    format_number,
    join_words,
    p_text,
    title_of,
)
from mobandits.metrics.metric import Better
from mobandits.statistics.signed_rank import LEAST_TRIALS, SIGNIFICANCE, smallest_p_value
from mobandits.support.naming import quantity

DIGITS = 3  # of the larger end of an interval
COMPARATIVE = {"smaller": "lower", "larger": "higher"}
MOST_NAMES = 4  # in a list; more would bury the sentence
MOST_TRIALS = 10_000  # nobody plays more of them: the sentence says so, and no number
Row = Mapping[str, Any]


class Sentence(NamedTuple):
    """A sentence of a comparison.

    Attributes:
        text: it.
        is_sure: whether it says that a difference is sure; else, that none of its differences is.
    """

    text: str
    is_sure: bool


def comparison_sentences(
    metric: str,
    better: Better,
    baseline: str | None,
    table: pl.DataFrame,
    best: pl.DataFrame,
    ranks: pl.DataFrame,
) -> list[Sentence]:
    """The sentences of a comparison, those over several environments first.

    Args:
        metric: its name.
        better: which values are better.
        baseline: a policy, or None for the best one.
        table: as in `Comparison`.
        best: as in `Comparison`.
        ranks: as in `Comparison`.
    """
    several = table["component"].n_unique() > 1
    sentences = []
    for group in ranks.partition_by("component", maintain_order=True):
        subject = subject_of(metric, group.row(0, named=True), several=several)
        is_sure = group["p_value"][0] <= SIGNIFICANCE
        sentences.append(Sentence(ranks_sentence(subject, group), is_sure))

    keys = [key for key in ("experiment", "environment", "component") if key in table.columns]
    groups = table.partition_by(keys, maintain_order=True)
    for i, group in enumerate(groups):
        rows = group.rows(named=True)
        subject = subject_of(metric, rows[0], several=several)
        if baseline is None:
            best_row = best.row(i, named=True)
            text = best_sentence(subject, better, best_row, rows)
            sentences.append(Sentence(text, best_row["sure"]))
        else:
            is_sure = any(row["sure"] for row in rows)
            sentences.append(Sentence(baseline_sentence(subject, better, rows), is_sure))

    return sentences


def subject_of(metric: str, row: Row, *, several: bool) -> str:
    """The subject of a sentence: the metric, its component and the problem.

    Args:
        metric: its name.
        row: with `component`, and `experiment` and `environment` where there are several.
        several: whether there are several components.

    Example:
        >>> subject_of("reward", {"component": 1, "environment": "Linear()"}, several=True)
        'Reward, objective 1, in Linear()'
    """
    parts = [title_of(metric)]
    if several:
        parts.append(f"{component_name(metric)} {row['component']}")
    if "environment" in row:
        parts.append(f"in {row['environment']}")
    if "experiment" in row:
        parts.append(f"of {row['experiment']}")

    return ", ".join(parts)


def best_sentence(subject: str, better: Better, best: Row, rows: Sequence[Row]) -> str:
    """Sentence on the best policy, or on the trials needed to find it.

    Args:
        subject: what it is about.
        better: which values are better.
        best: a row of `Comparison.best`.
        rows: of `Comparison.table`, with the same problem and component.
    """
    equal = [row["policy"] for row in rows if is_equal(row)]
    if best["trials"] == 1:
        least = f"{LEAST_TRIALS} trials are the least that can tell"
        value = f"{best['policy']} has the {SUPERLATIVE[better]} value"
        clause = f"{value}, but one trial cannot tell; {least}"
    elif best["sure"]:
        clause = sure_clause(better, best, rows)
    elif equal:
        verb = "has" if len(equal) == 1 else "have"
        trials = quantity(best["trials"], "trial")
        same = f"{names_text(equal)} {verb} the same value in every one of {trials}"
        clause = f"{best['policy']} has the {SUPERLATIVE[better]} mean, but {same}"
    elif best["trials"] < LEAST_TRIALS:
        # So few that the test cannot reject at all.
        seen = seen_text(better, best, rows)
        clause = f"{seen}, but {too_few_text(best['trials'])}. {needed_text(best)}"
    else:
        clause = undecided_clause(better, best, rows)

    return f"{subject}: {clause}."


def seen_text(better: Better, best: Row, rows: Sequence[Row]) -> str:
    """Clause on the best mean, and how far it is ahead; the arguments are as in `best_sentence`."""
    lead = lead_of(rows, better)
    ahead = f"{lead.gap} than that of {lead.over} ({lead.interval})"
    return f"{best['policy']} has the {SUPERLATIVE[better]} mean, {ahead}"


def too_few_text(trials: int) -> str:
    """Clause that says why few trials cannot tell.

    The smallest two-sided p-value of the exact signed-rank test of n pairs is 2 / 2^n.

    Example:
        >>> too_few_text(5)
        'the signed-rank test of 5 trials cannot give less than p = 0.062; 6 trials are the least'
    """
    smallest = p_text(smallest_p_value(trials))
    test = f"the signed-rank test of {quantity(trials, 'trial')} cannot give less than {smallest}"
    return f"{test}; {LEAST_TRIALS} trials are the least"


def sure_clause(better: Better, best: Row, rows: Sequence[Row]) -> str:
    """Clause on the best policy, its lead and its p-value.

    Args:
        better: which values are better.
        best: as in `best_sentence`.
        rows: as in `best_sentence`.
    """
    policy = best["policy"]
    lead = lead_of(rows, better)
    ahead = f"its mean is {lead.gap}"
    trials = quantity(best["trials"], "trial")
    chance = f"({lead.interval}, {p_text(best['p_value'])}, {trials})"
    if len(rows) == 1:
        return f"{policy} is better than {lead.over}: {ahead} {chance}"

    # No row is about the best policy itself.
    policies = len(rows) + 1
    start = f"{policy} is best of {policies} policies"
    return f"{start}: {ahead} than that of {lead.over}, the next {chance}"


def undecided_clause(better: Better, best: Row, rows: Sequence[Row]) -> str:
    """Clause on undecided policies: observed difference, trials needed.

    Args:
        better: which values are better.
        best: as in `best_sentence`.
        rows: as in `best_sentence`.
    """
    trials = quantity(best["trials"], "trial")
    others = names_text(best["undecided"])
    seen = seen_text(better, best, rows)
    unsure = f"after {trials} it is not significantly better than {others}"

    return f"{seen}, but {unsure}. {needed_text(best)}"


class Lead(NamedTuple):
    """The lead of the best policy over the one whose mean is next, as texts.

    Attributes:
        over: the name of the next one.
        gap: how much lower or higher the mean of the best is.
        interval: of the gap.
    """

    over: str
    gap: str
    interval: str


def lead_of(rows: Sequence[Row], better: Better) -> Lead:
    """The lead of the best policy, with as many digits as its interval needs.

    Args:
        rows: of `Comparison.table`, with the same problem and component.
        better: which values are better.
    """
    row = min(rows, key=lambda row: abs(row["difference"]))
    ends = (row["low"], row["high"])
    if better == "larger":
        ends = (-row["high"], -row["low"])

    size = max(abs(ends[0]), abs(ends[1]), abs(row["difference"]))
    digits = digits_after_point(size or 1.0, DIGITS)
    gap = format_number(abs(row["difference"]), digits)
    low, high = (format_number(end, digits) for end in ends)

    return Lead(
        over=row["policy"],
        gap=f"{gap} {COMPARATIVE[better]}",
        interval=f"95 % interval {low} to {high}",
    )


def is_equal(row: Row) -> bool:
    """Whether two policies have the same value in every trial."""
    ends = (row["low"], row["difference"], row["high"])
    return ends == (0.0, 0.0, 0.0)


def needed_text(best: Row) -> str:
    """Clause on the number of trials that would tell.

    Example:
        >>> needed_text({"trials": 5, "trials_needed": 12.0})
        'If the differences are as large as they look, 12 trials would show it in 80 % of cases'
    """
    needed = best["trials_needed"]
    condition = "If the differences are as large as they look"
    if needed > MOST_TRIALS:
        return f"{condition}, it would take more than {MOST_TRIALS:,} trials to show it"

    # Infinity is above, so that this is a whole number.
    return f"{condition}, {math.ceil(needed):,} trials would show it in 80 % of cases"


def baseline_sentence(subject: str, better: Better, rows: Sequence[Row]) -> str:
    """Sentence on the policies that are better or worse than a baseline, and the undecided ones.

    Args:
        subject: what it is about.
        better: which values are better.
        rows: of `Comparison.table`, with the same problem and component.
    """
    sides: dict[str, list[str]] = {"better": [], "worse": [], "unsure": []}
    for row in rows:
        is_smaller = row["difference"] < 0.0
        side = "better" if is_smaller == (better == "smaller") else "worse"
        sides[side if row["sure"] else "unsure"].append(row["policy"])

    clauses = []
    for side in ("better", "worse"):
        if sides[side]:
            verb = "is" if len(sides[side]) == 1 else "are"
            clauses.append(f"{names_text(sides[side])} {verb} {side} than {rows[0]['baseline']}")
    if sides["unsure"]:
        clauses.append(f"{names_text(sides['unsure'])} cannot be told from {rows[0]['baseline']}")

    number = rows[0]["trials"]
    if number < LEAST_TRIALS:
        clauses.append(too_few_text(number))

    trials = quantity(number, "trial")
    correction = f"{trials}, 5 % for all together"

    return f"{subject}: {'; '.join(clauses)} ({correction})."


def ranks_sentence(subject: str, ranks: pl.DataFrame) -> str:
    """Sentence on the best average rank over several environments, with Friedman's test.

    Args:
        subject: what it is about.
        ranks: rows of `Comparison.ranks` of one component.
    """
    rows = ranks.rows(named=True)
    best = rows[0]
    place = f"{subject}, over {quantity(best['problems'], 'environment')}"
    rank = f"{best['rank']:.3g} of {len(rows)}"
    chance = f"Friedman's test: {p_text(best['p_value'])}"
    if best["p_value"] > SIGNIFICANCE:
        start = f"average ranks do not differ significantly ({chance})"
        return f"{place}: {start}; {best['policy']} has the best, {rank}."

    worse: list[str] = []
    unsure: list[str] = []
    for row in rows[1:]:
        is_apart = row["rank"] - best["rank"] > row["critical_difference"]
        (worse if is_apart else unsure).append(row["policy"])

    clauses = []
    if worse:
        clauses.append(f"significantly better than {names_text(worse)}")
    if unsure:
        clauses.append(f"not significantly better than {names_text(unsure)}")

    critical = f"critical difference {best['critical_difference']:.3g}"
    start = f"{best['policy']} has the best average rank, {rank} ({chance})"

    return f"{place}: {start}. It is {' and '.join(clauses)} ({critical})."


def names_text(names: Sequence[str]) -> str:
    """Names in a sentence, of which many are counted.

    Example:
        >>> names_text(["a", "b"]), names_text(list("abcdef"))
        ('a and b', 'a, b, c and 3 others')
    """
    if len(names) <= MOST_NAMES:
        return join_words(names)

    named = names[: MOST_NAMES - 1]
    return join_words([*named, f"{len(names) - len(named)} others"])
