"""The result of `compare`: tables, a figure, and sentences."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from mobandits.comparison.wording import comparison_sentences
from mobandits.metrics.metric import Better
from mobandits.support.naming import quantity
from mobandits.support.notebooks import MOST_ROWS, block, html_table, remark

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PAGE_WIDTH = 6.8  # inches, as of all figures


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """Paired comparison of policies in one metric, at the last round.

    Attributes:
        metric: its name.
        better: which values are better, "smaller" or "larger".
        baseline: the policy that the others are compared with; None: the one with the best mean.
        table: one row per policy but the baseline: `component`, `policy`, `baseline`, `difference`
            (the mean of policy less baseline), its 95 % interval `low` and `high` (null with one
            trial), `p_value` of the signed-rank test, `p_holm` after Holm's correction, `sure`
            (whether the corrected test at 5 % and the interval agree on a side, or the baseline is
            surely best), `improvement` (the probability that the policy is better in a trial) with
            `improvement_low` and `improvement_high`, and `trials`. `experiment` and `environment`
            come first where there are several.
        best: where no baseline was given, one row per component: the `policy` with the best mean,
            `p_value` (the largest against any other policy), `sure` (whether it may be called
            best), `undecided` (the policies that it is not significantly better than), `trials`, and
            `trials_needed` (with which it would be found in 80 % of cases if the differences are as
            they look; infinite where a difference is 0). Else empty.
        ranking: one row per policy and component, the best first: its `rank` by the mean, `policy`,
            `mean`, `mean_rank` (the average over the trials of its rank in each; 1 is best),
            `better_than` (the policies that it is surely better than: of all pairs or, where a
            baseline was given, of the pairs with the baseline), and `trials`. `experiment` and
            `environment` come first where there are several.
        ranks: over several experiments or environments: `component`, `policy`, its average `rank`
            (1 is best), `problems`, the `p_value` of Friedman's test, and Nemenyi's
            `critical_difference`. Else empty.

    Example:
        >>> from mobandits.environments import Linear
        >>> from mobandits.policies import MolUcb, RandomChoice
        >>> from mobandits.simulation import simulate
        >>> policies = {"ucb": MolUcb(scale=0.3), "random": RandomChoice()}
        >>> asked = {"rounds": 200, "trials": 8, "metrics": ["pareto_regret"]}
        >>> comparison = simulate(policies, Linear(arms=5), **asked).compare("random")
        >>> comparison
        Comparison(pareto_regret, smaller is better, 2 policies, against random)
        >>> comparison.table.select("policy", "improvement", "trials").rows()
        [('ucb', 0.875, 8)]
    """

    metric: str
    better: Better
    baseline: str | None
    table: pl.DataFrame
    best: pl.DataFrame
    ranking: pl.DataFrame
    ranks: pl.DataFrame

    def __repr__(self) -> str:
        # All but the baseline have a row.
        names = {*self.table["policy"], *self.table["baseline"]}
        policies = quantity(len(names), "policy", "policies")
        against = "the best" if self.baseline is None else self.baseline
        return f"Comparison({self.metric}, {self.better} is better, {policies}, against {against})"

    def _repr_html_(self) -> str:
        """The sentences, and the first rows of the table."""
        rows = self.table.head(MOST_ROWS).iter_rows()
        remarks = [remark(sentence) for sentence in self.sentences()]
        shown = html_table(self.table.columns, rows, total=len(self.table))
        return block(repr(self), *remarks, shown)

    def sentences(self, *, sure: bool | None = None) -> list[str]:
        """Sentences on the best policy and its lead, or on the trials that would tell.

        One sentence or two per component, experiment and environment, those over several
        environments first. Where a baseline was given, they say which policies are better or worse
        than it, at 5 % after Holm's correction.

        The number of trials that would tell is that of the signed-rank test with a power of 80 %,
        for normal differences with the mean and the standard deviation of these trials
        (`mobandits.statistics.signed_rank.trials_needed` has the formula). Few trials know both badly, so
        it is a guess of the order of magnitude.

        Args:
            sure: True: only those on differences that are sure; False: only the others; None: all.
        """
        sentences = comparison_sentences(
            self.metric, self.better, self.baseline, self.table, self.best, self.ranks
        )
        return [each.text for each in sentences if sure in (None, each.is_sure)]

    def plot(self, width: float = PAGE_WIDTH) -> "Figure":
        """The figure of the comparison.

        Over several environments it shows the average ranks, and joins the policies that differ by
        less than the critical difference (Demsar 2006, Figure 1). Otherwise it shows the paired
        differences from the baseline with their intervals.

        Args:
            width: in inches; 3.9 is a column or a phone.
        """
        # Drawing is not needed to compare.
        from mobandits.figures.comparison_figures import draw_differences, draw_ranks  # noqa: PLC0415

        if not self.ranks.is_empty():
            return draw_ranks(self.ranks, self.metric, width)

        return draw_differences(self.table, self.metric, self.better, width)
