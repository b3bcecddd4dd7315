"""The tidy table of a simulation, its summary, and its files."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import polars as pl

from mobandits.simulation.folder import Folder, read_folder
from mobandits.statistics.bands import student
from mobandits.support.checks import choice


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
        Results(1 policies, 2 trials, 100 rounds, 1 metrics)
        >>> results.summary().columns
        ['policy', 'metric', 'component', 'mean', 'low', 'high', 'trials']
    """

    table: pl.DataFrame
    specification: dict[str, Any]

    def __repr__(self) -> str:
        said = self.specification
        counts = (f"{len(said['policies'])} policies", f"{said['trials']} trials", f"{said['rounds']} rounds")
        return f"Results({', '.join(counts)}, {len(said['metrics'])} metrics)"

    def summary(self) -> pl.DataFrame:
        """The values at the last round: their mean over the trials, and its 95 % interval by Student's t.

        The interval is null with a single trial. Experiment and environment have columns where there are several.
        """
        several = [name for name in ("experiment", "environment") if self.table[name].n_unique() > 1]
        keys = [*several, "policy", "metric", "component"]
        last = self.table.filter(pl.col("round") == pl.col("round").max())
        grouped = last.group_by(keys, maintain_order=True).agg(
            mean=pl.col("value").mean(), deviation=pl.col("value").std(), trials=pl.len()
        )
        factors = [student(n - 1) / math.sqrt(n) if n > 1 else None for n in grouped["trials"]]
        half = pl.col("deviation") * pl.Series("factor", factors, pl.Float64)
        return grouped.select(*keys, "mean", low=pl.col("mean") - half, high=pl.col("mean") + half, trials="trials")

    def plot(self, metric: str) -> Any:
        """Curves of one metric over the rounds: mean and spread over the trials, a panel per component.

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
            FolderError: where there is none, where it is not finished, or where it is damaged.
        """
        table, manifest = read_folder(Path(folder))
        return cls(table, manifest["specification"])
