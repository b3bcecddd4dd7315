"""The tidy table of a simulation, its summary, and its files."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import polars as pl

from mobandits.figures.formatting import quantity
from mobandits.simulation.folder import Folder, read_folder
from mobandits.statistics.bands import student
from mobandits.support.checks import choice

RUN = ["experiment", "environment", "policy"]  # what is played: its trials have the same rounds


@dataclass(frozen=True, eq=False, repr=False)
class Results:
    """What a simulation measured.

    Attributes:
        table: one row per recorded value: experiment, environment, policy, trial (from 0), round (from 1), metric,
            component (objective, digit or arm; 0 where there is one), value.
        specification: everything that decided the table.

    Example:
        >>> from mobandits.environments import Linear
        >>> from mobandits.policies import RandomChoice
        >>> from mobandits.simulation import simulate
        >>> results = simulate(RandomChoice(), Linear(arms=5), rounds=100, trials=2, metrics=["pareto_regret"])
        >>> results
        Results(1 policy, 2 trials, 100 rounds, 1 metric)
        >>> results.summary().columns
        ['policy', 'metric', 'component', 'mean', 'low', 'high', 'trials']
    """

    table: pl.DataFrame
    specification: dict[str, Any]

    def __repr__(self) -> str:
        runs = self.table.group_by(RUN).agg(pl.col("trial").n_unique(), pl.col("round").max())
        distinct = {name: self.table[name].n_unique() for name in (*RUN, "metric")}
        parts = [
            quantity(distinct[name], name)
            for name in ("experiment", "environment")
            if distinct[name] > 1
        ]
        parts.append(quantity(distinct["policy"], "policy", "policies"))
        parts += [spanned(runs[name], name) for name in ("trial", "round")]
        parts.append(quantity(distinct["metric"], "metric"))
        return f"Results({', '.join(parts)})"

    def summary(self) -> pl.DataFrame:
        """The last values that were recorded: their mean over the trials, and its 95 % interval by Student's t.

        The interval is null with a single trial. Experiment and environment have columns where there are several, and
        so has the round of the last values.
        """
        keys = [*RUN, "metric", "component"]
        last = self.table.filter(pl.col("round") == pl.col("round").max().over(keys))
        grouped = last.group_by(keys, maintain_order=True).agg(
            pl.col("round").first(),
            mean=pl.col("value").mean(),
            deviation=pl.col("value").std(),
            trials=pl.len(),
        )
        factors = [student(n - 1) / math.sqrt(n) if n > 1 else None for n in grouped["trials"]]
        half = pl.col("deviation") * pl.Series("factor", factors, pl.Float64)
        whole = grouped.with_columns(low=pl.col("mean") - half, high=pl.col("mean") + half)
        shared = [
            name for name in ("experiment", "environment", "round") if whole[name].n_unique() < 2
        ]
        columns = [*RUN, "round", "metric", "component", "mean", "low", "high", "trials"]
        return whole.select(name for name in columns if name not in shared)

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
            FolderError: where there is none, where it is not finished, or where it is not as the run left it.
        """
        table, manifest = read_folder(Path(folder))
        return cls(table, manifest["specification"])


def spanned(numbers: pl.Series, one: str) -> str:
    """The least and the largest of some numbers of things.

    Example:
        >>> spanned(pl.Series([20, 30]), "round"), spanned(pl.Series([5, 5]), "trial")
        ('20 to 30 rounds', '5 trials')
    """
    least = min(numbers, default=0)
    most = max(numbers, default=0)
    end = quantity(most, one)
    return end if least == most else f"{least:,} to {end}"
