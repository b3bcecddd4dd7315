"""The tidy table of a simulation, its summary, and its files."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import polars as pl

from mobandits.comparison import Comparison, compare, findings_of, findings_text
from mobandits.metrics.metric import Better
from mobandits.metrics.traits import describing, traits_of
from mobandits.simulation.folder import Folder, read_folder
from mobandits.statistics.bands import bands
from mobandits.support.checks import choice
from mobandits.support.naming import quantity
from mobandits.support.notebooks import MOST_ROWS, block, html_table, remark

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# What is played. Its trials have the same rounds, which those of another need not have.
RUN = ["experiment", "environment", "policy"]
# Rows of a table that is summarised only to be shown: ten times as many take a second.
SHOWN_AT_MOST = 2_000_000


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """The results of a simulation: its table of metrics.

    Attributes:
        table: one row per recorded value: experiment, environment, policy, trial (from 0), round
            (from 1), metric, component (objective, digit or arm; 0 where there is one), value.
        specification: everything that decided the table.

    Example:
        >>> from mobandits.environments import Linear
        >>> from mobandits.policies import RandomChoice
        >>> from mobandits.simulation import simulate
        >>> asked = {"rounds": 100, "trials": 2, "metrics": ["pareto_regret"]}
        >>> results = simulate(RandomChoice(), Linear(arms=5), **asked)
        >>> results
        Results(1 policy, 2 trials, 100 rounds, 1 metric)
        >>> print(str(results).partition(" ±")[0])
        Pareto regret at round 100. Means over 2 trials;
        >>> results.summary().columns
        ['policy', 'metric', 'component', 'mean', 'low', 'high', 'trials']
    """

    table: pl.DataFrame
    specification: dict[str, Any]

    def __repr__(self) -> str:
        runs = self.table.group_by(RUN).agg(pl.col("trial").n_unique(), pl.col("round").max())
        number_of = {name: self.table[name].n_unique() for name in (*RUN, "metric")}
        counts = [
            quantity(number_of[name], name)
            for name in ("experiment", "environment")
            if number_of[name] > 1
        ]
        counts.append(quantity(number_of["policy"], "policy", "policies"))
        # A folder may hold runs of several experiments, which need not be equally long.
        counts.append(spanned(runs["trial"], "trial"))
        counts.append(spanned(runs["round"], "round"))
        counts.append(quantity(number_of["metric"], "metric"))

        return f"Results({', '.join(counts)})"

    def __str__(self) -> str:
        """The ranked policies, and at most three sentences on who is best.

        It is the `repr` where several experiments have no common ranking, or it would take long.
        """
        is_one_experiment = self.table["experiment"].n_unique() == 1
        if not is_one_experiment or len(self.table) > SHOWN_AT_MOST:
            return repr(self)

        with describing(self.specification):
            return findings_text(self.table, findings_of(self.table))

    def _repr_html_(self) -> str:
        """The first rows of the summary."""
        title = repr(self)
        if len(self.table) > SHOWN_AT_MOST:
            return block(title, remark(f"{len(self.table):,} rows: summary() takes a moment."))

        summary = self.summary()
        rows = summary.head(MOST_ROWS).iter_rows()

        return block(title, html_table(summary.columns, rows, total=len(summary)))

    def summary(self) -> pl.DataFrame:
        """The last values that were recorded: means over the trials, with 95 % intervals.

        The intervals are by Student's t; they are null with a single trial. Where a metric cannot
        be negative, as a regret, they are cut at 0: the truth is not below, so that they hold it
        as often. Experiment and environment have columns where there are several, and so has the
        round of the last values. `compare` tells policies apart better than these intervals do.
        """
        keys = [*RUN, "metric", "component"]
        last_round = pl.col("round").max().over(keys)
        last = self.table.filter(pl.col("round") == last_round)
        keys.append("round")
        metrics = last.unique(keys, maintain_order=True)["metric"]
        with describing(self.specification):
            traits = [traits_of(metric) for metric in metrics]

        least = pl.Series([each.least for each in traits], dtype=pl.Float64)
        most = pl.Series([each.most for each in traits], dtype=pl.Float64)
        # One trial tells nothing of how much they differ.
        several = pl.col("trials") > 1
        summary = bands(last, keys, least, most).with_columns(
            pl.when(several).then(pl.col("low", "high")),
            pl.col("trials").cast(pl.UInt32),
        )
        columns = [*RUN, "round", "metric", "component", "mean", "low", "high", "trials"]
        for name in ("experiment", "environment", "round"):
            if summary[name].n_unique() < 2:
                columns.remove(name)

        return summary.select(columns)

    def plot(
        self,
        metric: str,
        policies: Sequence[str] | None = None,
        *,
        size: Any = None,
        log: str | None = None,
        band: str | None = "interval",
        legend: str | None = "auto",
        style: str = "page",
    ) -> "Figure":
        """Curves of one metric over the rounds: means over the trials with their 95 % intervals.

        There is a panel per component, and per experiment and environment. The Matplotlib figure
        that is returned can be saved as PDF, PGF, SVG or PNG: `plot("reward").savefig("a.pdf")`.
        Fonts are embedded as TrueType, and the same data gives the same bytes.
        docs/how-to/paper-output.md shows the options.

        Args:
            metric: its name.
            policies: which lines, in this order; None: all.
            size: "column" (3.25 inches wide), "page" (6.75 inches), or (width, height) in inches;
                None: 6.8 inches, as on pages.
            log: which axes are logarithmic: "x" (rounds), "y" (the metric), "both" or None.
            band: around lines: "interval" (95 %, of the mean), "deviation" (one standard deviation
                of the trials), "quantiles" (10 % to 90 % of the trials, around the median), or
                None.
            legend: names at the "ends" of lines, "below" the panels, "inside" the first panel;
                "auto"; None for no names.
            style: "page", "paper" (serif, 8 points) or "paper-mono" (black, dashes and markers).

        Raises:
            ValueError: where the metric was not measured, or an option does not fit.
        """
        choice("metric", metric, self.table["metric"].unique())
        # Drawing is not needed to simulate.
        from mobandits.figures.plot_options import PlotOptions  # noqa: PLC0415
        from mobandits.figures.plots import plot  # noqa: PLC0415

        given: Any = {"size": size, "log": log, "band": band, "legend": legend, "style": style}
        options = PlotOptions(policies, **given)
        with describing(self.specification):
            return plot(self.table, metric, options)

    def to_latex(
        self,
        metric: str | Sequence[str] | None = None,
        *,
        caption: str | None = None,
        label: str | None = None,
        wide: bool = False,
        better: Mapping[str, Better] | None = None,
    ) -> str:
        r"""The last values as a LaTeX table: a row per policy, a column per metric and component.

        Entries are means with half of their 95 % intervals. Bold are the best of a column, and
        those that are not significantly worse: signed-rank tests over the trials, together at 5 % by
        Holm's method. The caption says so, and how many trials and rounds there are. The document
        needs ``\usepackage{booktabs}``.

        Args:
            metric: a name, or a list of them; None: all with at most six components.
            caption: how the caption begins, plain text.
            label: for `\ref`.
            wide: over both columns of a page.
            better: {metric: "smaller" or "larger"}, for metrics that do not say it themselves.

        Raises:
            ValueError: where a metric was not measured.
        """
        from mobandits.figures.latex_table import latex_table  # noqa: PLC0415

        with describing(self.specification):
            return latex_table(
                self.table, metric, caption=caption, label=label, wide=wide, better=better
            )

    def to_csv(
        self,
        metric: str | Sequence[str] | None = None,
        *,
        better: Mapping[str, Better] | None = None,
    ) -> str:
        """The last values as CSV: a row per policy; per metric its mean, half-width, and `best`.

        The columns are those of `mobandits.figures.final_values.wide_table`. The whole table is
        `results.table.write_csv(file)`.

        Args:
            metric: as in `to_latex`.
            better: as in `to_latex`.

        Raises:
            ValueError: where a metric was not measured.
        """
        from mobandits.figures.final_values import csv_table  # noqa: PLC0415

        with describing(self.specification):
            return csv_table(self.table, metric, better)

    def cite(self) -> str:
        """BibTeX of every policy, environment, data set and metric used, and of this library.

        Comments at its beginning say what is cited as what. It is made from `specification`, so it
        works on `Results.read(folder)` too. An environment names its own data with it; recipes of
        other authors are cited where this process knows them and they name `references`.
        """
        from mobandits.references import bibtex, citations  # noqa: PLC0415

        return bibtex(citations(self.specification))

    def compare(
        self,
        baseline: str | None = None,
        metric: str | None = None,
        *,
        better: Better | None = None,
    ) -> Comparison:
        """Paired comparison of the policies in one metric, at the last round.

        All policies of a trial play the same rounds. So their differences, trial by trial, vary
        less than the values themselves, and are told apart where the intervals of the means
        overlap. `mobandits.comparison.compare` has the methods and their references.

        Args:
            baseline: the policy that the others are compared with; None: the one with the best
                mean, with tests that allow for this choice.
            metric: its name; None: the only one that was measured.
            better: "smaller" or "larger", for a metric that does not say it itself.

        Raises:
            ValueError: where a name is unknown, there is one policy only, or the policies of an
                experiment and environment do not have the same trials and rounds.

        Example:
            >>> from mobandits.environments import Linear
            >>> from mobandits.policies import MolUcb, RandomChoice
            >>> from mobandits.simulation import simulate
            >>> policies = {"ucb": MolUcb(scale=0.3), "random": RandomChoice()}
            >>> asked = {"rounds": 200, "trials": 8, "metrics": ["pareto_regret"]}
            >>> results = simulate(policies, Linear(arms=5), **asked)
            >>> results.compare().best["policy"].to_list()
            ['ucb']
        """
        with describing(self.specification):
            return compare(self.table, baseline, metric, better=better)

    def write(self, folder: str | Path) -> None:
        """`results.parquet` and `manifest.json` in a new or empty folder.

        Raises:
            FolderError: where the folder holds something else.
        """
        with Folder(folder, self.specification) as run:
            run.write(self.table)

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """The results of a finished run.

        Raises:
            FolderError: where there is none, where it is not finished, or where it is not as the
                run left it.
        """
        table, manifest = read_folder(Path(folder))
        return cls(table, manifest["specification"])


def spanned(numbers: pl.Series, noun: str) -> str:
    """The least and the largest of some numbers of things.

    Example:
        >>> spanned(pl.Series([20, 30]), "round"), spanned(pl.Series([5, 5]), "trial")
        ('20 to 30 rounds', '5 trials')
    """
    least = min(numbers, default=0)
    largest = max(numbers, default=0)
    end = quantity(largest, noun)
    return end if least == largest else f"{least:,} to {end}"
