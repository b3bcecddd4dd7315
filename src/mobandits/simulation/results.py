"""The tidy table of a simulation, its summary, and its files."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import polars as pl

from mobandits.figures.formatting import quantity
from mobandits.simulation.folder import Folder, read_folder
from mobandits.statistics.bands import interval_factor
from mobandits.support.checks import choice

# What is played. Its trials have the same rounds, which those of another need not have.
RUN = ["experiment", "environment", "policy"]


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

    def summary(self) -> pl.DataFrame:
        """The last values that were recorded: means over the trials, with 95 % intervals.

        The intervals are by Student's t; they are null with a single trial. Experiment and
        environment have columns where there are several, and so has the round of the last values.
        """
        keys = [*RUN, "metric", "component"]
        last_round = pl.col("round").max().over(keys)
        last = self.table.filter(pl.col("round") == last_round)
        groups = last.group_by(keys, maintain_order=True).agg(
            pl.col("round").first(),
            mean=pl.col("value").mean(),
            deviation=pl.col("value").std(),
            trials=pl.len(),
        )
        # One trial tells nothing of how much they differ.
        numbers = groups["trials"].to_list()
        factor_of = {n: interval_factor(n) if n > 1 else None for n in set(numbers)}
        factors = pl.Series("factor", [factor_of[n] for n in numbers], pl.Float64)
        mean = pl.col("mean")
        half_width = pl.col("deviation") * factors
        summary = groups.with_columns(low=mean - half_width, high=mean + half_width)
        columns = [*RUN, "round", "metric", "component", "mean", "low", "high", "trials"]
        for name in ("experiment", "environment", "round"):
            if summary[name].n_unique() < 2:
                columns.remove(name)

        return summary.select(columns)

    def plot(self, metric: str) -> Any:
        """Curves of one metric over the rounds: means over the trials with their 95 % intervals.

        There is a panel per component, and per experiment and environment.

        Raises:
            ValueError: where the metric was not measured.
        """
        choice("metric", metric, self.table["metric"].unique())
        from mobandits.figures import curves  # noqa: PLC0415 - drawing is not needed to simulate

        return curves(self.table, metric)

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
