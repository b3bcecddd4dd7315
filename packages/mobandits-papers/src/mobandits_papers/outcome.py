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
        self._parts = table.partition_by(["environment", "policy", "metric"], as_dict=True)
        self._no_rows = table.clear()
        self._policies: dict[str, set[str]] = {}
        for place, policy, _ in self._parts:
            self._policies.setdefault(str(place), set()).add(str(policy))

        self._trials: dict[str, Array] = {}
        for (place,), part in table.partition_by("environment", as_dict=True).items():
            self._trials[str(place)] = np.unique(part["trial"].to_numpy())

    def runs(self) -> Sequence[str]:
        """The names of the experiment's runs."""
        return list(self._places)

    def rows(self, run: str) -> Sequence[str]:
        """The rows of a run."""
        rows = []
        for place, row in self._rows:
            if place == run:
                rows.append(row)

        return rows

    def metrics(self, run: str, row: str) -> Sequence[str]:
        """The metrics that were measured of a row."""
        wanted = (self._places[run], self._policy(run, row))
        metrics = []
        for place, policy, metric in self._parts:
            if (place, policy) == wanted:
                metrics.append(str(metric))

        return metrics

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
        place = self._places[run]
        if row not in self._policies.get(place, ()):
            choice("row", row, self.rows(run))

        known_metrics = {*self.metrics(run, row), *self._recorded.get(run, ())}
        choice("metric", metric, known_metrics)
        key = (place, self._policy(run, row), metric)

        return self._parts.get(key, self._no_rows)

    def _policy(self, run: str, row: str) -> str:
        # The row of the table that a row of the run stands for; any other name is the table's own.
        return self._rows.get((run, row), row)
