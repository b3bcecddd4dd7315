"""Comparisons in sentences."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

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


def comparison_sentences(
    metric: str,
    better: Better,
    baseline: str | None,
    table: pl.DataFrame,
    best: pl.DataFrame,
    ranks: pl.DataFrame,
) -> list[str]:
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
        sentences.append(ranks_sentence(subject, group))

    keys = [key for key in ("experiment", "environment", "component") if key in table.columns]
    groups = table.partition_by(keys, maintain_order=True)
    for i, group in enumerate(groups):
        rows = group.rows(named=True)
        subject = subject_of(metric, rows[0], several=several)
        if baseline is None:
            sentences.append(best_sentence(subject, better, best.row(i, named=True), rows))
        else:
            sentences.append(baseline_sentence(subject, better, rows))

    return sentences


def subject_of(metric: str, row: Row, *, several: bool) -> str:
    """What a sentence is about: the metric, its component and the problem.

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
    """Who is best; or that it cannot be told, and how many trials would tell.

    Args:
        subject: what it is about.
        better: which values are better.
        best: a row of `Comparison.best`.
        rows: of `Comparison.table`, with the same problem and component.
    """
    equal = [row["policy"] for row in rows if is_equal(row)]
    if best["trials"] == 1:
        clause = one_trial_clause(best, SUPERLATIVE[better])
    elif best["sure"]:
        clause = sure_clause(better, best, rows)
    elif equal:
        verb = "has" if len(equal) == 1 else "have"
        trials = quantity(best["trials"], "trial")
        same = f"{names_text(equal)} {verb} the same value in every one of {trials}"
        clause = f"{best['policy']} has the {SUPERLATIVE[better]} mean, but {same}"
    elif best["trials"] < LEAST_TRIALS:
        clause = few_trials_clause(better, best, rows)
    else:
        clause = undecided_clause(better, best, rows)

    return f"{subject}: {clause}."


def few_trials_clause(better: Better, best: Row, rows: Sequence[Row]) -> str:
    """Clause on the best mean of trials that are too few for the test to reject at all.

    Args:
        better: which values are better.
        best: as in `best_sentence`.
        rows: as in `best_sentence`.
    """
    next_row = nearest(rows)
    gap, interval = advantage(next_row, better)
    ahead = f"{gap} {COMPARATIVE[better]} than that of {next_row['policy']}"
    seen = f"{best['policy']} has the {SUPERLATIVE[better]} mean, {ahead} ({interval})"

    return f"{seen}, but {too_few_text(best['trials'])}. {needed_text(best)}"


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


def one_trial_clause(best: Row, superlative: str) -> str:
    """What a single trial says, which is nothing of chance."""
    least = f"{LEAST_TRIALS} trials are the least that can tell"
    return f"{best['policy']} has the {superlative} value, but one trial cannot tell; {least}"


def sure_clause(better: Better, best: Row, rows: Sequence[Row]) -> str:
    """Who is best, by how much, and how sure.

    Args:
        better: which values are better.
        best: as in `best_sentence`.
        rows: as in `best_sentence`.
    """
    policy = best["policy"]
    next_row = nearest(rows)
    next_policy = next_row["policy"]
    gap, interval = advantage(next_row, better)
    ahead = f"its mean is {gap} {COMPARATIVE[better]}"
    trials = quantity(best["trials"], "trial")
    chance = f"({interval}, {p_text(best['p_value'])}, {trials})"
    if len(rows) == 1:
        return f"{policy} is better than {next_policy}: {ahead} {chance}"

    # No row is about the best policy itself.
    policies = len(rows) + 1
    start = f"{policy} is best of {policies} policies"
    return f"{start}: {ahead} than that of {next_policy}, the next {chance}"


def undecided_clause(better: Better, best: Row, rows: Sequence[Row]) -> str:
    """Of which policies it cannot be told, what was seen, and how many trials would tell.

    Args:
        better: which values are better.
        best: as in `best_sentence`.
        rows: as in `best_sentence`.
    """
    policy = best["policy"]
    next_row = nearest(rows)
    next_policy = next_row["policy"]
    gap, interval = advantage(next_row, better)
    trials = quantity(best["trials"], "trial")
    others = names_text(best["undecided"])
    question = f"{trials} do not tell whether {policy} is better than {others}"
    ahead = f"{gap} {COMPARATIVE[better]} than that of {next_policy}"
    seen = f"its mean is the {SUPERLATIVE[better]}, {ahead} ({interval})"

    return f"{question}; {seen}. {needed_text(best)}"


def nearest(rows: Sequence[Row]) -> Row:
    """The policy whose mean is next to that of the best."""
    return min(rows, key=lambda row: abs(row["difference"]))


def advantage(row: Row, better: Better) -> tuple[str, str]:
    """How far the best is ahead of a policy, and the interval of that, as texts.

    Args:
        row: of `Comparison.table`.
        better: which values are better.
    """
    ends = (row["low"], row["high"])
    if better == "larger":
        ends = (-row["high"], -row["low"])

    size = max(abs(ends[0]), abs(ends[1]), abs(row["difference"]))
    digits = digits_after_point(size or 1.0, DIGITS)
    gap = format_number(abs(row["difference"]), digits)
    low = format_number(ends[0], digits)
    high = format_number(ends[1], digits)

    return gap, f"95 % interval {low} to {high}"


def is_equal(row: Row) -> bool:
    """Whether two policies have the same value in every trial."""
    ends = (row["low"], row["difference"], row["high"])
    return ends == (0.0, 0.0, 0.0)


def needed_text(best: Row) -> str:
    """How many trials would tell.

    Example:
        >>> needed_text({"trials": 5, "trials_needed": 12.0})
        'If the differences are as large as they look, 12 trials would tell in 80 % of cases'
    """
    needed = best["trials_needed"]
    condition = "If the differences are as large as they look"
    if needed > MOST_TRIALS:
        return f"{condition}, it would take more than {MOST_TRIALS:,} trials to tell"

    # Infinity is above, so that this is a whole number.
    return f"{condition}, {math.ceil(needed):,} trials would tell in 80 % of cases"


def baseline_sentence(subject: str, better: Better, rows: Sequence[Row]) -> str:
    """Which policies are better or worse than a baseline, and of which it cannot be told.

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
    """Who has the best average rank over several environments, and how sure that is.

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
        start = f"average ranks do not tell the policies apart ({chance})"
        return f"{place}: {start}; {best['policy']} has the best, {rank}."

    worse: list[str] = []
    unsure: list[str] = []
    for row in rows[1:]:
        is_apart = row["rank"] - best["rank"] > row["critical_difference"]
        (worse if is_apart else unsure).append(row["policy"])

    clauses = []
    if worse:
        clauses.append(f"surely better than {names_text(worse)}")
    if unsure:
        clauses.append(f"not surely better than {names_text(unsure)}")

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
