"""Paired comparison: differences with intervals, tests, and who is best.

Symbols: x_{t,a} is the metric of policy a in trial t, d_t = x_{t,a} - x_{t,b} the paired difference
of policies a and b.

Who is best. The policy with the best mean was chosen by the same trials that test it, so one
p-value against one other policy proves too much. "a is best" is said only where a is better than
every other policy, each by a two-sided signed-rank test at 5 % and by a 95 % interval without 0.
All of them have to speak for it, so that their number needs no correction; and the two sides of a
test pay for the choice, since of two equal policies either may look better.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import polars as pl

from mobandits.comparison.comparison import Comparison
from mobandits.comparison.pairing import PROBLEM, PairedValues, paired_values
from mobandits.comparison.pairs import Pair, other_pairs, pairs_against, wilson_interval
from mobandits.contracts.protocols import Array
from mobandits.metrics.metric import Better
from mobandits.metrics.traits import traits_of
from mobandits.statistics.friedman import friedman
from mobandits.statistics.signed_rank import holm, midranks
from mobandits.support.checks import choice
from mobandits.support.naming import quoted

COMPARED: dict[str, Any] = {
    "experiment": pl.String,
    "environment": pl.String,
    "component": pl.Int64,
}
TABLE: dict[str, Any] = {
    **COMPARED,
    "policy": pl.String,
    "baseline": pl.String,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "p_value": pl.Float64,
    "p_holm": pl.Float64,
    "sure": pl.Boolean,
    "improvement": pl.Float64,
    "improvement_low": pl.Float64,
    "improvement_high": pl.Float64,
    "trials": pl.Int64,
}
Row = dict[str, Any]
BEST: dict[str, Any] = {
    **COMPARED,
    "policy": pl.String,
    "p_value": pl.Float64,
    "sure": pl.Boolean,
    "undecided": pl.List(pl.String),
    "trials": pl.Int64,
    "trials_needed": pl.Float64,
}
RANKING: dict[str, Any] = {
    **COMPARED,
    "rank": pl.Int64,
    "policy": pl.String,
    "mean": pl.Float64,
    "mean_rank": pl.Float64,
    "better_than": pl.List(pl.String),
    "trials": pl.Int64,
}
RANKS: dict[str, Any] = {
    "component": pl.Int64,
    "policy": pl.String,
    "rank": pl.Float64,
    "problems": pl.Int64,
    "p_value": pl.Float64,
    "critical_difference": pl.Float64,
}


def compare(
    table: pl.DataFrame,
    baseline: str | None = None,
    metric: str | None = None,
    *,
    better: Better | None = None,
) -> Comparison:
    """Compare policies by their paired differences at the last round.

    For every experiment, environment and component of the metric, and every policy but the
    baseline:

    - the mean of d_t with its 95 % interval, by the studentised bootstrap over trials (with fewer
      than 10 trials, and with more than 2,000, by Student's t);
    - the p-value of Wilcoxon's signed-rank test, exact up to 50 differences, with ties too; zeros
      are left out, and it is 1 where all differences are zero;
    - that p-value with Holm's correction, within the experiment, environment and component: for the
      policies against a given baseline, and for all pairs of policies where the baseline is chosen;
    - the probability of improvement P(better) + P(equal) / 2 in a trial, with Wilson's interval.

    A difference is sure where the corrected p-value is at most 0.05 and the interval is on the same
    side of 0 as the ranks.

    Without a baseline it is the policy with the best mean, of equal ones the first. It is called
    best only where it is better than every other one: each two-sided p-value is at most 0.05
    without correction, and each interval is on the same side of 0 as the ranks. Of policies that
    are all equal, one is called best in at most 5 % of cases. The page "Compare policies" has
    measured rates, and the reasons.

    Over several environments, policies are ranked by their means in each, and Friedman's test with
    Nemenyi's critical difference compares their average ranks.

    Args:
        table: rows as `simulate` records them. The policies of a trial must have played the same
            rounds, as they do there.
        baseline: a policy; None: the one with the best mean.
        metric: its name; None: the only one of the table.
        better: which values are better, "smaller" or "larger"; needed for a metric that this
            library does not know.

    Raises:
        ValueError: where a name is unknown, there is one policy only, the policies of a problem
            do not have the same trials and last round, or a value is missing or not finite.

    Reference:
        Efron and Tibshirani, An Introduction to the Bootstrap, 1993, section 12.5. Wilcoxon, 1945.
        Holm, 1979. Agarwal et al., "Deep reinforcement learning at the edge of the statistical
        precipice", NeurIPS 2021: the probability of improvement, there of unpaired runs. Berger,
        "Multiparameter hypothesis testing and acceptance sampling", Technometrics 24(4), 1982: no
        correction where all tests must reject. Gutmann and Maymin, "Is the selected population the
        best?", Annals of Statistics 15(1), 1987, and Hung and Fithian, "Rank verification for
        exponential families", Annals of Statistics 47(2), 2019: two sides pay for the choice.
        Demsar, JMLR 7, 2006: several environments.
    """
    name = _metric_name(table, metric)
    direction = _direction(name, better)
    all_values = paired_values(table, name)
    if baseline is not None:
        choice("baseline", baseline, all_values[0].policies)

    rows: list[Row] = []
    best_rows: list[Row] = []
    ranking: list[Row] = []
    for values in all_values:
        reference = _reference(values, baseline, direction)
        pairs = pairs_against(values.values, reference, direction)
        others = other_pairs(values.values, reference, direction) if baseline is None else []
        corrected = holm(np.array([pair.test.p_value for pair in [*pairs, *others]]))
        own_rows = _table_rows(values, reference, pairs, corrected)
        if baseline is None:
            best = _best_row(values, reference, pairs)
            best_rows.append(best)
            # "Better than every other one" says of each that it is worse.
            for row in own_rows:
                row["sure"] = row["sure"] or best["sure"]

        rows += own_rows
        shown = [pair for pair, row in zip(pairs, own_rows, strict=True) if row["sure"]]
        for pair, p_holm in zip(others, corrected[len(pairs) :], strict=True):
            if pair.is_shown(p_holm):
                shown.append(pair)

        ranking += _ranking_rows(values, shown, direction)

    return Comparison(
        metric=name,
        better=direction,
        baseline=baseline,
        table=_without_single(pl.DataFrame(rows, TABLE)),
        best=_without_single(pl.DataFrame(best_rows, BEST)),
        ranking=_without_single(pl.DataFrame(ranking, RANKING)),
        ranks=average_ranks(all_values, direction),
    )


def _metric_name(table: pl.DataFrame, metric: str | None) -> str:
    names = table["metric"].unique(maintain_order=True).to_list()
    if metric is None and len(names) == 1:
        return str(names[0])
    if metric is None:
        raise ValueError(f"metric must name one of {quoted(names)}, got none")

    choice("metric", metric, names)
    return metric


def _direction(metric: str, better: Better | None) -> Better:
    if better is not None:
        choice("better", better, ("smaller", "larger"))
        return better

    known = traits_of(metric).better
    if known is None:
        rule = f'better must be "smaller" or "larger" for the metric {quoted(metric)}'
        advice = 'write better = "smaller" or "larger" in its class, or give it here'
        raise ValueError(f"{rule}, which does not say it, got none: {advice}")

    return known


def _reference(values: PairedValues, baseline: str | None, better: Better) -> int:
    """The number of the baseline."""
    if baseline is not None:
        return values.policies.index(baseline)

    means = values.values.mean(axis=0)
    place = np.argmin(means) if better == "smaller" else np.argmax(means)
    return int(place)


def _table_rows(
    values: PairedValues, reference: int, pairs: Sequence[Pair], corrected: Array
) -> list[Row]:
    """The rows of one problem and component.

    Args:
        values: of the policies.
        reference: the number of the baseline.
        pairs: every other policy against it.
        corrected: their p-values after Holm's correction, and maybe more behind them.
    """
    trials = len(values.values)
    rows = []
    for pair, p_holm in zip(pairs, corrected.tolist(), strict=False):
        low, high = wilson_interval(pair.improvement, trials)
        row = {
            **values.key,
            "policy": values.policies[pair.policy],
            "baseline": values.policies[reference],
            "difference": pair.mean.mean,
            "low": _or_null(pair.mean.low),
            "high": _or_null(pair.mean.high),
            "p_value": pair.test.p_value,
            "p_holm": p_holm,
            "sure": pair.is_shown(p_holm),
            "improvement": pair.improvement,
            "improvement_low": low,
            "improvement_high": high,
            "trials": trials,
        }
        rows.append(row)

    return rows


def _best_row(values: PairedValues, reference: int, pairs: Sequence[Pair]) -> Row:
    """Whether the policy with the best mean is surely best; and what would tell."""
    trials = len(values.values)
    undecided = [pair.policy for pair in pairs if not pair.is_shown(pair.test.p_value)]
    needed = None
    if trials > 1:
        # The policy that is hardest to tell from the best needs the most.
        needed = max(pair.trials_needed for pair in pairs)
        # What these trials did not show needs more of them, whatever the formula says.
        if undecided:
            needed = max(needed, trials + 1.0)

    return {
        **values.key,
        "policy": values.policies[reference],
        "p_value": max(pair.test.p_value for pair in pairs),
        "sure": not undecided,
        "undecided": [values.policies[policy] for policy in undecided],
        "trials": trials,
        "trials_needed": needed,
    }


def _ranking_rows(values: PairedValues, shown: Sequence[Pair], better: Better) -> list[Row]:
    """The rows of `Comparison.ranking` of one problem and component, the best first.

    Args:
        values: of the policies.
        shown: the pairs whose difference is sure.
        better: which values are better.
    """
    losses = values.values if better == "smaller" else -values.values
    mean_losses = losses.mean(axis=0)
    # From trial to trial a policy may be far ahead of its mean, or far behind it.
    mean_ranks = np.array([midranks(trial) for trial in losses]).mean(axis=0)
    order = np.argsort(mean_losses, kind="stable").tolist()
    wins = [pair.winner_and_loser(better) for pair in shown]
    rows = []
    for policy in order:
        beaten = [other for other in order if (policy, other) in wins]
        row = {
            **values.key,
            "rank": 1 + int((mean_losses < mean_losses[policy]).sum()),
            "policy": values.policies[policy],
            "mean": float(values.values[:, policy].mean()),
            "mean_rank": float(mean_ranks[policy]),
            "better_than": [values.policies[other] for other in beaten],
            "trials": len(losses),
        }
        rows.append(row)

    return rows


def _or_null(number: float) -> float | None:
    return None if math.isnan(number) else number


def _without_single(table: pl.DataFrame) -> pl.DataFrame:
    """Without the columns of problems where there is one of them, as in a summary."""
    single = [name for name in PROBLEM if table[name].n_unique() < 2]
    return table.drop(single)


def average_ranks(all_values: Sequence[PairedValues], better: Better) -> pl.DataFrame:
    """The average rank of every policy by its means over trials, 1 is best, with Friedman's test.

    Args:
        all_values: of all problems; an experiment and its environment are one.
        better: which values are better.

    Returns:
        `component`, `policy`, `rank`, `problems`, `p_value` of Friedman's test, and
        `critical_difference`; from best to worst. It is empty where there is one problem.
    """
    components = dict.fromkeys(values.component for values in all_values)
    rows: list[dict[str, Any]] = []
    for component in components:
        own = [values for values in all_values if values.component == component]
        if len(own) > 1:
            rows += _rows_of(component, own, better)

    return pl.DataFrame(rows, RANKS)


def _rows_of(component: int, own: Sequence[PairedValues], better: Better) -> list[dict[str, Any]]:
    means = np.array([values.values.mean(axis=0) for values in own])
    losses = means if better == "smaller" else -means
    test = friedman(losses)
    policies = own[0].policies
    order = np.argsort(test.ranks, kind="stable")
    rows = []
    for j in order.tolist():
        row = {
            "component": component,
            "policy": policies[j],
            "rank": float(test.ranks[j]),
            "problems": len(own),
            "p_value": test.p_value,
            "critical_difference": test.critical_difference,
        }
        rows.append(row)

    return rows
