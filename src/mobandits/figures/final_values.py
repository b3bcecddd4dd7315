"""The last value of every policy in every metric, for tables: LaTeX, CSV, and wide frames."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from mobandits.figures.contents import distinct
from mobandits.figures.formatting import component_name, digits_after_point, spoken
from mobandits.metrics.metric import Better
from mobandits.metrics.traits import traits_of
from mobandits.statistics.bands import bands
from mobandits.statistics.signed_rank import not_worse_than_best
from mobandits.support.checks import choice
from mobandits.support.naming import quoted, wrong_value

Metrics = str | Sequence[str] | None  # None: those with few components
Directions = Mapping[str, Better] | None  # {metric: what is better}, besides what metrics say

MOST_COMPONENTS = 6  # of a metric that is shown without being asked for
UNKNOWN = (None, None, None)  # in place of a cell that a policy lacks


class Column(NamedTuple):
    """A metric, or one component of it.

    Attributes:
        metric: its name.
        component: its number.
        name: as people read it.
        part: of the component, such as "objective 1"; empty where there is one.
        direction: what is better, or None.
    """

    metric: str
    component: int
    name: str
    part: str
    direction: Better | None

    @property
    def key(self) -> str:
        """Its name in a wide table."""
        return f"{self.metric}_{self.component}" if self.part else self.metric


class Cell(NamedTuple):
    """A mean over trials.

    Attributes:
        mean: the value.
        half_width: half of its 95 % interval; None with a single trial.
        is_best: whether it is not significantly worse than the best of its column; None where
            nothing tells what is better.
    """

    mean: float
    half_width: float | None
    is_best: bool | None


class Row(NamedTuple):
    """A policy in one experiment and environment.

    Attributes:
        experiment: its name.
        environment: its text.
        policy: its name.
        cells: some may be missing.
    """

    experiment: str
    environment: str
    policy: str
    cells: dict[Column, Cell]


class FinalValues(NamedTuple):
    """All cells of a table.

    Attributes:
        columns: in the order of the metrics.
        rows: in the order of the table; those of one experiment and environment together.
        trials: the least and the largest number of trials.
        rounds: the least and the largest last round.
    """

    columns: list[Column]
    rows: list[Row]
    trials: tuple[int, int]
    rounds: tuple[int, int]

    @property
    def has_best(self) -> bool:
        """Whether some cell is as good as the best of its column."""
        return any(cell.is_best for row in self.rows for cell in row.cells.values())

    def place(self, row: Row) -> str:
        """The experiment and the environment of a row, where there are several."""
        places = (row.experiment, row.environment)
        others = zip(*(each[:2] for each in self.rows), strict=True)
        named = [name for name, every in zip(places, others, strict=True) if len(set(every)) > 1]
        return ", ".join(named)


def final_values(
    table: pl.DataFrame,
    metrics: Metrics = None,
    directions: Directions = None,
) -> FinalValues:
    """The last values of every policy: means, intervals, and which are as good as the best.

    Args:
        table: rows as `simulate` records them.
        metrics: names; None: all with at most six components.
        directions: {metric: "smaller" or "larger"} where the name does not tell what is better.

    Raises:
        ValueError: where a metric is not in the table, or the table is empty.
    """
    names = chosen_metrics(table, metrics)
    last_round = pl.col("round").max().over("experiment", "environment", "policy", "metric")
    last = table.filter(pl.col("metric").is_in(names), round=last_round)
    columns = _columns(last, names, directions)
    rows: list[Row] = []
    for group in last.partition_by("experiment", "environment", maintain_order=True):
        rows += _rows(group, columns)

    trials = last.group_by("experiment", "environment", "policy").agg(pl.col("trial").n_unique())
    counts = trials["trial"].to_list()
    rounds = last["round"].to_list()

    return FinalValues(columns, rows, (min(counts), max(counts)), (min(rounds), max(rounds)))


def direction_of(metric: str, given: Directions = None) -> Better | None:
    """The direction of a metric; None where it is not known.

    Args:
        metric: its name.
        given: {metric: "smaller" or "larger"}, which comes first.

    Raises:
        ValueError: where `given` says something else.

    Example:
        >>> direction_of("pareto_regret"), direction_of("reward"), direction_of("plays")
        ('smaller', 'larger', None)
        >>> direction_of("seconds", {"seconds": "smaller"})
        'smaller'
    """
    if given is not None and not isinstance(given, Mapping):
        raise wrong_value("better must be a dictionary such as {'seconds': 'smaller'}", given)
    if given and metric in given:
        direction = given[metric]
        choice(f"better[{quoted(metric)}]", direction, ("smaller", "larger"))
        return direction

    return traits_of(metric).better


def chosen_metrics(table: pl.DataFrame, metrics: Metrics) -> list[str]:
    """The names of metrics, checked; all that fit into a table where none is given."""
    known = distinct(table, "metric")
    if not known:
        raise ValueError("the table must have rows, got none")
    if metrics is None:
        components = table.group_by("metric").agg(pl.col("component").n_unique())
        number_of = dict(components.rows())
        small = [name for name in known if number_of[name] <= MOST_COMPONENTS]
        return small or known

    names = [metrics] if isinstance(metrics, str) else list(metrics)
    if not names:
        raise ValueError("metric must name at least one metric, got none")
    for name in names:
        choice("metric", name, known)
        if names.count(name) > 1:
            raise ValueError(f"metric must name each metric once, got {quoted(name)} twice")

    return names


def _columns(last: pl.DataFrame, names: Sequence[str], directions: Directions) -> list[Column]:
    columns = []
    for name in names:
        of_metric = last.filter(metric=name)
        components = of_metric["component"].unique().sort().to_list()
        for component in components:
            part = f"{component_name(name)} {component}" if len(components) > 1 else ""
            columns.append(
                Column(name, component, spoken(name), part, direction_of(name, directions))
            )

    return columns


def _rows(group: pl.DataFrame, columns: Sequence[Column]) -> list[Row]:
    """The rows of one experiment and environment."""
    policies = distinct(group, "policy")
    cells: dict[str, dict[Column, Cell]] = {policy: {} for policy in policies}
    for column in columns:
        of_column = group.filter(metric=column.metric, component=column.component)
        best = _as_good_as_the_best(of_column, column.direction)
        traits = traits_of(column.metric)
        means = bands(of_column, ["policy"], traits.least, traits.most)
        for row in means.rows(named=True):
            half_width = None
            if row["trials"] > 1:
                half_width = max(row["high"] - row["mean"], row["mean"] - row["low"])

            policy = row["policy"]
            is_best = None if column.direction is None else policy in best
            cells[policy][column] = Cell(row["mean"], half_width, is_best)

    experiment, environment = group.select("experiment", "environment").row(0)

    return [Row(experiment, environment, policy, own) for policy, own in cells.items()]


def _as_good_as_the_best(rows: pl.DataFrame, direction: Better | None) -> set[str]:
    """The policies that are not significantly worse than the best, in the trials of all."""
    policies = distinct(rows, "policy")
    if direction is None or len(policies) < 2:
        return set()

    wide = rows.pivot(on="policy", index="trial", values="value").drop_nulls().sort("trial")
    values = wide.select(policies).to_numpy().T
    marked = not_worse_than_best(values, smaller_is_better=direction == "smaller")

    return {policy for policy, is_best in zip(policies, marked, strict=True) if is_best}


def digits_of(cells: Sequence[Cell]) -> int:
    """The digits after the point of the cells of one column.

    The typical half-width has two digits that say something, and the smallest one at least one.

    Example:
        >>> digits_of([Cell(34.21, 2.57, True), Cell(110.4, 3.1, False)])
        1
    """
    widths = sorted(cell.half_width for cell in cells if cell.half_width)
    if not widths:
        sizes = [abs(cell.mean) for cell in cells]
        largest = max(sizes, default=0.0)
        if not largest > 0.0:  # nor where it is NaN
            return 0
        return digits_after_point(largest, 4)

    typical = widths[len(widths) // 2]
    smallest = widths[0]
    digits_of_typical = digits_after_point(typical, 2)
    digits_of_smallest = digits_after_point(smallest, 1)

    return max(digits_of_typical, digits_of_smallest)


def wide_table(
    table: pl.DataFrame,
    metrics: Metrics = None,
    better: Directions = None,
) -> pl.DataFrame:
    """The last values of every policy, a row each.

    Args:
        table: rows as `simulate` records them.
        metrics: names; None: all with at most six components.
        better: {metric: "smaller" or "larger"} where the name does not tell.

    Returns:
        `experiment` and `environment` where there are several, `policy`, and for each metric and
        component NAME or NAME_COMPONENT (the mean), the same with `_half_width` (half of the 95 %
        interval, null with a single trial) and `_best` (whether it is not significantly worse than
        the best; null where nothing tells what is better).

    Raises:
        ValueError: where a metric is not in the table.
    """
    values = final_values(table, metrics, better)
    rows = []
    for row in values.rows:
        wide_row: dict[str, Any] = row._asdict()
        cells = wide_row.pop("cells")
        for column in values.columns:
            keys = (column.key, f"{column.key}_half_width", f"{column.key}_best")
            wide_row |= zip(keys, cells.get(column, UNKNOWN), strict=True)

        rows.append(wide_row)

    wide = pl.DataFrame(rows, infer_schema_length=None)
    single = [name for name in ("experiment", "environment") if wide[name].n_unique() < 2]

    return wide.drop(single)


def csv_table(
    table: pl.DataFrame,
    metrics: Metrics = None,
    better: Directions = None,
) -> str:
    """`wide_table` as CSV, with a header; numbers have all their digits."""
    return wide_table(table, metrics, better).write_csv()
