"""Reading an experiment's table by run and row."""

from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from mobandits.kernel.checks import choice
from mobandits.kernel.protocols import Array


class Outcome:
    """The curves of an experiment; see the protocol in `claims`.

    Args:
        table: rows of all its runs.
        places: {run: its environment as the table calls it}.
        rows: {(run, row): the row of the table that it stands for}.
    """

    def __init__(self, table: pl.DataFrame, places: Mapping[str, str], rows: Mapping[tuple[str, str], str]) -> None:
        self._places, self._rows = dict(places), dict(rows)
        keys = ["environment", "policy", "metric"]
        self._parts = table.partition_by(keys, as_dict=True)

    def runs(self) -> Sequence[str]:
        """The names of the experiment's runs."""
        return list(self._places)

    def rows(self, run: str) -> Sequence[str]:
        """The rows of a run."""
        return [row for place, row in self._rows if place == run]

    def metrics(self, run: str, row: str) -> Sequence[str]:
        """What was measured of a row."""
        key = self._places[run], self._rows[run, row]
        return [metric for *place, metric in self._parts if tuple(place) == key]

    def components(self, run: str, row: str, metric: str) -> Sequence[int]:
        """The components of a metric, in order."""
        return self._part(run, row, metric)["component"].unique().sort().to_list()

    def curves(self, run: str, row: str, metric: str, component: int = 0) -> tuple[Array, Array]:
        """The recorded rounds (points,), and the values (trials, points)."""
        part = self._part(run, row, metric).filter(pl.col("component") == component).sort("trial", "round")
        points, trials = part["round"].unique().sort().to_numpy(), part["trial"].n_unique()
        return points, np.array(part["value"].to_numpy().reshape(trials, len(points)))

    def _part(self, run: str, row: str, metric: str) -> pl.DataFrame:
        choice("run", run, self._places)
        choice("row", row, self.rows(run))
        choice("metric", metric, self.metrics(run, row))
        return self._parts[self._places[run], self._rows[run, row], metric]
