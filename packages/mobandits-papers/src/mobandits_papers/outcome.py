"""The table of an experiment, read by run and row."""

import copy
from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
import polars as pl

from mobandits.contracts.protocols import Array
from mobandits.support.checks import choice


class Outcome:
    """The curves of an experiment, which claims are read from.

    Besides the rows of a run, every row of the table can be read by its own name, such as those of
    a grid of constants that were not chosen.

    Args:
        table: rows of all its runs.
        places: {run: its environment as the table calls it}.
        rows: {(run, row): the row of the table that it stands for}.
        recorded: {run: the metrics that its simulation records}; a table leaves out values that are
            NaN, so that it may have nothing of them.
    """

    def __init__(
        self,
        table: pl.DataFrame,
        places: Mapping[str, str],
        rows: Mapping[tuple[str, str], str],
        recorded: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        self._places = dict(places)
        self._rows = dict(rows)
        self._recorded = dict(recorded)
        # Claims read many curves of a table of millions of rows: it is cut only once.
        self._parts: dict[tuple[str, str], dict[str, pl.DataFrame]] = {}
        parts = table.partition_by(["environment", "policy", "metric"], as_dict=True)
        for (place, policy, metric), part in parts.items():
            self._parts.setdefault((place, policy), {})[metric] = part

        self._no_rows = table.clear()
        self._trials: dict[str, Array] = {}
        for (place,), part in table.partition_by("environment", as_dict=True).items():
            self._trials[str(place)] = np.unique(part["trial"].to_numpy())

    def runs(self) -> Sequence[str]:
        """The names of the experiment's runs."""
        return list(self._places)

    def rows(self, run: str) -> Sequence[str]:
        """The rows of a run."""
        return [row for place, row in self._rows if place == run]

    def metrics(self, run: str, row: str) -> Sequence[str]:
        """The metrics that were measured of a row."""
        return list(self._measured(run, row))

    def components(self, run: str, row: str, metric: str) -> Sequence[int]:
        """The components of a metric, in order."""
        part = self._part(run, row, metric)
        components = part["component"].unique().sort()
        return components.to_list()

    def curves(self, run: str, row: str, metric: str, component: int = 0) -> tuple[Array, Array]:
        """The recorded rounds (points,), and the values (trials, points).

        A value is NaN where the table has no row.
        """
        part = self._part(run, row, metric)
        trials = self._trials[self._places[run]]
        if part.is_empty():
            return np.ones(1), np.full((len(trials), 1), np.nan)

        # The points of all components, so that curves of two of them can be compared.
        points, point_of_row = np.unique(part["round"].to_numpy(), return_inverse=True)
        trial_of_row = np.searchsorted(trials, part["trial"].to_numpy())

        is_own = part["component"].to_numpy() == component
        own_trials = trial_of_row[is_own]
        own_points = point_of_row[is_own]
        own_values = part["value"].to_numpy()[is_own]

        values = np.full((len(trials), len(points)), np.nan)
        values[own_trials, own_points] = own_values

        return points, values

    def renamed(self, names: Mapping[str, str]) -> "Outcome":
        """The same results where some rows stand for other rows of the table, {row: other}."""
        other = copy.copy(self)
        other._rows = {
            **self._rows,
            **{(run, row): policy for run in self._places for row, policy in names.items()},
        }
        return other

    def _part(self, run: str, row: str, metric: str) -> pl.DataFrame:
        choice("run", run, self._places)
        if (self._places[run], row) not in self._parts:
            choice("row", row, self.rows(run))

        measured = self._measured(run, row)
        choice("metric", metric, {*measured, *self._recorded.get(run, ())})

        return measured.get(metric, self._no_rows)

    def _measured(self, run: str, row: str) -> dict[str, pl.DataFrame]:
        """{metric: its rows}."""
        # The row of the table that a row of the run stands for; any other name is the table's own.
        policy = self._rows.get((run, row), row)
        return self._parts.get((self._places[run], policy), {})
